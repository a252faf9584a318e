//! Arguments against the input schema, before anything is sent.

use mortise_contract::arguments::{ArgumentCheck, ArgumentViolation, check_arguments};
use mortise_contract::schema::SchemaOptions;
use mortise_contract::{Contract, RawJson, SchemaCache};
use serde_json::Value;

use super::{bind, explain};
use crate::exit::Exit;
use crate::failure::Failure;

/// Refuses arguments that the schema of `tool`, as the user named it, does not accept; what can't be checked is sent.
pub(crate) fn check(tool: &str, contract: &Contract, arguments: &RawJson) -> Result<(), Failure> {
    // A number that no float can hold can't be checked, and is the server's to judge.
    let Ok(value) = arguments.value() else { return Ok(()) };
    let found = check_arguments(contract, &value, &SchemaOptions::default(), &SchemaCache::default());
    let ArgumentCheck::Invalid { violations, total } = found else { return Ok(()) };
    let is_missing = violations.iter().any(|found| found.violation.keyword == "required");
    let mut sentences: Vec<String> =
        violations.iter().map(|violation| describe(violation, arguments, &value)).collect();
    sentences.dedup();
    let message = match sentences.as_slice() {
        [only] if total == 1 => only.clone(),
        several => {
            let mut message = format!("the arguments do not fit what `{tool}` takes");
            several.iter().for_each(|sentence| message.push_str(&format!("\n  {sentence}")));
            if total > violations.len() {
                message.push_str(&format!("\n  and {} more", total - violations.len()));
            }
            message
        }
    };
    let mut failure = Failure::new(Exit::Usage, message);
    if is_missing {
        let members = arguments.members().unwrap_or_default();
        let known: Vec<(String, String)> =
            members.iter().map(|(name, value)| (name.to_string(), value.text().to_owned())).collect();
        let call = bind::example(tool, contract, &known);
        failure = failure
            .typed_hint(format!("for example: {}", call.typed), format!("for example: {}", call.elsewhere));
    }
    Err(failure.hint(format!(
        "`mortise tools {tool}` shows what it takes; --no-validate sends the arguments as they are"
    )))
}

/// What is wrong with one argument, if anything: the answer to a question about it.
pub(super) fn fault(contract: &Contract, name: &str, arguments: &RawJson) -> Option<String> {
    let value = arguments.value().ok()?;
    let found = check_arguments(contract, &value, &SchemaOptions::default(), &SchemaCache::default());
    let ArgumentCheck::Invalid { violations, .. } = found else { return None };
    let about = |found: &&ArgumentViolation| {
        let path = dotted(&found.violation.instance_path);
        path == name || path.starts_with(&format!("{name}.")) || path.starts_with(&format!("{name}["))
    };
    violations.iter().find(about).map(|found| describe(found, arguments, &value))
}

/// Keywords whose message names properties and never a value.
const NAMES_ONLY: &[&str] =
    &["required", "dependentRequired", "additionalProperties", "unevaluatedProperties"];

/// Where, and what the schema wants there; text stays out, it can be a secret.
fn describe(found: &ArgumentViolation, arguments: &RawJson, value: &Value) -> String {
    let ArgumentViolation { violation, schema_part } = found;
    let keyword = violation.keyword.as_str();
    let name = dotted(&violation.instance_path);
    if NAMES_ONLY.contains(&keyword) {
        let missing = violation.message.strip_prefix("missing required property ");
        let message = missing.map_or_else(|| violation.message.clone(), |name| format!("{name} is missing"));
        return match name.as_str() {
            "" => message,
            name => format!("`{name}`: {message}"),
        };
    }
    let rule = serde_json::from_str::<Value>(schema_part).ok().and_then(|part| part.get(keyword).cloned());
    match (rule.and_then(|rule| explain::demand(keyword, &rule)), name.as_str()) {
        (Some(demand), name) if !name.is_empty() => {
            let path = &violation.instance_path;
            let got = explain::got_value(name, value.pointer(path), typed(arguments, path), keyword);
            format!("`{name}` {demand}{got}")
        }
        (_, "") => format!("the arguments as a whole: breaks `{keyword}` of {schema_part}"),
        (_, name) => format!("`{name}` breaks `{keyword}` of {schema_part}"),
    }
}

/// A number at the top of the arguments with the digits that were typed.
fn typed(arguments: &RawJson, path: &str) -> Option<String> {
    let name = path.strip_prefix('/')?;
    let members = arguments.members().ok()?;
    let (_, value) = members.into_iter().find(|(member, _)| member == name)?;
    let text = value.text().trim();
    text.starts_with(|first: char| first == '-' || first.is_ascii_digit()).then(|| text.to_owned())
}

/// `/filter/tags/0` as `filter.tags[0]`.
fn dotted(pointer: &str) -> String {
    let mut name = String::new();
    for step in pointer.split('/').skip(1) {
        let step = step.replace("~1", "/").replace("~0", "~");
        match step.parse::<usize>() {
            Ok(index) if !name.is_empty() => name.push_str(&format!("[{index}]")),
            _ if name.is_empty() => name = step,
            _ => name.push_str(&format!(".{step}")),
        }
    }
    name
}
