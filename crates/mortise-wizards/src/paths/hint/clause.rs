//! One clause of a hint.

use std::fmt;
use std::sync::LazyLock;

use mortise_contract::embedded;
use mortise_contract::text::nearest;
use mortise_formats::format::{ErrorBody, ErrorCode};
use regex::Regex;

use crate::paths::semantic::is_field_name;
use crate::paths::transform::Template;

/// One thing that a hint says.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the fields are what the forms show")]
pub(crate) enum Clause {
    /// `segment(-3) = mission`, `the second folder is client`.
    Name {
        place: SegmentPlace,
        field: String,
    },
    /// `segment(-2) : integer`.
    Type {
        place: SegmentPlace,
        kind: SegmentType,
    },
    /// `site = "north"`.
    Literal {
        field: String,
        value: String,
    },
    /// `skip "\.tmp$"`.
    Skip {
        pattern: String,
    },
    /// `compute month from date`.
    Compute {
        field: String,
        from: String,
    },
    /// `@quarter_expand`.
    Template {
        template: Template,
    },
    Free {
        text: String,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SegmentPlace {
    /// From the end; the file is 1.
    FromEnd(usize),
    /// From the start; the first folder is 1.
    FromStart(usize),
}

impl fmt::Display for SegmentPlace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FromEnd(index) => write!(formatter, "`segment(-{index})`"),
            Self::FromStart(index) => write!(formatter, "`segment({index})`"),
        }
    }
}

/// What a hint can say a segment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SegmentType {
    String,
    Integer,
    Date,
    Uuid,
}

const TYPES: [(&str, SegmentType); 4] = [
    ("string", SegmentType::String),
    ("integer", SegmentType::Integer),
    ("date", SegmentType::Date),
    ("uuid", SegmentType::Uuid),
];

struct ClauseForms {
    segment: Regex,
    literal: Regex,
    skip: Regex,
    compute: Regex,
    plain: Regex,
}

static FORMS: LazyLock<ClauseForms> = LazyLock::new(|| ClauseForms {
    segment: embedded::regex(r"^segment\(\s*([+-]?\d+)\s*\)\s*([=:])\s*(.*)$"),
    literal: embedded::regex(r#"^([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)$"#),
    skip: embedded::regex(r#"^skip\s+"(.*)"$"#),
    compute: embedded::regex(r"^compute\s+([a-z_][a-z0-9_]*)\s+from\s+(\S.*)$"),
    plain: embedded::regex(
        r"(?i)^(?:the\s+)?(first|second|third|fourth|fifth|last|second-to-last|third-to-last)\s+(folder|segment)\s+is\s+(?:the\s+|an?\s+)?([a-z][a-z0-9 _-]*?)(?:\s+(?:id|name))?\.?$",
    ),
});

/// The clause in a structured or plain form; `None` for free text.
pub(super) fn parse(text: &str) -> Result<Option<Clause>, ErrorBody> {
    let forms = &*FORMS;
    if let Some(name) = text.strip_prefix('@') {
        return template(name.trim()).map(Some);
    }
    if text.starts_with("segment(") {
        let Some(found) = forms.segment.captures(text) else {
            return Err(malformed(text, "`segment(-N) = field` or `segment(-N) : type`"));
        };
        let place = place(&found[1]).ok_or_else(|| malformed(text, "a segment other than 0"))?;
        let said = found[3].trim();
        return match &found[2] {
            "=" => Ok(Some(Clause::Name { place, field: field_name(said)? })),
            _ => Ok(Some(Clause::Type { place, kind: kind(said)? })),
        };
    }
    if text.starts_with("skip \"") || text.starts_with("skip '") {
        let Some(found) = forms.skip.captures(text) else { return Err(malformed(text, "`skip \"regex\"`")) };
        let pattern = found[1].to_owned();
        if let Err(error) = Regex::new(&pattern) {
            let reason = format!("the pattern of `skip` does not compile: {error}");
            return Err(
                ErrorBody::new(ErrorCode::RegexInvalid, reason, "correct the pattern").at_field("hint")
            );
        }
        return Ok(Some(Clause::Skip { pattern }));
    }
    if let Some(found) = forms.compute.captures(text) {
        return Ok(Some(Clause::Compute { field: found[1].to_owned(), from: found[2].trim().to_owned() }));
    }
    if let Some(found) = forms.literal.captures(text) {
        let value = found[2].trim();
        let Some(value) = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
            return Err(malformed(text, "`field = \"text\"`"));
        };
        return Ok(Some(Clause::Literal { field: field_name(&found[1])?, value: value.to_owned() }));
    }
    Ok(forms.plain.captures(text).and_then(|found| plain(&found[1], &found[2], &found[3])))
}

fn plain(ordinal: &str, unit: &str, name: &str) -> Option<Clause> {
    // The file is a segment, and no folder.
    let skipped = usize::from(unit.eq_ignore_ascii_case("folder"));
    let place = match ordinal.to_ascii_lowercase().as_str() {
        "first" => SegmentPlace::FromStart(1),
        "second" => SegmentPlace::FromStart(2),
        "third" => SegmentPlace::FromStart(3),
        "fourth" => SegmentPlace::FromStart(4),
        "fifth" => SegmentPlace::FromStart(5),
        "last" => SegmentPlace::FromEnd(1 + skipped),
        "second-to-last" => SegmentPlace::FromEnd(2 + skipped),
        "third-to-last" => SegmentPlace::FromEnd(3 + skipped),
        _ => return None,
    };
    let field = crate::paths::semantic::slug(name);
    is_field_name(&field).then_some(Clause::Name { place, field })
}

fn template(name: &str) -> Result<Clause, ErrorBody> {
    match Template::parse(name) {
        Some(template) => Ok(Clause::Template { template }),
        None => {
            let known = || Template::ALL.iter().map(|template| template.as_str());
            let suggestion = match nearest(name, known()) {
                Some(near) => format!("did you mean `@{near}`?"),
                None => format!("use one of @{}", known().collect::<Vec<_>>().join(", @")),
            };
            let reason = format!("there is no template `@{name}`");
            Err(ErrorBody::new(ErrorCode::HintSyntax, reason, suggestion).at_field("hint"))
        }
    }
}

fn place(number: &str) -> Option<SegmentPlace> {
    let number: i64 = number.parse().ok()?;
    let index = usize::try_from(number.unsigned_abs()).ok()?;
    match number {
        0 => None,
        number if number < 0 => Some(SegmentPlace::FromEnd(index)),
        _ => Some(SegmentPlace::FromStart(index)),
    }
}

fn kind(word: &str) -> Result<SegmentType, ErrorBody> {
    TYPES.iter().find(|(name, _)| *name == word).map(|(_, kind)| *kind).ok_or_else(|| {
        let reason = format!("`{word}` is no type of a field");
        ErrorBody::new(ErrorCode::HintSyntax, reason, "use string, integer, date or uuid").at_field("hint")
    })
}

fn field_name(name: &str) -> Result<String, ErrorBody> {
    let lower = name.to_ascii_lowercase();
    is_field_name(&lower).then_some(lower).ok_or_else(|| {
        let reason = format!("`{name}` can't be the name of a field");
        ErrorBody::new(ErrorCode::HintSyntax, reason, "use lower-case letters, digits and `_`")
            .at_field("hint")
    })
}

fn malformed(text: &str, expected: &str) -> ErrorBody {
    ErrorBody::new(
        ErrorCode::HintSyntax,
        format!("`{text}` is not understood; expected {expected}"),
        "write the clause in that form, or say it in plain words",
    )
    .at_field("hint")
}
