//! Log events about output schemas: which are sent to a model, and in which form.
//!
//! The one thing that this crate does besides returning results, and remembers: what was said is not
//! said again. Nothing depends on it, and nothing of a schema is in it but its size.

use std::collections::BTreeSet;

use mortise_contract::schema::SchemaHash;
use parking_lot::Mutex;

use super::definition::ToolDefinition;

/// An output schema is sent: in its own field, in a description, or as a type in a language.
pub(super) fn forwarded(tool: &str, declared_for: &str, form: &str, bytes: usize, losses: usize) {
    tracing::debug!(
        event = "mortise.output_schema.forwarded",
        tool,
        declared_for,
        form,
        bytes,
        losses,
        "forwarded an output schema"
    );
}

/// No output schema is sent: there is none, or it is not forwarded.
pub(super) fn absent(tool: &str, declared_for: &str, definition: &ToolDefinition) {
    let declared = definition.output_schema.is_some();
    tracing::trace!(
        event = "mortise.output_schema.absent",
        tool,
        declared_for,
        declared,
        "no output schema is sent"
    );
}

/// It was too long and is shortened by structure: a warning the first time for a tool and its schema.
pub(super) fn reduced(
    definition: &ToolDefinition,
    tool: &str,
    declared_for: &str,
    (from_bytes, to_bytes): (usize, usize),
    step: &str,
) {
    macro_rules! say {
        ($level:ident) => {
            tracing::$level!(
                event = "mortise.output_schema.reduced",
                tool,
                declared_for,
                from_bytes,
                to_bytes,
                step,
                "shortened an output schema"
            )
        };
    }
    match tracing::enabled!(tracing::Level::WARN) && is_first(definition) {
        true => say!(warn),
        false => say!(debug),
    }
}

/// Output schemas that were shortened, by server, tool and hash.
static SHORTENED: Mutex<BTreeSet<(String, String, SchemaHash)>> = Mutex::new(BTreeSet::new());
/// As many are remembered; those beyond are not worth a warning each.
const REMEMBERED: usize = 1_000;

fn is_first(definition: &ToolDefinition) -> bool {
    let Some(schema) = &definition.output_schema else { return false };
    let key = (definition.server.to_string(), definition.tool.to_string(), SchemaHash::of(schema));
    let mut shortened = SHORTENED.lock();
    shortened.len() < REMEMBERED && shortened.insert(key)
}

#[cfg(test)]
mod tests;
