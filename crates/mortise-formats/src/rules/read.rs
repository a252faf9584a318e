//! From YAML to typed rules: shape, aliases, and the canonical form.

mod field;

use std::collections::BTreeMap;

use mortise_contract::text::nearest;

use crate::format::{ErrorBody, ErrorCode, Subcode};

use crate::yaml::{self, Extent, Tree, YamlKey, YamlNode, YamlPosition};

use super::condition::{Condition, TagCondition};
use super::date::ISO_FORMAT;
use super::glob::{UnknownPlaceholder, expand_placeholders, fixed_depth};
use super::{DEFAULT_PRIORITY, ExtractionRule, FieldType, MAX_RULES, RuleField, RuleSource};

const RULE_KEYS: [&str; 9] =
    ["name", "glob", "semantic", "extract", "tag", "tag_conditions", "priority", "enabled", "source"];

/// The rules of a text, and the line of every value by its dotted path.
pub(super) fn document(text: &str) -> Result<(Vec<ExtractionRule>, BTreeMap<String, u32>), ErrorBody> {
    let root = yaml::parse(text, Extent::Data)?;
    let mut reader = RuleReader::default();
    let rules = reader.document(&root);
    match ErrorBody::of_many(reader.errors) {
        Some(error) => Err(error),
        None => Ok((rules, reader.lines)),
    }
}

/// Collects what is wrong, and where everything is.
#[derive(Default)]
struct RuleReader {
    errors: Vec<ErrorBody>,
    lines: BTreeMap<String, u32>,
}

/// A mapping and its dotted path.
struct Mapping<'a> {
    path: String,
    at: YamlPosition,
    entries: &'a [(YamlKey, YamlNode)],
}

impl<'a> Mapping<'a> {
    /// A value that is there and not null: null equals absent.
    fn get(&self, key: &str) -> Option<&'a YamlNode> {
        let (_, node) = self.entries.iter().find(|(known, _)| known.name == key)?;
        (!node.is_null()).then_some(node)
    }

    fn path_of(&self, key: &str) -> String {
        match self.path.as_str() {
            "" => key.to_owned(),
            path => format!("{path}.{key}"),
        }
    }
}

impl RuleReader {
    fn document(&mut self, root: &YamlNode) -> Vec<ExtractionRule> {
        self.lines.insert(String::new(), root.at.line);
        match &root.tree {
            Tree::List(items) => self.rules("rules", items),
            Tree::Map(entries)
                if entries.iter().any(|(key, _)| matches!(key.name.as_str(), "rules" | "version")) =>
            {
                let mapping = Mapping { path: String::new(), at: root.at, entries };
                self.known_keys(&mapping, &["version", "rules"]);
                self.version(&mapping);
                match mapping.get("rules") {
                    Some(YamlNode { tree: Tree::List(items), .. }) => self.rules("rules", items),
                    Some(other) => {
                        self.wrong_kind("rules", other, "a list of rules");
                        Vec::new()
                    }
                    None => {
                        self.missing(&mapping, "rules", "add `rules` with at least one rule");
                        Vec::new()
                    }
                }
            }
            Tree::Map(_) => self.rule("rules[0]", root).into_iter().collect(),
            Tree::Scalar { .. } => {
                self.wrong_kind("", root, "a mapping with `version` and `rules`");
                Vec::new()
            }
        }
    }

    fn version(&mut self, mapping: &Mapping<'_>) {
        match mapping.get("version") {
            None => self.missing(mapping, "version", "add `version: 1`"),
            Some(YamlNode { tree: Tree::Scalar { text, plain: true }, .. }) if text == "1" => {}
            Some(node) => {
                let reason = match &node.tree {
                    Tree::Scalar { text, .. } => format!("version `{text}`; expected 1"),
                    _ => format!("the version is {}; expected 1", node.kind()),
                };
                self.error("version", node.at, reason, "write `version: 1`");
            }
        }
    }

    fn rules(&mut self, path: &str, items: &[YamlNode]) -> Vec<ExtractionRule> {
        let rules = items.iter().enumerate().take(MAX_RULES + 1);
        rules.filter_map(|(index, node)| self.rule(&format!("{path}[{index}]"), node)).collect()
    }

    fn rule(&mut self, path: &str, node: &YamlNode) -> Option<ExtractionRule> {
        let Tree::Map(entries) = &node.tree else {
            self.wrong_kind(path, node, "a rule");
            return None;
        };
        let mapping = Mapping { path: path.to_owned(), at: node.at, entries };
        self.lines.insert(path.to_owned(), node.at.line);
        self.known_keys(&mapping, &RULE_KEYS);
        let tag = self.required_text(&mapping, "tag", "add `tag`, the tag of the rule's files");
        let glob = self.text(&mapping, "glob");
        let fields = self.fields(&mapping, glob.as_deref());
        let only_tags = match mapping.get("extract").map(|node| &node.tree) {
            None => true,
            Some(Tree::Map(entries)) => entries.is_empty(),
            Some(_) => false,
        };
        let name = match mapping.get("name") {
            // A rule that only tags is named after its tag.
            None if only_tags => tag.as_deref().map(name_of_tag),
            _ => self.required_text(&mapping, "name", "add `name`"),
        };
        let glob = match glob {
            Some(glob) => Some(self.canonical_glob(&mapping, glob, &fields)?),
            None => None,
        };
        Some(ExtractionRule {
            semantic: self.semantic(&mapping),
            tag_conditions: self.conditions(&mapping),
            priority: self.integer(&mapping, "priority").unwrap_or(DEFAULT_PRIORITY),
            enabled: self.boolean(&mapping, "enabled").unwrap_or(true),
            source: self.word(&mapping, "source", &RuleSource::ALL, RuleSource::as_str),
            name: name?,
            tag: tag?,
            glob,
            fields,
        })
    }

    fn canonical_glob(
        &mut self,
        mapping: &Mapping<'_>,
        glob: String,
        fields: &[(String, RuleField)],
    ) -> Option<String> {
        let expand = |name: &str| {
            let (_, field) = fields.iter().find(|(known, _)| known == name)?;
            Some(match &field.field_type {
                FieldType::Date { format } if format == ISO_FORMAT => "????-??-??",
                _ => "*",
            })
        };
        match expand_placeholders(&glob, expand) {
            Ok(glob) => Some(glob),
            Err(UnknownPlaceholder { name }) => {
                let path = mapping.path_of("glob");
                let at = mapping.get("glob").map_or(mapping.at, |node| node.at);
                let error = ErrorBody::new(
                    ErrorCode::GlobInvalid,
                    format!("the placeholder `{{{name}}}` names no field under `extract`"),
                    "name a declared field, or write alternatives with a comma: `{a,b}`",
                );
                self.errors.push(located(error, &path, at));
                None
            }
        }
    }

    fn fields(&mut self, mapping: &Mapping<'_>, glob: Option<&str>) -> Vec<(String, RuleField)> {
        let Some(node) = mapping.get("extract") else { return Vec::new() };
        let path = mapping.path_of("extract");
        let Tree::Map(entries) = &node.tree else {
            self.wrong_kind(&path, node, "a mapping from field names to fields");
            return Vec::new();
        };
        self.lines.insert(path.clone(), node.at.line);
        let depth = glob.and_then(fixed_depth);
        let mut fields = Vec::new();
        for (key, node) in entries {
            let path = format!("{path}.{}", key.name);
            self.lines.insert(path.clone(), key.at.line);
            if let Some(field) = self.field(&path, node, depth) {
                fields.push((key.name.clone(), field));
            }
        }
        fields
    }

    fn semantic(&mut self, mapping: &Mapping<'_>) -> Option<String> {
        match mapping.get("semantic") {
            Some(YamlNode { tree: Tree::Map(entries), at }) => {
                let inner = Mapping { path: mapping.path_of("semantic"), at: *at, entries };
                self.known_keys(&inner, &["expression"]);
                self.required_text(&inner, "expression", "add `expression`")
            }
            _ => self.text(mapping, "semantic"),
        }
    }

    fn conditions(&mut self, mapping: &Mapping<'_>) -> Vec<TagCondition> {
        let Some(node) = mapping.get("tag_conditions") else { return Vec::new() };
        let path = mapping.path_of("tag_conditions");
        let Tree::List(items) = &node.tree else {
            self.wrong_kind(&path, node, "a list of `{if, tag}`");
            return Vec::new();
        };
        let numbered = items.iter().enumerate();
        numbered.filter_map(|(index, node)| self.condition(&format!("{path}[{index}]"), node)).collect()
    }

    fn condition(&mut self, path: &str, node: &YamlNode) -> Option<TagCondition> {
        let Tree::Map(entries) = &node.tree else {
            self.wrong_kind(path, node, "a mapping with `if` and `tag`");
            return None;
        };
        self.lines.insert(path.to_owned(), node.at.line);
        let mapping = Mapping { path: path.to_owned(), at: node.at, entries };
        self.known_keys(&mapping, &["if", "tag"]);
        let text = self.required_text(&mapping, "if", "add `if`, for example `year >= 2020`");
        let tag = self.required_text(&mapping, "tag", "add `tag`");
        let text = text?;
        let condition = Condition::parse(&text);
        if condition.is_none() {
            let at = mapping.get("if").map_or(mapping.at, |node| node.at);
            self.error(
                &mapping.path_of("if"),
                at,
                format!("`{text}` is not a condition; expected `<field>[.year|.month|.day] OP value`, OP one of = != < > <= >= contains matches"),
                "write for example `year >= 2020`",
            );
        }
        Some(TagCondition { condition: condition?, tag: tag? })
    }

    // What every mapping needs.

    fn known_keys(&mut self, mapping: &Mapping<'_>, known: &[&str]) {
        for (key, _) in mapping.entries {
            if known.contains(&key.name.as_str()) {
                self.lines.entry(mapping.path_of(&key.name)).or_insert(key.at.line);
                continue;
            }
            let expected = known.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
            let suggestion = match nearest(&key.name, known.iter().copied()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => "remove the key".to_owned(),
            };
            let reason = format!("unknown key `{}`; expected one of {expected}", key.name);
            self.error(&mapping.path_of(&key.name), key.at, reason, suggestion);
        }
    }

    /// A scalar as text, however it is written.
    fn text(&mut self, mapping: &Mapping<'_>, key: &str) -> Option<String> {
        let node = mapping.get(key)?;
        self.lines.insert(mapping.path_of(key), node.at.line);
        match &node.tree {
            Tree::Scalar { text, .. } => Some(text.clone()),
            _ => {
                self.wrong_kind(&mapping.path_of(key), node, "a text");
                None
            }
        }
    }

    fn required_text(&mut self, mapping: &Mapping<'_>, key: &str, suggestion: &str) -> Option<String> {
        if mapping.get(key).is_none() {
            self.missing(mapping, key, suggestion);
        }
        self.text(mapping, key)
    }

    fn integer(&mut self, mapping: &Mapping<'_>, key: &str) -> Option<i64> {
        let text = self.text(mapping, key)?;
        let number = text.parse().ok();
        if number.is_none() {
            self.bad_value(mapping, key, &text, "a whole number", "write a whole number");
        }
        number
    }

    fn boolean(&mut self, mapping: &Mapping<'_>, key: &str) -> Option<bool> {
        match self.text(mapping, key)?.as_str() {
            "true" => Some(true),
            "false" => Some(false),
            other => {
                self.bad_value(mapping, key, other, "`true` or `false`", "write `true` or `false`");
                None
            }
        }
    }

    /// One of a few words.
    fn word<T: Copy>(
        &mut self,
        mapping: &Mapping<'_>,
        key: &str,
        all: &[T],
        word: fn(T) -> &'static str,
    ) -> Option<T> {
        let text = self.text(mapping, key)?;
        let found = all.iter().copied().find(|value| word(*value) == text);
        if found.is_none() {
            let known: Vec<&str> = all.iter().copied().map(word).collect();
            let suggestion = match nearest(&text, known.iter().copied()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("write `{}`", known[0]),
            };
            let expected = known.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
            self.bad_value(mapping, key, &text, &format!("one of {expected}"), &suggestion);
        }
        found
    }

    fn bad_value(&mut self, mapping: &Mapping<'_>, key: &str, found: &str, expected: &str, suggestion: &str) {
        let at = mapping.get(key).map_or(mapping.at, |node| node.at);
        let reason = format!("`{key}` is `{found}`; expected {expected}");
        self.error(&mapping.path_of(key), at, reason, suggestion);
    }

    fn missing(&mut self, mapping: &Mapping<'_>, key: &str, suggestion: &str) {
        self.error(&mapping.path_of(key), mapping.at, format!("`{key}` is missing"), suggestion);
    }

    fn wrong_kind(&mut self, path: &str, node: &YamlNode, expected: &str) {
        let what = match path {
            "" => "the document".to_owned(),
            path => format!("`{path}`"),
        };
        let reason = format!("{what} is {}; expected {expected}", node.kind());
        self.error(path, node.at, reason, format!("give {expected}"));
    }

    fn error(
        &mut self,
        path: &str,
        at: YamlPosition,
        reason: impl Into<String>,
        suggestion: impl Into<String>,
    ) {
        let error = ErrorBody::new(ErrorCode::YamlInvalid, reason, suggestion);
        self.errors.push(located(error, path, at));
    }
}

fn located(error: ErrorBody, path: &str, at: YamlPosition) -> ErrorBody {
    let error = error.with_subcode(Subcode::YamlSchema).at_line(at.line).at_column(at.column);
    match path {
        "" => error,
        path => error.at_field(path),
    }
}

/// `<tag>_rule`, with what a name can't have replaced.
fn name_of_tag(tag: &str) -> String {
    let allowed = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-');
    let mut name: String = tag.chars().map(|c| if allowed(c) { c } else { '_' }).take(58).collect();
    if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        name.insert(0, '_');
    }
    name + "_rule"
}
