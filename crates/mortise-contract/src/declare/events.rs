//! Log events about output schemas: which go along to a model, in which form.
//!
//! The one thing that this crate does besides returning results. Nothing depends on it, and nothing
//! of a schema is in it but its size.

use super::definition::ToolDefinition;

/// An output schema goes along: in a field of its own, in a description, in a language.
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

/// There is none to go along, or it is not forwarded.
pub(super) fn absent(tool: &str, declared_for: &str, definition: &ToolDefinition) {
    let declared = definition.output_schema.is_some();
    tracing::trace!(
        event = "mortise.output_schema.absent",
        tool,
        declared_for,
        declared,
        "no output schema goes along"
    );
}

/// It was too long and is shortened by structure.
pub(super) fn reduced(tool: &str, declared_for: &str, (from_bytes, to_bytes): (usize, usize), step: &str) {
    tracing::debug!(
        event = "mortise.output_schema.reduced",
        tool,
        declared_for,
        from_bytes,
        to_bytes,
        step,
        "shortened an output schema"
    );
}

#[cfg(test)]
mod tests;
