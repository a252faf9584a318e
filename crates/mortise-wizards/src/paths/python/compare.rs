//! Whether Python and the rule say the same where both speak.

use mortise_contract::format::{ErrorBody, ErrorCode};
use serde_json::{Map, Value};

/// The first path and field on which the two differ.
///
/// Names that only Python has are its additions; a name of the rule must have the same value in both.
pub(crate) fn compare(rows: &[(&str, &Map<String, Value>, &Map<String, Value>)]) -> Result<(), ErrorBody> {
    for (path, yaml, python) in rows {
        for (name, value) in *yaml {
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
