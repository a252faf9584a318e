//! What the server under test may ask, answered from what the caller gave beforehand.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mortise_client::{ServerAskError, AskFuture, AskHandler, Handlers, ServerAsk};
use mortise_contract::RawJson;

use crate::failure::Failure;
use crate::notifications::Notifications;

/// The answers of one connection.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answers {
    elicitation: Vec<RawJson>,
    sampling: Vec<RawJson>,
    roots: Option<RawJson>,
}

impl Answers {
    /// Reads the argument `answers`, whose form is checked already.
    pub(crate) fn read(answers: Option<&RawJson>) -> Result<Self, Failure> {
        let list = |key: &str| match answers.and_then(|answers| answers.member(key)) {
            Some(list) => list.elements().map_err(|error| {
                Failure::invalid(format!("`answers.{key}`: {error}"), "Give a list of answers.")
            }),
            None => Ok(Vec::new()),
        };
        let roots = answers.and_then(|answers| answers.member("roots"));
        let roots = roots.map(|roots| RawJson::parse(&format!("{{\"roots\":{}}}", roots.text())));
        let roots = roots.transpose().map_err(|error| {
            Failure::invalid(format!("`answers.roots`: {error}"), "Give a list of roots.")
        })?;
        Ok(Self { elicitation: list("elicitation")?, sampling: list("sampling")?, roots })
    }

    /// Handlers that give these answers and note what was asked. Only what has an answer is advertised.
    pub(crate) fn handlers(self, notifications: &Arc<Notifications>) -> Handlers {
        let in_turn = |answers: Vec<RawJson>| -> Option<Arc<dyn AskHandler>> {
            let handler =
                InTurn { answers, given: AtomicUsize::new(0), notifications: notifications.clone() };
            (!handler.answers.is_empty()).then(|| Arc::new(handler) as Arc<dyn AskHandler>)
        };
        let elicitation = in_turn(self.elicitation);
        Handlers {
            sampling: in_turn(self.sampling),
            elicitation_form: elicitation.clone(),
            elicitation_url: elicitation,
            roots: in_turn(self.roots.into_iter().collect()),
        }
    }
}

/// Gives one answer after the other, and the last one from then on.
struct InTurn {
    answers: Vec<RawJson>,
    given: AtomicUsize,
    notifications: Arc<Notifications>,
}

impl AskHandler for InTurn {
    fn answer(&self, ask: ServerAsk) -> AskFuture {
        let turn = self.given.fetch_add(1, Ordering::Relaxed);
        let answer = self.answers.get(turn).or(self.answers.last()).cloned();
        if let Some(answer) = &answer {
            self.notifications.keep_ask(&ask.method, ask.params.as_ref(), answer);
        }
        Box::pin(async move {
            answer.ok_or_else(|| ServerAskError { code: -32603, message: "there is no answer".to_owned() })
        })
    }
}
