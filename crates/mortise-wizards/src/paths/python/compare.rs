//! Whether Python and the rule say the same where both speak.

use mortise_formats::format::{ErrorBody, ErrorCode};
use serde_json::{Map, Value};

/// What both make of a path.
pub(crate) struct Both<'a> {
    pub(crate) path: &'a str,
    pub(crate) rule: &'a Map<String, Value>,
    pub(crate) python: &'a Map<String, Value>,
}

/// The first path and field on which the two differ.
///
/// Names that only Python has are its additions; a name of the rule must have the same value in both.
pub(crate) fn compare(rows: &[Both<'_>]) -> Result<(), ErrorBody> {
    for Both { path, rule, python } in rows {
        for (name, value) in *rule {
            let found = python.get(name);
            if found != Some(value) {
                let found = found.map_or_else(|| "nothing".to_owned(), ToString::to_string);
                return Err(ErrorBody::new(
                    ErrorCode::SandboxFailed,
                    format!("on `{path}` the rule gives `{name}` {value} and the Python {found}"),
                    "use the rule",
                )
                .at_field(name.clone()));
            }
        }
    }
    Ok(())
}
