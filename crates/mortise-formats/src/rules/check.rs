//! What typed rules must keep: names, globs, patterns, defaults, conditions.

use std::collections::HashSet;

use mortise_contract::text::nearest;
use regex::RegexBuilder;

use super::condition::{Condition, Operator, TagCondition};
use super::date::{is_date_format, is_iso_date};
use super::glob::{UnknownPlaceholder, compile_glob, expand_placeholders, fixed_depth};
use super::{
    ExtractionRule, FieldSource, FieldType, MAX_FIELDS, MAX_PATTERN_CHARS, MAX_PATTERN_GROUPS, MAX_RULES,
    Pattern, RuleField,
};
use crate::format::{ErrorBody, ErrorCode, Subcode};
use crate::limits;

/// The most memory of a compiled pattern.
const REGEX_BYTES: usize = limits::RULE_PATTERN_BYTES;

/// Everything that is wrong with a set of rules; fields are named from `rules[0]` on.
pub(super) fn document(rules: &[ExtractionRule]) -> Vec<ErrorBody> {
    let mut errors = Vec::new();
    if rules.is_empty() || rules.len() > MAX_RULES {
        let reason = format!("{} rules; expected 1 to {MAX_RULES}", rules.len());
        errors.push(schema("rules", reason, "keep the number of rules within the limits"));
    }
    let mut names = HashSet::new();
    for (index, rule) in rules.iter().enumerate().take(MAX_RULES) {
        let mut check = RuleCheck { path: format!("rules[{index}]"), rule, errors: &mut errors };
        check.rule();
        if !names.insert(rule.name.as_str()) {
            let reason = format!("the name `{}` is there twice", rule.name);
            errors.push(schema(&format!("rules[{index}].name"), reason, "give every rule a name of its own"));
        }
    }
    errors
}

fn schema(field: &str, reason: impl Into<String>, suggestion: impl Into<String>) -> ErrorBody {
    coded(ErrorCode::YamlInvalid, field, reason, suggestion)
}

fn coded(
    code: ErrorCode,
    field: &str,
    reason: impl Into<String>,
    suggestion: impl Into<String>,
) -> ErrorBody {
    ErrorBody::new(code, reason, suggestion).with_subcode(Subcode::YamlSchema).at_field(field)
}

struct RuleCheck<'a> {
    path: String,
    rule: &'a ExtractionRule,
    errors: &'a mut Vec<ErrorBody>,
}

impl RuleCheck<'_> {
    fn rule(&mut self) {
        let rule = self.rule;
        if !is_name(
            &rule.name,
            |c| c.is_ascii_alphabetic() || c == '_',
            |c| c.is_ascii_alphanumeric() || "_-".contains(c),
        ) {
            self.add("name", format!("`{}` is not a name; expected letters, digits, `_` and `-`, a letter or `_` first, at most 64", rule.name), "rename the rule");
        }
        self.length("tag", &rule.tag, 128);
        if rule.glob.is_none() && rule.semantic.is_none() {
            self.add(
                "glob",
                "neither `glob` nor `semantic`; a rule says which paths it is for",
                "add `glob`",
            );
        }
        if let Some(semantic) = &rule.semantic {
            self.length("semantic", semantic, 1024);
        }
        if let Some(glob) = &rule.glob {
            self.glob(glob);
        }
        self.fields();
        if !rule.tag_conditions.is_empty() && rule.fields.is_empty() {
            self.add("tag_conditions", "conditions without `extract`; they speak of fields", "add `extract`");
        }
        for (index, condition) in rule.tag_conditions.iter().enumerate() {
            self.condition(&format!("tag_conditions[{index}]"), condition);
        }
    }

    fn glob(&mut self, glob: &str) {
        self.length("glob", glob, 1024);
        let mut invalid = |reason: String, suggestion: &str| {
            self.errors.push(coded(
                ErrorCode::GlobInvalid,
                &format!("{}.glob", self.path),
                reason,
                suggestion,
            ));
        };
        if glob.contains('\\') {
            invalid(
                "a backslash; segments are separated by `/` and nothing is escaped".to_owned(),
                "write `/`, and put special characters in `[…]`",
            );
        } else if glob.starts_with('/')
            || glob.starts_with("./")
            || glob.split('/').any(|segment| segment == "..")
        {
            invalid("a glob is matched against paths without their root, so it starts with no `/` or `./` and has no `..`".to_owned(), "start with the first folder, or with `**/`");
        } else if let Err(UnknownPlaceholder { name }) = expand_placeholders(glob, |_| None) {
            invalid(
                format!("`{{{name}}}` has no comma, so it is no list of alternatives"),
                "write alternatives with a comma: `{a,b}`",
            );
        } else if let Err(error) = compile_glob(glob) {
            invalid(format!("the glob does not compile: {}", error.kind()), "correct the glob");
        }
    }

    fn fields(&mut self) {
        let fields = &self.rule.fields;
        if fields.len() > MAX_FIELDS {
            self.add("extract", format!("{} fields; at most {MAX_FIELDS}", fields.len()), "split the rule");
        }
        let depth = self.rule.glob.as_deref().and_then(fixed_depth);
        let mut names = HashSet::new();
        for (name, field) in fields.iter().take(MAX_FIELDS) {
            let at = format!("extract.{name}");
            if !is_name(
                name,
                |c| c.is_ascii_lowercase() || c == '_',
                |c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_',
            ) {
                self.add(&at, format!("`{name}` is not a field name; expected lower-case letters, digits and `_`, no digit first, at most 64"), "rename the field");
            }
            if !names.insert(name) {
                self.add(&at, format!("the field `{name}` is there twice"), "keep one of the two");
            }
            self.field(&at, field, depth);
        }
    }

    fn field(&mut self, at: &str, field: &RuleField, depth: Option<usize>) {
        if let FieldSource::Segment(index) = field.from {
            if index == 0 || index > FieldSource::MAX_SEGMENT {
                self.add(
                    &format!("{at}.from"),
                    format!("`segment(-{index})` is none; N is 1 to {}", FieldSource::MAX_SEGMENT),
                    "write `segment(-1)` for the last segment",
                );
            } else if let Some(depth) = depth.filter(|depth| usize::from(index) > *depth) {
                let reason = format!("`segment(-{index})` is out of range: the glob has {depth} segments");
                self.add(
                    &format!("{at}.from"),
                    reason,
                    format!("write `segment(-1)` to `segment(-{depth})`"),
                );
            }
        }
        if let Some(pattern) = &field.pattern {
            self.pattern(at, pattern);
        }
        match &field.field_type {
            FieldType::Date { format } if !is_date_format(format) => self.add(
                &format!("{at}.format"),
                format!("`{format}` does not say year, month and day with %Y %y %m %b %B %d %F %H %M %S"),
                "write for example `%Y-%m-%d`",
            ),
            FieldType::Integer { range: Some(range) } if range.low > range.high => self.add(
                &format!("{at}.validate"),
                format!("`{range}` is empty; expected `lo..hi` with lo at most hi"),
                "swap the two numbers",
            ),
            _ => {}
        }
        if field.default.as_ref().is_some_and(|default| !default.fits(&field.field_type)) {
            let reason = format!("the default is no value of this `{}` field", field.field_type.as_str());
            let suggestion = match &field.field_type {
                FieldType::Date { .. } => "give a day as `2024-01-15`",
                FieldType::Uuid => "give a UUID",
                _ => "give a whole number that `validate` allows",
            };
            self.add(&format!("{at}.default"), reason, suggestion);
        }
    }

    fn pattern(&mut self, at: &str, pattern: &Pattern) {
        let field = format!("{}.{at}.pattern", self.path);
        let chars = pattern.regex.chars().count();
        if chars == 0 {
            self.add(&format!("{at}.pattern"), "the pattern is empty", "remove it, or write a pattern");
            return;
        }
        if chars > MAX_PATTERN_CHARS {
            let reason = format!("the pattern has {chars} characters; at most {MAX_PATTERN_CHARS}");
            self.errors.push(coded(ErrorCode::RegexTooLarge, &field, reason, "shorten the pattern"));
            return;
        }
        let compiled = RegexBuilder::new(&pattern.regex).size_limit(REGEX_BYTES).build();
        let groups = match compiled {
            Ok(regex) => regex.captures_len() - 1,
            Err(regex::Error::CompiledTooBig(_)) => {
                let reason = format!("the pattern needs more than {REGEX_BYTES} bytes");
                self.errors.push(coded(ErrorCode::RegexTooLarge, &field, reason, "use smaller repetitions"));
                return;
            }
            Err(error) => {
                let reason = format!("the pattern does not compile: {}", last_line(&error.to_string()));
                self.errors.push(coded(
                    ErrorCode::RegexInvalid,
                    &field,
                    reason,
                    "correct the pattern; look-around and back-references do not exist",
                ));
                return;
            }
        };
        if groups > MAX_PATTERN_GROUPS {
            let reason = format!("the pattern has {groups} groups; at most {MAX_PATTERN_GROUPS}");
            self.errors.push(coded(
                ErrorCode::RegexTooLarge,
                &field,
                reason,
                "use groups that do not capture: `(?:…)`",
            ));
        } else if pattern.capture == 0 || pattern.capture > groups.max(1) {
            let reason = format!("group {} of a pattern with {groups}", pattern.capture);
            self.add(&format!("{at}.capture"), reason, "name a group that exists, from 1");
        }
    }

    fn condition(&mut self, at: &str, condition: &TagCondition) {
        self.length(&format!("{at}.tag"), &condition.tag, 128);
        let Condition { field, part, operator, value } = &condition.condition;
        let at = format!("{at}.if");
        let Some(declared) = self.rule.field(field) else {
            let names = self.rule.fields.iter().map(|(name, _)| name.as_str());
            let suggestion = match nearest(field, names) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => "name a field of `extract`".to_owned(),
            };
            self.add(&at, format!("the condition names `{field}`, which is no field"), suggestion);
            return;
        };
        let is_date = matches!(declared.field_type, FieldType::Date { .. });
        let is_number = part.is_some() || matches!(declared.field_type, FieldType::Integer { .. });
        let kind = declared.field_type.as_str();
        if part.is_some() && !is_date {
            self.add(
                &at,
                format!("`{field}` is a {kind}; only dates have `.year`, `.month` and `.day`"),
                "remove the part",
            );
        } else if operator.is_ordering() && !is_number && !is_date {
            self.add(
                &at,
                format!("`{}` compares numbers and dates, and `{field}` is a {kind}", operator.as_str()),
                "use `=`, `!=`, `contains` or `matches`",
            );
        } else if *operator == Operator::Matches {
            if RegexBuilder::new(value).size_limit(REGEX_BYTES).build().is_err() {
                self.errors.push(coded(
                    ErrorCode::RegexInvalid,
                    &format!("{}.{at}", self.path),
                    format!("`{value}` is not a regular expression"),
                    "correct the expression",
                ));
            }
        } else if *operator != Operator::Contains {
            if is_number && value.parse::<i64>().is_err() {
                self.add(&at, format!("`{value}` is compared with a number"), "write a whole number");
            } else if is_date && part.is_none() && !is_iso_date(value) {
                self.add(&at, format!("`{value}` is compared with a date"), "write a day as `2024-01-15`");
            }
        }
    }

    fn length(&mut self, at: &str, text: &str, most: usize) {
        let chars = text.chars().count();
        if chars == 0 || chars > most {
            self.add(at, format!("{chars} characters; expected 1 to {most}"), "write a text of that length");
        }
    }

    fn add(&mut self, at: &str, reason: impl Into<String>, suggestion: impl Into<String>) {
        self.errors.push(schema(&format!("{}.{at}", self.path), reason, suggestion));
    }
}

fn is_name(text: &str, first: impl Fn(char) -> bool, rest: impl Fn(char) -> bool) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(first) && characters.all(rest) && text.len() <= 64
}

/// The sentence of a message that shows the expression above it.
fn last_line(message: &str) -> &str {
    let line = message.lines().next_back().unwrap_or_default().trim();
    line.strip_prefix("error: ").unwrap_or(line)
}
