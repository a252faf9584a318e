//! What the call of each tool would need, by the rules under `approvals:`.

use std::collections::BTreeMap;

use mortise_client::Upstream;
use mortise_client::tool_filter::ToolFilter;
use mortise_contract::approval::{ApprovalPolicy, PolicyAnswer, PolicyOutlook};
use mortise_executor::approvals::with_subject;
use mortise_executor::registry::Registry;
use serde_json::{Value, json};

/// Tools whose calls need the same, for the same reason.
#[derive(Debug)]
pub(super) struct ApprovalNeed {
    /// `deny`, `ask`, `allow`, or several where the arguments decide.
    pub(super) answer: String,
    /// The part of the policy that decides.
    pub(super) by: String,
    /// Callable names.
    pub(super) tools: Vec<String>,
}

impl ApprovalNeed {
    /// For programs.
    pub(super) fn json(&self) -> Value {
        json!({ "needs": self.answer, "by": self.by, "tools": self.tools })
    }
}

/// What the tools need, the strictest first; nothing if every call is allowed.
pub(super) fn needs(
    policy: &ApprovalPolicy,
    upstreams: Vec<Upstream>,
    filter: ToolFilter,
) -> Vec<ApprovalNeed> {
    if policy.allows_all() {
        return Vec::new();
    }
    let snapshot = Registry::new(upstreams, filter).snapshot();
    let mut groups: BTreeMap<(usize, String, String), Vec<String>> = BTreeMap::new();
    for tool in snapshot.tools() {
        // Rules for callers are left out of it: who will call is not known.
        let outlook = with_subject(tool, "", |subject| policy.outlook(subject));
        let (rank, answer, by) = described(policy, &outlook);
        groups.entry((rank, answer, by)).or_default().push(tool.callable.to_string());
    }
    groups.into_iter().map(|((_, answer, by), tools)| ApprovalNeed { answer, by, tools }).collect()
}

/// How strict an outlook is, its words, and what decides.
fn described(policy: &ApprovalPolicy, outlook: &PolicyOutlook) -> (usize, String, String) {
    let possible = [
        (PolicyAnswer::Deny, outlook.deny),
        (PolicyAnswer::Ask, outlook.ask),
        (PolicyAnswer::Allow, outlook.allow),
    ];
    let possible: Vec<_> = possible
        .into_iter()
        .enumerate()
        .filter_map(|(rank, (answer, by))| Some((rank, answer.as_str(), policy.describe(by?))))
        .collect();
    let rank = possible.first().map_or(0, |(rank, ..)| *rank);
    let words: Vec<&str> = possible.iter().map(|(_, word, _)| *word).collect();
    let reasons: Vec<String> = possible.iter().map(|(.., by)| by.clone()).collect();
    (rank, words.join(" or "), reasons.join("; or "))
}
