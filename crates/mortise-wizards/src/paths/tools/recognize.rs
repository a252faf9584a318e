//! `recognize_semantic_path`.

use mortise_formats::feedback::{Marks, RuleFeedback};
use mortise_formats::format::{Complexity, ErrorBody, ErrorCode, FormatKind};
use mortise_formats::rules::RuleDocument;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::rule::extract_object;
use super::{SCHEMA_VERSION, numbered, similar_sources};
use crate::answer::{
    Common, DecisionOption, DecisionQuestion, NextAction, Phase, ResultWarning, WizardResult, Workflow,
};
use crate::paths::engine::{ExtractionStatus as PathStatus, RuleSet};
use crate::paths::extractor::{stratified, without_skipped};
use crate::paths::filename::pattern_count;
use crate::paths::hint::{Clause, Hint, SegmentPlace};
use crate::paths::path::RulePath;
use crate::paths::path::parse_all;
use crate::paths::semantic::{
    Expression, ExpressionStep, Lattice, Primitive, Recognition, RecognitionStatus, Segment,
    compile_recognised, of_lattice,
};
use crate::tool::{Wizard, blocking};
use crate::wizards::Wizards;

const VALUES: usize = 5;
const OUTLIERS: usize = 20;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RecognizeInput {
    /// Paths of files of one source, at least two; more folders show more
    sample_paths: Vec<String>,
    /// The source that the paths belong to
    #[schemars(length(min = 1, max = 200))]
    source_id: Option<String>,
    /// Names for folders: `segment(-3) = client`, or `skip "regex"`
    hint: Option<String>,
    /// No model is configured; true adds a warning and changes nothing
    #[serde(default)]
    use_ai: bool,
}

#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RecognizeOutput {
    /// What the folders mean
    expression: String,
    /// How sure that is, from 0 to 1
    confidence: f64,
    /// accept: use it; ambiguous: look at the alternatives; low: use generate_extractor
    status: RecognitionStatus,
    /// The expression with the files' extension
    expression_full: String,
    /// Other readings, the surest first
    alternatives: Vec<AlternativeOutput>,
    /// Folder by folder, from the left
    segment_analysis: Vec<SegmentAnalysis>,
    /// The rule as an object
    generated_rule: GeneratedRule,
    /// The rule as YAML
    yaml_rule: String,
    /// What the YAML conforms to
    schema_version: String,
    /// Known sources with the same structure
    similar_sources: Vec<SimilarSource>,
    /// Paths that do not fit
    outliers: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AlternativeOutput {
    expression: String,
    confidence: f64,
}

#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SegmentAnalysis {
    /// From the end: the file is -1
    position: i64,
    primitive: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    variant: Option<String>,
    /// Folders that are there
    sample_values: Vec<String>,
    /// What the rule reads from them on the first path
    extracted_values: Map<String, Value>,
}

#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GeneratedRule {
    glob: String,
    extract: Map<String, Value>,
    tag: String,
}

#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SimilarSource {
    source_id: String,
    semantic_expression: String,
}

pub(super) fn wizard() -> Wizard {
    Wizard::new("recognize_semantic_path", FormatKind::YamlRule)
        .description(
            "Recognises what the folders of file paths mean: entities, dates, versions, partitions, categories. \
             Returns a semantic expression with confidence and alternatives, and the extraction rule in YAML. \
             Paths are only read as text; no file is opened.",
        )
        .read_only()
        .handler(|wizards, input: RecognizeInput, _context| async move { blocking(move |_| run(&wizards, &input)).await })
}

fn run(wizards: &Wizards, input: &RecognizeInput) -> Result<WizardResult<RecognizeOutput>, ErrorBody> {
    let all = parse_all(&input.sample_paths)?;
    if all.len() < 2 {
        return Err(ErrorBody::new(
            ErrorCode::InsufficientSamples,
            "one path shows no structure; expected at least two",
            "add paths of other folders, or call generate_extractor",
        )
        .at_field("sample_paths"));
    }
    let mut hint = input.hint.as_deref().map(Hint::parse).transpose()?.unwrap_or_default();
    hint.words = wizards.options.known_words();
    let paths = stratified(&without_skipped(&all, &hint)?);
    let lattice = Lattice::knowing(&paths, &hint.words);
    let mut recognition = of_lattice(&lattice);
    known_enough(&lattice, &recognition)?;
    let mut common = Common::default();
    rename(&mut recognition, &hint, &mut common);
    if all.len() < 3 {
        let message = format!("only {} paths: the structure is a guess until more are seen", all.len());
        common.warnings.push(ResultWarning::new("WARN_FEW_SAMPLES", message).on("sample_paths"));
    }
    if input.use_ai {
        let message = "no model is configured; the result is the same without `use_ai`";
        common.warnings.push(ResultWarning::new("WARN_NO_MODEL", message).on("use_ai"));
    }

    let expression = &recognition.expression;
    let compiled = compile_recognised(expression)?;
    let document = RuleDocument::new(vec![compiled.rule()])?;
    let rules = RuleSet::new(&document)?;
    let unmatched =
        all.iter().enumerate().filter(|(_, path)| rules.extract_path(path).status != PathStatus::Complete);
    let outliers = numbered(&input.sample_paths, unmatched.map(|(number, _)| number), OUTLIERS);
    let source_id = input.source_id.as_deref();
    let output = RecognizeOutput {
        expression: expression.without_extension().to_string(),
        confidence: recognition.confidence,
        status: recognition.status,
        expression_full: expression.to_string(),
        alternatives: recognition
            .alternatives
            .iter()
            .map(|other| AlternativeOutput {
                expression: other.expression.without_extension().to_string(),
                confidence: other.confidence,
            })
            .collect(),
        segment_analysis: recognition
            .segments
            .iter()
            .map(|segment| analysis(segment, &rules, &paths))
            .collect(),
        generated_rule: GeneratedRule {
            glob: compiled.glob,
            extract: extract_object(&document),
            tag: compiled.tag,
        },
        yaml_rule: document.to_yaml()?,
        schema_version: SCHEMA_VERSION.to_owned(),
        similar_sources: similar_sources(wizards, expression)?
            .into_iter()
            .filter(|source| Some(source.source_id.as_str()) != source_id)
            .map(|source| SimilarSource {
                source_id: source.source_id,
                semantic_expression: source.expression,
            })
            .collect(),
        outliers,
    };
    if recognition.status == RecognitionStatus::Ambiguous && !recognition.alternatives.is_empty() {
        common.questions.push(which(&recognition));
    }
    common.workflow = Some(next(&recognition, &common, &paths, input));
    let feedback = RuleFeedback {
        schema_version: SCHEMA_VERSION,
        complexity: Complexity::Simple,
        open_questions: common.questions.len(),
    };
    let marks = if wizards.options.ascii { Marks::Ascii } else { Marks::Unicode };
    Ok(WizardResult::new(output).common(common).feedback(feedback.render(marks)))
}

/// Whether any folder was recognised at all.
fn known_enough(lattice: &Lattice, recognition: &Recognition) -> Result<(), ErrorBody> {
    let is_unknown = |segment: &Segment| matches!(segment.primitive, Primitive::Any { .. });
    if !recognition.segments.iter().all(is_unknown) {
        return Ok(());
    }
    if lattice.positions.iter().any(crate::paths::semantic::FolderPosition::is_split_evenly) {
        return Err(ErrorBody::new(
            ErrorCode::AmbiguousStructure,
            "half of the paths are built one way and half another, and neither reading covers both",
            "call the tool once for each kind of path",
        )
        .at_field("sample_paths"));
    }
    Err(ErrorBody::new(
        ErrorCode::NoPrimitives,
        "no folder of these paths is a date, an entity, a version or anything else that is known",
        "call generate_extractor, which also reads unknown folders and file names",
    )
    .at_field("sample_paths"))
}

/// Gives unnamed folders the names of the hint.
fn rename(recognition: &mut Recognition, hint: &Hint, common: &mut Common) {
    for clause in &hint.clauses {
        let said = match clause {
            Clause::Name { place: SegmentPlace::FromEnd(index), field } => {
                let segment = recognition.segments.iter_mut().find(|segment| segment.index == *index);
                match segment.map(|segment| &mut segment.primitive) {
                    Some(Primitive::Any { name } | Primitive::Numeric { name, .. }) => {
                        *name = Some(field.clone());
                        true
                    }
                    _ => false,
                }
            }
            Clause::Skip { .. } => true,
            _ => false,
        };
        if !said {
            let message = "a part of the hint changes nothing here; generate_extractor takes it";
            common.warnings.push(ResultWarning::new("WARN_HINT_UNUSED", message).on("hint"));
        }
    }
    let extension = match recognition.expression.steps().last() {
        Some(ExpressionStep::Is(Primitive::Files { extension })) => extension.clone(),
        _ => None,
    };
    let steps = recognition.segments.iter().map(|segment| ExpressionStep::Is(segment.primitive.clone()));
    recognition.expression = Expression::of(steps, extension);
}

fn analysis(segment: &Segment, rules: &RuleSet, paths: &[RulePath]) -> SegmentAnalysis {
    let fields = paths.first().map(|path| rules.extract_path(path).fields).unwrap_or_default();
    let own = segment.fields();
    SegmentAnalysis {
        position: -i64::try_from(segment.index).unwrap_or(i64::MAX),
        primitive: segment.primitive.name().to_owned(),
        variant: segment.primitive.variant().map(str::to_owned),
        sample_values: segment.values.iter().take(VALUES).cloned().collect(),
        extracted_values: fields.into_iter().filter(|(name, _)| own.contains(name)).collect(),
    }
}

fn which(recognition: &Recognition) -> DecisionQuestion {
    let option = |number: usize, expression: &Expression, confidence: f64| {
        let text = expression.without_extension().to_string();
        DecisionOption::new(format!("reading_{number}"), &text, format!("Confidence {confidence}"))
    };
    let best = option(1, &recognition.expression, recognition.confidence);
    let others = recognition.alternatives.iter().enumerate();
    DecisionQuestion {
        id: "reading".to_owned(),
        question: "Which reading of the folders is right?".to_owned(),
        options: std::iter::once(best)
            .chain(others.map(|(number, other)| option(number + 2, &other.expression, other.confidence)))
            .collect(),
        blocking: false,
        default_option: Some("reading_1".to_owned()),
        context: None,
    }
}

fn next(recognition: &Recognition, common: &Common, paths: &[RulePath], input: &RecognizeInput) -> Workflow {
    let workflow = Workflow::new(Phase::Discovery).needing_approval().pending(&common.questions);
    let samples: Vec<Value> =
        input.sample_paths.iter().take(20).map(|path| Value::from(path.as_str())).collect();
    let extractor = |about: &str| {
        NextAction::new("generate_extractor", about).with("sample_paths", Value::Array(samples.clone()))
    };
    match recognition.status {
        RecognitionStatus::Low => workflow.then(extractor("Read these paths without naming their structure")),
        _ => {
            let keep = NextAction::new("generate_rule_from_semantic", "Make a draft of the rule")
                .with("expression", recognition.expression.to_string());
            let workflow = workflow.then(keep);
            match recognition.confidence >= 0.70 && pattern_count(paths) >= 2 {
                true => workflow.then(extractor("Also read fields from the names of the files")),
                false => workflow,
            }
        }
    }
}
