//! What a run depends on beside its program: recorded while it runs, and given again to repeat it.
//!
//! A guest has one thread, and everything that it can't compute itself enters through the host: randomness, time,
//! answers of tools and the order in which they arrive. `history.md` beside this file says how each is recorded.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use mortise_contract::RawJson;
use mortise_contract::text::cut;
use serde::{Deserialize, Serialize};

use crate::host::{CallValue, HostError, Wanted};

/// Characters of arguments that a message about a difference shows.
const SHOWN: usize = 200;

/// Receives what a run depends on, while it happens.
///
/// Called on the thread that computes or on the one that answers calls, so an implementation must return at once. The
/// order of calls is the order in which things happened: an answer comes before the event that delivers it.
pub trait RunRecorder: Send + Sync + 'static {
    /// The guest has its program.
    fn started(&self, start: &GuestStart);

    /// The host did something that the guest can notice.
    fn happened(&self, event: &HostEvent);

    /// A call has its answer, as the program will get it.
    fn answered(&self, id: u64, name: &str, answer: &Result<CallValue, HostError>);
}

/// How a guest began. With the same start and the same events, it does the same again, instruction for instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GuestStart {
    /// Where its randomness comes from, as 64 hexadecimal digits.
    pub seed: String,
    /// How its boot code was loaded, on which the layout of its memory depends.
    pub boot: BootPath,
    /// The time of day when it got its program, in nanoseconds since 1970.
    pub wall_ns: u64,
    /// The interpreter, by the digest of its machine code.
    pub interpreter: String,
    /// What the boot code got: the program, its arguments and names, as JSON.
    pub message: String,
}

/// How a guest gets the boot code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BootPath {
    /// It compiles the source, as the first guest of a process does.
    Source,
    /// It gets what another guest compiled.
    Compiled,
}

/// Something that the host did and that the guest can notice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostEvent {
    /// When: at which of the guest's moments, counted from 1. Whatever the host could answer in more than one way is a
    /// moment: a request, a sleep, a reading of a clock, more memory.
    pub moment: u64,
    /// What the guest's steady clock shows from then on, in nanoseconds.
    pub clock: u64,
    /// What happened.
    pub what: HostAction,
}

/// What the host did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HostAction {
    /// The answers of these calls were handed over, in this order.
    Delivered(Vec<u64>),
    /// The guest waited, and its time was up.
    TimePassed,
    /// A request got this reply: an answer about the tools, or a refusal.
    Replied(HostReply),
    /// The guest wanted more memory and did not get it, because others needed it.
    MemoryRefused,
    /// The guest read a clock that had fallen behind.
    ClockSet,
    /// The run went on where it had stopped; from then on the time of day is this one, in nanoseconds since 1970,
    /// minus the steady clock.
    Continued(u64),
}

/// The reply to one request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostReply {
    /// Whether the guest gets it as an exception.
    pub is_error: bool,
    /// The text.
    pub body: String,
}

/// One call of a recorded run.
#[derive(Clone, Debug)]
pub struct RecordedCall {
    /// The name under which the program called it.
    pub name: String,
    /// The arguments, a JSON object; `None` where they held secrets, so that they can't be compared.
    pub arguments: Option<RawJson>,
    /// What the program wanted of the result; `None` where that is not known.
    pub wanted: Option<Wanted>,
    /// What came of it; `None` if that is not known.
    pub answer: Option<Result<CallValue, HostError>>,
}

impl RecordedCall {
    fn is(&self, name: &str, arguments: &RawJson, wanted: Wanted) -> bool {
        let same = self.arguments.as_ref().is_none_or(|recorded| recorded == arguments);
        self.name == name && self.wanted.is_none_or(|recorded| recorded == wanted) && same
    }
}

/// A run that was recorded, to be repeated.
#[derive(Clone, Debug)]
pub struct RunHistory {
    /// How its guest began.
    pub start: GuestStart,
    /// What the host did, in order.
    pub events: Vec<HostEvent>,
    /// Its calls by number. A call that is not here never left.
    pub calls: Arc<BTreeMap<u64, RecordedCall>>,
    /// What happens when the last event has been repeated.
    pub after: AfterHistory,
}

/// What happens to a repeated run after the last recorded event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterHistory {
    /// It goes on: calls without an answer are made, time passes.
    GoOn,
    /// It must end where the recording does.
    End,
    /// The host ended it when it had computed this much.
    EndedByHost {
        /// Units of fuel.
        fuel: u64,
    },
}

/// Why a run is not the one that was recorded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Divergence {
    /// The interpreter is another one.
    #[error("the run was recorded with another interpreter")]
    Interpreter,
    /// A call is not the recorded one.
    #[error("call {id} differs: recorded was {recorded}, now the program calls {now}")]
    Call {
        /// Number of the call.
        id: u64,
        /// The recorded call, cut.
        recorded: String,
        /// The call that the program makes, cut.
        now: String,
    },
    /// The host did something at a moment when the program now wants something else.
    #[error("moment {moment} differs: the program does not ask for what it got there")]
    Moment {
        /// Number of the moment.
        moment: u64,
    },
    /// The program waits for something that the recording does not have.
    #[error("the program waits where the recording ends{}", now_calls(.new_call.as_ref()))]
    Waits {
        /// The first call that the recording does not have: its number, and the call, cut.
        new_call: Option<(u64, String)>,
    },
    /// The program ended before all that was recorded had happened.
    #[error("the program ended after {done} of {recorded} recorded events")]
    EndedEarly {
        /// Events that were repeated.
        done: usize,
        /// Events that were recorded.
        recorded: usize,
    },
}

/// A recorded run while it is repeated.
pub(crate) struct Repeating {
    events: VecDeque<HostEvent>,
    recorded: usize,
    calls: Arc<BTreeMap<u64, RecordedCall>>,
    after: AfterHistory,
    new_call: Option<(u64, String)>,
}

impl Repeating {
    pub(crate) fn new(history: &RunHistory) -> Self {
        let recorded = history.events.len();
        Self {
            events: history.events.iter().cloned().collect(),
            recorded,
            calls: Arc::clone(&history.calls),
            after: history.after,
            new_call: None,
        }
    }

    /// The event of this moment, if there is one.
    pub(crate) fn event_at(&mut self, moment: u64) -> Option<HostEvent> {
        self.events.pop_front_if(|event| event.moment == moment)
    }

    /// Whether everything that was recorded has happened.
    pub(crate) fn is_over(&self) -> bool {
        self.events.is_empty()
    }

    pub(crate) fn after(&self) -> AfterHistory {
        self.after
    }

    /// Compares a call with the recorded one. One that was not recorded never left.
    pub(crate) fn compare(
        &mut self,
        id: u64,
        name: &str,
        arguments: &RawJson,
        wanted: Wanted,
    ) -> Result<(), Divergence> {
        match self.calls.get(&id) {
            Some(call) if call.is(name, arguments, wanted) => Ok(()),
            Some(call) => Err(Divergence::Call {
                id,
                recorded: shown(&call.name, call.arguments.as_ref().unwrap_or(arguments)),
                now: shown(name, arguments),
            }),
            None => {
                self.new_call.get_or_insert_with(|| (id, shown(name, arguments)));
                Ok(())
            }
        }
    }

    /// The program waits where the recording ends.
    pub(crate) fn waits(&self) -> Divergence {
        Divergence::Waits { new_call: self.new_call.clone() }
    }

    /// Whether all of these calls have an answer.
    pub(crate) fn has_answers(&self, ids: &[u64]) -> bool {
        ids.iter().all(|id| self.calls.get(id).is_some_and(|call| call.answer.is_some()))
    }

    /// What an end means now.
    pub(crate) fn ended_early(&self) -> Option<Divergence> {
        (!self.events.is_empty()).then(|| Divergence::EndedEarly {
            done: self.recorded - self.events.len(),
            recorded: self.recorded,
        })
    }
}

/// `: call 7 is not in it, `name` with {…}`
fn now_calls(new_call: Option<&(u64, String)>) -> String {
    new_call.map_or_else(String::new, |(id, call)| format!(": call {id} is not in it, {call}"))
}

fn shown(name: &str, arguments: &RawJson) -> String {
    cut(&format!("`{name}` with {}", arguments.text()), SHOWN)
}
