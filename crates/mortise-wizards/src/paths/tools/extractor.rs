//! `generate_extractor`.

use mortise_formats::feedback::{HybridFeedback, Marks, RuleFeedback};
use mortise_formats::format::{Complexity, ErrorBody, ErrorCode, FormatKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::SCHEMA_VERSION;
use super::rule::commit;
use crate::answer::{Common, Confidence, NextAction, Phase, ResultWarning, WizardResult, Workflow};
use crate::paths::decision::{DecisionConfig, DecisionLimits, DecisionSensitivity};
use crate::paths::engine::{Extraction, ExtractionStatus, RuleCoverage, RuleSet, check_samples, coverage};
use crate::paths::extractor::{ExtractorProposal, holdout, stratified, without_skipped};
use crate::paths::hint::Hint;
use crate::paths::path::parse_all;
use crate::paths::python::{Both, check_code, compare, module};
use crate::store::{DraftKind, NewDraft};
use crate::tool::{Wizard, blocking};
use crate::wizards::Wizards;

/// Paths that are shown, and on which Python is run.
const SHOWN: usize = 5;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ExtractorInput {
    /// Paths of files, at least one; paths of several folders show more
    sample_paths: Vec<String>,
    /// What the files are, in a few words; or clauses: `segment(-3) = client`, `segment(-2) : integer`,
    /// `site = "north"`, `skip "regex"`, `compute month from date`, `@quarter_expand`
    hint: Option<String>,
    /// Commit at once, if no question is open and every path that was held out is complete
    #[serde(default)]
    auto_approve: bool,
    /// The source that the paths belong to, whose settings of the operator then hold
    #[schemars(length(min = 1, max = 200))]
    source_id: Option<String>,
    /// What decides between YAML and Python
    config: Option<DecisionInput>,
    /// Fail where Python is needed and can't be generated
    #[serde(default)]
    require_python: bool,
    /// Fail where nothing in the paths varies, instead of giving a rule that only tags
    #[serde(default)]
    require_fields: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DecisionInput {
    /// Characters of a pattern beyond which Python is recommended, 100
    recommend_regex_chars: Option<u32>,
    /// Groups beyond which Python is recommended, 5
    recommend_groups: Option<u32>,
    /// Characters beyond which Python is needed, 200
    force_regex_chars: Option<u32>,
    /// Groups beyond which Python is needed, 10
    force_groups: Option<u32>,
    /// Whether a pattern that is only recommended against stays YAML, true
    prefer_yaml: Option<bool>,
    /// Whether there are recommendations
    sensitivity: Option<DecisionSensitivity>,
}

impl DecisionInput {
    fn limits(&self) -> DecisionLimits {
        let count = |value: Option<u32>| value.and_then(|value| usize::try_from(value).ok());
        DecisionLimits {
            recommend_regex_chars: count(self.recommend_regex_chars),
            recommend_groups: count(self.recommend_groups),
            force_regex_chars: count(self.force_regex_chars),
            force_groups: count(self.force_groups),
            prefer_yaml: self.prefer_yaml,
            sensitivity: self.sensitivity,
        }
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "a doc comment would become a description in the tool's schema")]
pub struct ExtractorOutput {
    /// Names the draft for commit_draft
    pub draft_id: String,
    /// The rule; use it first
    pub yaml_rule: String,
    /// Code for what the rule can't say; run only when a person enables it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub python_code: Option<String>,
    /// Why there is code, or why YAML suffices
    pub decision_reason: String,
    /// simple, medium or complex
    pub complexity: Complexity,
    /// What the rule makes of the first paths
    pub preview_results: Vec<PathPreview>,
    /// What the YAML conforms to
    pub schema_version: String,
    /// How many of the paths the rule reads
    pub coverage: CoverageOutput,
    /// How each field fared
    pub field_metrics: Vec<FieldMetricsOutput>,
    /// What could be better
    pub recommendations: Vec<String>,
    /// What a rule from four fifths of the paths makes of the others
    pub holdout: Holdout,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "a doc comment would become a description in the tool's schema")]
pub struct PathPreview {
    pub path: String,
    pub status: ExtractionStatus,
    pub fields: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub python_fields: Option<Map<String, Value>>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "a doc comment would become a description in the tool's schema")]
pub struct CoverageOutput {
    pub matched: u64,
    pub total: u64,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "a doc comment would become a description in the tool's schema")]
pub struct FieldMetricsOutput {
    pub field: String,
    /// Paths that give it a value
    pub valued: u64,
    /// Paths that give it none
    pub failed: u64,
    pub confidence: Confidence,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "a doc comment would become a description in the tool's schema")]
pub struct Holdout {
    /// Paths that were held out; 0 where there are too few
    pub paths: u64,
    pub complete: u64,
    pub partial: u64,
    pub failed: u64,
}

impl Holdout {
    fn of(coverage: Option<RuleCoverage>) -> Self {
        let found = coverage.unwrap_or_default();
        let failed = found.failed + (found.total - found.matched);
        Self { paths: found.total, complete: found.complete, partial: found.partial, failed }
    }

    fn is_complete(&self) -> bool {
        self.complete == self.paths
    }
}

pub(super) fn wizard() -> Wizard {
    Wizard::new("generate_extractor", FormatKind::Hybrid)
        .description(
            "Proposes a YAML extraction rule that reads fields from file paths: which files, which values from which \
             folder or from the file's name. Adds Python only for what a rule can't say (month names, mixed date \
             formats, values that a hint asks to compute), after running it on the paths. Use the rule first. Paths \
             are only read as text; no file is opened.",
        )
        .handler(|wizards, input: ExtractorInput, context| async move {
            let token = context.cancellation().clone();
            let mut hint = input.hint.as_deref().map(Hint::parse).transpose()?.unwrap_or_default();
            hint.words = wizards.options.known_words();
            let limits = input.config.as_ref().map(DecisionInput::limits).unwrap_or_default();
            let config = limits.over(wizards.options.decision.of(input.source_id.as_deref()));
            let given = input.sample_paths.clone();
            let read = blocking(move |_| ExtractorReading::of(&given, &hint, &config)).await?;
            if input.require_fields && read.proposal.rule().is_none_or(|rule| rule.fields.is_empty()) {
                return Err(ErrorBody::new(
                    ErrorCode::NoPattern,
                    "nothing in these paths varies, so a rule could only tag them",
                    "give paths of other folders too, or leave `require_fields` out",
                )
                .at_field("sample_paths"));
            }
            finish(&wizards, &input, read, &token).await
        })
}

/// All that can be said without running anything.
struct ExtractorReading {
    proposal: ExtractorProposal,
    yaml_rule: String,
    /// The first paths that are not skipped, as given, and what the rule makes of them.
    preview: Vec<(String, Extraction)>,
    coverage: RuleCoverage,
    metrics: Vec<FieldMetricsOutput>,
    holdout: Holdout,
    warnings: Vec<ResultWarning>,
}

impl ExtractorReading {
    fn of(given: &[String], hint: &Hint, config: &DecisionConfig) -> Result<Self, ErrorBody> {
        let all = parse_all(given)?;
        let kept = without_skipped(&all, hint)?;
        let sample = stratified(&kept);
        let proposal = ExtractorProposal::of(&sample, hint, config)?;
        let mut warnings = check_samples(&proposal.document, &sample)?;
        if sample.len() < kept.len() {
            let message = format!(
                "structure was recognised from {} of {} paths, chosen by depth",
                sample.len(),
                kept.len()
            );
            warnings.push(ResultWarning::new("WARN_SAMPLED", message).on("sample_paths"));
        }
        let rules = RuleSet::new(&proposal.document)?;
        let (covered, metrics) = coverage(&rules, &kept);
        let label = |field: &str| {
            proposal
                .labels
                .iter()
                .find(|(name, _)| name == field)
                .map_or(Confidence::Low, |(_, label)| *label)
        };
        let metrics = metrics
            .into_iter()
            .map(|metric| FieldMetricsOutput {
                confidence: label(&metric.field),
                valued: metric.valued + metric.defaulted,
                failed: metric.failed,
                field: metric.field,
            })
            .collect();
        let preview = given
            .iter()
            .zip(&all)
            .filter(|(_, path)| kept.contains(path))
            .take(SHOWN)
            .map(|(given, path)| (given.clone(), rules.extract_path(path)))
            .collect();
        Ok(Self {
            yaml_rule: proposal.document.to_yaml()?,
            preview,
            coverage: covered,
            metrics,
            holdout: Holdout::of(holdout(&sample, hint, config)),
            warnings,
            proposal,
        })
    }
}

/// Generated code that passed everything, with what it gave for the previewed paths.
struct CheckedPython {
    code: String,
    fields: Vec<Map<String, Value>>,
}

/// Writes the Python, checks it, runs it on the previewed paths and compares it with the rule.
async fn python(
    wizards: &Wizards,
    read: &ExtractorReading,
    warnings: &mut Vec<ResultWarning>,
    token: &CancellationToken,
) -> Result<CheckedPython, ErrorBody> {
    let Some(rule) = read.proposal.rule() else {
        return Err(ErrorBody::new(
            ErrorCode::Internal,
            "there is no rule",
            "report this as a bug of mortise",
        ));
    };
    let example = read.preview.first().map_or("", |(path, _)| path.as_str());
    let code = module(rule, example, &read.proposal.transforms);
    let engine = wizards.engine().await?;
    let samples: Vec<&str> = read.preview.iter().map(|(path, _)| path.as_str()).collect();
    let report = check_code(&engine, &code, &samples, token).await?;
    let rows: Vec<Both<'_>> = read
        .preview
        .iter()
        .zip(&report.results)
        .map(|((path, extraction), python)| Both { path, rule: &extraction.fields, python })
        .collect();
    compare(&rows)?;
    warnings.extend(report.warnings);
    Ok(CheckedPython { code, fields: report.results })
}

async fn finish(
    wizards: &Wizards,
    input: &ExtractorInput,
    read: ExtractorReading,
    token: &CancellationToken,
) -> Result<WizardResult<ExtractorOutput>, ErrorBody> {
    let proposal = &read.proposal;
    let mut common = Common { questions: proposal.questions.clone(), ..Common::default() };
    common.warnings.extend(proposal.warnings.iter().cloned());
    common.warnings.extend(read.warnings.iter().cloned());
    let mut reason = proposal.reason.clone();
    let mut checked = None;
    if !proposal.missing.is_empty() {
        let missing = proposal.missing.join("; ");
        let body = ErrorBody::new(
            ErrorCode::TransformUnavailable,
            format!("no conversion of the library does this: {missing}"),
            "write that part by hand, or leave it out of the hint",
        );
        if input.require_python {
            return Err(body);
        }
        reason = format!("{reason}; not generated: {missing}");
        common.warnings.push(survived(&body));
    }
    if !proposal.transforms.is_empty() {
        match python(wizards, &read, &mut common.warnings, token).await {
            Ok(code) => checked = Some(code),
            Err(body) if input.require_python || body.error_code == ErrorCode::Canceled => return Err(body),
            // A rule that can be reviewed never disappears because code beside it does.
            Err(body) => common.warnings.push(survived(&body)),
        }
    }

    let name = proposal.rule().map_or_else(String::new, |rule| rule.name.clone());
    let mut files = vec![("rule.yaml".to_owned(), read.yaml_rule.clone())];
    files.extend(checked.as_ref().map(|checked| ("extractor.py".to_owned(), checked.code.clone())));
    let mut facts = json!({ "file_count": input.sample_paths.len() });
    let told = [
        ("expression", proposal.expression.as_ref().map(ToString::to_string)),
        ("source_id", input.source_id.clone()),
    ];
    for (key, fact) in told {
        if let (Some(facts), Some(fact)) = (facts.as_object_mut(), fact) {
            facts.insert(key.to_owned(), fact.into());
        }
    }
    let issued = wizards.drafts.put(NewDraft {
        kind: DraftKind::Extractor,
        name,
        files,
        sample_paths: input.sample_paths.clone(),
        user_hints: input.hint.clone(),
        facts,
    })?;
    for warning in &issued.warnings {
        common.warn("WARN_DRAFT_DROPPED", warning);
    }
    let may_commit = common.questions.is_empty() && read.holdout.is_complete();
    let workflow = Workflow::new(Phase::Discovery).pending(&common.questions);
    common.workflow = Some(match (input.auto_approve, may_commit) {
        (true, true) => {
            wizards.drafts.commit(&issued.id)?;
            workflow.then(NextAction::new("quick_scan", "Look at the files that the rule is for"))
        }
        (true, false) => {
            let message = match common.questions.is_empty() {
                true => "not committed: the rule does not read every path that was held out",
                false => "not committed: a question is open",
            };
            common.warnings.push(ResultWarning::new("WARN_NOT_COMMITTED", message).on("auto_approve"));
            workflow.needing_approval().then(commit(&issued.id))
        }
        (false, _) => workflow.needing_approval().then(commit(&issued.id)),
    });

    let feedback = feedback(wizards, proposal, checked.is_some(), &reason, common.questions.len());
    let (python_code, python_fields) = match checked {
        Some(CheckedPython { code, fields }) => (Some(code), fields.into_iter().map(Some).collect()),
        None => (None, vec![None; read.preview.len()]),
    };
    let output = ExtractorOutput {
        draft_id: issued.id,
        yaml_rule: read.yaml_rule,
        python_code,
        decision_reason: reason,
        complexity: proposal.complexity,
        preview_results: read
            .preview
            .into_iter()
            .zip(python_fields)
            .map(|((path, extraction), python_fields)| PathPreview {
                path,
                status: extraction.status,
                fields: extraction.fields,
                python_fields,
            })
            .collect(),
        schema_version: SCHEMA_VERSION.to_owned(),
        coverage: CoverageOutput { matched: read.coverage.matched, total: read.coverage.total },
        field_metrics: read.metrics,
        recommendations: proposal.recommendations.clone(),
        holdout: read.holdout,
    };
    Ok(WizardResult::new(output).common(common).feedback(feedback))
}

/// An error as a warning that holds all of it.
fn survived(body: &ErrorBody) -> ResultWarning {
    let mut warning = ResultWarning::new(body.error_code.as_str(), body.reason.clone()).on("python_code");
    warning.error = body.to_value().as_object().cloned();
    warning
}

fn feedback(
    wizards: &Wizards,
    proposal: &ExtractorProposal,
    has_code: bool,
    reason: &str,
    open_questions: usize,
) -> String {
    let marks = if wizards.options.ascii { Marks::Ascii } else { Marks::Unicode };
    if !has_code {
        let complexity = proposal.complexity;
        return RuleFeedback { schema_version: SCHEMA_VERSION, complexity, open_questions }.render(marks);
    }
    let summaries: Vec<String> = proposal.transforms.iter().map(|transform| transform.summary()).collect();
    let fallback_summary = summaries.join(", ");
    HybridFeedback { rule_is_valid: true, fallback_summary: &fallback_summary, decision_reason: reason }
        .render(marks)
}
