//! Questions and log messages of upstream servers, passed on to the client whose call caused them.
//!
//! What belongs to a call goes to the client of that call, see [`CallListener`]. Over a pipe most servers
//! do not say which call a message belongs to. While only one session has ever called such a server,
//! the message is that session's. From the second session on it may be anyone's: the question is
//! refused and the log message is dropped.

use std::collections::HashMap;
use std::sync::Arc;

use mortise_client::{AskFuture, CallListener, Handlers, LogMessage, ServerAsk, ServerAskError};
use mortise_contract::{RawJson, ServerName};
use mortise_server::{CallContext, InputRequest, LogLevel};
use parking_lot::Mutex;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

/// JSON-RPC's internal error: the question could not be put to anyone.
const NOT_ASKED: i32 = -32603;

/// Knows which sessions have called which server.
#[derive(Clone, Debug, Default)]
pub struct AskRouter(Arc<Mutex<HashMap<ServerName, Callers>>>);

/// Who has called one server since this process started.
#[derive(Debug)]
struct Callers {
    /// The session that made all calls; none once another session, or a request without one, has called.
    only_session: Option<u64>,
    /// Runs with calls under way, the newest last.
    runs: Vec<CallingRun>,
}

/// A run of a program, or a request, with calls under way on a server.
#[derive(Debug)]
struct CallingRun {
    run: u64,
    calls: usize,
    context: CallContext,
    /// Fires when the last of its calls has ended.
    over: CancellationToken,
}

/// Says that a call is under way; dropping it says that it ended.
#[derive(Debug)]
pub(crate) struct UnderWay {
    router: AskRouter,
    server: ServerName,
    run: u64,
    context: CallContext,
}

/// The client at the other end of a request, as the listener of the calls that are made for it.
#[derive(Debug)]
struct ClientListener(CallContext);

impl AskRouter {
    /// Handlers for a pool whose servers may ask the clients of this router.
    pub fn handlers(&self) -> Handlers {
        let handler = |router: &Self| {
            let router = router.clone();
            Some(Arc::new(move |ask: ServerAsk| -> AskFuture {
                let router = router.clone();
                Box::pin(async move { router.answer(ask).await })
            }) as Arc<dyn mortise_client::AskHandler>)
        };
        Handlers {
            sampling: handler(self),
            elicitation_form: handler(self),
            elicitation_url: handler(self),
            roots: handler(self),
        }
    }

    /// Notes that run `run` has a call under way on `server`.
    pub(crate) fn enter(&self, server: &ServerName, run: u64, context: &CallContext) -> UnderWay {
        let mut servers = self.0.lock();
        let session = context.session();
        let callers = servers
            .entry(server.clone())
            .or_insert_with(|| Callers { only_session: session, runs: Vec::new() });
        if callers.only_session != session {
            callers.only_session = None;
        }
        match callers.runs.iter_mut().find(|known| known.run == run) {
            Some(known) => known.calls += 1,
            None => {
                let (context, over) = (context.clone(), CancellationToken::new());
                callers.runs.push(CallingRun { run, calls: 1, context, over });
            }
        }
        drop(servers);
        UnderWay { router: self.clone(), server: server.clone(), run, context: context.clone() }
    }

    /// Passes on a log message that names no call.
    pub(crate) fn log(&self, server: &ServerName, message: LogMessage) {
        match self.only_client(server) {
            Ok((context, _)) => pass_on(&context, message),
            // Its text may repeat an argument of any client.
            Err(reason) => tracing::debug!(
                %server,
                level = message.level,
                bytes = message.data.text().len(),
                reason,
                "a log message was not passed on"
            ),
        }
    }

    /// Answers a question that names no call.
    async fn answer(&self, ask: ServerAsk) -> Result<RawJson, ServerAskError> {
        let (context, over) = self
            .only_client(&ask.server)
            .map_err(|reason| refused(format!("`{}` was not passed on: {reason}", ask.method)))?;
        tokio::select! {
            answer = put(&context, &ask) => answer,
            () = over.cancelled() => {
                Err(refused(format!("`{}` was withdrawn: the calls of its client have ended", ask.method)))
            }
        }
    }

    /// The client that a message must be for that names no call.
    fn only_client(&self, server: &ServerName) -> Result<(CallContext, CancellationToken), &'static str> {
        let servers = self.0.lock();
        let callers = servers.get(server).ok_or("no call is under way")?;
        callers.only_session.ok_or(
            "several clients call this server and the message names no call; send it on the HTTP stream \
            of its call, or with the call's `progressToken` in `_meta`",
        )?;
        let newest = callers.runs.last().ok_or("no call is under way")?;
        Ok((newest.context.clone(), newest.over.clone()))
    }
}

impl UnderWay {
    /// Answers and hears what the server sends for this call.
    pub(crate) fn listener(&self) -> Arc<dyn CallListener> {
        Arc::new(ClientListener(self.context.clone()))
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let mut servers = self.router.0.lock();
        let Some(Callers { runs, .. }) = servers.get_mut(&self.server) else { return };
        if let Some(at) = runs.iter().position(|known| known.run == self.run) {
            runs[at].calls -= 1;
            if runs[at].calls == 0 {
                runs.remove(at).over.cancel();
            }
        }
    }
}

impl CallListener for ClientListener {
    fn ask(&self, ask: ServerAsk) -> AskFuture {
        let context = self.0.clone();
        Box::pin(async move { put(&context, &ask).await })
    }

    fn log(&self, message: LogMessage) {
        pass_on(&self.0, message);
    }
}

fn refused(message: String) -> ServerAskError {
    ServerAskError { code: NOT_ASKED, message }
}

/// Puts a server's question to a client.
async fn put(context: &CallContext, ask: &ServerAsk) -> Result<RawJson, ServerAskError> {
    let params = ask.params.as_ref().map_or(Ok(Value::Null), RawJson::value);
    let params = params
        .map_err(|error| refused(format!("the parameters of `{}` can't be read: {error}", ask.method)))?;
    let request = InputRequest::parse(&ask.method, params)
        .ok_or_else(|| refused(format!("`{}` is not a question that clients know", ask.method)))?;
    let answer = context.ask(request).await.map_err(|error| refused(error.to_string()))?;
    RawJson::from_value(&answer).map_err(|error| refused(error.to_string()))
}

fn pass_on(context: &CallContext, message: LogMessage) {
    if let (Some(level), Ok(data)) = (LogLevel::parse(&message.level), message.data.value()) {
        context.log(level, data);
    }
}
