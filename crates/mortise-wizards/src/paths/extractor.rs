//! From paths and a hint to a rule, and to Python for what the rule can't say.

mod escalate;
mod fields;
mod hinted;
mod oversized;
mod sample;

use mortise_formats::format::{Complexity, ErrorBody, ErrorCode};
use mortise_formats::rules::{ExtractionRule, RuleDocument, RuleSource};

use self::fields::Planned;
use super::decision::DecisionConfig;
use super::engine::{RuleCoverage, RuleSet, coverage};
use super::hint::{Clause, Hint};
use super::path::RulePath;
use super::semantic::{Expression, Lattice, compile_for_code, escaped, of_lattice, slug, too_much};
use super::transform::Transform;
use crate::answer::{Confidence, DecisionQuestion, ResultWarning};

pub(crate) use sample::stratified;

/// More segments than this are hard to review.
const MANY_SEGMENTS: usize = 10;
/// The folders from which on some are held out.
const HOLDOUT_FROM: usize = 5;

#[derive(Clone, Debug)]
pub(crate) struct ExtractorProposal {
    pub(crate) document: RuleDocument,
    pub(crate) expression: Option<Expression>,
    pub(crate) transforms: Vec<Transform>,
    /// Operations that the library does not have.
    pub(crate) missing: Vec<String>,
    /// Why there is Python, or why there is none.
    pub(crate) reason: String,
    pub(crate) complexity: Complexity,
    pub(crate) labels: Vec<(String, Confidence)>,
    pub(crate) recommendations: Vec<String>,
    pub(crate) warnings: Vec<ResultWarning>,
    pub(crate) questions: Vec<DecisionQuestion>,
}

impl ExtractorProposal {
    /// Proposes a rule for paths that were not thinned out.
    pub(crate) fn of(paths: &[RulePath], hint: &Hint, config: &DecisionConfig) -> Result<Self, ErrorBody> {
        let paths = without_skipped(paths, hint)?;
        let lattice = Lattice::knowing(&paths, &hint.words);
        let recognition = of_lattice(&lattice);
        let compiled = compile_for_code(&recognition.expression)?;
        let mut plan = fields::plan(&paths, &recognition, &compiled);
        hinted::apply(&mut plan, &paths, hint)?;
        let mut escalation = escalate::decide(&mut plan, &paths, hint);
        oversized::decide(&mut escalation, &mut plan, config);

        let is_constant = lattice.positions.is_empty();
        let glob = match (is_constant, lattice.constants.last()) {
            // With nothing that varies, the nearest folder distinguishes these files from others.
            (true, Some(folder)) => compiled.glob.replacen("**/", &format!("**/{}/", escaped(folder)), 1),
            _ => compiled.glob,
        };
        let tag = match (is_constant, lattice.constants.last()) {
            (true, Some(folder)) if super::semantic::is_category(folder) => slug(folder),
            _ => compiled.tag,
        };
        let name = match &hint.subject {
            Some(subject) => format!("{}_extractor", slug(subject)),
            None => format!("{tag}_extraction_rule"),
        };
        let mut rule = ExtractionRule::tagging(name, glob, tag);
        rule.fields =
            plan.fields.iter().map(|planned| (planned.name.clone(), planned.field.clone())).collect();
        rule.source = Some(if hint.clauses.is_empty() { RuleSource::Inferred } else { RuleSource::Hybrid });

        let mut recommendations = plan.recommendations;
        let reasons = escalation.reasons;
        let needs_python = !reasons.is_empty();
        if rule.fields.is_empty() {
            recommendations.push(
                "nothing in these paths varies; give paths of other folders too, or keep the tag".to_owned(),
            );
        }
        let reason = match reasons.is_empty() {
            false => reasons.join("; "),
            true => suffices(&rule),
        };
        let depth = paths.iter().map(RulePath::depth).max().unwrap_or(0);
        let complexity = match () {
            () if needs_python || depth > MANY_SEGMENTS => Complexity::Complex,
            () if !recommendations.is_empty() || plan.fields.iter().any(Planned::has_pattern) => {
                Complexity::Medium
            }
            () => Complexity::Simple,
        };
        let mut warnings = plan.warnings;
        warnings.extend(escalation.warnings);
        let mut questions = plan.questions;
        questions.extend(escalation.questions);
        Ok(Self {
            document: RuleDocument::new(vec![rule]).map_err(|error| too_much(&error.reason))?,
            expression: (!is_constant).then_some(recognition.expression),
            transforms: escalation.transforms,
            missing: escalation.missing,
            reason,
            complexity,
            labels: plan.fields.iter().map(|planned| (planned.name.clone(), planned.confidence)).collect(),
            recommendations,
            warnings,
            questions,
        })
    }

    pub(crate) fn rule(&self) -> Option<&ExtractionRule> {
        self.document.rules().first()
    }
}

/// What a rule from four fifths of the paths makes of the others; `None` for fewer than five paths.
pub(crate) fn holdout(paths: &[RulePath], hint: &Hint, config: &DecisionConfig) -> Option<RuleCoverage> {
    if paths.len() < HOLDOUT_FROM {
        return None;
    }
    let (held, kept): (Vec<_>, Vec<_>) = paths.iter().enumerate().partition(|(number, _)| number % 5 == 4);
    let paths = |part: Vec<(usize, &RulePath)>| -> Vec<RulePath> {
        part.into_iter().map(|(_, path)| path.clone()).collect()
    };
    let proposal = ExtractorProposal::of(&paths(kept), hint, config).ok()?;
    let held = without_skipped(&paths(held), hint).ok()?;
    Some(coverage(&RuleSet::new(&proposal.document).ok()?, &held).0)
}

/// The paths that no `skip` clause leaves out.
pub(crate) fn without_skipped(paths: &[RulePath], hint: &Hint) -> Result<Vec<RulePath>, ErrorBody> {
    let skipped: Vec<regex::Regex> = hint
        .clauses
        .iter()
        .filter_map(|clause| match clause {
            Clause::Skip { pattern } => regex::Regex::new(pattern).ok(),
            _ => None,
        })
        .collect();
    let kept: Vec<RulePath> = paths
        .iter()
        .filter(|path| !skipped.iter().any(|regex| regex.is_match(path.as_str())))
        .cloned()
        .collect();
    if kept.is_empty() {
        return Err(ErrorBody::new(
            ErrorCode::NoPaths,
            "the hint skips every path",
            "give paths that the `skip` clause does not match",
        )
        .at_field("hint"));
    }
    Ok(kept)
}

fn suffices(rule: &ExtractionRule) -> String {
    if rule.fields.is_empty() {
        return "constant structure: no part of these paths varies, so a rule that tags them says all"
            .to_owned();
    }
    let names: Vec<String> = rule.fields.iter().map(|(name, _)| format!("`{name}`")).collect();
    format!("YAML suffices: {} can be read from the path as they stand", names.join(", "))
}

#[cfg(test)]
mod tests;
