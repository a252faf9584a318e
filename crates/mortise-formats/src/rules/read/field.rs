//! One field: its source, and what only goes together.

use mortise_contract::text::nearest;

use crate::yaml::{Tree, YamlNode};

use super::super::date::ISO_FORMAT;
use super::super::{DefaultValue, FieldSource, FieldType, IntegerRange, Normalize, Pattern, RuleField};
use super::{Mapping, RuleReader};

const FIELD_KEYS: [&str; 8] =
    ["from", "pattern", "capture", "normalize", "type", "format", "validate", "default"];

const SOURCES: &str = "`segment(-N)` with N from 1, `filename`, `full_path` or `rel_path`";

impl RuleReader {
    pub(super) fn field(&mut self, path: &str, node: &YamlNode, depth: Option<usize>) -> Option<RuleField> {
        let Tree::Map(entries) = &node.tree else {
            self.wrong_kind(path, node, "a mapping with `from`");
            return None;
        };
        let mapping = Mapping { path: path.to_owned(), at: node.at, entries };
        self.known_keys(&mapping, &FIELD_KEYS);
        let from = self.source(&mapping, depth);
        let pattern = self.pattern(&mapping);
        let normalize = self.word(&mapping, "normalize", &Normalize::ALL, Normalize::as_str);
        let field_type = self.field_type(&mapping);
        let default = self.default(&mapping);
        Some(RuleField { from: from?, pattern, normalize, field_type: field_type?, default })
    }

    fn source(&mut self, mapping: &Mapping<'_>, depth: Option<usize>) -> Option<FieldSource> {
        let text = self.required_text(mapping, "from", "add `from`, for example `segment(-2)`")?;
        match read_source(&text, depth) {
            Ok(source) => Some(source),
            Err((expected, suggestion)) => {
                self.bad_value(mapping, "from", &text, &expected, &suggestion);
                None
            }
        }
    }

    fn pattern(&mut self, mapping: &Mapping<'_>) -> Option<Pattern> {
        let capture = self.integer(mapping, "capture");
        let Some(regex) = self.text(mapping, "pattern") else {
            if let Some(node) = mapping.get("capture") {
                let path = mapping.path_of("capture");
                self.error(
                    &path,
                    node.at,
                    "`capture` without `pattern`",
                    "add `pattern`, or remove `capture`",
                );
            }
            return None;
        };
        let capture = capture.unwrap_or(1);
        match usize::try_from(capture) {
            Ok(capture @ 1..) => Some(Pattern { regex, capture }),
            _ => {
                let expected = "the number of a group, from 1";
                self.bad_value(mapping, "capture", &capture.to_string(), expected, "write `capture: 1`");
                None
            }
        }
    }

    fn field_type(&mut self, mapping: &Mapping<'_>) -> Option<FieldType> {
        let name = self.text(mapping, "type").unwrap_or_else(|| "string".to_owned());
        let format = self.text(mapping, "format");
        let validate = self.text(mapping, "validate");
        let is_date = matches!(name.as_str(), "date" | "date_iso" | "date_dmy");
        if format.is_some() && !is_date {
            self.needs(mapping, "format", "date");
        }
        if validate.is_some() && name != "integer" {
            self.needs(mapping, "validate", "integer");
        }
        let format = format.map(|format| match format.as_str() {
            "iso8601" => ISO_FORMAT.to_owned(),
            _ => format,
        });
        match name.as_str() {
            "string" => Some(FieldType::String),
            "uuid" => Some(FieldType::Uuid),
            "integer" => {
                let range = match validate {
                    None => None,
                    Some(text) => Some(self.range(mapping, &text)?),
                };
                Some(FieldType::Integer { range })
            }
            "date" | "date_iso" => {
                Some(FieldType::Date { format: format.unwrap_or_else(|| ISO_FORMAT.to_owned()) })
            }
            "date_dmy" => Some(FieldType::Date { format: format.unwrap_or_else(|| "%d-%m-%Y".to_owned()) }),
            other => {
                let expected = "one of `string`, `integer`, `date`, `uuid`";
                let known = ["string", "integer", "date", "uuid"];
                let suggestion = match nearest(other, known) {
                    Some(meant) => format!("did you mean `{meant}`?"),
                    None => "leave `type` out for a text".to_owned(),
                };
                self.bad_value(mapping, "type", other, expected, &suggestion);
                None
            }
        }
    }

    fn needs(&mut self, mapping: &Mapping<'_>, key: &str, field_type: &str) {
        let at = mapping.get(key).map_or(mapping.at, |node| node.at);
        let reason = format!("`{key}` goes with `type: {field_type}` only");
        let suggestion = format!("write `type: {field_type}`, or remove `{key}`");
        self.error(&mapping.path_of(key), at, reason, suggestion);
    }

    fn range(&mut self, mapping: &Mapping<'_>, text: &str) -> Option<IntegerRange> {
        let range = IntegerRange::parse(text);
        if range.is_none() {
            self.bad_value(mapping, "validate", text, "`lo..hi`", "write for example `1..12`");
        }
        range
    }

    fn default(&mut self, mapping: &Mapping<'_>) -> Option<DefaultValue> {
        let node = mapping.get("default")?;
        let text = self.text(mapping, "default")?;
        let Tree::Scalar { plain, .. } = node.tree else { return None };
        Some(match (plain, text.as_str()) {
            (true, "true") => DefaultValue::Boolean(true),
            (true, "false") => DefaultValue::Boolean(false),
            (true, number) if is_integer(number) => match number.parse() {
                Ok(number) => DefaultValue::Integer(number),
                Err(_) => DefaultValue::Text(text),
            },
            _ => DefaultValue::Text(text),
        })
    }
}

/// What YAML reads as a decimal integer.
fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// The source that a text names; the error is what was expected and what to write.
///
/// A positive index counts from the first segment, which only means something if the depth is fixed.
fn read_source(text: &str, depth: Option<usize>) -> Result<FieldSource, (String, String)> {
    let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    match compact.as_str() {
        "filename" => return Ok(FieldSource::Filename),
        "full_path" => return Ok(FieldSource::FullPath),
        "rel_path" => return Ok(FieldSource::RelPath),
        _ => {}
    }
    let digits: String = compact.chars().filter(char::is_ascii_digit).collect();
    let suggestion = match (compact.starts_with("segment"), digits.as_str()) {
        (true, digits) if !digits.is_empty() => format!("write `segment(-{digits})`"),
        _ => {
            let known = ["filename", "full_path", "rel_path"];
            let meant = nearest(&compact, known).unwrap_or("filename");
            format!("write `{meant}`, or `segment(-1)` for the last segment")
        }
    };
    let refuse = || (SOURCES.to_owned(), suggestion.clone());
    let index =
        compact.strip_prefix("segment(").and_then(|rest| rest.strip_suffix(')')).ok_or_else(refuse)?;
    let index: i64 = index.parse().map_err(|_| refuse())?;
    let from_end = match (index, depth) {
        (0, _) => return Err((SOURCES.to_owned(), "write `segment(-1)` for the last segment".to_owned())),
        (..0, _) => index.unsigned_abs(),
        (_, Some(depth)) => match (depth as u64 + 1).checked_sub(index.unsigned_abs()) {
            Some(from_end @ 1..) => from_end,
            _ => {
                let expected = format!("a segment of the glob, which has {depth}");
                return Err((expected, format!("write `segment(-1)` to `segment(-{depth})`")));
            }
        },
        (_, None) => {
            let expected = "an index from the end, since the glob's depth varies: `segment(-N)`";
            return Err((expected.to_owned(), "count from the end: `segment(-1)` is the last".to_owned()));
        }
    };
    let within = u16::try_from(from_end).ok().filter(|index| *index <= FieldSource::MAX_SEGMENT);
    within.map(FieldSource::Segment).ok_or_else(|| {
        let most = FieldSource::MAX_SEGMENT;
        (format!("a segment up to `segment(-{most})`"), "count from the end of the path".to_owned())
    })
}
