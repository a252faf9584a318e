//! Types as TypeScript text, on one line or indented.

use mortise_contract::text::cut_bytes;
use serde_json::Value;

use crate::model::{Doc, ObjectType, Rest, Type};
use crate::text::{comment_line, typescript_string};

/// Columns up to which a type without comments stays on one line.
const WIDTH: usize = 100;
/// Bytes of one tag.
const TAG: usize = 80;
/// Levels of a fixed value that are written out.
const LITERAL_DEPTH: usize = 8;

/// How much is shown beside the types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shown {
    pub(crate) descriptions: bool,
    pub(crate) tags: bool,
    pub(crate) index_signatures: bool,
}

/// Writes types whose definitions have these names.
pub(crate) struct TypeScriptWriter<'a> {
    pub(crate) names: &'a [String],
    pub(crate) shown: Shown,
}

impl TypeScriptWriter<'_> {
    /// The type on one line.
    pub(crate) fn inline(&self, kind: &Type) -> String {
        self.kind(kind, None)
    }

    /// The type as it stands in a file at an indentation, from the second line on.
    pub(crate) fn block(&self, kind: &Type, indent: usize) -> String {
        let line = self.inline(kind);
        if line.len() + indent * 2 <= WIDTH && !line.contains("/**") {
            return line;
        }
        self.kind(kind, Some(indent))
    }

    fn kind(&self, kind: &Type, indent: Option<usize>) -> String {
        let part = |kind: &Type| match indent {
            Some(indent) => self.block(kind, indent),
            None => self.inline(kind),
        };
        match kind {
            Type::Unknown => "unknown".to_owned(),
            Type::Never => "never".to_owned(),
            Type::Cut => "unknown /* … */".to_owned(),
            Type::String => "string".to_owned(),
            Type::Integer | Type::Number => "number".to_owned(),
            Type::Boolean => "boolean".to_owned(),
            Type::Null => "null".to_owned(),
            Type::Literal(value) => literal(value, 0),
            Type::Named(name) => self.names.get(*name).cloned().unwrap_or_else(|| "unknown".to_owned()),
            Type::Array(item) if **item == Type::Unknown => "unknown[]".to_owned(),
            Type::Array(item) => format!("Array<{}>", part(item)),
            Type::Tuple { items, required, rest } => {
                let mut places: Vec<String> = items
                    .iter()
                    .enumerate()
                    .map(|(at, item)| match at < *required {
                        true => part(item),
                        false => format!("{}?", in_parentheses(item, part(item))),
                    })
                    .collect();
                places.extend(rest.as_deref().map(|rest| match rest {
                    Type::Unknown => "...unknown[]".to_owned(),
                    rest => format!("...Array<{}>", part(rest)),
                }));
                format!("[{}]", places.join(", "))
            }
            Type::Object(object) => self.object(object, indent),
            Type::Union(members) => {
                let mut texts: Vec<String> = Vec::new();
                for member in members {
                    let text = part(member);
                    if !texts.contains(&text) {
                        texts.push(text);
                    }
                }
                texts.join(" | ")
            }
            Type::Intersection(members) => {
                let texts: Vec<String> =
                    members.iter().map(|member| in_parentheses(member, part(member))).collect();
                texts.join(" & ")
            }
        }
    }

    fn object(&self, object: &ObjectType, indent: Option<usize>) -> String {
        if object.fields.is_empty() {
            return match &object.rest {
                Rest::Closed => "Record<string, never>".to_owned(),
                Rest::Open | Rest::Welcome | Rest::LeftOut(_) => "{ [key: string]: unknown; }".to_owned(),
                Rest::Of(rest) => format!("{{ [key: string]: {}; }}", self.inline(rest)),
            };
        }
        let mut lines = Vec::new();
        for field in &object.fields {
            let mark = if field.required { ":" } else { "?:" };
            let text = match indent {
                Some(indent) => self.block(&field.kind, indent + 1),
                None => self.inline(&field.kind),
            };
            lines.push((self.doc(&field.doc), format!("{}{mark} {text};", key(&field.key))));
        }
        if object.rest == Rest::Welcome && self.shown.index_signatures {
            lines.push((None, "[key: string]: unknown;".to_owned()));
        }
        if let Rest::LeftOut(more) = object.rest {
            lines.push((None, format!("/* … (+{more}) */")));
        }
        let body = match indent {
            None => {
                let lines: Vec<String> = lines
                    .into_iter()
                    .map(|(doc, line)| doc.map_or(line.clone(), |doc| format!("/** {doc} */ {line}")))
                    .collect();
                format!("{{ {} }}", lines.join(" "))
            }
            Some(indent) => {
                let inner = "  ".repeat(indent + 1);
                let lines: Vec<String> = lines
                    .into_iter()
                    .map(|(doc, line)| {
                        let doc = doc.map(|doc| format!("{inner}/** {doc} */\n")).unwrap_or_default();
                        format!("{doc}{inner}{line}\n")
                    })
                    .collect();
                format!("{{\n{}{}}}", lines.concat(), "  ".repeat(indent))
            }
        };
        match &object.rest {
            Rest::Of(rest) => format!("{body} & {{ [key: string]: {}; }}", self.any_value(object, rest)),
            _ => body,
        }
    }

    /// What an index signature must allow so that the named keys fit it too.
    fn any_value(&self, object: &ObjectType, rest: &Type) -> String {
        let plain = TypeScriptWriter {
            names: self.names,
            shown: Shown { descriptions: false, tags: false, ..self.shown },
        };
        let mut kinds = vec![rest.clone()];
        kinds.extend(object.fields.iter().map(|field| field.kind.clone()));
        let all = plain.inline(&crate::model::union(kinds));
        let is_partial = object.fields.iter().any(|field| !field.required);
        if is_partial && all != "unknown" { format!("{all} | undefined") } else { all }
    }

    /// The comment of a field, without its marks.
    pub(crate) fn doc(&self, doc: &Doc) -> Option<String> {
        let mut parts: Vec<String> = Vec::new();
        let (words, tags): (Vec<&String>, Vec<&String>) =
            doc.tags.iter().partition(|tag| !tag.starts_with('@'));
        if self.shown.tags {
            parts.extend(words.into_iter().cloned());
        }
        if self.shown.descriptions {
            parts.extend(doc.description.as_deref().map(comment_line));
        }
        let mut line = parts.join("; ");
        if self.shown.tags {
            for tag in tags {
                line.push_str(if line.is_empty() { "" } else { " " });
                line.push_str(&cut_bytes(&comment_line(tag), TAG));
            }
        }
        (!line.is_empty()).then_some(line)
    }

    /// The comment before a type on one line.
    pub(crate) fn doc_before(&self, doc: &Doc) -> String {
        self.doc(doc).map(|doc| format!("/** {doc} */ ")).unwrap_or_default()
    }

    /// The comment as lines before a declaration.
    pub(crate) fn doc_lines(&self, doc: &Doc, indent: usize) -> String {
        self.doc(doc).map(|doc| format!("{}/** {doc} */\n", "  ".repeat(indent))).unwrap_or_default()
    }
}

/// A comment of one or more lines.
pub(super) fn comment(lines: &[String], indent: usize) -> String {
    let space = "  ".repeat(indent);
    match lines {
        [] => String::new(),
        [line] => format!("{space}/** {line} */\n"),
        lines => {
            let lines: String =
                lines.iter().map(|line| format!("{}\n", format!("{space} * {line}").trim_end())).collect();
            format!("{space}/**\n{lines}{space} */\n")
        }
    }
}

fn in_parentheses(kind: &Type, text: String) -> String {
    let is_joined = matches!(kind, Type::Union(_) | Type::Intersection(_))
        || matches!(kind, Type::Object(ObjectType { rest: Rest::Of(_), fields, .. }) if !fields.is_empty());
    if is_joined { format!("({text})") } else { text }
}

/// The key as it is on the wire, quoted where it must be.
pub(crate) fn key(key: &str) -> String {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '$');
    let is_name = !key.is_empty()
        && key.chars().all(is_plain)
        && !key.starts_with(|first: char| first.is_ascii_digit());
    if is_name { key.to_owned() } else { typescript_string(key) }
}

fn literal(value: &Value, depth: usize) -> String {
    match value {
        _ if depth > LITERAL_DEPTH => "unknown".to_owned(),
        Value::String(text) => typescript_string(text),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| literal(item, depth + 1)).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(members) if members.is_empty() => "Record<string, never>".to_owned(),
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_unstable_by_key(|(name, _)| name.as_str());
            let members: Vec<String> = members
                .into_iter()
                .map(|(name, value)| format!("{}: {};", key(name), literal(value, depth + 1)))
                .collect();
            format!("{{ {} }}", members.join(" "))
        }
        scalar => scalar.to_string(),
    }
}
