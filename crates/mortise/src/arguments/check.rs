//! Arguments against the input schema, before anything is sent.

use mortise_contract::arguments::{ArgumentCheck, ArgumentViolation, check_arguments};
use mortise_contract::schema::SchemaOptions;
use mortise_contract::{Contract, RawJson, SchemaCache};

use crate::exit::Exit;
use crate::failure::Failure;

/// Refuses arguments that the tool's own schema does not accept; what can't be checked is sent.
pub(crate) fn check(contract: &Contract, arguments: &RawJson) -> Result<(), Failure> {
    // A number that no float can hold can't be checked, and is the server's to judge.
    let Ok(value) = arguments.value() else { return Ok(()) };
    let found = check_arguments(contract, &value, &SchemaOptions::default(), &SchemaCache::default());
    let ArgumentCheck::Invalid { violations, total } = found else { return Ok(()) };
    let mut message = format!("the arguments do not fit what `{}` takes", contract.name);
    for violation in &violations {
        message.push_str("\n  ");
        message.push_str(&describe(violation));
    }
    if total > violations.len() {
        message.push_str(&format!("\n  and {} more", total - violations.len()));
    }
    Err(Failure::new(Exit::Usage, message)
        .hint(format!("`mortise inspect {}` shows what it takes", contract.name))
        .hint("--no-validate sends them anyway"))
}

/// Keywords whose message names properties and never a value.
const NAMES_ONLY: &[&str] =
    &["required", "dependentRequired", "additionalProperties", "unevaluatedProperties"];

/// Where, and what the schema wants there; the value itself stays out, it can be a secret.
fn describe(ArgumentViolation { violation, schema_part }: &ArgumentViolation) -> String {
    let keyword = violation.keyword.as_str();
    match (violation.instance_path.as_str(), NAMES_ONLY.contains(&keyword)) {
        ("", true) => violation.message.clone(),
        (path, true) => format!("`{path}`: {}", violation.message),
        ("", false) => format!("the arguments as a whole: breaks `{keyword}` of {schema_part}"),
        (path, false) => format!("`{path}`: breaks `{keyword}` of {schema_part}"),
    }
}
