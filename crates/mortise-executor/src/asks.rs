//! Questions and log messages of upstream servers, passed on to the client whose program caused them.
//!
//! A server speaks over its own connection and does not say on whose behalf. While
//! exactly one client has calls under way on it, the question is that client's;
//! otherwise nobody is asked and the server gets an error that says why.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use mortise_contract::{RawJson, ServerName};
use mortise_server::{CallContext, InputRequest, LogLevel};
use mortise_upstream::{AskError, AskFuture, Handlers, ServerAsk};
use serde_json::Value;

/// JSON-RPC's internal error: the question could not be put to anyone.
const NOT_ASKED: i32 = -32603;

/// Knows which client has calls under way on which server.
#[derive(Clone, Debug, Default)]
pub struct AskRouter(Arc<Mutex<HashMap<ServerName, Vec<Asked>>>>);

/// A client with calls under way on a server.
#[derive(Clone, Debug)]
struct Asked {
    run: u64,
    calls: usize,
    context: CallContext,
}

/// Says that a call is under way; dropping it says that it ended.
#[derive(Debug)]
pub(crate) struct UnderWay {
    router: AskRouter,
    server: ServerName,
    run: u64,
}

impl AskRouter {
    /// Handlers for a pool whose servers may ask the clients of this router.
    pub fn handlers(&self) -> Handlers {
        let handler = |router: &Self| {
            let router = router.clone();
            Some(Arc::new(move |ask: ServerAsk| -> AskFuture {
                let router = router.clone();
                Box::pin(async move { router.answer(ask).await })
            }) as Arc<dyn mortise_upstream::AskHandler>)
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
        let mut servers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let asked = servers.entry(server.clone()).or_default();
        match asked.iter_mut().find(|asked| asked.run == run) {
            Some(asked) => asked.calls += 1,
            None => asked.push(Asked { run, calls: 1, context: context.clone() }),
        }
        UnderWay { router: self.clone(), server: server.clone(), run }
    }

    /// Passes a log message of a server on, if exactly one client has calls under way on it.
    pub(crate) fn log(&self, server: &ServerName, level: &str, data: &RawJson) {
        if let (Ok(context), Some(level), Ok(data)) =
            (self.client_of(server), LogLevel::parse(level), data.value())
        {
            context.log(level, data);
        }
    }

    async fn answer(&self, ask: ServerAsk) -> Result<RawJson, AskError> {
        let refused = |message: String| AskError { code: NOT_ASKED, message };
        let context = self
            .client_of(&ask.server)
            .map_err(|reason| refused(format!("`{}` was not passed on: {reason}", ask.method)))?;
        let params = ask.params.as_ref().map_or(Ok(Value::Null), RawJson::value);
        let params = params
            .map_err(|error| refused(format!("the parameters of `{}` can't be read: {error}", ask.method)))?;
        let request = InputRequest::parse(&ask.method, params)
            .ok_or_else(|| refused(format!("`{}` is no question that clients know", ask.method)))?;
        let answer = context.ask(request).await.map_err(|error| refused(error.to_string()))?;
        RawJson::from_value(&answer).map_err(|error| refused(error.to_string()))
    }

    fn client_of(&self, server: &ServerName) -> Result<CallContext, &'static str> {
        let servers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match servers.get(server).map(Vec::as_slice) {
            Some([only]) => Ok(only.context.clone()),
            None | Some([]) => Err("no program is using this server now"),
            Some(_) => {
                Err("several programs are using this server, so it can't be told whose question it is")
            }
        }
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let mut servers = self.router.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(asked) = servers.get_mut(&self.server) {
            for asked in asked.iter_mut().filter(|asked| asked.run == self.run) {
                asked.calls -= 1;
            }
            asked.retain(|asked| asked.calls > 0);
            if asked.is_empty() {
                servers.remove(&self.server);
            }
        }
    }
}
