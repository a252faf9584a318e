//! The recorded request that is most like one that was not recorded.

use std::collections::BTreeMap;

use mortise_contract::json::escape_token;
use mortise_contract::recording::{RecordedRequest, request_key};
use mortise_contract::text::cut;
use serde_json::{Value, json};

/// Characters of a request that a message repeats.
const SHOWN: usize = 200;
/// Places of a difference that a message names.
const PLACES: usize = 3;

/// A recorded request beside the one that was sent.
pub(super) struct Nearest<'a> {
    asked: String,
    recorded: &'a RecordedRequest,
    /// Pointers into the parameters at which the two differ.
    differs: Vec<String>,
}

type Leaves = BTreeMap<String, String>;

impl<'a> Nearest<'a> {
    /// The request of the same method that has most in common; `None` if the method was never recorded.
    pub(super) fn find(request: &Value, method: &str, recorded: &'a [RecordedRequest]) -> Option<Self> {
        let wanted = leaves(request.get("params"));
        let same_method = recorded.iter().filter(|candidate| candidate.method == method);
        let with_difference = same_method.map(|candidate| {
            let params = candidate.params.as_ref().and_then(|params| params.value().ok());
            let theirs = leaves(params.as_ref());
            (wanted.get("/name") != theirs.get("/name"), differences(&wanted, &theirs), candidate)
        });
        let (_, differs, recorded) =
            with_difference.min_by_key(|(is_other, differs, _)| (*is_other, differs.len()))?;
        Some(Self { asked: request_key(method, request.get("params")), recorded, differs })
    }

    /// What a person reads.
    pub(super) fn sentence(&self) -> String {
        let places: Vec<&str> = self.differs.iter().take(PLACES).map(String::as_str).collect();
        let more = match self.differs.len().saturating_sub(PLACES) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        format!(
            "the recording has no request {}; the nearest is {} on line {}, which differs at {}{more}",
            cut(&self.asked, SHOWN),
            cut(&self.recorded.key(), SHOWN),
            self.recorded.line,
            places.join(", "),
        )
    }

    /// What a program reads.
    pub(super) fn facts(&self) -> Value {
        json!({"nearest": {"line": self.recorded.line, "differs": self.differs.get(..PLACES).unwrap_or(&self.differs)}})
    }
}

fn differences(wanted: &Leaves, theirs: &Leaves) -> Vec<String> {
    let mut places: Vec<&String> = wanted.keys().chain(theirs.keys()).collect();
    places.sort_unstable();
    places.dedup();
    places.retain(|place| wanted.get(*place) != theirs.get(*place));
    places.into_iter().cloned().collect()
}

/// The values within parameters that have no parts, by pointer; `_meta` does not count.
fn leaves(params: Option<&Value>) -> Leaves {
    let mut leaves = Leaves::new();
    let mut open: Vec<(String, &Value)> = params.map(|params| (String::new(), params)).into_iter().collect();
    while let Some((pointer, value)) = open.pop() {
        match value {
            Value::Object(members) if !members.is_empty() => {
                let counts = members.iter().filter(|(name, _)| !(pointer.is_empty() && *name == "_meta"));
                open.extend(counts.map(|(name, value)| (format!("{pointer}/{}", escape_token(name)), value)));
            }
            Value::Array(items) if !items.is_empty() => {
                open.extend(items.iter().enumerate().map(|(at, item)| (format!("{pointer}/{at}"), item)));
            }
            other => _ = leaves.insert(pointer, other.to_string()),
        }
    }
    leaves
}
