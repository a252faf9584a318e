//! What the structured clauses of a hint change in the fields.

use mortise_formats::format::{ErrorBody, ErrorCode};
use mortise_formats::rules::{DefaultValue, FieldSource, FieldType, Pattern, RuleField};

use super::fields::{FieldPlan, Planned};
use crate::answer::Confidence;
use crate::paths::hint::{Clause, Hint, SegmentPlace, SegmentType};
use crate::paths::path::RulePath;

/// A pattern that nothing matches, so that the default is the value.
const NEVER: &str = r"[^\s\S]";

/// Names, types and constants of a hint.
pub(super) fn apply(plan: &mut FieldPlan, paths: &[RulePath], hint: &Hint) -> Result<(), ErrorBody> {
    for clause in &hint.clauses {
        match clause {
            Clause::Name { place, field } => rename(plan, resolve(*place, paths)?, field)?,
            Clause::Type { place, kind } => retype(plan, resolve(*place, paths)?, *kind),
            Clause::Literal { field, value } => {
                if plan.is_taken(field) {
                    let reason = format!("`{field}` is read from the path, and the hint gives it a value");
                    return Err(conflict(reason, "choose another name"));
                }
                let mut constant = RuleField::new(FieldSource::Filename);
                constant.pattern = Some(Pattern::new(NEVER));
                constant.default = Some(DefaultValue::Text(value.clone()));
                plan.fields.push(added(field, constant));
            }
            _ => {}
        }
    }
    Ok(())
}

fn added(name: &str, field: RuleField) -> Planned {
    Planned {
        name: name.to_owned(),
        field,
        origin: name.to_owned(),
        primitive: None,
        confidence: Confidence::High,
    }
}

fn conflict(reason: String, suggestion: &str) -> ErrorBody {
    ErrorBody::new(ErrorCode::HintConflict, reason, suggestion).at_field("hint")
}

/// The segment of a place, from the end.
fn resolve(place: SegmentPlace, paths: &[RulePath]) -> Result<u16, ErrorBody> {
    let shallowest = paths.iter().map(RulePath::depth).min().unwrap_or(0);
    let deepest = paths.iter().map(RulePath::depth).max().unwrap_or(0);
    let range = |reason: String| {
        ErrorBody::new(ErrorCode::HintSegmentRange, reason, "count from the end: `segment(-1)` is the file")
            .at_field("hint")
    };
    let index = match place {
        SegmentPlace::FromEnd(index) => index,
        SegmentPlace::FromStart(_) if shallowest != deepest => {
            return Err(range(format!(
                "{place} counts from the start, and the paths have {shallowest} to {deepest} segments"
            )));
        }
        SegmentPlace::FromStart(index) => (deepest + 1).saturating_sub(index),
    };
    if index == 0 || index > shallowest {
        let segments = if shallowest == 1 { "segment" } else { "segments" };
        return Err(range(format!("{place} out of range: a path has {shallowest} {segments}")));
    }
    u16::try_from(index).map_err(|_| range(format!("{place} out of range")))
}

fn is_at(field: &RuleField, index: u16) -> bool {
    match field.from {
        FieldSource::Segment(segment) => segment == index,
        FieldSource::Filename => index == 1 && field.default.is_none(),
        FieldSource::FullPath | FieldSource::RelPath => false,
    }
}

fn rename(plan: &mut FieldPlan, index: u16, name: &str) -> Result<(), ErrorBody> {
    let there: Vec<usize> =
        (0..plan.fields.len()).filter(|&number| is_at(&plan.fields[number].field, index)).collect();
    let is_other = |number: usize| !there.contains(&number);
    if (0..plan.fields.len()).any(|number| is_other(number) && plan.fields[number].name == name) {
        return Err(conflict(
            format!("`{name}` is already the name of another field"),
            "choose another name",
        ));
    }
    match there.as_slice() {
        [only] => name.clone_into(&mut plan.fields[*only].name),
        // Several values, or none yet, come from there: the name is for the whole segment.
        _ if plan.is_taken(name) => {}
        _ => plan.fields.push(added(name, RuleField::new(FieldSource::Segment(index)))),
    }
    Ok(())
}

fn retype(plan: &mut FieldPlan, index: u16, kind: SegmentType) {
    for planned in plan.fields.iter_mut().filter(|planned| is_at(&planned.field, index)) {
        planned.field.field_type = match kind {
            SegmentType::String => FieldType::String,
            SegmentType::Integer => FieldType::integer(),
            SegmentType::Date => FieldType::iso_date(),
            SegmentType::Uuid => FieldType::Uuid,
        };
    }
}
