//! What a supervisor shows of its server.

use std::time::Duration;

use crate::error::ConnectError;

/// Where a server is in its life.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ServerState {
    /// Being started or reached.
    Starting {
        /// 1 for the first time, then one more for each restart.
        attempt: u32,
    },
    /// Connected, listed, usable.
    Ready,
    /// Usable, but the last attempt to list its tools again failed.
    Degraded {
        /// Why the list may be old.
        reason: String,
    },
    /// Not connected; will be tried again.
    BackingOff {
        /// Why the last attempt failed.
        error: ConnectError,
        /// When it is tried again, counted from the change to this state.
        retry_in: Duration,
    },
    /// Failed too often; left alone for a while.
    CircuitOpen {
        /// Why the last attempt failed.
        error: ConnectError,
        /// When it is tried again, counted from the change to this state.
        retry_in: Duration,
    },
    /// Not connected and not tried again automatically: a person has to do something first.
    Failed {
        /// Why the last attempt failed.
        error: ConnectError,
    },
    /// Shut down.
    Stopped,
}

impl ServerState {
    /// One word: `starting`, `ready`, `degraded`, `backing-off`, `circuit-open`, `failed` or `stopped`.
    pub fn label(&self) -> &'static str {
        match self {
            Self::Starting { .. } => "starting",
            Self::Ready => "ready",
            Self::Degraded { .. } => "degraded",
            Self::BackingOff { .. } => "backing-off",
            Self::CircuitOpen { .. } => "circuit-open",
            Self::Failed { .. } => "failed",
            Self::Stopped => "stopped",
        }
    }

    /// Whether calls can be sent now.
    pub fn is_usable(&self) -> bool {
        matches!(self, Self::Ready | Self::Degraded { .. })
    }

    /// Whether the server has neither come up nor failed since it was configured.
    pub fn is_first_start(&self) -> bool {
        matches!(self, Self::Starting { attempt: 1 })
    }

    /// Whether a connection is there or being made: a server that was lost starts again soon.
    pub(crate) fn is_coming(&self) -> bool {
        match self {
            Self::Starting { .. } | Self::Ready | Self::Degraded { .. } => true,
            Self::BackingOff { error, .. } => matches!(error, ConnectError::Lost { .. }),
            Self::CircuitOpen { .. } | Self::Failed { .. } | Self::Stopped => false,
        }
    }

    /// Why the server or its list of tools can't be used, if that is known.
    pub fn reason(&self) -> Option<String> {
        match self {
            Self::Degraded { reason } => Some(reason.clone()),
            state => state.error().map(ToString::to_string),
        }
    }

    /// Why the server is not connected, when an attempt has failed.
    pub fn error(&self) -> Option<&ConnectError> {
        match self {
            Self::BackingOff { error, .. } | Self::CircuitOpen { error, .. } | Self::Failed { error } => {
                Some(error)
            }
            _ => None,
        }
    }
}
