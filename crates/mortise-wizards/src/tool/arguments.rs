//! Arguments of a call: which one is wrong, and why.

use mortise_contract::schema::{CompiledSchema, Validation};
use mortise_contract::text::nearest;
use mortise_contract::verdict::Violation;
use mortise_formats::format::{ErrorBody, ErrorCode};
use serde_json::{Map, Value};

/// The arguments without nulls, which mean absent, or everything that is wrong with them.
pub(super) fn check(accepts: &CompiledSchema, schema: &Value, arguments: Value) -> Result<Value, ErrorBody> {
    let arguments = without_nulls(arguments);
    match accepts.validate(&arguments) {
        Validation::Valid => Ok(arguments),
        Validation::Invalid { violations, .. } => {
            let bodies = violations.iter().flat_map(|violation| explain(schema, &arguments, violation));
            Err(ErrorBody::of_many(bodies)
                .unwrap_or_else(|| unmatched("the arguments do not fit the input schema")))
        }
        Validation::Unchecked { reason } => {
            Err(unmatched(&format!("the arguments can't be checked: {reason}")))
        }
    }
}

fn unmatched(reason: &str) -> ErrorBody {
    ErrorBody::new(ErrorCode::ParamRange, reason, "compare the arguments with the tool's input schema")
}

/// Arguments that fit the schema and still are no input: a bound that the schema can't say.
pub(super) fn unreadable(error: serde_json::Error) -> ErrorBody {
    ErrorBody::new(
        ErrorCode::ParamType,
        format!("the arguments can't be read: {error}"),
        "compare the arguments with the tool's input schema",
    )
}

/// Null equals absent, at every depth.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(members) => Value::Object(
            members
                .into_iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(name, value)| (name, without_nulls(value)))
                .collect(),
        ),
        Value::Array(items) => Value::Array(items.into_iter().map(without_nulls).collect()),
        other => other,
    }
}

fn explain(schema: &Value, arguments: &Value, violation: &Violation) -> Vec<ErrorBody> {
    let place = dotted(&violation.instance_path);
    let owner = violation.schema_path.rsplit_once('/').and_then(|(owner, _)| resolve(schema, owner));
    match violation.keyword.as_str() {
        "additionalProperties" | "unevaluatedProperties" => {
            unknown(&place, owner, arguments.pointer(&violation.instance_path))
        }
        "required" => missing(&place, owner, arguments.pointer(&violation.instance_path)),
        "type" => vec![located(
            ErrorCode::ParamType,
            &place,
            &violation.message,
            format!("give {} in the declared type", named(&place)),
        )],
        _ => {
            let allowed = owner.and_then(|owner| owner.get("enum")).and_then(Value::as_array);
            let suggestion = match allowed {
                Some(values) => {
                    let values: Vec<String> =
                        values.iter().map(|value| format!("`{}`", plain(value))).collect();
                    format!("use one of {}", values.join(", "))
                }
                None => format!("give {} a value within the declared bounds", named(&place)),
            };
            vec![located(ErrorCode::ParamRange, &place, &violation.message, suggestion)]
        }
    }
}

fn unknown(place: &str, owner: Option<&Value>, value: Option<&Value>) -> Vec<ErrorBody> {
    let declared = properties(owner);
    let Some(Value::Object(members)) = value else { return Vec::new() };
    members
        .keys()
        .filter(|name| declared.is_none_or(|declared| !declared.contains_key(*name)))
        .map(|name| {
            let near = declared.and_then(|declared| nearest(name, declared.keys().map(String::as_str)));
            let suggestion = match (near, declared) {
                (Some(near), _) => format!("did you mean `{near}`?"),
                (None, Some(declared)) if !declared.is_empty() => {
                    let names: Vec<String> = declared.keys().map(|name| format!("`{name}`")).collect();
                    format!("leave it out; known are {}", names.join(", "))
                }
                _ => "leave it out".to_owned(),
            };
            let field = join(place, name);
            ErrorBody::new(ErrorCode::ParamUnknown, format!("there is no argument `{field}`"), suggestion)
                .at_field(field)
        })
        .collect()
}

fn missing(place: &str, owner: Option<&Value>, value: Option<&Value>) -> Vec<ErrorBody> {
    let required = owner.and_then(|owner| owner.get("required")).and_then(Value::as_array);
    let absent = |name: &&str| value.and_then(|value| value.get(*name)).is_none();
    required
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .filter(absent)
        .map(|name| {
            let field = join(place, name);
            let about = properties(owner)
                .and_then(|properties| properties.get(name)?.get("description")?.as_str())
                .map(|about| format!(": {about}"))
                .unwrap_or_default();
            ErrorBody::new(
                ErrorCode::ParamMissing,
                format!("the argument `{field}` is required and absent"),
                format!("add `{field}`{about}"),
            )
            .at_field(field)
        })
        .collect()
}

fn properties(owner: Option<&Value>) -> Option<&Map<String, Value>> {
    owner?.get("properties")?.as_object()
}

fn located(code: ErrorCode, place: &str, message: &str, suggestion: String) -> ErrorBody {
    let body = ErrorBody::new(code, format!("{}: {message}", named(place)), suggestion);
    if place.is_empty() { body } else { body.at_field(place) }
}

fn named(place: &str) -> String {
    if place.is_empty() { "the arguments".to_owned() } else { format!("`{place}`") }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn join(place: &str, name: &str) -> String {
    if place.is_empty() { name.to_owned() } else { format!("{place}.{name}") }
}

/// The subschema at a pointer that may lead through references.
fn resolve<'a>(schema: &'a Value, pointer: &str) -> Option<&'a Value> {
    let mut current = schema;
    for part in pointer.split('/').skip(1) {
        let part = part.replace("~1", "/").replace("~0", "~");
        current = match part.as_str() {
            "$ref" => schema.pointer(current.get("$ref")?.as_str()?.strip_prefix('#')?)?,
            part => match current {
                Value::Array(items) => items.get(part.parse::<usize>().ok()?)?,
                other => other.get(part)?,
            },
        };
    }
    Some(current)
}

/// `/rules/0/extract` as `rules[0].extract`.
fn dotted(pointer: &str) -> String {
    let mut path = String::new();
    for part in pointer.split('/').skip(1) {
        let part = part.replace("~1", "/").replace("~0", "~");
        match part.parse::<usize>() {
            Ok(index) => path.push_str(&format!("[{index}]")),
            Err(_) if path.is_empty() => path = part,
            Err(_) => {
                path.push('.');
                path.push_str(&part);
            }
        }
    }
    path
}
