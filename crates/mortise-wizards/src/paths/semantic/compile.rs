//! From an expression to a glob, fields and a tag.

use mortise_formats::format::{ErrorBody, ErrorCode};
use mortise_formats::rules::{
    ExtractionRule, FieldSource, FieldType, MAX_FIELDS, Pattern, RuleDocument, RuleField, RuleSource,
};

use super::expression::{Expression, ExpressionStep};
use super::grammar;
use super::primitive::{
    DateForm, DayForm, MonthForm, PartitionKind, Period, Primitive, Separator, VersionForm, YearForm,
    is_field_name,
};

/// Two digits from 01 to 12.
const MONTH: &str = "(0[1-9]|1[0-2])";
/// Two digits from 01 to 31.
const DAY: &str = "(0[1-9]|[12][0-9]|3[01])";

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CompiledPath {
    pub(crate) glob: String,
    /// What is read from them, from the left.
    pub(crate) fields: Vec<(String, RuleField)>,
    pub(crate) tag: String,
}

impl CompiledPath {
    /// The name of the rule when nothing better is known.
    pub(crate) fn rule_name(&self) -> String {
        format!("{}_extraction_rule", self.tag)
    }

    pub(crate) fn rule(&self) -> ExtractionRule {
        let mut rule = ExtractionRule::tagging(self.rule_name(), self.glob.clone(), self.tag.clone());
        rule.fields.clone_from(&self.fields);
        rule.source = Some(RuleSource::Inferred);
        rule
    }
}

pub(crate) fn compile(expression: &Expression) -> Result<CompiledPath, ErrorBody> {
    fitting(expression).map_err(|excess| {
        grammar::failure(1, format!("the expression gives {excess}"), "use fewer steps or shorter names")
    })
}

/// Compiles what was recognised in paths.
pub(crate) fn compile_recognised(expression: &Expression) -> Result<CompiledPath, ErrorBody> {
    fitting(expression).map_err(|excess| too_much(&excess.to_string()))
}

/// The same where code may take over a pattern that is too large for a rule.
pub(crate) fn compile_for_code(expression: &Expression) -> Result<CompiledPath, ErrorBody> {
    with_few_fields(expression).map_err(|excess| too_much(&excess.to_string()))
}

/// Paths that would give more than a rule can hold.
pub(crate) fn too_much(reason: &str) -> ErrorBody {
    let reason = format!("the folders of these paths are too many or too long for a rule: {reason}");
    let suggestion = "give the paths as seen from a folder nearer to the files";
    ErrorBody::new(ErrorCode::ParamRange, reason, suggestion).at_field("sample_paths")
}

/// What an expression gives that a rule can't hold.
#[derive(Debug, thiserror::Error)]
enum RuleExcess {
    #[error("{count} fields; at most {MAX_FIELDS} are read")]
    Fields { count: usize },
    #[error("no valid rule: {reason}")]
    Invalid { reason: String },
}

fn fitting(expression: &Expression) -> Result<CompiledPath, RuleExcess> {
    let compiled = with_few_fields(expression)?;
    match RuleDocument::new(vec![compiled.rule()]) {
        Ok(_) => Ok(compiled),
        Err(error) => Err(RuleExcess::Invalid { reason: error.reason }),
    }
}

fn with_few_fields(expression: &Expression) -> Result<CompiledPath, RuleExcess> {
    let compiled = assemble(expression);
    match compiled.fields.len() > MAX_FIELDS {
        true => Err(RuleExcess::Fields { count: compiled.fields.len() }),
        false => Ok(compiled),
    }
}

fn assemble(expression: &Expression) -> CompiledPath {
    let mut globs = vec!["**".to_owned()];
    let mut fields = DistinctFields::default();
    let steps = expression.steps();
    for (number, step) in steps.iter().enumerate() {
        match step {
            ExpressionStep::AnyDepth => globs.push("**".to_owned()),
            ExpressionStep::Is(primitive) => {
                let rest = &steps[number + 1..];
                let place = PrimitivePlace {
                    index: 1 + rest.iter().map(width).sum::<usize>() + primitive.width().saturating_sub(1),
                    is_stable: !rest.contains(&ExpressionStep::AnyDepth),
                };
                globs.extend(glob(primitive));
                for (name, field) in place.fields(primitive) {
                    fields.push(name, field);
                }
            }
        }
    }
    CompiledPath { glob: globs.join("/"), fields: fields.0, tag: tag(expression) }
}

fn width(step: &ExpressionStep) -> usize {
    match step {
        ExpressionStep::AnyDepth => 0,
        ExpressionStep::Is(primitive) => primitive.width(),
    }
}

#[derive(Default)]
struct DistinctFields(Vec<(String, RuleField)>);

impl DistinctFields {
    fn push(&mut self, name: String, field: RuleField) {
        let is_taken = |name: &str| self.0.iter().any(|(taken, _)| taken == name);
        let mut distinct = name.clone();
        let mut number = 2;
        while is_taken(&distinct) {
            distinct = format!("{name}_{number}");
            number += 1;
        }
        self.0.push((distinct, field));
    }
}

/// The glob of each segment that a primitive covers.
pub(super) fn glob(primitive: &Primitive) -> Vec<String> {
    let one = match primitive {
        Primitive::Files { extension: None } | Primitive::Numeric { .. } | Primitive::Any { .. } => {
            "*".to_owned()
        }
        Primitive::Files { extension: Some(extension) } => format!("*.{extension}"),
        Primitive::Date { form: DateForm::Iso } => "????-??-??".to_owned(),
        Primitive::Date { form: DateForm::Compact } => "????????".to_owned(),
        Primitive::Date { form: DateForm::European | DateForm::Us } => "??-??-????".to_owned(),
        Primitive::YearMonth => "????-??".to_owned(),
        Primitive::NestedDate => return ["????", "??", "??"].map(str::to_owned).to_vec(),
        Primitive::YearQuarter => return ["????", "Q?"].map(str::to_owned).to_vec(),
        Primitive::Period { period: Period::Quarter } => "Q?".to_owned(),
        Primitive::Period { period: Period::Half } => "H?".to_owned(),
        Primitive::Period { period: Period::Week } => "W??".to_owned(),
        Primitive::Year { form: YearForm::Plain } => "????".to_owned(),
        Primitive::Year { form: YearForm::Fiscal } => "FY????".to_owned(),
        Primitive::Year { form: YearForm::FiscalShort } => "FY??".to_owned(),
        Primitive::Month { form: MonthForm::Number } | Primitive::Day { form: DayForm::Number } => {
            "??".to_owned()
        }
        Primitive::Month { form: MonthForm::Word } => "*".to_owned(),
        Primitive::Day { form: DayForm::Named } => "Day*".to_owned(),
        Primitive::Version { form: VersionForm::V } => "v*".to_owned(),
        Primitive::Version { form: VersionForm::Release } => "release-*".to_owned(),
        Primitive::Version { form: VersionForm::Bare } => "*".to_owned(),
        Primitive::Partition { key, .. } => format!("{key}=*"),
        Primitive::Entity { prefix, separator } => match separator {
            Separator::Underscore => format!("{prefix}_*"),
            Separator::Dash => format!("{prefix}-*"),
            Separator::Mixed => format!("{prefix}[_-]*"),
        },
        Primitive::Direction => "*_{Inbound,Outbound}".to_owned(),
        Primitive::Environment { names: words } | Primitive::Category { words } => match words.as_slice() {
            [only] => escaped(only),
            words => {
                let words: Vec<String> = words.iter().map(|word| escaped(word)).collect();
                format!("{{{}}}", words.join(","))
            }
        },
        Primitive::Literal { text } => escaped(text),
    };
    vec![one]
}

/// A text that a glob matches literally. There is no escape but a class.
pub(crate) fn escaped(text: &str) -> String {
    let mut glob = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '*' | '?' | '[' | ']' | '{' | '}' | ',' => {
                glob.push('[');
                glob.push(character);
                glob.push(']');
            }
            _ => glob.push(character),
        }
    }
    glob
}

pub(super) struct PrimitivePlace {
    /// Its leftmost segment, from the end.
    pub(super) index: usize,
    /// Whether nothing right of it varies in depth.
    pub(super) is_stable: bool,
}

impl PrimitivePlace {
    pub(super) fn fields(&self, primitive: &Primitive) -> Vec<(String, RuleField)> {
        let integer = FieldType::integer;
        let date = |format: &str| FieldType::Date { format: format.to_owned() };
        let one = |name: &str, inner: &str, field_type| vec![self.field(0, name, inner, field_type)];
        match primitive {
            Primitive::Files { .. } | Primitive::Literal { .. } => Vec::new(),
            Primitive::Date { form } => {
                let (inner, format) = match form {
                    DateForm::Iso => (r"(\d{4}-\d{2}-\d{2})", "%Y-%m-%d"),
                    DateForm::Compact => (r"(\d{8})", "%Y%m%d"),
                    DateForm::European => (r"(\d{2}-\d{2}-\d{4})", "%d-%m-%Y"),
                    DateForm::Us => (r"(\d{2}-\d{2}-\d{4})", "%m-%d-%Y"),
                };
                match self.is_stable {
                    // The type alone says all that the pattern would.
                    true => vec![self.whole("date", date(format))],
                    false => one("date", inner, date(format)),
                }
            }
            Primitive::YearMonth => vec![
                self.field(0, "year", r"(\d{4})-\d{2}", integer()),
                self.field(0, "month", &format!(r"\d{{4}}-{MONTH}"), integer()),
            ],
            Primitive::NestedDate => vec![
                self.field(0, "year", r"(\d{4})", integer()),
                self.field(1, "month", MONTH, integer()),
                self.field(2, "day", DAY, integer()),
            ],
            Primitive::YearQuarter => vec![
                self.field(0, "year", r"(\d{4})", integer()),
                self.field(1, "quarter", "Q([1-4])", integer()),
            ],
            Primitive::Period { period: Period::Quarter } => one("quarter", "Q([1-4])", integer()),
            Primitive::Period { period: Period::Half } => one("half", "H([12])", integer()),
            Primitive::Period { period: Period::Week } => {
                one("week", "W(0[1-9]|[1-4][0-9]|5[0-3])", integer())
            }
            Primitive::Year { form: YearForm::Plain } => one("year", r"(\d{4})", integer()),
            Primitive::Year { form: YearForm::Fiscal } => one("year", r"FY(\d{4})", integer()),
            Primitive::Year { form: YearForm::FiscalShort } => {
                one("fiscal_code", r"(FY\d{2})", FieldType::String)
            }
            Primitive::Month { form: MonthForm::Number } => one("month", MONTH, integer()),
            Primitive::Month { form: MonthForm::Word } => one("month_name", "([A-Za-z]+)", FieldType::String),
            Primitive::Day { form: DayForm::Number } => one("day", DAY, integer()),
            Primitive::Day { form: DayForm::Named } => one("day", "Day(0?[1-9]|[12][0-9]|3[01])", integer()),
            Primitive::Version { .. } => one("version", r"(?:v|release-)?(\d+(?:\.\d+)*)", FieldType::String),
            Primitive::Partition { key, kind } => {
                let field_type = match kind {
                    PartitionKind::Text => FieldType::String,
                    PartitionKind::Integer => integer(),
                    PartitionKind::Date => FieldType::iso_date(),
                };
                one(&field_name(key), &format!("{}=([^/]+)", regex::escape(key)), field_type)
            }
            Primitive::Entity { prefix, .. } => one(
                &format!("{}_id", prefix.to_ascii_lowercase()),
                &format!("{prefix}[_-]([^/]+)"),
                FieldType::String,
            ),
            Primitive::Direction => vec![
                self.field(0, "direction", "[^/]+_(Inbound|Outbound)", FieldType::String),
                self.field(0, "type", "([^/]+)_(?:Inbound|Outbound)", FieldType::String),
            ],
            Primitive::Environment { names } => self.words("environment", names),
            Primitive::Category { words } if words.len() > 1 => self.words("category", words),
            Primitive::Category { .. } => Vec::new(),
            Primitive::Numeric { name, is_padded } => {
                let name =
                    name.as_ref().map_or_else(|| format!("id_{}", self.index), |name| format!("{name}_id"));
                let field_type = if *is_padded { FieldType::String } else { integer() };
                one(&name, r"(\d+)", field_type)
            }
            Primitive::Any { name } => {
                let name = name.clone().unwrap_or_else(|| format!("segment_{}", self.index));
                match self.is_stable {
                    true => vec![self.whole(&name, FieldType::String)],
                    // It can't be known which of the folders it is.
                    false => Vec::new(),
                }
            }
        }
    }

    fn words(&self, name: &str, words: &[String]) -> Vec<(String, RuleField)> {
        match self.is_stable {
            true => vec![self.whole(name, FieldType::String)],
            false => {
                let words: Vec<String> = words.iter().map(|word| regex::escape(word)).collect();
                vec![self.field(0, name, &format!("({})", words.join("|")), FieldType::String)]
            }
        }
    }

    /// A field that is a whole segment.
    fn whole(&self, name: &str, field_type: FieldType) -> (String, RuleField) {
        let mut field = RuleField::new(self.segment(0));
        field.field_type = field_type;
        (name.to_owned(), field)
    }

    /// A field that is a part of a segment, or of the path where the segment's number varies.
    fn field(&self, offset: usize, name: &str, inner: &str, field_type: FieldType) -> (String, RuleField) {
        let (from, regex) = match self.is_stable {
            true => (self.segment(offset), format!("^{}$", inner.replace("[^/]+", ".+"))),
            false => (FieldSource::FullPath, format!("(?:^|/){inner}/")),
        };
        let mut field = RuleField::new(from);
        field.pattern = Some(Pattern::new(regex));
        field.field_type = field_type;
        (name.to_owned(), field)
    }

    fn segment(&self, offset: usize) -> FieldSource {
        let index = self.index.saturating_sub(offset);
        FieldSource::Segment(u16::try_from(index).unwrap_or(u16::MAX))
    }
}

/// A field name from a key: in lower case, with nothing else changed that is allowed.
fn field_name(key: &str) -> String {
    let name = key.to_ascii_lowercase();
    if is_field_name(&name) { name } else { format!("key_{name}") }
}

fn tag(expression: &Expression) -> String {
    let primitives = || {
        expression.steps().iter().filter_map(|step| match step {
            ExpressionStep::Is(primitive) => Some(primitive),
            ExpressionStep::AnyDepth => None,
        })
    };
    let entity = primitives().find_map(|primitive| match primitive {
        Primitive::Entity { prefix, .. } => Some(format!("{}_data", prefix.to_ascii_lowercase())),
        _ => None,
    });
    let category = || {
        primitives().find_map(|primitive| match primitive {
            Primitive::Category { words } => words.first().map(|word| slug(word)),
            _ => None,
        })
    };
    entity.or_else(category).unwrap_or_else(|| "path_data".to_owned())
}

/// A word of letters, digits and `_` that starts with a letter.
pub(crate) fn slug(text: &str) -> String {
    let mut slug = String::new();
    for character in text.chars() {
        match character {
            character if character.is_ascii_alphanumeric() => slug.push(character.to_ascii_lowercase()),
            _ if !slug.is_empty() && !slug.ends_with('_') => slug.push('_'),
            _ => {}
        }
    }
    let slug = slug.trim_end_matches('_');
    match slug.chars().next() {
        None => "path_data".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("t_{slug}"),
        Some(_) => slug.chars().take(40).collect(),
    }
}
