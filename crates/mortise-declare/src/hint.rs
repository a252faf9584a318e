//! A type within a budget: shortened by structure, never cut in the middle.

mod keys;

use super::loss::{Action, Loss, Losses, SchemaSide, Severity};
use super::model::{Model, collapse, cut, cut_keeping};
use super::naming::{ModelPart, TakenNames, name_definitions};
use super::text::comment_line;
use super::typescript::{Shown, TypeScriptWriter};
use keys::keys;

/// How far a type was shortened, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HintStep {
    /// Nothing is left out.
    Full,
    /// Without descriptions.
    NoDescriptions,
    /// Without bounds, formats and defaults.
    NoTags,
    /// Object types that stand in several places are written once.
    Repeated,
    /// Four levels of objects and arrays.
    Depth4,
    /// Three levels.
    Depth3,
    /// Two levels.
    Depth2,
    /// The outermost level only.
    Outermost,
    /// A sentence with some of the keys.
    Keys,
    /// A sentence that says no more than that there is something.
    Sentence,
}

/// The steps that are still types.
pub(super) const LANGUAGE_STEPS: [HintStep; 8] = [
    HintStep::Full,
    HintStep::NoDescriptions,
    HintStep::NoTags,
    HintStep::Repeated,
    HintStep::Depth4,
    HintStep::Depth3,
    HintStep::Depth2,
    HintStep::Outermost,
];

impl HintStep {
    /// What was left out, for a report.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Full => "nothing is left out",
            Self::NoDescriptions => "descriptions are left out",
            Self::NoTags => "descriptions, bounds and formats are left out",
            Self::Repeated => "types that stand in several places are written once",
            Self::Depth4 => "four levels are shown",
            Self::Depth3 => "three levels are shown",
            Self::Depth2 => "two levels are shown",
            Self::Outermost => "the outermost level is shown",
            Self::Keys => "only keys are shown",
            Self::Sentence => "nothing of it is shown",
        }
    }

    /// The word that reports use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::NoDescriptions => "no_descriptions",
            Self::NoTags => "no_tags",
            Self::Repeated => "repeated_once",
            Self::Depth4 => "depth_4",
            Self::Depth3 => "depth_3",
            Self::Depth2 => "depth_2",
            Self::Outermost => "outermost",
            Self::Keys => "keys",
            Self::Sentence => "sentence",
        }
    }

    pub(super) fn shown(self, index_signatures: bool) -> Shown {
        Shown { descriptions: self == Self::Full, tags: self <= Self::NoDescriptions, index_signatures }
    }

    /// The model as this step leaves it.
    pub(super) fn apply(self, model: &Model) -> Model {
        self.apply_keeping(model, 0)
    }

    /// Cuts at a level, and keeps the first `kept` fields of the objects that it would cut away.
    pub(super) fn apply_keeping(self, model: &Model, kept: usize) -> Model {
        match self {
            Self::Full | Self::NoDescriptions | Self::NoTags => model.clone(),
            Self::Repeated => collapse(model),
            Self::Depth4 => cut_keeping(&collapse(model), 4, kept),
            Self::Depth3 => cut_keeping(&collapse(model), 3, kept),
            Self::Depth2 => cut_keeping(&collapse(model), 2, kept),
            Self::Outermost => cut_keeping(model, 1, kept),
            Self::Keys | Self::Sentence => cut(model, 0),
        }
    }
}

/// The longest type that fits, and what it took.
pub(super) fn compact(model: &Model, bytes: usize) -> (String, HintStep) {
    for step in LANGUAGE_STEPS {
        let text = one_line(&step.apply(model), step.shown(false));
        if text.len() <= bytes {
            return (text, step);
        }
    }
    match keys(model, bytes) {
        Some(text) => (text, HintStep::Keys),
        None => ("structured JSON".to_owned(), HintStep::Sentence),
    }
}

/// The hint as a type that a compiler takes: words that are not a type stand in a comment.
pub(super) fn compact_type(model: &Model, bytes: usize) -> String {
    match compact(model, bytes) {
        (text, step) if step <= HintStep::Outermost => text,
        _ => keys_type(model, bytes),
    }
}

/// A short type without names of other types, for a place where those could not follow.
pub(super) fn type_in_place(model: &Model, bytes: usize) -> String {
    let step = HintStep::Outermost;
    let shallow = step.apply(model);
    let text = one_line(&shallow, step.shown(false));
    let fits = shallow.definitions.is_empty() && text.len() <= bytes;
    if fits { text } else { keys_type(model, bytes) }
}

fn keys_type(model: &Model, bytes: usize) -> String {
    const AROUND: usize = "unknown /*  */".len();
    match keys(model, bytes.saturating_sub(AROUND)) {
        Some(text) => format!("unknown /* {} */", comment_line(&text)),
        None => "unknown".to_owned(),
    }
}

/// The type on one line; definitions that it needs follow it, so that the whole reads `T; type A = …`.
pub(super) fn one_line(model: &Model, shown: Shown) -> String {
    let part = ModelPart { prefix: "", side: "Root", model };
    let names = name_definitions(&[part], &mut TakenNames::default()).pop().unwrap_or_default();
    let writer = TypeScriptWriter { names: &names, shown };
    let mut text = writer.doc_before(&model.doc);
    text.push_str(&writer.inline(&model.root));
    for (definition, name) in model.definitions.iter().zip(&names) {
        text.push_str(&format!("; type {name} = {}", writer.inline(&definition.kind)));
    }
    text
}

/// The type with nothing left out.
pub(super) fn whole(model: &Model) -> String {
    one_line(model, HintStep::Full.shown(false))
}

/// The loss of a type that was too long.
pub(super) fn shortened(step: HintStep, budget: usize) -> Vec<Loss> {
    let mut losses = Losses::new(SchemaSide::Output);
    let severity = if step > HintStep::Repeated { Severity::Warn } else { Severity::Info };
    let reason = format!("longer than {budget} bytes; {}", step.sentence());
    losses
        .add("", "budget", (Action::Truncated, severity), reason)
        .fix("make the output schema smaller, or allow more bytes");
    losses.finish()
}
