//! The side of rmcp that answers a server's requests.

use std::sync::Arc;

use mortise_contract::ServerName;
use rmcp::RoleClient;
use rmcp::model::{
    ClientConfig, ClientResult, ErrorCode, ErrorData, RequestId, ServerNotification, ServerRequest,
};
use rmcp::service::{NotificationContext, RequestContext, Service};

use super::lifecycle::Identity;
use super::tap::Tap;
use crate::event::FaultKind;
use crate::facts::Era;
use crate::handler::ServerAsk;
use crate::limits::ASK_BYTES;

/// Answers what a server asks, from the raw request that the tap kept.
#[derive(Clone, Debug)]
pub(crate) struct ClientService {
    pub(crate) server: ServerName,
    pub(crate) identity: Arc<Identity>,
    pub(crate) tap: Arc<Tap>,
    pub(crate) era: Era,
}

impl ClientService {
    async fn answer(&self, number: i64) -> Result<ClientResult, ErrorData> {
        let gone = || ErrorData::new(ErrorCode::INTERNAL_ERROR, "the request is gone", None);
        let ask = self.tap.asks().get(number).ok_or_else(gone)?;
        if let Some(bytes) = ask.oversize {
            let message = oversize_ask(bytes);
            return Err(ErrorData::new(ErrorCode::INVALID_REQUEST, message, None));
        }
        if self.era == Era::Modern {
            self.tap.inbox.fault(FaultKind::UnexpectedRequest, &ask.method);
            let message = "protocol 2026-07-28 lets no server send requests";
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None));
        }
        if ask.method == "ping" {
            return Ok(ClientResult::empty(()));
        }
        let question =
            ServerAsk { server: self.server.clone(), method: ask.method.clone(), params: ask.params.clone() };
        let listener = ask.exchange.as_ref().and_then(|exchange| exchange.listener.as_deref());
        tokio::select! {
            () = ask.cancelled.cancelled() => Err(gone()),
            () = ask.call_over() => {
                let message = "the call that this request belongs to has ended";
                Err(ErrorData::new(ErrorCode::INTERNAL_ERROR, message, None))
            }
            answer = self.identity.handlers.answer(question, listener) => match answer {
                Ok(answer) => {
                    ask.set_answer(answer);
                    Ok(ClientResult::empty(()))
                }
                Err(error) => Err(ErrorData::new(ErrorCode(error.code), error.message, None)),
            },
        }
    }
}

/// Why a request of this size is refused.
pub(crate) fn oversize_ask(bytes: usize) -> String {
    format!("the request has {bytes} bytes; at most {ASK_BYTES} are taken")
}

impl Service<RoleClient> for ClientService {
    async fn handle_request(
        &self,
        _stand_in: ServerRequest,
        context: RequestContext<RoleClient>,
    ) -> Result<ClientResult, ErrorData> {
        match context.id {
            RequestId::Number(number) => self.answer(number).await,
            RequestId::String(_) => Err(ErrorData::new(ErrorCode::INTERNAL_ERROR, "not an ask", None)),
        }
    }

    async fn handle_notification(
        &self,
        _notification: ServerNotification,
        _context: NotificationContext<RoleClient>,
    ) -> Result<(), ErrorData> {
        // The tap hands notifications on before rmcp could see them.
        Ok(())
    }

    fn get_info(&self) -> ClientConfig {
        self.identity.client_config()
    }
}
