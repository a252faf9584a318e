//! Handlers for what servers ask and log.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use mortise_contract::{RawJson, ServerName};
use serde_json::{Map, Value, json};

use crate::event::LogMessage;

const METHOD_NOT_FOUND: i32 = -32601;

/// A request of a server, or an input that a call needs before it can go on.
#[derive(Clone, Debug)]
pub struct ServerAsk {
    /// The server that asks.
    pub server: ServerName,
    /// `sampling/createMessage`, `elicitation/create` or `roots/list`.
    pub method: String,
    /// The parameters, verbatim.
    pub params: Option<RawJson>,
}

/// Why an ask gets no result. It is sent to the server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ServerAskError {
    /// The JSON-RPC code, e.g. -32603.
    pub code: i32,
    /// What went wrong, for the server's log.
    pub message: String,
}

/// The answer to an ask, some time later: the `result`, verbatim.
pub type AskFuture = Pin<Box<dyn Future<Output = Result<RawJson, ServerAskError>> + Send>>;

/// Answers asks of one kind.
///
/// The future is dropped when the server withdraws its request or the connection ends. Any
/// closure from [`ServerAsk`] to [`AskFuture`] is a handler.
pub trait AskHandler: Send + Sync {
    /// Starts to answer.
    fn answer(&self, ask: ServerAsk) -> AskFuture;
}

impl<F: Fn(ServerAsk) -> AskFuture + Send + Sync> AskHandler for F {
    fn answer(&self, ask: ServerAsk) -> AskFuture {
        self(ask)
    }
}

/// Hears what a server asks and logs for one call, see
/// [`CallOptions::listener`](crate::CallOptions::listener).
///
/// A message belongs to a call if it came on the HTTP stream that answers the call, repeats the
/// call's `progressToken` in its `_meta`, or is the input that the call's result asks for.
pub trait CallListener: fmt::Debug + Send + Sync {
    /// Starts to answer. The future is dropped when the call ends.
    fn ask(&self, ask: ServerAsk) -> AskFuture;

    /// Takes a log message. Must not block.
    fn log(&self, message: LogMessage);
}

/// Which asks are answered. Only what has a handler is advertised to servers; the rest is
/// refused with an error that says why.
#[derive(Clone, Default)]
pub struct Handlers {
    /// Answers `sampling/createMessage`.
    pub sampling: Option<Arc<dyn AskHandler>>,
    /// Answers `elicitation/create` in form mode.
    pub elicitation_form: Option<Arc<dyn AskHandler>>,
    /// Answers `elicitation/create` in URL mode.
    pub elicitation_url: Option<Arc<dyn AskHandler>>,
    /// Answers `roots/list`.
    pub roots: Option<Arc<dyn AskHandler>>,
}

impl Handlers {
    /// The client capabilities that follow from the handlers given.
    pub(crate) fn capabilities(&self) -> Map<String, Value> {
        let mut capabilities = Map::new();
        if self.sampling.is_some() {
            capabilities.insert("sampling".to_owned(), json!({}));
        }
        let mut elicitation = Map::new();
        if self.elicitation_form.is_some() {
            elicitation.insert("form".to_owned(), json!({}));
        }
        if self.elicitation_url.is_some() {
            elicitation.insert("url".to_owned(), json!({}));
        }
        if !elicitation.is_empty() {
            capabilities.insert("elicitation".to_owned(), Value::Object(elicitation));
        }
        if self.roots.is_some() {
            capabilities.insert("roots".to_owned(), json!({}));
        }
        capabilities
    }

    /// Has an ask answered by the listener of the call that it belongs to, else by the handler of its kind.
    pub(crate) async fn answer(
        &self,
        ask: ServerAsk,
        listener: Option<&dyn CallListener>,
    ) -> Result<RawJson, ServerAskError> {
        match (self.find(&ask), listener) {
            (Err(error), _) => Err(error),
            (Ok(_), Some(listener)) => listener.ask(ask).await,
            (Ok(handler), None) => handler.answer(ask).await,
        }
    }

    fn find(&self, ask: &ServerAsk) -> Result<&Arc<dyn AskHandler>, ServerAskError> {
        let unknown = |message| ServerAskError { code: METHOD_NOT_FOUND, message };
        let (handler, what) = match ask.method.as_str() {
            "sampling/createMessage" => (&self.sampling, "sampling"),
            "roots/list" => (&self.roots, "roots"),
            "elicitation/create" => match mode(ask).as_deref() {
                None | Some("form") => (&self.elicitation_form, "elicitation by form"),
                Some("url") => (&self.elicitation_url, "elicitation by URL"),
                Some(other) => {
                    return Err(unknown(format!("the elicitation mode `{other}` is not known here")));
                }
            },
            other => return Err(unknown(format!("the method `{other}` is not known here"))),
        };
        handler.as_ref().ok_or_else(|| {
            unknown(format!("this client did not advertise {what}, so it does not answer `{}`", ask.method))
        })
    }
}

fn mode(ask: &ServerAsk) -> Option<String> {
    ask.params.as_ref()?.value().ok()?.get("mode")?.as_str().map(str::to_owned)
}

impl fmt::Debug for Handlers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Handlers").field(&Value::Object(self.capabilities())).finish()
    }
}
