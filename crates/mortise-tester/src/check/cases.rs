//! Case files: calls with what is expected of them, in YAML.

use std::collections::BTreeMap;

use mortise_contract::schema::{CompiledSchema, SchemaOptions};
use serde::Deserialize;
use serde_json::{Map, Value};
use serde_saphyr::Spanned;

const VERSION: u64 = 1;

/// A file of cases.
///
/// ```
/// let file = mortise_tester::check::CaseFile::parse("
/// version: 1
/// variables: {city: Berlin}
/// cases:
///   - name: the weather of a city
///     call: get_weather
///     arguments: {city: '${city}'}
///     expect:
///       at: {/city: Berlin}
///       within_ms: 2000
/// ", "weather.yaml")?;
/// assert_eq!(file.cases.len(), 1);
/// # Ok::<(), mortise_tester::check::CaseFileError>(())
/// ```
#[derive(Clone, Debug)]
pub struct CaseFile {
    /// Where it was read, for reports.
    pub path: String,
    /// The server that the cases are for; any that has the tools if absent.
    pub server: Option<String>,
    /// What `${name}` stands for.
    pub variables: Map<String, Value>,
    /// Calls made first; if one fails, no case is run.
    pub setup: Vec<Case>,
    /// The cases, run in order.
    pub cases: Vec<Case>,
    /// Calls made last, whatever happened.
    pub teardown: Vec<Case>,
}

/// The file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    version: u64,
    server: Option<String>,
    #[serde(default)]
    variables: Map<String, Value>,
    #[serde(default)]
    setup: Vec<Spanned<Case>>,
    #[serde(default)]
    cases: Vec<Spanned<Case>>,
    #[serde(default)]
    teardown: Vec<Spanned<Case>>,
}

/// One call and what is expected of it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// What it shows; the tool's name if absent.
    pub name: Option<String>,
    /// The tool to call.
    pub call: String,
    #[serde(default)]
    pub arguments: Map<String, Value>,
    #[serde(default)]
    pub expect: Expect,
    /// Values of the result, by JSON pointer, that later calls use as variables.
    #[serde(default)]
    pub save: BTreeMap<String, String>,
}

/// What is expected of an answer. Without `error`, it must be none, and must keep its contract; with it,
/// the rest is expected of the error: of a tool error's content, of a JSON-RPC error's `data` and message.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// The whole structured content, or the text as JSON if there is none.
    pub value: Option<Value>,
    /// Values at JSON pointers.
    #[serde(default)]
    pub at: BTreeMap<String, Value>,
    /// Words that a text block must hold.
    pub text: Option<String>,
    pub schema: Option<Value>,
    /// The longest time it may take.
    pub within_ms: Option<u64>,
    pub error: Option<ExpectedError>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedError {
    /// The JSON-RPC code; a tool error without it.
    pub code: Option<i64>,
    /// Words that its text must hold.
    pub text: Option<String>,
}

/// Why a case file can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CaseFileError {
    /// It is not YAML, or not of the form that a case file has.
    #[error("`{path}` can't be read: {reason}")]
    Unreadable { path: String, reason: String },
    /// It is of another version.
    #[error("`{path}` has version {found}; this mortise reads version {VERSION}")]
    Version { path: String, found: u64 },
    /// A case can't be run as it is written.
    #[error("{path}:{line}:{column}: in the case `{case}`, {problem}")]
    Case {
        path: String,
        /// The line where the case begins.
        line: u64,
        column: u64,
        /// What it is called.
        case: String,
        /// What is wrong with it.
        problem: String,
    },
    /// There is no case in it.
    #[error("`{path}` has no cases")]
    Empty { path: String },
}

impl CaseFile {
    /// Reads a case file; unknown keys, pointers that are none and schemas that can't be used are refused.
    ///
    /// # Errors
    ///
    /// When it is not YAML, not of this form or version, or empty, or has a case that can't be run.
    pub fn parse(text: &str, path: &str) -> Result<Self, CaseFileError> {
        let path = path.to_owned();
        let file: Written = serde_saphyr::from_str(text).map_err(|error| CaseFileError::Unreadable {
            path: path.clone(),
            reason: error.without_snippet().to_string(),
        })?;
        if file.version != VERSION {
            return Err(CaseFileError::Version { path, found: file.version });
        }
        if file.cases.is_empty() {
            return Err(CaseFileError::Empty { path });
        }
        let checked = |cases: Vec<Spanned<Case>>| -> Result<Vec<Case>, CaseFileError> {
            cases.into_iter().map(|case| checked(case, &path)).collect()
        };
        Ok(Self {
            server: file.server,
            variables: file.variables,
            setup: checked(file.setup)?,
            cases: checked(file.cases)?,
            teardown: checked(file.teardown)?,
            path,
        })
    }

    /// Whether the cases are for the server of this name.
    pub fn is_for(&self, server: &str) -> bool {
        self.server.as_ref().is_none_or(|wanted| wanted == server)
    }

    /// The arguments of calls of a tool that are expected to succeed, as far as they are known beforehand.
    pub(super) fn recorded(&self, tool: &str) -> impl Iterator<Item = Value> {
        let cases = self.setup.iter().chain(&self.cases);
        cases
            .filter(move |case| case.call == tool && case.expect.error.is_none())
            .filter_map(|case| filled(&Value::Object(case.arguments.clone()), &self.variables).ok())
    }
}

fn checked(case: Spanned<Case>, path: &str) -> Result<Case, CaseFileError> {
    let (line, column) = (case.referenced.line(), case.referenced.column());
    let case = case.value;
    match case.problem() {
        None => Ok(case),
        Some(problem) => {
            let (path, case) = (path.to_owned(), case.title().to_owned());
            Err(CaseFileError::Case { path, line, column, case, problem })
        }
    }
}

impl Case {
    /// What the case is called in reports.
    pub fn title(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.call)
    }

    /// Why it can't be run as it is written.
    fn problem(&self) -> Option<String> {
        let pointers = self.expect.at.keys().map(|pointer| ("expect.at", pointer));
        let pointers = pointers.chain(self.save.values().map(|pointer| ("save", pointer)));
        for (key, pointer) in pointers {
            if !is_pointer(pointer) {
                return Some(format!(
                    "`{key}` has `{pointer}`, which is not a JSON pointer: one is empty or begins with `/`, and `~` is written `~0`"
                ));
            }
        }
        // With variables in it, it is known only when it is used.
        let schema = self.expect.schema.as_ref().filter(|schema| !schema.to_string().contains("${"))?;
        let error = CompiledSchema::compile(schema, &SchemaOptions::default()).err()?;
        Some(format!("`expect.schema` can't be used: {error}"))
    }
}

fn is_pointer(text: &str) -> bool {
    let escapes =
        text.match_indices('~').all(|(at, _)| matches!(text.as_bytes().get(at + 1), Some(b'0' | b'1')));
    escapes && (text.is_empty() || text.starts_with('/'))
}

/// A case names a variable that is neither given nor saved.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no variable `{name}`")]
pub(super) struct UnknownVariable {
    name: String,
}

/// A value with `${name}` replaced: a whole string by the variable itself, a part of one by its string form.
pub(super) fn filled(value: &Value, variables: &Map<String, Value>) -> Result<Value, UnknownVariable> {
    Ok(match value {
        Value::String(text) => filled_text(text, variables)?,
        Value::Array(items) => {
            Value::Array(items.iter().map(|item| filled(item, variables)).collect::<Result<_, _>>()?)
        }
        Value::Object(members) => Value::Object(
            members
                .iter()
                .map(|(key, member)| Ok((key.clone(), filled(member, variables)?)))
                .collect::<Result<_, UnknownVariable>>()?,
        ),
        other => other.clone(),
    })
}

/// A string with `${name}` replaced, as a string.
pub(super) fn filled_words(text: &str, variables: &Map<String, Value>) -> Result<String, UnknownVariable> {
    Ok(match filled_text(text, variables)? {
        Value::String(text) => text,
        other => other.to_string(),
    })
}

fn filled_text(text: &str, variables: &Map<String, Value>) -> Result<Value, UnknownVariable> {
    let find = |name: &str| variables.get(name).ok_or_else(|| UnknownVariable { name: name.to_owned() });
    if let Some(name) = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'))
        && !name.contains("${")
    {
        return find(name).cloned();
    }
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let Some((name, after)) = after.split_once('}') else { break };
        filled.push_str(before);
        match find(name)? {
            Value::String(value) => filled.push_str(value),
            other => filled.push_str(&other.to_string()),
        }
        rest = after;
    }
    filled.push_str(rest);
    Ok(Value::String(filled))
}

#[cfg(test)]
mod tests;
