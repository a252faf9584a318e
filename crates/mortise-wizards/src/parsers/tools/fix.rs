//! `fix_parser`: what failures have in common, and what would mend them.

use std::collections::BTreeMap;

use mortise_formats::format::{ErrorBody, FormatKind};
use mortise_formats::python::Module;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::{Common, NextAction, Phase, WizardResult, Workflow};
use crate::data::literal::number;
use crate::parsers::category::Category;
use crate::python_literal as literal;
use crate::tool::Wizard;

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FixParserInput {
    /// The parser's source
    parser_code: String,
    /// Files that failed, as run_backtest tells them
    #[schemars(length(min = 1, max = 10_000))]
    failures: Vec<FailureInput>,
    /// What run_backtest counted
    #[serde(default)]
    failure_summary: Option<SummaryInput>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FailureInput {
    /// The file
    file_path: String,
    /// What went wrong
    error: String,
    /// The category of run_backtest; without it the words of the error decide
    #[serde(default)]
    category: Option<Category>,
    /// The column
    #[serde(default)]
    column: Option<String>,
    /// Values that failed
    #[serde(default)]
    sample_values: Vec<String>,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SummaryInput {
    /// How many files failed
    total_failures: usize,
    /// How many of each category
    #[serde(default)]
    by_category: BTreeMap<Category, usize>,
    /// Files that failed most
    #[serde(default)]
    top_failing_files: Vec<String>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FixParserOutput {
    /// Failures that were looked at
    issues_analyzed: usize,
    /// What would mend them, most frequent first
    fixes: Vec<FixOutput>,
    /// What to do besides
    recommendations: Vec<String>,
    /// What most failures have in common
    #[serde(skip_serializing_if = "Option::is_none")]
    primary_issue: Option<String>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FixOutput {
    /// What kind of fix
    fix_type: FixType,
    /// The column
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<String>,
    /// What it does
    description: String,
    /// Code for it
    #[serde(skip_serializing_if = "Option::is_none")]
    code_snippet: Option<String>,
    /// How sure that helps, from 0 to 1
    confidence: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum FixType {
    /// Another type.
    TypeCoercion,
    /// Missing values.
    NullHandling,
    /// Another form of dates or numbers.
    FormatParsing,
    /// Errors are survived.
    ErrorHandling,
    /// Something else.
    General,
}

pub(super) fn wizard() -> Wizard {
    Wizard::new("fix_parser", FormatKind::Metadata)
        .description(
            "Looks at what the failures of run_backtest have in common and lists fixes with code snippets and \
             confidence. It changes nothing; refine_parser makes the edits.",
        )
        .read_only()
        .handler(|_, input: FixParserInput, _| async move { fix_parser(&input) })
}

/// How many failures, and the values that failed.
type Group<'a> = (usize, Vec<&'a str>);

fn fix_parser(input: &FixParserInput) -> Result<WizardResult<FixParserOutput>, ErrorBody> {
    Module::parse(&input.parser_code).map_err(|error| error.at_field("parser_code"))?;
    let mut groups: BTreeMap<(Category, Option<&str>), Group<'_>> = BTreeMap::new();
    for failure in &input.failures {
        let category = failure.category.unwrap_or_else(|| Category::of_message(&failure.error));
        let group = groups.entry((category, failure.column.as_deref())).or_default();
        group.0 += 1;
        group.1.extend(failure.sample_values.iter().map(String::as_str));
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
    let primary = groups.first().map(|((category, column), (count, _))| {
        let place = column.map(|column| format!(" in `{column}`")).unwrap_or_default();
        let category = category.as_str();
        match (count, input.failures.len()) {
            (1, 1) => format!("the failure is {category}{place}"),
            (1, all) => format!("1 of {all} failures is {category}{place}"),
            (count, all) => format!("{count} of {all} failures are {category}{place}"),
        }
    });
    let fixes: Vec<FixOutput> = groups
        .iter()
        .map(|((category, column), (_, values))| fix(*category, *column, values))
        .filter(|fix| fix.code_snippet.as_ref().is_none_or(|snippet| Module::parse(snippet).is_ok()))
        .collect();
    let output = FixParserOutput {
        issues_analyzed: input.failures.len(),
        recommendations: recommendations(groups.iter().map(|((category, _), _)| *category), input),
        fixes,
        primary_issue: primary.clone(),
    };
    let workflow = Workflow::new(Phase::ParserRefinement)
        .then(NextAction::new("refine_parser", "make the edits, with column and value of each error"));
    let common = Common { workflow: Some(workflow), ..Common::default() };
    Ok(WizardResult::new(output).common(common).feedback(primary.unwrap_or_default()))
}

fn fix(category: Category, column: Option<&str>, values: &[&str]) -> FixOutput {
    let name = column.map(literal::string);
    let entry = |converter: &str, nullable: &str| {
        name.as_ref().map(|name| format!("COLUMNS[{name}] = ({converter}, {nullable})\n"))
    };
    let (fix_type, confidence, description, code_snippet) = match category {
        Category::TypeMismatch => {
            // A code such as 007 would lose its zeros, and Python knows no commas in numbers.
            let is_number = |value: &&str| !value.contains(',') && number(value.trim()).is_some();
            let numbers = !values.is_empty() && values.iter().all(is_number);
            match numbers {
                true => (
                    FixType::TypeCoercion,
                    0.8,
                    "read the column as numbers with a fraction",
                    entry("float", "False"),
                ),
                false => (FixType::TypeCoercion, 0.8, "read the column as text", entry("str", "False")),
            }
        }
        Category::NullNotAllowed => (
            FixType::NullHandling,
            0.9,
            "allow the column to be empty",
            name.as_ref().map(|name| format!("COLUMNS[{name}] = (COLUMNS[{name}][0], True)\n")),
        ),
        Category::FormatMismatch => {
            (FixType::FormatParsing, 0.7, "read the further form, after the known one", None)
        }
        Category::ParseError => (
            FixType::ErrorHandling,
            0.6,
            "leave out rows that can't be read, and count them: generate the parser with `bad_cells` collect",
            None,
        ),
        Category::SchemaViolation => (
            FixType::General,
            0.5,
            "compare the file's columns with the contract; see propose_amendment",
            None,
        ),
        Category::FileNotFound => {
            (FixType::General, 0.5, "leave the missing files out; list files with quick_scan", None)
        }
        Category::Timeout => {
            (FixType::General, 0.5, "give the backtest more time with `max_duration_secs`", None)
        }
        Category::Unknown => {
            (FixType::General, 0.5, "look at the error and at the file with preview_files", None)
        }
    };
    FixOutput {
        fix_type,
        column: column.map(str::to_owned),
        description: description.to_owned(),
        code_snippet,
        confidence,
    }
}

fn recommendations(categories: impl Iterator<Item = Category>, input: &FixParserInput) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    if let Some(summary) = &input.failure_summary {
        all.extend(beyond(summary, &input.failures));
    }
    for category in categories {
        let text = match category {
            Category::SchemaViolation => "group the files with discover_schemas: they may need a parser each",
            Category::TypeMismatch | Category::FormatMismatch | Category::NullNotAllowed => {
                "pass column and value of each error to refine_parser"
            }
            Category::FileNotFound => "scan the folder again",
            _ => continue,
        };
        if !all.iter().any(|known| known == text) {
            all.push(text.to_owned());
        }
    }
    let mut files: Vec<&str> = input.failures.iter().map(|failure| failure.file_path.as_str()).collect();
    files.sort_unstable();
    files.dedup();
    if files.len() == 1 {
        all.push(format!("only `{}` fails: see whether that file is damaged", files[0]));
    }
    all
}

/// What the summary says about failures that were not given.
fn beyond(summary: &SummaryInput, failures: &[FailureInput]) -> Vec<String> {
    let mut all = Vec::new();
    if summary.total_failures > failures.len() {
        all.push(format!(
            "only {} of {} failures were given: pass them all",
            failures.len(),
            summary.total_failures
        ));
    }
    let given = |category: Category| failures.iter().any(|failure| failure.category == Some(category));
    let missing = summary.by_category.keys().find(|category| !given(**category));
    all.extend(missing.map(|category| format!("no failure of the category {} was given", category.as_str())));
    let stranger =
        summary.top_failing_files.iter().find(|file| failures.iter().all(|own| own.file_path != **file));
    all.extend(stranger.map(|file| format!("look at `{file}`, which fails most and was not given")));
    all
}
