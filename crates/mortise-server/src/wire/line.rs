//! The line to the client of one request, over rmcp.

use std::sync::Arc;

use mortise_contract::Era;
use rmcp::RoleServer;
use rmcp::model::{
    CustomRequest, LoggingLevel, LoggingMessageNotificationParam, ProgressNotificationParam, ProgressToken,
    ServerRequest,
};
use rmcp::service::{Peer, PeerRequestOptions, RequestContext, ServiceError};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::Session;
use crate::LogLevel;
use crate::call::outbox::Progress;
use crate::call::{ASK_TIMEOUT, ClientLine};
use crate::client::Client;
use crate::input::{AskError, InputRequest};

pub(crate) struct PeerLine {
    peer: Peer<RoleServer>,
    cancelled: CancellationToken,
    stopping: CancellationToken,
    progress_token: Option<ProgressToken>,
    /// The least grave level that the client wants; `None` for no messages at all.
    level: Option<LogLevel>,
}

impl PeerLine {
    pub(crate) fn new(
        context: &RequestContext<RoleServer>,
        client: Client,
        session: &Arc<Session>,
        stopping: CancellationToken,
    ) -> Self {
        let level = match client.era() {
            Era::Legacy => Some(session.log_level()),
            Era::Modern => wanted_level(context),
        };
        Self {
            peer: context.peer.clone(),
            cancelled: context.ct.clone(),
            stopping,
            progress_token: context.meta.get_progress_token(),
            level,
        }
    }
}

/// The level that a modern request asks for.
pub(super) fn wanted_level(context: &RequestContext<RoleServer>) -> Option<LogLevel> {
    LogLevel::parse(serde_json::to_value(context.meta.log_level()?).ok()?.as_str()?)
}

impl ClientLine for PeerLine {
    async fn progress(&self, progress: Progress) {
        let Some(token) = &self.progress_token else { return };
        if self.cancelled.is_cancelled() {
            return;
        }
        let mut params = ProgressNotificationParam::new(token.clone(), progress.progress);
        params.total = progress.total;
        params.message = progress.message;
        // An error means that the client is gone, which also cancels the call.
        let _ = self.peer.notify_progress(params).await;
    }

    async fn log(&self, level: LogLevel, data: Value) {
        if self.level.is_none_or(|wanted| level < wanted) || self.cancelled.is_cancelled() {
            return;
        }
        let Ok(level) = serde_json::from_value::<LoggingLevel>(Value::from(level.as_str())) else { return };
        let _ = self.peer.notify_logging_message(LoggingMessageNotificationParam::new(level, data)).await;
    }

    async fn ask(
        &self,
        request: &InputRequest,
        void: impl Future<Output = ()> + Send,
    ) -> Result<Value, AskError> {
        let params = Some(request.params().clone()).filter(|params| !params.is_null());
        // A custom request keeps parameters that rmcp's types do not know.
        let message = ServerRequest::CustomRequest(CustomRequest::new(request.method(), params));
        let failed = |error: ServiceError| match error {
            ServiceError::McpError(error) => AskError::Failed {
                method: request.method(),
                code: error.code.0,
                message: error.message.into_owned(),
            },
            _ => AskError::Gone,
        };
        let mut void = std::pin::pin!(void);
        let sending = self.peer.send_request_with_option(message, PeerRequestOptions::no_options());
        let mut handle = tokio::select! {
            handle = sending => handle.map_err(failed)?,
            () = &mut void => return Err(AskError::Gone),
        };
        let (reason, error) = tokio::select! {
            biased;
            answered = &mut handle.rx => {
                let result = answered.map_err(|_| AskError::Gone)?.map_err(failed)?;
                return serde_json::to_value(result)
                    .map_err(|error| AskError::BadAnswer { reason: error.to_string() });
            }
            () = void => ("the call that asked has ended or needs no answer any more", AskError::Gone),
            () = tokio::time::sleep(ASK_TIMEOUT) => {
                let (method, seconds) = (request.method(), ASK_TIMEOUT.as_secs());
                ("no answer came in time", AskError::TimedOut { method, seconds })
            }
        };
        // An error means that the client is gone.
        let _ = handle.cancel(Some(reason.to_owned())).await;
        Err(error)
    }

    async fn cancelled(&self) {
        self.cancelled.cancelled().await;
    }

    async fn stopping(&self) {
        self.stopping.cancelled().await;
    }
}
