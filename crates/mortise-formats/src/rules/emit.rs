//! Rules as YAML text.

use serde::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::Value;
use serde_saphyr::{DoubleQuoted, FlowMap, SingleQuoted, ser_options};

use super::{RuleDocument, json};
use crate::format::{ErrorBody, ErrorCode};

/// Keys whose values are read by people as expressions: quoted so that nothing in them means anything to YAML.
const EXPRESSIONS: [&str; 6] = ["glob", "semantic", "pattern", "format", "validate", "if"];

/// Writes the canonical document and reads it back.
pub(super) fn document(document: &RuleDocument) -> Result<String, ErrorBody> {
    let options = ser_options! { prefer_block_scalars: false, compact_list_indent: false };
    let value = json::document(document.rules());
    let text =
        serde_saphyr::to_string_with_options(&Styled { value: &value, place: EmitPlace::Document }, options)
            .map_err(|error| bug(format!("the rules can't be written as YAML: {error}")))?;
    match RuleDocument::parse(&text) {
        Ok(read) if read == *document => Ok(text),
        Ok(_) => Err(bug("the written rules read back as other rules".to_owned())),
        Err(error) => Err(bug(format!("the written rules do not read back: {error}"))),
    }
}

fn bug(reason: String) -> ErrorBody {
    ErrorBody::new(ErrorCode::Internal, reason, "report this with the rules that cause it")
}

/// Where a value stands, which decides how it is written.
#[derive(Clone, Copy)]
enum EmitPlace {
    /// Mappings over several lines.
    Document,
    /// The fields of a rule, one on each line.
    Extract,
    /// On one line.
    Line,
    /// The text of an expression.
    Expression,
}

struct Styled<'a> {
    value: &'a Value,
    place: EmitPlace,
}

impl Serialize for Styled<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (self.value, self.place) {
            (Value::Object(_), EmitPlace::Line) => FlowMap(Entries { styled: self }).serialize(serializer),
            (Value::Object(_), _) => Entries { styled: self }.serialize(serializer),
            (Value::Array(items), place) => {
                serializer.collect_seq(items.iter().map(|value| Styled { value, place }))
            }
            // Single quotes have no escapes.
            (Value::String(text), EmitPlace::Expression)
                if text.chars().any(|c| c.is_control() || is_break(c)) =>
            {
                DoubleQuoted(text).serialize(serializer)
            }
            (Value::String(text), EmitPlace::Expression) => SingleQuoted(text).serialize(serializer),
            (value, _) => value.serialize(serializer),
        }
    }
}

/// Line breaks and marks beyond ASCII that YAML treats in a way of its own.
fn is_break(character: char) -> bool {
    matches!(character, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

struct Entries<'a> {
    styled: &'a Styled<'a>,
}

impl Serialize for Entries<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Styled { value, place } = self.styled;
        let entries = value.as_object().into_iter().flatten();
        let mut map = serializer.serialize_map(value.as_object().map(serde_json::Map::len))?;
        for (key, value) in entries {
            let place = match (*place, key.as_str()) {
                (EmitPlace::Document, "extract") => EmitPlace::Extract,
                (EmitPlace::Document, "tag_conditions") => EmitPlace::Line,
                // In `extract` the keys are names of fields.
                (EmitPlace::Extract, _) => EmitPlace::Line,
                (_, key) if EXPRESSIONS.contains(&key) => EmitPlace::Expression,
                (place, _) => place,
            };
            map.serialize_entry(key, &Styled { value, place })?;
        }
        map.end()
    }
}
