//! The fields of a proposal before anything is said about them.

use mortise_formats::rules::{FieldSource, FieldType, RuleField};

use crate::answer::{Confidence, DecisionOption, DecisionQuestion, ResultWarning};
use crate::paths::engine::{raw_values, typed_texts};
use crate::paths::filename;
use crate::paths::path::RulePath;
use crate::paths::semantic::{CompiledPath, DateForm, Primitive, Recognition};

/// A field with what is known about it.
#[derive(Clone, Debug)]
pub(crate) struct Planned {
    pub(crate) name: String,
    pub(crate) field: RuleField,
    /// What it was called before a hint renamed it, which says what it is.
    pub(crate) origin: String,
    /// What its folder means; none for the file's name.
    pub(crate) primitive: Option<Primitive>,
    pub(crate) confidence: Confidence,
}

impl Planned {
    /// A pattern that is more than a prefix.
    pub(crate) fn has_pattern(&self) -> bool {
        let is_prefix =
            matches!(self.primitive, Some(Primitive::Entity { .. } | Primitive::Partition { .. }));
        self.field.pattern.is_some() && !is_prefix
    }

    /// The texts that the field is made from, one for each path that has one.
    pub(crate) fn texts<'a>(&self, paths: &'a [RulePath]) -> Vec<&'a str> {
        raw_values(&self.field, paths)
    }
}

/// All fields, and what came up while they were found.
#[derive(Clone, Debug, Default)]
pub(crate) struct FieldPlan {
    pub(crate) fields: Vec<Planned>,
    pub(crate) warnings: Vec<ResultWarning>,
    pub(crate) questions: Vec<DecisionQuestion>,
    pub(crate) recommendations: Vec<String>,
}

impl FieldPlan {
    pub(crate) fn is_taken(&self, name: &str) -> bool {
        self.fields.iter().any(|planned| planned.name == name)
    }

    pub(crate) fn free_name(&self, name: &str) -> String {
        let mut free = name.to_owned();
        let mut number = 2;
        while self.is_taken(&free) {
            free = format!("{name}_{number}");
            number += 1;
        }
        free
    }
}

/// The fields of the folders and of the file's name.
pub(crate) fn plan(paths: &[RulePath], recognition: &Recognition, compiled: &CompiledPath) -> FieldPlan {
    let mut plan = FieldPlan::default();
    // One or two paths show a structure; they do not show that it holds.
    let trust = match paths.len() {
        0 | 1 => 0.7,
        2 => 0.9,
        _ => 1.0,
    };
    if paths.len() < 3 {
        let count = paths.len();
        let noun = if count == 1 { "path" } else { "paths" };
        let message =
            format!("only {count} {noun} (n={count}): the structure is a guess until more are seen");
        plan.warnings.push(ResultWarning::new("WARN_FEW_SAMPLES", message).on("sample_paths"));
    }
    for (name, field) in &compiled.fields {
        let segment = segment_of(recognition, field);
        plan.fields.push(Planned {
            name: name.clone(),
            field: field.clone(),
            origin: name.clone(),
            primitive: segment.map(|segment| segment.primitive.clone()),
            confidence: Confidence::of(segment.map_or(0.0, |segment| segment.score) * trust),
        });
    }
    for segment in &recognition.segments {
        if let Primitive::Date { form: DateForm::European | DateForm::Us } = segment.primitive
            && segment.score < 0.8
        {
            plan.questions.push(date_order(&segment.values));
        }
    }
    for (name, field) in filename::fields(paths) {
        let planned = Planned {
            origin: name.clone(),
            name: plan.free_name(&name),
            field,
            primitive: None,
            confidence: Confidence::of(0.85 * trust),
        };
        if !repeats(&mut plan, &planned, paths) {
            plan.fields.push(planned);
        }
    }
    plan
}

fn segment_of<'a>(
    recognition: &'a Recognition,
    field: &RuleField,
) -> Option<&'a crate::paths::semantic::Segment> {
    let FieldSource::Segment(index) = field.from else { return None };
    let index = usize::from(index);
    recognition.segments.iter().find(|segment| {
        let last = segment.index + 1 - segment.primitive.width();
        (last..=segment.index).contains(&index)
    })
}

fn date_order(values: &[String]) -> DecisionQuestion {
    let context: Vec<&str> = values.iter().take(5).map(String::as_str).collect();
    DecisionQuestion {
        id: "date_order".to_owned(),
        question: "Do these folders name the day or the month first?".to_owned(),
        options: vec![
            DecisionOption::new("european", "Day first", "05-06-2024 is the fifth of June"),
            DecisionOption::new("us", "Month first", "05-06-2024 is the sixth of May"),
        ],
        blocking: false,
        default_option: Some("european".to_owned()),
        context: Some(context.join(", ")),
    }
}

/// Whether a date in the file's name only repeats one in a folder; where the two differ, a person decides.
fn repeats(plan: &mut FieldPlan, planned: &Planned, paths: &[RulePath]) -> bool {
    if !matches!(planned.field.field_type, FieldType::Date { .. }) {
        return false;
    }
    let is_date = |known: &&Planned| {
        known.primitive.is_some() && matches!(known.field.field_type, FieldType::Date { .. })
    };
    let Some(folder) = plan.fields.iter().find(is_date).cloned() else { return false };
    let (in_folder, in_name) = (typed_texts(&folder.field, paths), typed_texts(&planned.field, paths));
    if in_folder == in_name {
        let message = format!(
            "the date in the file's name is always that of the folder `{}`; it is left out",
            folder.name
        );
        plan.warnings.push(ResultWarning::new("WARN_REPEATED_FIELD", message).on(planned.name.clone()));
        return true;
    }
    let differing = paths.iter().zip(in_folder.iter().zip(&in_name)).find(|(_, (one, other))| one != other);
    plan.questions.push(DecisionQuestion {
        id: "file_date_differs".to_owned(),
        question: format!(
            "Which date counts, the folder's (`{}`) or the file's (`{}`)?",
            folder.name, planned.name
        ),
        options: vec![
            DecisionOption::new("both", "Both", "Keep both fields"),
            DecisionOption::new("folder", "The folder's", format!("Leave out `{}`", planned.name)),
            DecisionOption::new("file", "The file's", format!("Leave out `{}`", folder.name)),
        ],
        blocking: false,
        default_option: Some("both".to_owned()),
        context: differing.map(|(path, _)| path.as_str().to_owned()),
    });
    false
}
