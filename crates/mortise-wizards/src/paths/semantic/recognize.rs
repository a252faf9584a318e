//! From paths to an expression, with its alternatives and how sure it is.

use std::collections::HashSet;

use super::expression::{Expression, ExpressionStep};
use super::lattice::{Candidate, FolderPosition, Lattice};
use super::primitive::{MonthForm, Period, Primitive, YearForm};
use super::score;

/// From where on an expression is proposed without reserve.
const ACCEPT: f64 = 0.80;
/// Below this the structure is not really known.
const LOW: f64 = 0.40;
const ALTERNATIVES: usize = 5;

#[derive(Clone, Debug)]
pub(crate) struct Recognition {
    /// The expression with the extension of the files.
    pub(crate) expression: Expression,
    /// How sure it is, from 0 to 1.
    pub(crate) confidence: f64,
    pub(crate) status: RecognitionStatus,
    /// Other readings, the surest first.
    pub(crate) alternatives: Vec<AlternativeExpression>,
    /// The folders that were read, from the left.
    pub(crate) segments: Vec<Segment>,
}

/// What a confidence means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RecognitionStatus {
    /// From 0.80: use it.
    Accept,
    /// From 0.40: look at the alternatives.
    Ambiguous,
    /// Below: the structure is not really known.
    Low,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AlternativeExpression {
    pub(crate) expression: Expression,
    pub(crate) confidence: f64,
}

/// One step with the folders it stands for.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    /// Its leftmost position, from the end; the file is 1.
    pub(crate) index: usize,
    pub(crate) primitive: Primitive,
    pub(crate) score: f64,
    /// Its folders, joined by `/` where they are several; each once, in the order of the paths.
    pub(crate) values: Vec<String>,
}

impl Segment {
    /// The names of the fields that a rule reads from it, as long as no two steps share one.
    pub(crate) fn fields(&self) -> Vec<String> {
        let place = super::compile::PrimitivePlace { index: self.index, is_stable: true };
        place.fields(&self.primitive).into_iter().map(|(name, _)| name).collect()
    }
}

/// One step that was chosen, and the positions it covers.
#[derive(Clone, Debug)]
struct Choice {
    /// The first position, by its number in the lattice.
    at: usize,
    primitive: Primitive,
    score: f64,
    is_consistent: bool,
}

/// The most likely expression for the paths of a lattice.
pub(crate) fn of_lattice(lattice: &Lattice) -> Recognition {
    let choices = choose(lattice);
    let confidence = confidence(&choices);
    let expression = expression(lattice, &choices);
    let mut alternatives = alternatives(lattice, &choices, &expression);
    let status = match confidence {
        value if value >= ACCEPT => RecognitionStatus::Accept,
        value if value >= LOW => RecognitionStatus::Ambiguous,
        _ => RecognitionStatus::Low,
    };
    alternatives.truncate(ALTERNATIVES);
    Recognition {
        confidence,
        status,
        alternatives,
        segments: choices.iter().map(|choice| segment(lattice, choice)).collect(),
        expression,
    }
}

fn choose(lattice: &Lattice) -> Vec<Choice> {
    let mut choices = Vec::new();
    let mut at = 0;
    while at < lattice.positions.len() {
        let choice = several(lattice, at).unwrap_or_else(|| single(&lattice.positions[at], at));
        at += choice.primitive.width();
        choices.push(choice);
    }
    choices
}

/// A date that is spread over this position and the next ones.
fn several(lattice: &Lattice, at: usize) -> Option<Choice> {
    let find = |offset: usize, wanted: fn(&Primitive) -> bool| -> Option<&Candidate> {
        let candidates = &lattice.positions.get(at + offset)?.candidates;
        candidates.iter().find(|candidate| wanted(&candidate.primitive))
    };
    let year = find(0, |primitive| matches!(primitive, Primitive::Year { form: YearForm::Plain }))?;
    let month = find(1, |primitive| matches!(primitive, Primitive::Month { form: MonthForm::Number }));
    let day = find(2, |primitive| matches!(primitive, Primitive::Day { .. }));
    let quarter = find(1, |primitive| matches!(primitive, Primitive::Period { period: Period::Quarter }));
    let (primitive, parts) = match (month, day, quarter) {
        (Some(month), Some(day), _) if day.primitive.variant().is_none() => {
            (Primitive::NestedDate, vec![year, month, day])
        }
        (_, _, Some(quarter)) => (Primitive::YearQuarter, vec![year, quarter]),
        _ => return None,
    };
    let scores: Vec<f64> = parts.iter().map(|part| part.score).collect();
    Some(Choice { at, primitive, score: score::mean(&scores), is_consistent: true })
}

fn single(position: &FolderPosition, at: usize) -> Choice {
    chosen(position, at, position.best())
}

fn chosen(position: &FolderPosition, at: usize, candidate: Option<&Candidate>) -> Choice {
    let Some(candidate) = candidate else {
        let any = Primitive::Any { name: None };
        return Choice { at, primitive: any, score: 0.0, is_consistent: false };
    };
    Choice {
        at,
        primitive: candidate.primitive.clone(),
        score: candidate.score,
        is_consistent: is_consistent(position, candidate),
    }
}

/// Whether every value that fits would have been read the same way on its own.
fn is_consistent(position: &FolderPosition, chosen: &Candidate) -> bool {
    let unscaled = |candidate: &Candidate| {
        let fitting = position.values.len() - candidate.outliers.len();
        candidate.score / super::lattice::share(fitting, position.values.len()).max(f64::EPSILON)
    };
    let own = unscaled(chosen);
    (0..position.values.len()).filter(|index| !chosen.outliers.contains(index)).all(|index| {
        !position
            .candidates
            .iter()
            .any(|other| !other.outliers.contains(&index) && unscaled(other) > own + 1e-9)
    })
}

fn confidence(choices: &[Choice]) -> f64 {
    let files = 1.0;
    let scores: Vec<f64> = choices.iter().map(score_of).chain([files]).collect();
    score::rounded(score::mean(&scores))
}

fn score_of(choice: &Choice) -> f64 {
    score::segment(choice.score, choice.is_consistent)
}

fn expression(lattice: &Lattice, choices: &[Choice]) -> Expression {
    let steps = choices.iter().map(|choice| ExpressionStep::Is(choice.primitive.clone()));
    Expression::of(steps, lattice.extension.clone())
}

/// One position read differently at a time, the surest first.
fn alternatives(lattice: &Lattice, choices: &[Choice], best: &Expression) -> Vec<AlternativeExpression> {
    let mut found = Vec::new();
    let mut seen = HashSet::from([best.clone()]);
    for (number, choice) in choices.iter().enumerate().filter(|(_, choice)| choice.primitive.width() == 1) {
        let position = &lattice.positions[choice.at];
        let others = position.candidates.iter().filter(|other| other.primitive != choice.primitive);
        for other in others.filter(|other| other.score > 0.0) {
            let mut changed = choices.to_vec();
            changed[number] = Choice { is_consistent: true, ..chosen(position, choice.at, Some(other)) };
            let expression = expression(lattice, &changed);
            if seen.insert(expression.clone()) {
                found.push(AlternativeExpression { confidence: confidence(&changed), expression });
            }
        }
    }
    if found.is_empty() {
        found.extend(less_read(lattice, choices).find(|other| other.expression != *best));
    }
    found.sort_by(|one, two| {
        two.confidence
            .total_cmp(&one.confidence)
            .then_with(|| one.expression.to_string().cmp(&two.expression.to_string()))
    });
    found
}

/// The readings that say less of one step: a folder left open, a date in several folders taken one by one. The least
/// sure step comes first.
fn less_read(lattice: &Lattice, choices: &[Choice]) -> impl Iterator<Item = AlternativeExpression> {
    let mut order: Vec<usize> = (0..choices.len()).collect();
    order.sort_by(|one, two| choices[*one].score.total_cmp(&choices[*two].score));
    order.into_iter().map(|number| {
        let choice = &choices[number];
        let covered = choice.at..choice.at + choice.primitive.width();
        let one = |at: usize| match covered.len() {
            1 => chosen(&lattice.positions[at], at, lattice.positions[at].candidates.last()),
            _ => single(&lattice.positions[at], at),
        };
        let mut changed = choices.to_vec();
        changed.splice(number..=number, covered.clone().map(one));
        AlternativeExpression { confidence: confidence(&changed), expression: expression(lattice, &changed) }
    })
}

fn segment(lattice: &Lattice, choice: &Choice) -> Segment {
    let covered = &lattice.positions[choice.at..choice.at + choice.primitive.width()];
    let mut seen = HashSet::new();
    let joined = (0..lattice.paths).filter_map(|path| {
        let parts: Option<Vec<&str>> =
            covered.iter().map(|position| position.values[path].as_deref()).collect();
        parts.map(|parts| parts.join("/"))
    });
    Segment {
        index: covered.first().map_or(1, |position| position.index),
        primitive: choice.primitive.clone(),
        score: score::rounded(score_of(choice)),
        values: joined.filter(|value| seen.insert(value.clone())).collect(),
    }
}
