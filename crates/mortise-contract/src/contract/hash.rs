//! One hash over everything a server said about a tool.

use serde_json::{Map, Value};

use super::{ContractIssue, IssueCode};
use crate::RawJson;
use crate::json::canonical_members;
use crate::schema::hex_digest;

/// Hashes the canonical fields, then what the parsed form can't hold: numbers beyond a double, fields too deep to parse.
pub(super) fn hash(fields: &Map<String, Value>, raw: &RawJson, issues: &[ContractIssue]) -> String {
    let mut text = canonical_members(fields);
    let mut numbers = raw.odd_numbers();
    numbers.sort();
    for (pointer, number) in numbers {
        text.push_str(&format!("\n{pointer}\0{number}"));
    }
    let unreadable = issues.iter().filter(|issue| issue.code == IssueCode::UnreadableField);
    let mut members: Vec<_> =
        if unreadable.count() > 0 { raw.members().unwrap_or_default() } else { Vec::new() };
    members.retain(|(key, _)| !fields.contains_key(key));
    members.sort_by(|left, right| left.0.cmp(&right.0));
    for (key, member) in members {
        text.push_str(&format!("\n{key}\0{}", member.text()));
    }
    hex_digest(&text)
}
