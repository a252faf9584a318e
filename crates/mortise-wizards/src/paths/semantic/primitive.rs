//! The primitives: what one folder, or a few in a row, can mean.

use std::fmt;

use mortise_contract::text::nearest;
use mortise_formats::format::{ErrorBody, ErrorCode};

use super::grammar::{self, RawCall};
use super::table;

/// What a position of a path means. Arguments hold everything that the glob and the fields need.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the fields are the arguments of the table of primitives")]
pub(crate) enum Primitive {
    Files {
        extension: Option<String>,
    },
    /// A whole date in one folder.
    Date {
        form: DateForm,
    },
    /// `2024-01`.
    YearMonth,
    /// `2024/01/15`.
    NestedDate,
    /// `2024/Q1`.
    YearQuarter,
    /// A part of a year without a year before it.
    Period {
        period: Period,
    },
    Year {
        form: YearForm,
    },
    Month {
        form: MonthForm,
    },
    Day {
        form: DayForm,
    },
    Version {
        form: VersionForm,
    },
    /// `key=value`.
    Partition {
        key: String,
        kind: PartitionKind,
    },
    /// `mission_042`.
    Entity {
        prefix: String,
        separator: Separator,
    },
    /// `ADT_Inbound`.
    Direction,
    /// `prod`, `staging` …
    Environment {
        names: Vec<String>,
    },
    /// `reports`, `logs` …
    Category {
        words: Vec<String>,
    },
    Numeric {
        name: Option<String>,
        is_padded: bool,
    },
    Literal {
        text: String,
    },
    Any {
        name: Option<String>,
    },
}

macro_rules! forms {
    ($($(#[doc = $about:literal])* $name:ident { $($(#[doc = $doc:literal])* $variant:ident = $text:literal,)* })*) => {
        $(
            $(#[doc = $about])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
            pub(crate) enum $name { $($(#[doc = $doc])* $variant,)* }

            impl $name {
                #[allow(dead_code, reason = "tests go through all forms of every kind")]
                pub(crate) const ALL: &'static [Self] = &[$(Self::$variant,)*];

                /// The argument that means it; empty where none does.
                pub(crate) fn as_str(self) -> &'static str {
                    match self { $(Self::$variant => $text,)* }
                }

                fn parse(text: &str) -> Option<Self> {
                    match text { $($text => Some(Self::$variant),)* _ => None }
                }
            }
        )*
    };
}

forms! {
    DateForm {
        /// `2024-01-15`.
        Iso = "iso",
        /// `20240115`.
        Compact = "compact",
        /// `15-01-2024`.
        European = "european",
        /// `01-15-2024`.
        Us = "us",
    }
    /// A part of a year.
    Period {
        /// `Q1`.
        Quarter = "quarter",
        /// `H1`.
        Half = "half",
        /// `W05`.
        Week = "week",
    }
    YearForm {
        /// `2024`.
        Plain = "",
        /// `FY2024`.
        Fiscal = "FY",
        /// `FY24`.
        FiscalShort = "FY2",
    }
    MonthForm {
        /// `01`.
        Number = "",
        /// `Jan` or `January`.
        Word = "word",
    }
    DayForm {
        /// `15`.
        Number = "",
        /// `Day15`.
        Named = "Day",
    }
    VersionForm {
        /// `v2.3`.
        V = "",
        /// `release-2.3`.
        Release = "release",
        /// Several ways, or only the number.
        Bare = "bare",
    }
    /// What the values of a partition are.
    PartitionKind {
        /// Text.
        Text = "",
        /// Whole numbers.
        Integer = "integer",
        /// ISO dates.
        Date = "date",
    }
    /// What stands between a prefix and the rest.
    Separator {
        /// `_`.
        Underscore = "",
        /// `-`.
        Dash = "dash",
        /// Either.
        Mixed = "mixed",
    }
}

/// The argument of `numeric_sequence` that says that zeros lead.
const PADDED: &str = "0";

impl Primitive {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Files { .. } => "files",
            Self::Date { .. } | Self::YearMonth | Self::NestedDate | Self::YearQuarter => "dated_hierarchy",
            Self::Period { .. } => "period_folder",
            Self::Year { .. } => "year_folder",
            Self::Month { .. } => "month_folder",
            Self::Day { .. } => "day_folder",
            Self::Version { .. } => "version_folder",
            Self::Partition { .. } => "partition",
            Self::Entity { .. } => "entity_folder",
            Self::Direction => "direction_marker",
            Self::Environment { .. } => "env_marker",
            Self::Category { .. } => "category_folder",
            Self::Numeric { .. } => "numeric_sequence",
            Self::Literal { .. } => "literal",
            Self::Any { .. } => "any_folder",
        }
    }

    /// The variant as the table names it, where a primitive has variants.
    pub(crate) fn variant(&self) -> Option<&'static str> {
        let form = match self {
            Self::Date { form } => form.as_str(),
            Self::YearMonth => "year_month",
            Self::NestedDate => "nested",
            Self::YearQuarter => "quarter",
            Self::Period { period } => period.as_str(),
            Self::Year { form } => form.as_str(),
            Self::Month { form } => form.as_str(),
            Self::Day { form } => form.as_str(),
            Self::Version { form } => form.as_str(),
            _ => "",
        };
        (!form.is_empty()).then_some(form)
    }

    /// How many segments of the path it covers.
    pub(crate) fn width(&self) -> usize {
        match self {
            Self::NestedDate => 3,
            Self::YearQuarter => 2,
            _ => 1,
        }
    }

    pub(super) fn parse(call: &RawCall) -> Result<Self, ErrorBody> {
        let arguments: Vec<&str> = call.arguments.iter().map(String::as_str).collect();
        let parsed = match (call.name.as_str(), arguments.as_slice()) {
            ("files", []) => Some(Self::Files { extension: None }),
            ("files", [extension]) if is_extension(extension) => {
                Some(Self::Files { extension: Some((*extension).to_owned()) })
            }
            ("dated_hierarchy", ["year_month"]) => Some(Self::YearMonth),
            ("dated_hierarchy", ["nested"]) => Some(Self::NestedDate),
            ("dated_hierarchy", ["quarter"]) => Some(Self::YearQuarter),
            ("dated_hierarchy", [form]) => DateForm::parse(form).map(|form| Self::Date { form }),
            ("period_folder", [period]) => Period::parse(period).map(|period| Self::Period { period }),
            ("year_folder", form) => one(form, YearForm::parse).map(|form| Self::Year { form }),
            ("month_folder", form) => one(form, MonthForm::parse).map(|form| Self::Month { form }),
            ("day_folder", form) => one(form, DayForm::parse).map(|form| Self::Day { form }),
            ("version_folder", form) => one(form, VersionForm::parse).map(|form| Self::Version { form }),
            ("partition", [key, kind @ ..]) if is_key(key) => {
                one(kind, PartitionKind::parse).map(|kind| Self::Partition { key: (*key).to_owned(), kind })
            }
            ("entity_folder", [prefix, separator @ ..]) if is_prefix(prefix) => {
                one(separator, Separator::parse)
                    .map(|separator| Self::Entity { prefix: (*prefix).to_owned(), separator })
            }
            ("direction_marker", []) => Some(Self::Direction),
            ("env_marker", names) if are_words(names) => Some(Self::Environment { names: owned(names) }),
            ("category_folder", words) if are_words(words) => Some(Self::Category { words: owned(words) }),
            ("numeric_sequence", []) => Some(Self::Numeric { name: None, is_padded: false }),
            ("numeric_sequence", [PADDED]) => Some(Self::Numeric { name: None, is_padded: true }),
            ("numeric_sequence", [name]) if is_field_name(name) => {
                Some(Self::Numeric { name: Some((*name).to_owned()), is_padded: false })
            }
            ("numeric_sequence", [name, PADDED]) if is_field_name(name) => {
                Some(Self::Numeric { name: Some((*name).to_owned()), is_padded: true })
            }
            ("literal", [text]) if is_segment(text) => Some(Self::Literal { text: (*text).to_owned() }),
            ("any_folder", []) => Some(Self::Any { name: None }),
            ("any_folder", [name]) if is_field_name(name) => {
                Some(Self::Any { name: Some((*name).to_owned()) })
            }
            _ => None,
        };
        parsed.ok_or_else(|| unusable(call))
    }

    fn arguments(&self) -> Vec<&str> {
        let form = |text: &'static str| if text.is_empty() { Vec::new() } else { vec![text] };
        match self {
            Self::Files { extension } => extension.as_deref().into_iter().collect(),
            Self::Partition { key, kind } => {
                std::iter::once(key.as_str()).chain(form(kind.as_str())).collect()
            }
            Self::Entity { prefix, separator } => {
                std::iter::once(prefix.as_str()).chain(form(separator.as_str())).collect()
            }
            Self::Environment { names } => names.iter().map(String::as_str).collect(),
            Self::Category { words } => words.iter().map(String::as_str).collect(),
            Self::Numeric { name, is_padded } => {
                [name.as_deref(), is_padded.then_some(PADDED)].into_iter().flatten().collect()
            }
            Self::Literal { text } => vec![text],
            Self::Any { name } => name.as_deref().into_iter().collect(),
            Self::Direction => Vec::new(),
            _ => form(self.variant().unwrap_or_default()),
        }
    }
}

impl fmt::Display for Primitive {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())?;
        let arguments = self.arguments();
        if arguments.is_empty() {
            return Ok(());
        }
        let is_text = matches!(self, Self::Literal { .. });
        let printed: Vec<String> = arguments.iter().map(|argument| quoted(argument, is_text)).collect();
        write!(formatter, "({})", printed.join(", "))
    }
}

fn quoted(argument: &str, always: bool) -> String {
    let is_ident = argument.chars().next().is_some_and(|first| first.is_ascii_alphanumeric() || first == '_')
        && argument.chars().all(|character| character.is_ascii_alphanumeric() || "_-.".contains(character));
    if is_ident && !always {
        return argument.to_owned();
    }
    format!("\"{}\"", argument.replace('\\', "\\\\").replace('"', "\\\""))
}

fn unusable(call: &RawCall) -> ErrorBody {
    match table::find(&call.name) {
        Some(entry) => grammar::failure(
            call.column,
            format!(
                "`{}` does not take ({}); expected {}",
                call.name,
                call.arguments.join(", "),
                entry.usage
            ),
            format!("write it as in `{}`", entry.example_expression),
        ),
        None => {
            let near = nearest(&call.name, table::primitives().iter().map(|entry| entry.name));
            let suggestion = match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => "call `list_semantic_primitives` for the names".to_owned(),
            };
            ErrorBody::new(
                ErrorCode::PrimitiveUnknown,
                format!("there is no primitive `{}`", call.name),
                suggestion,
            )
            .at_field("expression")
            .at_column(call.column)
        }
    }
}

fn one<T>(arguments: &[&str], parse: fn(&str) -> Option<T>) -> Option<T> {
    match arguments {
        [] => parse(""),
        [""] => None,
        [only] => parse(only),
        _ => None,
    }
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

/// Sorted, distinct and fit for a glob: one list, one spelling.
fn are_words(words: &[&str]) -> bool {
    !words.is_empty()
        && words.iter().all(|word| is_segment(word))
        && words.windows(2).all(|pair| pair[0] < pair[1])
}

/// A name that a field can have.
pub(crate) fn is_field_name(name: &str) -> bool {
    let starts = name.starts_with(|first: char| first.is_ascii_lowercase() || first == '_');
    let plain =
        |character: char| character.is_ascii_lowercase() || character.is_ascii_digit() || character == '_';
    starts && name.len() <= 60 && name.chars().all(plain)
}

pub(super) fn is_prefix(prefix: &str) -> bool {
    prefix.len() <= 40
        && prefix.starts_with(|first: char| first.is_ascii_alphabetic())
        && prefix.chars().all(|character| character.is_ascii_alphanumeric())
}

pub(super) fn is_key(key: &str) -> bool {
    key.len() <= 60
        && key.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && key.chars().all(|character| character.is_ascii_alphanumeric() || character == '_')
}

pub(super) fn is_extension(extension: &str) -> bool {
    let plain = |part: &str| {
        (1..=12).contains(&part.len()) && part.chars().all(|letter| letter.is_ascii_alphanumeric())
    };
    extension.split('.').count() <= 2 && extension.split('.').all(plain)
}

/// A text that can be a whole segment of a path.
fn is_segment(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 255
        && !text.contains('/')
        && !text.contains('\\')
        && text != "."
        && text != ".."
}
