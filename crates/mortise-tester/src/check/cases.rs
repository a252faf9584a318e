//! Case files: calls with what is expected of them, in YAML.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

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
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseFile {
    version: u64,
    /// Where it was read, for reports.
    #[serde(skip)]
    pub path: String,
    /// The server that the cases are for; any that has the tools if absent.
    pub server: Option<String>,
    /// What `${name}` stands for.
    #[serde(default)]
    pub variables: Map<String, Value>,
    /// Calls made first; if one fails, no case is run.
    #[serde(default)]
    pub setup: Vec<Case>,
    /// The cases, run in order.
    #[serde(default)]
    pub cases: Vec<Case>,
    /// Calls made last, whatever happened.
    #[serde(default)]
    pub teardown: Vec<Case>,
}

/// One call and what is expected of it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// What it shows; the tool's name if absent.
    pub name: Option<String>,
    /// The tool to call.
    pub call: String,
    /// Its arguments.
    #[serde(default)]
    pub arguments: Map<String, Value>,
    /// What is expected.
    #[serde(default)]
    pub expect: Expect,
    /// Values of the result, by JSON pointer, that later calls use as variables.
    #[serde(default)]
    pub save: BTreeMap<String, String>,
}

/// What is expected of an answer. Without `error`, it must be none, and must keep its contract.
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
    /// A schema for the value.
    pub schema: Option<Value>,
    /// The longest time it may take.
    pub within_ms: Option<u64>,
    /// The error that is expected.
    pub error: Option<ExpectedError>,
}

/// An expected error.
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
    /// It is no YAML, or not of the form that a case file has.
    #[error("`{path}` can't be read: {reason}")]
    Unreadable {
        /// The file.
        path: String,
        /// What and where.
        reason: String,
    },
    /// It is of another version.
    #[error("`{path}` has version {found}; this mortise reads version {VERSION}")]
    Version {
        /// The file.
        path: String,
        /// The version found.
        found: u64,
    },
    /// There is no case in it.
    #[error("`{path}` has no cases")]
    Empty {
        /// The file.
        path: String,
    },
}

impl CaseFile {
    /// Reads a case file; unknown keys are refused.
    ///
    /// # Errors
    ///
    /// When it is not YAML, not of this form or version, or empty.
    pub fn parse(text: &str, path: &str) -> Result<Self, CaseFileError> {
        let path = path.to_owned();
        let mut file: Self = serde_saphyr::from_str(text).map_err(|error| CaseFileError::Unreadable {
            path: path.clone(),
            reason: error.without_snippet().to_string(),
        })?;
        if file.version != VERSION {
            return Err(CaseFileError::Version { path, found: file.version });
        }
        if file.cases.is_empty() {
            return Err(CaseFileError::Empty { path });
        }
        file.path = path;
        Ok(file)
    }
}

impl Case {
    /// What the case is called in reports.
    pub fn title(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.call)
    }
}

/// A value with `${name}` replaced: a whole text by the variable itself, a part of one by its text.
pub(super) fn filled(value: &Value, variables: &Map<String, Value>) -> Result<Value, String> {
    Ok(match value {
        Value::String(text) => filled_text(text, variables)?,
        Value::Array(items) => {
            Value::Array(items.iter().map(|item| filled(item, variables)).collect::<Result<_, _>>()?)
        }
        Value::Object(members) => Value::Object(
            members
                .iter()
                .map(|(key, member)| Ok((key.clone(), filled(member, variables)?)))
                .collect::<Result<_, String>>()?,
        ),
        other => other.clone(),
    })
}

fn filled_text(text: &str, variables: &Map<String, Value>) -> Result<Value, String> {
    let find = |name: &str| variables.get(name).ok_or_else(|| format!("there is no variable `{name}`"));
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
