//! JSON with comments and TOML as one kind of tree with positions.
//!
//! The depth of both is bounded by their parsers (512 and 80 levels), so the
//! recursion here is too.

use std::fmt::Write;
use std::path::Path;

use jsonc_parser::ast;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use serde_json::Value;

use crate::Problem;
use crate::located::Position;
use crate::yaml;

/// Which language a foreign file is written in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ForeignLanguage {
    Json,
    Toml,
    /// Read only where the file is known to be of another program: our own files are YAML too.
    Yaml,
}

/// A value and where it stands.
pub(super) struct ForeignItem {
    pub(super) node: ForeignNode,
    pub(super) position: Position,
}

pub(super) enum ForeignNode {
    Null,
    Bool(bool),
    /// The digits as written.
    Number(String),
    Text(String),
    List(Vec<ForeignItem>),
    Table(Vec<(String, ForeignItem)>),
}

impl ForeignItem {
    /// The member of a table.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        self.table()?.iter().find(|(known, _)| known == key).map(|(_, item)| item)
    }

    /// Writes the value, without its place, so that no other value is written the same way.
    pub(super) fn write(&self, written: &mut String) {
        let _ = match &self.node {
            ForeignNode::Null => writeln!(written, "null"),
            ForeignNode::Bool(flag) => writeln!(written, "{flag}"),
            ForeignNode::Number(digits) => writeln!(written, "number {digits}"),
            ForeignNode::Text(text) => writeln!(written, "text {}:{text}", text.len()),
            ForeignNode::List(items) => {
                let begun = writeln!(written, "[ {}", items.len());
                items.iter().for_each(|item| item.write(written));
                begun
            }
            ForeignNode::Table(members) => {
                let begun = writeln!(written, "{{ {}", members.len());
                for (key, item) in members {
                    let _ = writeln!(written, "key {}:{key}", key.len());
                    item.write(written);
                }
                begun
            }
        };
    }

    /// The members, where it is a table.
    pub(super) fn table(&self) -> Option<&[(String, Self)]> {
        match &self.node {
            ForeignNode::Table(members) => Some(members),
            _ => None,
        }
    }
}

/// Reads a text that is JSON or TOML; `None` for anything else.
pub(super) fn read_tree(
    text: &str,
    path: &Path,
) -> Result<Option<(ForeignItem, ForeignLanguage)>, (Position, Problem)> {
    let has_extension = |wanted: &[&str]| {
        path.extension().and_then(|extension| extension.to_str()).is_some_and(|e| wanted.contains(&e))
    };
    if begins_as_json(text) {
        return match read_json(text) {
            Ok(item) => Ok(Some((item, ForeignLanguage::Json))),
            // A flow mapping of our own YAML begins the same way.
            Err(error) if has_extension(&["json", "jsonc"]) => Err(error),
            Err(_) => Ok(None),
        };
    }
    if has_extension(&["toml"]) || text.contains("[mcp_servers") {
        return read_toml(text).map(|item| Some((item, ForeignLanguage::Toml)));
    }
    Ok(None)
}

/// Whether the first thing after white space and comments is `{`.
fn begins_as_json(text: &str) -> bool {
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    loop {
        let after = if let Some(comment) = rest.strip_prefix("//") {
            comment.split_once('\n')
        } else if let Some(comment) = rest.strip_prefix("/*") {
            comment.split_once("*/")
        } else {
            return rest.starts_with('{');
        };
        match after {
            Some((_, after)) => rest = after.trim_start(),
            None => return false,
        }
    }
}

fn read_json(text: &str) -> Result<ForeignItem, (Position, Problem)> {
    let lines = Lines::new(text);
    let failed = |offset, message: String| {
        (lines.position(offset), Problem::Foreign { language: "JSON", message: message.to_lowercase() })
    };
    let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default())
        .map_err(|error| failed(error.range().start, error.kind().to_string()))?;
    match parsed.value {
        Some(ast::Value::Object(root)) => Ok(from_root(root, &lines)),
        Some(other) => Ok(from_json(other, &lines)),
        None => Err(failed(0, "there is no value in it".to_owned())),
    }
}

/// The members that can hold servers. Claude Code keeps megabytes of history beside them.
fn from_root(root: ast::Object<'_>, lines: &Lines<'_>) -> ForeignItem {
    const WANTED: [&str; 5] = ["mcpServers", "servers", "mcp", "context_servers", "amp.mcpServers"];
    let mut members = Vec::new();
    for property in root.properties {
        let name = property.name.into_string();
        match property.value {
            ast::Value::Object(projects) if name == "projects" => {
                members.push((name, from_projects(projects, lines)));
            }
            value if WANTED.contains(&name.as_str()) => members.push((name, from_json(value, lines))),
            _ => {}
        }
    }
    ForeignItem { node: ForeignNode::Table(members), position: lines.position(root.range.start) }
}

fn from_projects(projects: ast::Object<'_>, lines: &Lines<'_>) -> ForeignItem {
    let position = lines.position(projects.range.start);
    let projects = projects.properties.into_iter().filter_map(|property| match property.value {
        ast::Value::Object(project) => Some((property.name.into_string(), from_root(project, lines))),
        _ => None,
    });
    ForeignItem { node: ForeignNode::Table(projects.collect()), position }
}

fn from_json(value: ast::Value<'_>, lines: &Lines<'_>) -> ForeignItem {
    use jsonc_parser::common::Ranged;
    let position = lines.position(value.start());
    let node = match value {
        ast::Value::StringLit(text) => ForeignNode::Text(text.value.into_owned()),
        ast::Value::NumberLit(number) => ForeignNode::Number(number.value.to_owned()),
        ast::Value::BooleanLit(flag) => ForeignNode::Bool(flag.value),
        ast::Value::NullKeyword(_) => ForeignNode::Null,
        ast::Value::Array(array) => {
            ForeignNode::List(array.elements.into_iter().map(|element| from_json(element, lines)).collect())
        }
        ast::Value::Object(object) => ForeignNode::Table(
            object
                .properties
                .into_iter()
                .map(|property| (property.name.into_string(), from_json(property.value, lines)))
                .collect(),
        ),
    };
    ForeignItem { node, position }
}

/// Reads the YAML file of another program. Places inside of it are not known.
pub(super) fn read_yaml_tree(text: &str) -> Result<ForeignItem, (Position, Problem)> {
    yaml::read_yaml::<Value>(text).map(from_value)
}

fn from_value(value: Value) -> ForeignItem {
    let node = match value {
        Value::Null => ForeignNode::Null,
        Value::Bool(flag) => ForeignNode::Bool(flag),
        Value::Number(number) => ForeignNode::Number(number.to_string()),
        Value::String(text) => ForeignNode::Text(text),
        // Continue has a list of servers with names.
        Value::Array(items) if !items.is_empty() && items.iter().all(|item| item["name"].is_string()) => {
            let name = |item: &Value| item["name"].as_str().unwrap_or_default().to_owned();
            ForeignNode::Table(items.into_iter().map(|item| (name(&item), from_value(item))).collect())
        }
        Value::Array(items) => ForeignNode::List(items.into_iter().map(from_value).collect()),
        Value::Object(members) => {
            ForeignNode::Table(members.into_iter().map(|(key, value)| (key, from_value(value))).collect())
        }
    };
    ForeignItem { node, position: Position::default() }
}

fn read_toml(text: &str) -> Result<ForeignItem, (Position, Problem)> {
    let lines = Lines::new(text);
    match DeTable::parse(text) {
        Ok(table) => {
            let position = Position::START;
            Ok(ForeignItem { node: from_table(table.into_inner(), &lines), position })
        }
        Err(error) => {
            let offset = error.span().map_or(0, |span| span.start);
            let message = error.message().lines().next().unwrap_or_default().to_owned();
            Err((lines.position(offset), Problem::Foreign { language: "TOML", message }))
        }
    }
}

fn from_table(table: DeTable<'_>, lines: &Lines<'_>) -> ForeignNode {
    let mut members: Vec<(String, ForeignItem)> = table
        .into_iter()
        .map(|(key, value)| {
            // A table's own span is its header; the key is where a reader looks.
            let position = lines.position(key.span().start);
            (key.into_inner().into_owned(), ForeignItem { node: from_toml(value, lines), position })
        })
        .collect();
    members.sort_by_key(|(_, item)| item.position);
    ForeignNode::Table(members)
}

fn from_toml(value: Spanned<DeValue<'_>>, lines: &Lines<'_>) -> ForeignNode {
    match value.into_inner() {
        DeValue::String(text) => ForeignNode::Text(text.into_owned()),
        DeValue::Integer(number) => ForeignNode::Number(number.to_string()),
        DeValue::Float(number) => ForeignNode::Number(number.to_string()),
        DeValue::Boolean(flag) => ForeignNode::Bool(flag),
        DeValue::Datetime(moment) => ForeignNode::Text(moment.to_string()),
        DeValue::Array(array) => ForeignNode::List(
            array
                .into_iter()
                .map(|element| {
                    let position = lines.position(element.span().start);
                    ForeignItem { node: from_toml(element, lines), position }
                })
                .collect(),
        ),
        DeValue::Table(table) => from_table(table, lines),
    }
}

/// Turns byte offsets into positions, quickly also where a whole file is one line.
struct Lines<'a> {
    text: &'a str,
    /// Where lines begin.
    starts: Vec<usize>,
    /// How many characters begin before each block.
    counts: Vec<u64>,
}

impl<'a> Lines<'a> {
    const BLOCK: usize = 1024;

    fn new(text: &'a str) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(index, _)| index + 1);
        let mut total = 0;
        let blocks = text.as_bytes().chunks(Self::BLOCK).map(|block| {
            total += characters(block);
            total
        });
        let counts = std::iter::once(0).chain(blocks).collect();
        Self { text, starts: std::iter::once(0).chain(breaks).collect(), counts }
    }

    fn position(&self, offset: usize) -> Position {
        let offset = offset.min(self.text.len());
        let line = self.starts.partition_point(|start| *start <= offset).max(1);
        let column = self.characters_before(offset) - self.characters_before(self.starts[line - 1]) + 1;
        Position { line: line as u64, column }
    }

    fn characters_before(&self, offset: usize) -> u64 {
        let block = offset / Self::BLOCK;
        self.counts[block] + characters(&self.text.as_bytes()[block * Self::BLOCK..offset])
    }
}

/// How many characters begin in these bytes.
fn characters(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|byte| **byte & 0xc0 != 0x80).count() as u64
}

#[cfg(test)]
mod tests;
