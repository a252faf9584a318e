//! YAML as a tree in which every value knows where it stands.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_saphyr::granit_parser::{ErrorKind, Event, Parser, ScalarStyle, ScanError, Span};

use crate::format::{ErrorBody, ErrorCode, Subcode};
use crate::limits;

/// The largest text that is read.
pub(crate) const MAX_BYTES: usize = limits::RULES_BYTES;
/// The most values in a text.
pub(crate) const MAX_NODES: usize = limits::RULES_NODES;
/// The deepest nesting.
pub(crate) const MAX_DEPTH: usize = limits::RULES_DEPTH;

/// A place in a text, both from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct YamlPosition {
    pub(crate) line: u32,
    pub(crate) column: u32,
}

/// A value and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct YamlNode {
    pub(crate) at: YamlPosition,
    pub(crate) tree: Tree,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Tree {
    /// A string, a number, a truth value or nothing: the reader decides which.
    Scalar {
        text: String,
        /// Written without quotes.
        plain: bool,
    },
    List(Vec<YamlNode>),
    /// Keys are different from one another.
    Map(Vec<(YamlKey, YamlNode)>),
}

/// A key and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct YamlKey {
    pub(crate) at: YamlPosition,
    pub(crate) name: String,
}

/// How much of YAML may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Plain data: no anchors, aliases, merge keys or tags.
    Data,
    /// Anything; an alias stands for an empty value.
    Any,
}

impl YamlNode {
    /// Whether this is nothing: absent, `null` or `~`.
    pub(crate) fn is_null(&self) -> bool {
        matches!(&self.tree, Tree::Scalar { text, plain: true }
            if matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL"))
    }

    /// What it is, with its article.
    pub(crate) fn kind(&self) -> &'static str {
        match &self.tree {
            Tree::Scalar { .. } if self.is_null() => "nothing",
            Tree::Scalar { .. } => "a scalar",
            Tree::List(_) => "a list",
            Tree::Map(_) => "a mapping",
        }
    }
}

/// Reads the one document of a text; an empty text gives a value that is nothing.
pub(crate) fn parse(text: &str, extent: Extent) -> Result<YamlNode, ErrorBody> {
    if text.len() > MAX_BYTES {
        let reason = format!("the text has {} bytes; at most {MAX_BYTES} are read", text.len());
        return Err(syntax(
            YamlPosition { line: 1, column: 1 },
            reason,
            "split the rules into several documents",
        ));
    }
    let mut builder = TreeBuilder { extent, open: Vec::new(), root: None, documents: 0, nodes: 0 };
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| explain(&error))?;
        builder.take(event, &span)?;
    }
    let nothing = Tree::Scalar { text: String::new(), plain: true };
    Ok(builder.root.unwrap_or(YamlNode { at: YamlPosition { line: 1, column: 1 }, tree: nothing }))
}

/// An error of the text itself.
pub(crate) fn syntax(
    at: YamlPosition,
    reason: impl Into<String>,
    suggestion: impl Into<String>,
) -> ErrorBody {
    ErrorBody::new(ErrorCode::YamlInvalid, reason, suggestion)
        .with_subcode(Subcode::YamlSyntax)
        .at_line(at.line)
        .at_column(at.column)
}

fn explain(error: &ScanError) -> ErrorBody {
    let marker = error.marker();
    let at = position(marker.line(), marker.col());
    let suggestion = match error.kind() {
        ErrorKind::UnknownQuotedScalarEscape => "write regular expressions in single quotes: '\\d'",
        _ => "correct the YAML at this place",
    };
    syntax(at, error.info(), suggestion)
}

fn position(line: usize, column: usize) -> YamlPosition {
    YamlPosition {
        line: u32::try_from(line).unwrap_or(u32::MAX),
        column: u32::try_from(column + 1).unwrap_or(u32::MAX),
    }
}

/// A list or mapping that is not closed yet.
enum OpenTree {
    List { at: YamlPosition, items: Vec<YamlNode> },
    Map { at: YamlPosition, entries: Vec<(YamlKey, YamlNode)>, seen: HashSet<String>, key: Option<YamlKey> },
}

struct TreeBuilder {
    extent: Extent,
    open: Vec<OpenTree>,
    root: Option<YamlNode>,
    documents: usize,
    nodes: usize,
}

impl TreeBuilder {
    fn take(&mut self, event: Event<'_>, span: &Span) -> Result<(), ErrorBody> {
        let at = position(span.start.line(), span.start.col());
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err(syntax(at, "a second document starts here; expected one", "remove it"));
                }
                Ok(())
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.plain_data(at, anchor, tag.map(|tag| tag.to_string()))?;
                self.scalar(at, text, style == ScalarStyle::Plain)
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.plain_data(at, anchor, tag.map(|tag| tag.to_string()))?;
                self.begin(at, OpenTree::List { at, items: Vec::new() })
            }
            Event::MappingStart(_, anchor, tag) => {
                self.plain_data(at, anchor, tag.map(|tag| tag.to_string()))?;
                let entries = Vec::new();
                self.begin(at, OpenTree::Map { at, entries, seen: HashSet::new(), key: None })
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(),
            Event::Alias(_) | Event::UnresolvedAlias(_) => match self.extent {
                Extent::Any => self.scalar(at, Cow::Borrowed(""), true),
                Extent::Data => Err(syntax(at, "an alias; values are written out", "repeat the value here")),
            },
            _ => Ok(()),
        }
    }

    fn plain_data(&self, at: YamlPosition, anchor: usize, tag: Option<String>) -> Result<(), ErrorBody> {
        match (self.extent, anchor, tag) {
            (Extent::Any, ..) | (Extent::Data, 0, None) => Ok(()),
            (Extent::Data, _, Some(tag)) => {
                Err(syntax(at, format!("the tag `{tag}`; values have no tags"), "remove the tag"))
            }
            (Extent::Data, ..) => Err(syntax(at, "an anchor; values are written out", "remove the anchor")),
        }
    }

    fn begin(&mut self, at: YamlPosition, open: OpenTree) -> Result<(), ErrorBody> {
        if self.open.len() == MAX_DEPTH {
            return Err(syntax(at, format!("more than {MAX_DEPTH} levels of nesting"), "nest less deeply"));
        }
        if let Some(OpenTree::Map { key: None, .. }) = self.open.last() {
            return Err(syntax(
                at,
                "a list or mapping as a key; keys are words",
                "use a plain word as the key",
            ));
        }
        self.open.push(open);
        Ok(())
    }

    fn end(&mut self) -> Result<(), ErrorBody> {
        let node = match self.open.pop() {
            Some(OpenTree::List { at, items }) => YamlNode { at, tree: Tree::List(items) },
            Some(OpenTree::Map { at, entries, .. }) => YamlNode { at, tree: Tree::Map(entries) },
            None => return Ok(()),
        };
        self.put(node)
    }

    fn scalar(&mut self, at: YamlPosition, text: Cow<'_, str>, plain: bool) -> Result<(), ErrorBody> {
        let extent = self.extent;
        if let Some(OpenTree::Map { seen, key: key @ None, .. }) = self.open.last_mut() {
            if extent == Extent::Data && plain && text == "<<" {
                return Err(syntax(at, "a merge key; values are written out", "repeat the keys here"));
            }
            if !seen.insert(text.clone().into_owned()) {
                return Err(syntax(at, format!("the key `{text}` is there twice"), "keep one of the two"));
            }
            *key = Some(YamlKey { at, name: text.into_owned() });
            return Ok(());
        }
        self.put(YamlNode { at, tree: Tree::Scalar { text: text.into_owned(), plain } })
    }

    fn put(&mut self, node: YamlNode) -> Result<(), ErrorBody> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return Err(syntax(node.at, format!("more than {MAX_NODES} values"), "split the document"));
        }
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(OpenTree::List { items, .. }) => items.push(node),
            Some(OpenTree::Map { entries, key, .. }) => {
                if let Some(key) = key.take() {
                    entries.push((key, node));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
