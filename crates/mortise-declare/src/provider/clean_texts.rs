//! Texts of a schema on their way to a provider.

use std::collections::HashSet;

use mortise_contract::schema::keyword::{Keyword, Purpose};
use mortise_contract::text::{cut, cut_bytes};
use serde_json::{Map, Value};

use super::links;
use super::rule_table::ProviderRule;
use super::schema_walk::{each_schema, inside};
use crate::loss::{Action, Losses, Severity};
use crate::text::visible;

/// Bytes of the description of one property.
const PROPERTY_DESCRIPTION: usize = 1_024;

/// A tool's description without hidden characters, within our bound and the provider's.
pub(super) fn clean_description(
    text: &str,
    bytes: usize,
    rule: Option<&'static ProviderRule>,
    losses: &mut Losses,
) -> String {
    let clean = cleaned(text, "", "description", losses);
    let characters = clean.chars().count();
    let Some(rule) = rule.filter(|rule| characters > rule.most()) else {
        return shortened(clean, bytes, "", "description", losses);
    };
    let reason = format!("{characters} characters; the provider takes {}", rule.most());
    losses
        .add("", "description", (Action::Truncated, Severity::Error), reason)
        .before(&Value::from(clean.as_str()))
        .rule(rule)
        .fix("say it in fewer words");
    // The mark of the cut counts.
    cut_bytes(&cut(&clean, rule.most().saturating_sub(1)), bytes)
}

/// The schema with clean texts, and without references that the provider could not follow.
///
/// Keys and the values that arguments are compared with stay as they are.
pub(super) fn clean_schema(schema: Value, losses: &mut Losses) -> Value {
    let (mut schema, targets) = links::settle(schema, losses);
    each_schema(&mut schema, &targets, &mut |members, pointer| texts(members, pointer, &targets, losses));
    schema
}

fn texts(members: &mut Map<String, Value>, pointer: &str, targets: &HashSet<String>, losses: &mut Losses) {
    for (keyword, member) in members {
        match (keyword.as_str(), member) {
            ("description" | "title", Value::String(text)) => {
                let clean = cleaned(text, pointer, keyword, losses);
                *text = shortened(clean, PROPERTY_DESCRIPTION, pointer, keyword, losses);
            }
            (word, member) if is_annotation(word) => {
                annotation(member, &inside(pointer, word), (pointer, word), targets, losses);
            }
            _ => {}
        }
    }
}

/// Whether a keyword only informs readers, with texts that no value is compared with.
fn is_annotation(keyword: &str) -> bool {
    Keyword::find(keyword).is_none_or(|row| {
        row.purpose == Purpose::Annotation && !row.holds.has_values() && !row.holds.has_schemas()
    })
}

/// Cleans all texts of an annotation, but for parts of it that are schemas, since something refers to them.
fn annotation(
    value: &mut Value,
    place: &str,
    told: (&str, &str),
    targets: &HashSet<String>,
    losses: &mut Losses,
) {
    if targets.contains(place) {
        return;
    }
    match value {
        Value::String(text) => *text = cleaned(text, told.0, told.1, losses),
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                annotation(item, &format!("{place}/{index}"), told, targets, losses);
            }
        }
        Value::Object(members) => {
            for (key, member) in members {
                annotation(member, &inside(place, key), told, targets, losses);
            }
        }
        _ => {}
    }
}

fn cleaned(text: &str, pointer: &str, keyword: &str, losses: &mut Losses) -> String {
    let clean = visible(text);
    if clean != text {
        let reason = "characters that a person does not see are left out";
        losses.add(pointer, keyword, (Action::Dropped, Severity::Info), reason);
    }
    clean
}

fn shortened(text: String, bytes: usize, pointer: &str, keyword: &str, losses: &mut Losses) -> String {
    if text.len() > bytes {
        let reason = format!("{} bytes; only {bytes} are sent", text.len());
        losses
            .add(pointer, keyword, (Action::Truncated, Severity::Warn), reason)
            .before(&Value::from(text.as_str()))
            .fix("say it in fewer words");
    }
    cut_bytes(&text, bytes)
}
