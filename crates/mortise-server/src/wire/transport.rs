//! The one type of transport that rmcp's loop is compiled for, whatever carries the messages.

use std::pin::Pin;

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;

#[cfg(feature = "http")]
use super::session::SessionTransport;
use super::stdio::LineTransport;

/// What carries the messages of one client.
pub(crate) enum MessageTransport {
    Lines(Box<LineTransport>),
    #[cfg(feature = "http")]
    Session(SessionTransport),
}

/// The client no longer takes messages.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("the client closed its side")]
pub(crate) struct ClientClosed;

type Sending = Pin<Box<dyn Future<Output = Result<(), ClientClosed>> + Send>>;

impl Transport<RoleServer> for MessageTransport {
    type Error = ClientClosed;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), ClientClosed>> + Send + 'static {
        let sending: Sending = match self {
            Self::Lines(lines) => Box::pin(lines.send(&message)),
            #[cfg(feature = "http")]
            Self::Session(session) => Box::pin(session.send(message)),
        };
        sending
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        match self {
            Self::Lines(lines) => lines.receive().await,
            #[cfg(feature = "http")]
            Self::Session(session) => session.receive().await,
        }
    }

    async fn close(&mut self) -> Result<(), ClientClosed> {
        match self {
            Self::Lines(lines) => lines.close(),
            #[cfg(feature = "http")]
            Self::Session(session) => session.close(),
        }
        Ok(())
    }
}
