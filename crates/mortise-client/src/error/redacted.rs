//! Errors without the secrets that a server repeats in what it says.

use super::{CallError, CloseReason, ConnectError, RpcError};
use crate::secret::Secrets;

impl RpcError {
    fn redacted(self, secrets: &Secrets) -> Self {
        Self {
            code: self.code,
            message: secrets.hide(&self.message).into_owned(),
            data: self.data.map(|data| secrets.hide_json(&data)),
        }
    }
}

impl CloseReason {
    fn redacted(self, secrets: &Secrets) -> Self {
        match self {
            Self::Network { detail } => Self::Network { detail: secrets.hide(&detail).into_owned() },
            other => other,
        }
    }
}

impl ConnectError {
    /// The error without the server's secrets, which the server may have repeated.
    pub(crate) fn redacted(mut self, secrets: &Secrets) -> Self {
        let hide = |text: &mut String| *text = secrets.hide(text).into_owned();
        match &mut self {
            Self::Closed { reason, stderr } | Self::Lost { reason, stderr } => {
                *reason = reason.clone().redacted(secrets);
                hide(stderr);
            }
            Self::Timeout { stderr, .. } => hide(stderr),
            Self::Address { detail, .. }
            | Self::Unreachable { detail, .. }
            | Self::Protocol { detail, .. } => {
                hide(detail);
            }
            Self::AuthRequired { challenge, detail, .. } => {
                challenge.iter_mut().chain(detail).for_each(hide);
            }
            Self::Http { body, retry_after, .. } => {
                hide(body);
                retry_after.iter_mut().for_each(hide);
            }
            Self::Refused { error, .. } => *error = error.clone().redacted(secrets),
            Self::Version { offered } => offered.iter_mut().for_each(hide),
            Self::Spawn { .. }
            | Self::Configuration { .. }
            | Self::Directory { .. }
            | Self::TooDeep { .. }
            | Self::Header { .. }
            | Self::HttpSse { .. }
            | Self::ShutDown => {}
        }
        self
    }
}

impl CallError {
    /// The error without the server's secrets, which the server may have repeated. The result itself is unchanged.
    pub(crate) fn redacted(mut self, secrets: &Secrets) -> Self {
        let hide = |text: &mut String| *text = secrets.hide(text).into_owned();
        match &mut self {
            Self::NotConnected { reason, .. }
            | Self::TaskLost { reason, .. }
            | Self::SchemaUnusable { reason, .. }
            | Self::NotCallable { reason, .. } => hide(reason),
            Self::Closed { reason, .. } => *reason = reason.clone().redacted(secrets),
            Self::Rpc { error, .. } => *error = error.clone().redacted(secrets),
            Self::Protocol { detail, .. }
            | Self::InputRequired { detail, .. }
            | Self::Paging { detail, .. } => hide(detail),
            Self::AuthRequired { challenge, detail, .. } => {
                challenge.iter_mut().chain(detail).for_each(hide);
            }
            Self::Http { body, retry_after, .. } => {
                hide(body);
                retry_after.iter_mut().for_each(hide);
            }
            Self::Violation { outcome, .. } => {
                for violation in &mut outcome.verdict.errors {
                    hide(&mut violation.message);
                    hide(&mut violation.value_excerpt);
                }
            }
            Self::Timeout { .. }
            | Self::Redeclared { .. }
            | Self::Cancelled { .. }
            | Self::UnknownName { .. }
            | Self::Arguments { .. }
            | Self::TooLarge { .. }
            | Self::Stalled { .. } => {}
        }
        self
    }
}
