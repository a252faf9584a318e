//! `${VAR}` and `${VAR:-default}` in operator configuration.
//!
//! What a variable holds is put in as it is and never looked at again, so a
//! value can't bring in further variables. `$${` stands for a literal `${`.

use mortise_client::environment::Environment;
use mortise_client::secret::Secret;

/// Variables that every user has and that are not secret.
const COMMON: [&str; 8] = ["HOME", "LANG", "LOGNAME", "PATH", "PWD", "SHELL", "TMPDIR", "USER"];

/// Why a text could not be expanded. Neither values nor defaults are kept: they may be secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExpandError {
    /// A variable without a value and without a default.
    #[error("${{{name}}} is not set")]
    Unset { name: String },
    /// A variable that is not Unicode.
    #[error("${{{name}}} is not Unicode text")]
    NotUnicode { name: String },
    /// `${` without `}`.
    #[error("`${{` is never closed")]
    Unclosed,
    /// `${…}` around something that is not a variable name.
    #[error("`${{…}}` holds no variable name")]
    BadName,
    /// A variable inside a default.
    #[error("the default of ${{{name}}} has another `${{` in it")]
    Nested {
        /// The outer variable.
        name: String,
    },
}

impl ExpandError {
    /// What the reader can do now.
    pub fn hint(&self) -> String {
        match self {
            Self::Unset { name } => format!("set {name}, or write `${{{name}:-default}}`"),
            Self::NotUnicode { name } => format!("give {name} a value in UTF-8"),
            Self::Unclosed | Self::BadName => {
                "write `${NAME}` or `${NAME:-default}`; a literal `${` is written `$${`".to_owned()
            }
            Self::Nested { .. } => "give the default as plain text".to_owned(),
        }
    }
}

/// Puts variables into `text`; what they hold is added to `put_in`, since it may be secret.
pub(crate) fn expand(
    text: &str,
    environment: &Environment,
    put_in: &mut Vec<Secret>,
) -> Result<String, ExpandError> {
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        let before = &rest[..start];
        if let Some(literal) = before.strip_suffix('$') {
            expanded.push_str(literal);
            expanded.push_str("${");
            rest = &rest[start + 2..];
            continue;
        }
        expanded.push_str(before);
        let end = start + rest[start..].find('}').ok_or(ExpandError::Unclosed)?;
        let reference = &rest[start + 2..end];
        let value = resolve(reference, environment)?;
        expanded.push_str(&value);
        let name = reference.split(":-").next().unwrap_or_default();
        let is_set = environment.variable(name).is_some_and(|value| !value.is_empty());
        if is_set && !COMMON.contains(&name) {
            put_in.push(Secret::new(value));
        }
        rest = &rest[end + 1..];
    }
    expanded.push_str(rest);
    Ok(expanded)
}

fn resolve(reference: &str, environment: &Environment) -> Result<String, ExpandError> {
    let (name, default) = match reference.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (reference, None),
    };
    if !is_variable_name(name) {
        return Err(ExpandError::BadName);
    }
    if default.is_some_and(|default| default.contains("${")) {
        return Err(ExpandError::Nested { name: name.to_owned() });
    }
    match (environment.variable(name), default) {
        (Some(value), Some(default)) if value.is_empty() => Ok(default.to_owned()),
        (Some(value), _) => {
            value.to_str().map(str::to_owned).ok_or(ExpandError::NotUnicode { name: name.to_owned() })
        }
        (None, Some(default)) => Ok(default.to_owned()),
        (None, None) => Err(ExpandError::Unset { name: name.to_owned() }),
    }
}

/// Whether a shell would take this as the name of a variable.
pub(crate) fn is_variable_name(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && characters.all(|character| character.is_ascii_alphanumeric() || character == '_')
}

#[cfg(test)]
mod tests;
