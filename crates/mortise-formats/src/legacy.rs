//! The fields that results had before there were formats: `code_preview`, `parser_code`, `refined_code`.
//!
//! They go with [`REMOVED_IN`], and not before [`NOT_BEFORE`]. Until then they can still be written beside the new
//! fields, and read: whatever touches them is counted, and warned of once for each tool.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use parking_lot::Mutex;
use serde_json::{Map, Value, json};

use crate::detect::{TextFormat, check_declared, detect};
use crate::fence::unfenced;
use crate::format::{Complexity, ErrorBody, ErrorCode, FormatKind, ToolOutputFormat, Warning};

/// The day from which results have formats.
pub const OPENED: &str = "2026-11-16";
/// The release in which the old fields go.
pub const REMOVED_IN: &str = "0.2.0";
/// The first day on which that may be: sixty days after [`OPENED`].
pub const NOT_BEFORE: &str = "2027-01-15";

/// The old names of texts, in the order in which they are looked for.
pub const LEGACY_FIELDS: [&str; 3] = ["code_preview", "parser_code", "refined_code"];

/// An old result in a new format.
#[derive(Clone, Debug, PartialEq)]
pub struct Adapted {
    /// What it is now.
    pub format: ToolOutputFormat,
    /// The warning for its sender.
    pub warning: Warning,
}

/// Reads a result that has its text in an old field.
///
/// A `format` or `language` beside it decides what the text is; otherwise the text does. A text that is nothing known
/// is an error, never a guess.
///
/// ```
/// use mortise_formats::format::FormatKind;
/// use mortise_formats::legacy::from_legacy;
/// use serde_json::json;
///
/// let adapted = from_legacy("generate_parser", &json!({"code_preview": "import csv\n"}))?;
/// assert_eq!(adapted.format.kind(), FormatKind::Code);
/// # Ok::<(), mortise_formats::format::ErrorBody>(())
/// ```
pub fn from_legacy(tool: &str, value: &Value) -> Result<Adapted, ErrorBody> {
    let text = |name: &str| value.get(name).and_then(Value::as_str);
    let Some((field, content)) = LEGACY_FIELDS.iter().find_map(|field| Some((*field, text(field)?))) else {
        let reason = "none of `code_preview`, `parser_code` and `refined_code` is there as a text";
        return Err(ErrorBody::new(ErrorCode::FormatUnknown, reason, "pass a result that has one of them"));
    };
    let declared = text("format").or_else(|| text("language")).or_else(|| text("code_language"));
    let found = match declared.map(|word| (word, TextFormat::declared(word))) {
        Some((_, Some(declared))) => check_declared(declared, content).map(|()| declared)?,
        Some((word, None)) => {
            let reason = format!("`{word}` is no format or language that is known here");
            return Err(ErrorBody::new(ErrorCode::FormatUnknown, reason, "declare python, yaml or json")
                .at_field(field));
        }
        None => detect(content).ok_or_else(|| {
            let reason = format!("`{field}` is neither JSON nor Python nor YAML");
            ErrorBody::new(ErrorCode::FormatUnknown, reason, "declare its `format`").at_field(field)
        })?,
    };
    let content = unfenced(content).to_owned();
    let or = |name: &str, other: &str| text(name).unwrap_or(other).to_owned();
    let format = match found {
        TextFormat::Yaml => ToolOutputFormat::Hybrid {
            yaml_rule: content,
            python_code: text("python_code").map(str::to_owned),
            decision_reason: or("decision_reason", &format!("taken over from `{field}`")),
            complexity: text("complexity").and_then(Complexity::parse).unwrap_or(Complexity::Medium),
        },
        TextFormat::Python => ToolOutputFormat::Code {
            code: content,
            language: "python".to_owned(),
            description: or("code_description", &or("description", &format!("taken over from `{field}`"))),
        },
        TextFormat::Json => ToolOutputFormat::Metadata {
            data: serde_json::from_str(&content).unwrap_or_default(),
            format_version: format!("{tool}.v1"),
        },
    };
    let message = format!(
        "`{field}` is deprecated and was read as {}; it goes in {REMOVED_IN}, not before {NOT_BEFORE}",
        found.as_str()
    );
    let warning =
        Warning { code: "WARN_DEPRECATED_FIELD".to_owned(), message, field: Some(field.to_owned()) };
    Ok(Adapted { format, warning })
}

/// The old field that a tool's results had, and the fields that hold its text now; `None` if it had none.
fn old_field(tool: &str, kind: FormatKind) -> Option<(&'static str, &'static [&'static str])> {
    match (tool, kind) {
        (_, FormatKind::Hybrid) => Some(("code_preview", &["yaml_rule", "python_code"])),
        ("refine_parser", FormatKind::Code) => Some(("refined_code", &["code"])),
        (_, FormatKind::Code) => Some(("code_preview", &["code"])),
        (_, FormatKind::YamlRule | FormatKind::Metadata) => None,
    }
}

/// Adds the old field and a `deprecation` marker to a flat result; its own fields stay. Returns whether it had one.
pub fn add_legacy_field(tool: &str, kind: FormatKind, result: &mut Map<String, Value>) -> bool {
    let Some((field, replacement)) = old_field(tool, kind) else { return false };
    let Some(text) = replacement.first().and_then(|name| result.get(*name)).cloned() else { return false };
    result.insert(field.to_owned(), text);
    let marker = json!({
        "field": field, "replacement": replacement, "removed_in": REMOVED_IN, "not_before": NOT_BEFORE,
    });
    result.insert("deprecation".to_owned(), marker);
    true
}

/// Adds the old field and the marker to a tool's output schema, for as long as they are written.
pub fn add_legacy_schema(tool: &str, kind: FormatKind, schema: &mut Value) {
    let Some((field, _)) = old_field(tool, kind) else { return };
    let text = json!({"type": "string"});
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.insert(
            field.to_owned(),
            json!({"type": "string", "deprecated": true, "description": format!("Goes in {REMOVED_IN}; see `deprecation`")}),
        );
        properties.insert(
            "deprecation".to_owned(),
            json!({
                "type": "object",
                "additionalProperties": false,
                "required": ["field", "replacement", "removed_in", "not_before"],
                "properties": {
                    "field": text, "replacement": {"type": "array", "items": text},
                    "removed_in": text, "not_before": text,
                },
            }),
        );
    }
}

/// How often old fields were used in this process. Nothing of it leaves the process.
#[derive(Debug, Default)]
pub struct LegacyUse {
    counts: Mutex<UseCounts>,
}

#[derive(Debug, Default)]
struct UseCounts {
    emitted: BTreeMap<String, u64>,
    adapted: BTreeMap<(String, FormatKind), u64>,
    warned: BTreeSet<String>,
}

/// The counters at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LegacyCounts {
    /// Results written with an old field, by tool.
    pub emitted: BTreeMap<String, u64>,
    /// Results read from an old field, by tool and what they turned out to be.
    pub adapted: BTreeMap<(String, FormatKind), u64>,
}

impl LegacyUse {
    /// Counts a result written with an old field.
    pub fn count_emitted(&self, tool: &str) {
        self.count(tool, "writes", |counts| *counts.emitted.entry(tool.to_owned()).or_default() += 1);
    }

    /// Counts a result read from an old field.
    pub fn count_adapted(&self, tool: &str, format: FormatKind) {
        self.count(tool, "was read from", |counts| {
            *counts.adapted.entry((tool.to_owned(), format)).or_default() += 1
        });
    }

    pub fn counts(&self) -> LegacyCounts {
        let counts = self.counts.lock();
        LegacyCounts { emitted: counts.emitted.clone(), adapted: counts.adapted.clone() }
    }

    /// Logs the counters, for the end of a process; says nothing if nothing was counted.
    ///
    /// It is a warning, so that an operator sees without further options whether the old fields can go.
    pub fn log(&self) {
        let counts = self.counts();
        if counts != LegacyCounts::default() {
            tracing::warn!(target: "mortise::legacy", "{counts}");
        }
    }

    fn count(&self, tool: &str, does: &str, add: impl FnOnce(&mut UseCounts)) {
        let mut counts = self.counts.lock();
        add(&mut counts);
        let first = counts.warned.insert(tool.to_owned());
        drop(counts);
        if first {
            tracing::warn!(
                target: "mortise::legacy",
                tool,
                removed_in = REMOVED_IN,
                not_before = NOT_BEFORE,
                "{tool} {does} a deprecated field"
            );
        }
    }
}

impl fmt::Display for LegacyCounts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let emitted =
            self.emitted.iter().map(|(tool, count)| format!("legacy_emitted{{tool={tool}}} {count}"));
        let adapted = self
            .adapted
            .iter()
            .map(|((tool, format), count)| format!("legacy_adapted{{tool={tool},format={format}}} {count}"));
        formatter.write_str(&emitted.chain(adapted).collect::<Vec<_>>().join(", "))
    }
}

#[cfg(test)]
mod tests;
