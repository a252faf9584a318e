//! The comparison as JSON.

use chrono::NaiveDate;
use mortise_contract::diff::{Level, Proof, Role, Rule};
use mortise_contract::embedded;
use mortise_contract::lock::About;
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::waiver::Waiver;
use super::{ChangeStanding, Counts, ItemChanges, SeenChange, ServerChanges, SnapshotComparison};

impl SnapshotComparison {
    /// The report for programs; [`SnapshotComparison::json_schema`] describes it.
    pub fn to_json(&self) -> Value {
        let row = ComparisonRow {
            breaks: self.breaks(),
            strictness: self.strictness.as_str(),
            bump: self.bump().as_str(),
            counts: self.counts(),
            servers: self.servers.iter().map(ServerRow::of).collect(),
            expired_waivers: self.expired.iter().map(WaiverRow::of).collect(),
            unused_waivers: self.unused.iter().map(WaiverRow::of).collect(),
        };
        serde_json::to_value(row).unwrap_or_default()
    }

    /// A JSON Schema of [`SnapshotComparison::to_json`].
    pub fn json_schema() -> Value {
        embedded::json(include_str!("report.schema.json"))
    }
}

#[derive(Serialize)]
struct ComparisonRow<'a> {
    breaks: bool,
    strictness: &'static str,
    bump: &'static str,
    counts: Counts,
    servers: Vec<ServerRow<'a>>,
    expired_waivers: Vec<WaiverRow<'a>>,
    unused_waivers: Vec<WaiverRow<'a>>,
}

#[derive(Serialize)]
struct ServerRow<'a> {
    name: &'a str,
    old: Option<&'a About>,
    new: Option<&'a About>,
    not_compared: &'a [&'static str],
    changes: Vec<ChangeRow<'a>>,
}

#[derive(Serialize)]
struct ChangeRow<'a> {
    kind: &'static str,
    item: &'a str,
    rule: Rule,
    level: Level,
    pointer: &'a str,
    message: &'a str,
    proof: Proof,
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<Role>,
    #[serde(skip_serializing_if = "Option::is_none")]
    witness: Option<&'a Value>,
    standing: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    waiver: Option<GrantRow<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<&'a Value>,
}

/// The waiver that let a change pass.
#[derive(Serialize)]
struct GrantRow<'a> {
    reason: &'a str,
    #[serde(serialize_with = "day")]
    until: NaiveDate,
}

#[derive(Serialize)]
struct WaiverRow<'a> {
    rule: Rule,
    item: &'a str,
    pointer: &'a str,
    reason: &'a str,
    #[serde(serialize_with = "day")]
    until: NaiveDate,
}

impl<'a> ServerRow<'a> {
    fn of(server: &'a ServerChanges) -> Self {
        let changes = server.items.iter().flat_map(|item| item.changes.iter().map(move |seen| (item, seen)));
        Self {
            name: &server.name,
            old: server.old.as_ref(),
            new: server.new.as_ref(),
            not_compared: &server.not_compared,
            changes: changes.map(|(item, seen)| ChangeRow::of(item, seen)).collect(),
        }
    }
}

impl<'a> ChangeRow<'a> {
    fn of(item: &'a ItemChanges, seen: &'a SeenChange) -> Self {
        let change = &seen.change;
        let (standing, waiver) = match &seen.standing {
            ChangeStanding::Passes => ("passes", None),
            ChangeStanding::Breaks => ("breaks", None),
            ChangeStanding::Waived { reason, until } => ("waived", Some(GrantRow { reason, until: *until })),
        };
        Self {
            kind: item.kind.as_str(),
            item: &item.name,
            rule: change.rule,
            level: change.level,
            pointer: &change.pointer,
            message: &change.message,
            proof: change.proof,
            role: change.role,
            witness: change.witness.as_ref(),
            standing,
            waiver,
            before: seen.before.as_ref(),
            after: seen.after.as_ref(),
        }
    }
}

impl<'a> WaiverRow<'a> {
    fn of(waiver: &'a Waiver) -> Self {
        let Waiver { rule, item, pointer, reason, until, .. } = waiver;
        Self { rule: *rule, item, pointer, reason, until: *until }
    }
}

fn day<S: Serializer>(day: &NaiveDate, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(day)
}
