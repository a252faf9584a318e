//! The table of converters, and the helpers that it needs.

use std::collections::BTreeSet;

use crate::data::data_type::DataType;
use crate::parsers::plan::{ParserPlan, PlanColumn, SourceFormat};
use crate::python_literal as literal;

/// The converters of a plan's columns.
pub(super) struct Converters<'a> {
    plan: &'a ParserPlan,
    expressions: Vec<String>,
    needs: BTreeSet<Need>,
}

/// What a converter uses besides itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Need {
    Date,
    Datetime,
    Time,
    Base64,
    Words,
    ToText,
    ToInteger,
    Ungrouped,
    ToNumber,
    Moment,
}

impl<'a> Converters<'a> {
    pub(super) fn new(plan: &'a ParserPlan) -> Self {
        let mut needs = BTreeSet::new();
        let json = is_json(plan);
        let expressions = plan.columns.iter().map(|column| expression(column, json, &mut needs)).collect();
        Self { plan, expressions, needs }
    }

    fn needs(&self, need: Need) -> bool {
        self.needs.contains(&need)
    }

    /// Modules that converters import whole.
    pub(super) fn modules(&self) -> Vec<&'static str> {
        let modules = [(Need::Base64, "base64"), (Need::ToNumber, "math"), (Need::Ungrouped, "re")];
        modules.into_iter().filter(|(need, _)| self.needs(*need)).map(|(_, module)| module).collect()
    }

    /// Names from `datetime`.
    pub(super) fn datetime_names(&self) -> Option<String> {
        let names = [(Need::Date, "date"), (Need::Datetime, "datetime"), (Need::Time, "time")];
        let names: Vec<&str> =
            names.into_iter().filter(|(need, _)| self.needs(*need)).map(|(_, name)| name).collect();
        (!names.is_empty()).then(|| names.join(", "))
    }

    /// The words for true and false, if a column has any.
    pub(super) fn word_sets(&self) -> String {
        match self.needs(Need::Words) {
            true => "\nTRUE = {\"1\", \"t\", \"true\", \"y\", \"yes\"}\n\
                     FALSE = {\"0\", \"f\", \"false\", \"n\", \"no\"}\n"
                .to_owned(),
            false => String::new(),
        }
    }

    /// Functions that some converter calls.
    pub(super) fn helpers(&self) -> Vec<String> {
        let json = is_json(self.plan);
        let helpers = [
            (Need::Words, TO_BOOLEAN),
            (Need::ToText, TO_TEXT),
            (Need::ToInteger, if json { INTEGER_OF_JSON } else { TO_INTEGER }),
            (Need::Ungrouped, UNGROUPED),
            (Need::ToNumber, if json { NUMBER_OF_JSON } else { TO_NUMBER }),
            (Need::Moment, MOMENT),
        ];
        helpers.into_iter().filter(|(need, _)| self.needs(*need)).map(|(_, text)| text.to_owned()).collect()
    }

    pub(super) fn table(&self) -> String {
        let mut text =
            "# Column of the output: how a cell is converted, whether it may be empty.\nCOLUMNS = {\n"
                .to_owned();
        for (column, expression) in self.plan.columns.iter().zip(&self.expressions) {
            let nullable = if column.nullable { "True" } else { "False" };
            text.push_str(&format!("    {}: ({expression}, {nullable}),\n", literal::string(&column.name)));
        }
        text.push_str("}\n");
        text
    }
}

fn is_json(plan: &ParserPlan) -> bool {
    !matches!(plan.source.format, SourceFormat::Delimited(_))
}

/// The converter of one column, and what it needs.
fn expression(column: &PlanColumn, json: bool, needs: &mut BTreeSet<Need>) -> String {
    let mut need = |need| needs.insert(need);
    match column.data_type {
        DataType::String if json => {
            need(Need::ToText);
            "to_text".to_owned()
        }
        DataType::String => "str".to_owned(),
        DataType::Boolean => {
            need(Need::Words);
            "to_boolean".to_owned()
        }
        DataType::Int64 | DataType::Int32 => {
            need(Need::ToInteger);
            "to_integer".to_owned()
        }
        DataType::Float64 | DataType::Float32 => {
            need(Need::ToNumber);
            if column.tolerant && !json {
                need(Need::Ungrouped);
                "lambda text: to_number(ungrouped(text))".to_owned()
            } else {
                "to_number".to_owned()
            }
        }
        DataType::Date => by_format(column, "%Y-%m-%d", need),
        DataType::Timestamp => by_format(column, "%Y-%m-%dT%H:%M:%S", need),
        DataType::Time => by_format(column, "%H:%M:%S", need),
        DataType::Binary => binary(column.format.as_deref(), need),
    }
}

/// The converter of a column whose cells are read by `strptime`, or faster where Python has a way.
fn by_format(column: &PlanColumn, usual: &str, mut need: impl FnMut(Need) -> bool) -> String {
    let format = column.format.as_deref().filter(|format| !format.is_empty()).unwrap_or(usual);
    if let (Some((class, need_of_class)), false) = (fast(column.data_type, format), column.tolerant) {
        need(need_of_class);
        return format!("{class}.fromisoformat");
    }
    need(Need::Datetime);
    let part = match column.data_type {
        DataType::Date => ".date()",
        DataType::Time => ".time()",
        _ => "",
    };
    if format.contains("%y") || format.contains('|') {
        need(Need::Moment);
        return format!("lambda text: moment(text, {}){part}", literal::list(format.split('|')));
    }
    format!("lambda text: datetime.strptime(text, {}){part}", literal::string(format))
}

/// The class whose `fromisoformat` reads a format, in every Python from 3.10.
fn fast(data_type: DataType, format: &str) -> Option<(&'static str, Need)> {
    match (data_type, format) {
        (DataType::Date, "%Y-%m-%d") => Some(("date", Need::Date)),
        (DataType::Time, "%H:%M" | "%H:%M:%S") => Some(("time", Need::Time)),
        (
            DataType::Timestamp,
            "%Y-%m-%dT%H:%M" | "%Y-%m-%dT%H:%M:%S" | "%Y-%m-%d %H:%M" | "%Y-%m-%d %H:%M:%S",
        ) => Some(("datetime", Need::Datetime)),
        _ => None,
    }
}

fn binary(format: Option<&str>, mut need: impl FnMut(Need) -> bool) -> String {
    match format {
        Some("base64") => {
            need(Need::Base64);
            "base64.b64decode".to_owned()
        }
        Some("hex") => "bytes.fromhex".to_owned(),
        _ => "str.encode".to_owned(),
    }
}

const TO_BOOLEAN: &str = r#"def to_boolean(value):
    word = str(value).strip().lower()
    if word not in TRUE and word not in FALSE:
        raise ValueError("neither a word for true nor one for false")
    return word in TRUE
"#;

pub(super) const TO_TEXT: &str = r#"def to_text(value):
    """Text as it is; anything else as JSON."""
    if value is None:
        raise ValueError("no value")
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
"#;

// Python itself reads more as numbers than types are inferred from: 007, 1_000, nan, digits of other scripts.
const TO_INTEGER: &str = r#"def to_integer(text):
    """A whole number. A code such as 007 is none: it would lose its zeros."""
    number = int(text)
    if text.lstrip("+-") != str(abs(number)):
        raise ValueError("not written as a whole number")
    return number
"#;

const INTEGER_OF_JSON: &str = r#"def to_integer(value):
    """A whole number. A code such as 007 is none: it would lose its zeros."""
    number = int(value)
    same = value.strip().lstrip("+-") == str(abs(number)) if isinstance(value, str) else value == number
    if isinstance(value, bool) or not same:
        raise ValueError("not a whole number")
    return number
"#;

const TO_NUMBER: &str = r#"def to_number(text):
    """A number. Neither a code such as 007 nor a word such as nan is one."""
    number, digits = float(text), text.lstrip("+-")
    plain = math.isfinite(number) and text.isascii() and "_" not in text
    if not plain or digits[0] == "0" and digits[1:2].isdigit():
        raise ValueError("not written as a number")
    return number
"#;

const NUMBER_OF_JSON: &str = r#"def to_number(value):
    """A number. Neither a code such as 007 nor a word such as nan is one."""
    number, text = float(value), str(value).strip()
    digits = text.lstrip("+-")
    plain = math.isfinite(number) and text.isascii() and "_" not in text
    if isinstance(value, bool) or not plain or digits[0] == "0" and digits[1:2].isdigit():
        raise ValueError("not a number")
    return number
"#;

const UNGROUPED: &str = r#"def ungrouped(text):
    """The text of a number without the commas between its thousands."""
    if "," in text and not re.fullmatch(r"[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]+)?", text):
        raise ValueError("has a comma that is not between thousands")
    return text.replace(",", "")
"#;

pub(super) const MOMENT: &str = r#"def moment(text, *formats):
    """What a text says in the first format that fits. Two-digit years from 70 are of the last century."""
    for format in formats:
        try:
            found = datetime.strptime(text, format)
        except ValueError:
            continue
        return found.replace(year=2069) if "%y" in format and found.year == 1969 else found
    raise ValueError(f"not written as {' or '.join(formats)}")
"#;
