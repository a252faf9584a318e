//! What the server under test may ask, answered from what the caller gave beforehand.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mortise_client::{AskFuture, AskHandler, Handlers, ServerAsk, ServerAskError};
use mortise_contract::RawJson;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::input::GivenObject;
use crate::notifications::Notifications;

/// What to answer when the server asks its client; only what is here is offered to it
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub(crate) struct Answers {
    /// Results such as {"action":"accept","content":{…}}, in turn; the last one is repeated
    elicitation: Option<Vec<GivenObject>>,
    /// Results of sampling/createMessage, in turn; the last one is repeated
    sampling: Option<Vec<GivenObject>>,
    /// Roots such as {"uri":"file:///…"}
    roots: Option<Vec<GivenObject>>,
}

impl Answers {
    /// Handlers that give these answers and note what was asked. Only what has an answer is advertised.
    pub(crate) fn handlers(self, notifications: &Arc<Notifications>) -> Handlers {
        let raw = |given: Option<Vec<GivenObject>>| -> Vec<RawJson> {
            given.iter().flatten().map(|given| given.json().clone()).collect()
        };
        let roots = self.roots.map(|roots| {
            let list = RawJson::array(roots.iter().map(GivenObject::json));
            RawJson::object([("roots", &list)])
        });
        let in_turn = |answers: Vec<RawJson>| -> Option<Arc<dyn AskHandler>> {
            let handler =
                InTurn { answers, given: AtomicUsize::new(0), notifications: notifications.clone() };
            (!handler.answers.is_empty()).then(|| Arc::new(handler) as Arc<dyn AskHandler>)
        };
        let elicitation = in_turn(raw(self.elicitation));
        Handlers {
            sampling: in_turn(raw(self.sampling)),
            elicitation_form: elicitation.clone(),
            elicitation_url: elicitation,
            roots: roots.and_then(|roots| in_turn(vec![roots])),
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
