//! The comparison as JSON.

use mortise_contract::embedded;
use mortise_contract::lock::About;
use serde_json::{Value, json};

use super::waiver::Waiver;
use super::{ChangeStanding, ItemChanges, SeenChange, ServerChanges, SnapshotComparison};

impl SnapshotComparison {
    /// The report for programs; [`SnapshotComparison::json_schema`] describes it.
    pub fn to_json(&self) -> Value {
        let counts = self.counts();
        json!({
            "breaks": self.breaks(),
            "strictness": self.strictness.as_str(),
            "bump": self.bump().as_str(),
            "counts": {
                "breaking": counts.breaking,
                "waived": counts.waived,
                "warnings": counts.warnings,
                "safe": counts.safe,
                "notes": counts.notes,
            },
            "servers": self.servers.iter().map(server).collect::<Value>(),
            "expired_waivers": self.expired.iter().map(waiver).collect::<Value>(),
            "unused_waivers": self.unused.iter().map(waiver).collect::<Value>(),
        })
    }

    /// A JSON Schema of [`SnapshotComparison::to_json`].
    pub fn json_schema() -> Value {
        embedded::json(include_str!("report.schema.json"))
    }
}

fn server(server: &ServerChanges) -> Value {
    json!({
        "name": server.name,
        "old": server.old.as_ref().map(about),
        "new": server.new.as_ref().map(about),
        "not_compared": server.not_compared,
        "changes": server.items.iter().flat_map(changes).collect::<Value>(),
    })
}

fn about(about: &About) -> Value {
    json!({ "name": about.name, "version": about.version })
}

fn changes(item: &ItemChanges) -> impl Iterator<Item = Value> {
    item.changes.iter().map(|seen| change(item, seen))
}

fn change(item: &ItemChanges, seen: &SeenChange) -> Value {
    let mut json = json!({ "kind": item.kind.as_str(), "item": item.name });
    if let (Value::Object(json), Value::Object(change)) = (&mut json, seen.change.to_json()) {
        json.extend(change);
    }
    json["standing"] = match &seen.standing {
        ChangeStanding::Passes => json!("passes"),
        ChangeStanding::Breaks => json!("breaks"),
        ChangeStanding::Waived { .. } => json!("waived"),
    };
    if let ChangeStanding::Waived { reason, until } = &seen.standing {
        json["waiver"] = json!({ "reason": reason, "until": until.to_string() });
    }
    for (key, value) in [("before", &seen.before), ("after", &seen.after)] {
        if let Some(value) = value {
            json[key] = value.clone();
        }
    }
    json
}

fn waiver(waiver: &Waiver) -> Value {
    json!({
        "rule": waiver.rule.id(), "item": waiver.item, "pointer": waiver.pointer,
        "reason": waiver.reason, "until": waiver.until.to_string(),
    })
}
