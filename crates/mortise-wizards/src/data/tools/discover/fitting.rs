//! How much of many or wide tables fits into one result.

use serde::Serialize;

use super::super::plural;
use super::DiscoverOutput;
use crate::answer::DecisionQuestion;
use crate::data::discover::SchemaGroup;
use crate::data::schema::DiscoveredSchema;
use crate::tool::room::{fitting, size};

/// Bytes of all proposals.
const SCHEMA_BYTES: usize = 640_000;
/// Bytes of each other list.
const LIST_BYTES: usize = 50_000;
/// How many of a list are said again, as warnings or as something to do.
const REPEATED: usize = 50;
/// Bytes of them.
const REPEATED_BYTES: usize = 20_000;

/// Shortens a result to what can be sent. Gives the questions that fit, and says what was left out.
pub(super) fn shorten(
    output: &mut DiscoverOutput,
    questions: Vec<DecisionQuestion>,
) -> (Vec<DecisionQuestion>, Vec<String>) {
    let mut left_out = Vec::new();
    let mut note = |left: usize, one: &str, many: &str, advice: &str| {
        if left > 0 {
            left_out.push(format!("{} left out; {advice}", plural(left, one, many)));
        }
    };
    let narrow = "ask for fewer files to see all";
    let schemas = std::mem::take(&mut output.schemas);
    let all = schemas.len();
    let (schemas, wide) = proposals(schemas);
    note(all - schemas.len(), "proposal", "proposals", narrow);
    output.schemas = schemas;
    if let Some(Wide { columns, shown, warnings }) = wide {
        let advice = "`read_sample` has all names; approve the columns that you need";
        note(columns - shown, "column", "columns", advice);
        let advice = "type, format and one value of each are listed";
        note(shown, "column's evidence", "columns' evidence", advice);
        note(warnings, "warning of the proposal", "warnings of the proposal", "the first are listed");
    }
    let (groups, names) = with_fewer_names(std::mem::take(&mut output.schema_groups));
    note(names, "name of a column in a group", "names of columns in groups", narrow);
    note(keep(&mut output.schema_groups, groups), "group", "groups", narrow);
    let drift = std::mem::take(&mut output.drift);
    note(keep(&mut output.drift, drift), "difference", "differences between files", narrow);
    let failed = std::mem::take(&mut output.failed_files);
    note(keep(&mut output.failed_files, failed), "file", "files without a schema", narrow);
    let mut asked = Vec::new();
    let advice = "`approve_schemas` lists the choices for a column that is still open";
    note(keep(&mut asked, questions), "question", "questions", advice);
    output.truncated = !left_out.is_empty();
    (asked, left_out)
}

/// Keeps the first that fit, and says how many do not.
fn keep<T: Serialize>(kept: &mut Vec<T>, all: Vec<T>) -> usize {
    let (fitting, left) = fitting(all, LIST_BYTES);
    *kept = fitting;
    left
}

/// What of a proposal was left out because it alone does not fit.
struct Wide {
    columns: usize,
    shown: usize,
    /// Its warnings that are left out.
    warnings: usize,
}

/// As many proposals as fit, at least one; that one with as many columns as fit.
fn proposals(schemas: Vec<DiscoveredSchema>) -> (Vec<DiscoveredSchema>, Option<Wide>) {
    let mut kept: Vec<DiscoveredSchema> = Vec::new();
    let mut all = 0;
    for schema in schemas {
        all += size(&schema);
        if all <= SCHEMA_BYTES {
            kept.push(schema);
            continue;
        }
        if kept.is_empty() {
            let (schema, wide) = narrowed(schema);
            return (vec![schema], Some(wide));
        }
        break;
    }
    (kept, None)
}

/// A proposal without its evidence, and with the columns that fit then.
fn narrowed(mut schema: DiscoveredSchema) -> (DiscoveredSchema, Wide) {
    let columns = schema.columns.len();
    let all = std::mem::take(&mut schema.warnings);
    let warnings = keep(&mut schema.warnings, all);
    let all = std::mem::take(&mut schema.columns);
    // What the proposal holds besides its columns.
    let mut left = SCHEMA_BYTES.saturating_sub(size(&schema));
    let mut shown = Vec::new();
    for mut column in all {
        column.sample_values.truncate(1);
        column.near_miss = None;
        let constraint = &mut column.constraint;
        constraint.evidence.sample_values.clear();
        constraint.evidence.eliminated_types.clear();
        constraint.human_question = None;
        match left.checked_sub(size(&column)) {
            Some(rest) => left = rest,
            None => break,
        }
        shown.push(column);
    }
    schema.columns = shown;
    let shown = schema.columns.len();
    (schema, Wide { columns, shown, warnings })
}

/// The first that fit where something is only said again, and how many do not.
pub(super) fn repeated<T: Serialize>(all: impl IntoIterator<Item = T>) -> (Vec<T>, usize) {
    let mut all = all.into_iter();
    let (kept, left) = fitting(all.by_ref().take(REPEATED), REPEATED_BYTES);
    (kept, left + all.count())
}

/// Groups whose names of columns are cut where there are very many of them, and how many names are missing.
fn with_fewer_names(mut groups: Vec<SchemaGroup>) -> (Vec<SchemaGroup>, usize) {
    let share = LIST_BYTES / 2 / groups.len().max(1);
    let mut missing = 0;
    for group in &mut groups {
        let mut left = share.max(2_000);
        let fits = |name: &&String| match left.checked_sub(size(name)) {
            Some(rest) => {
                left = rest;
                true
            }
            None => false,
        };
        let kept = group.common_columns.iter().take_while(fits).count();
        missing += group.common_columns.len() - kept;
        group.common_columns.truncate(kept);
    }
    (groups, missing)
}
