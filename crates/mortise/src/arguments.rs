//! Tool arguments from the command line: `name=value`, `--name value`, `name:=JSON` and one JSON object.
//!
//! Values of arguments that take text are never echoed in errors: they can be secrets.

mod bind;
mod check;
mod coerce;
mod explain;
mod form;

use mortise_contract::json::JsonKind;
use mortise_contract::shape::Field;
use mortise_contract::{Contract, RawJson, Shape};
use serde_json::Value;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::find::nearest;
use crate::json_text::JsonObject;
use crate::shell_word::shell_word;

pub(crate) use bind::{ArgumentWord, Binding, bind};
pub(crate) use check::check;
pub(crate) use form::ask;

/// A call of the tool with its required arguments, for a message: `mortise call add a=NUMBER b=NUMBER`.
pub(crate) fn example(tool: &str, contract: &Contract) -> String {
    bind::example(tool, contract, &[]).elsewhere
}

/// One argument with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    name: String,
    value: PairValue,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum PairValue {
    /// Read by the declared type of the property.
    Text(String),
    /// The text of a file, read by the declared type of the property.
    File(String),
    /// JSON, sent as it is.
    Json(String),
}

impl Pair {
    /// `name=value`.
    pub(crate) fn text(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self { name: name.into(), value: PairValue::Text(value.into()) }
    }

    /// `name=@FILE`, with what the file holds.
    pub(crate) fn file(name: impl Into<String>, text: String) -> Self {
        Self { name: name.into(), value: PairValue::File(text) }
    }

    /// `name:=JSON`.
    pub(crate) fn json(name: &str, json: &str) -> Result<Self, Failure> {
        match RawJson::parse(json) {
            Ok(json) => Ok(Self { name: name.to_owned(), value: PairValue::Json(json.text().to_owned()) }),
            Err(error) => Err(Failure::new(Exit::Usage, format!("the value of `{name}:=` is not JSON"))
                .because(&error)
                .typed_hint(
                    format!(
                        "for plain text write {}; quote JSON for the shell: {name}:='[1, 2]'",
                        shell_word(&format!("{name}={json}"))
                    ),
                    format!("for plain text write {name}=TEXT; quote JSON for the shell: {name}:='[1, 2]'"),
                )),
        }
    }
}

/// Whether names that the tool does not declare are refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArgumentNames {
    /// Refused, unless the schema says that it takes others.
    Declared,
    /// Sent as they are.
    Free,
}

/// Puts the arguments of one call together: `base`, then `pairs` over it, digits as they were typed.
pub(crate) fn assemble(
    schema: Option<&Value>,
    base: Option<&str>,
    pairs: &[Pair],
    names: ArgumentNames,
) -> Result<RawJson, Failure> {
    let shape = schema.map_or(Shape::Any, Shape::of);
    let mut members = match base {
        Some(text) => read_base(text)?,
        None => Vec::new(),
    };
    let base_members = members.len();
    for pair in pairs {
        let field = field(&shape, &pair.name);
        if field.is_none() && names == ArgumentNames::Declared {
            check_name(schema, &shape, &pair.name)?;
        }
        let declared = field.map_or(&Shape::Any, |field| &field.shape);
        let value = match &pair.value {
            PairValue::Json(json) => json.clone(),
            PairValue::Text(text) => {
                coerce::coerce(declared, text).ok_or_else(|| wrong_type(&pair.name, declared, Some(text)))?
            }
            PairValue::File(text) => coerce::coerce(declared, text)
                .or_else(|| coerce::coerce(declared, text.trim()))
                .ok_or_else(|| wrong_type(&pair.name, declared, None))?,
        };
        match members.iter().position(|(name, _)| *name == pair.name) {
            None => members.push((pair.name.clone(), value)),
            Some(index) if index < base_members => members[index].1 = value,
            Some(index) => members[index].1 = appended(declared, &pair.name, &members[index].1, &value)?,
        }
    }
    let mut object = JsonObject::default();
    for (name, value) in &members {
        object.raw(name, value);
    }
    RawJson::parse(&object.finish())
        .map_err(|error| Failure::new(Exit::Usage, "the arguments are not JSON").because(&error))
}

/// `paths=a paths=b` is `["a", "b"]` where the tool wants an array; anything else can't be said twice.
fn appended(declared: &Shape, name: &str, before: &str, value: &str) -> Result<String, Failure> {
    let inner = |text: &str| {
        let inner = text.trim().strip_prefix('[')?.strip_suffix(']')?.trim();
        Some(inner.to_owned())
    };
    match (coerce::is_array(declared), inner(before), inner(value)) {
        (true, Some(first), Some(second)) if !first.is_empty() => Ok(format!("[{first},{second}]")),
        _ => Err(Failure::new(Exit::Usage, format!("the argument `{name}` is given twice"))),
    }
}

fn field<'a>(shape: &'a Shape, name: &str) -> Option<&'a Field> {
    fields(shape).into_iter().find(|field| field.name == name)
}

/// The arguments that a tool declares, those of all branches together.
fn fields(shape: &Shape) -> Vec<&Field> {
    match shape {
        Shape::Object { fields, .. } => fields.iter().collect(),
        Shape::Intersection(members) | Shape::Union(members) => members.iter().flat_map(fields).collect(),
        _ => Vec::new(),
    }
}

/// A name that is not declared is most likely misspelt, and many servers would ignore it silently.
fn check_name(schema: Option<&Value>, shape: &Shape, name: &str) -> Result<(), Failure> {
    let (Some(schema), Shape::Object { fields, rest: None }) = (schema, shape) else {
        return Ok(());
    };
    if fields.is_empty() && schema.get("additionalProperties") != Some(&Value::Bool(false)) {
        return Ok(());
    }
    if schema.get("additionalProperties") == Some(&Value::Bool(true)) {
        return Ok(());
    }
    let known: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
    let failure = Failure::new(Exit::Usage, format!("the tool has no argument `{name}`"));
    Err(match nearest(name, known.iter().copied()) {
        Some(near) => failure.hint(format!("did you mean `{near}`?")),
        None if known.is_empty() => failure.hint("it takes no arguments"),
        None => failure.hint(format!("it takes {}", known.join(", "))),
    }
    .hint("--no-validate sends it anyway"))
}

fn wrong_type(name: &str, declared: &Shape, typed: Option<&str>) -> Failure {
    let takes_json = coerce::takes_json(declared);
    let got = typed.filter(|_| !takes_json).map(|typed| explain::got_text(name, typed)).unwrap_or_default();
    let message = format!("`{name}` must be {}", explain::wanted(declared));
    let failure = Failure::new(Exit::Usage, message).typed(got);
    let choices = explain::choices(declared);
    if let Some(near) = typed.and_then(|typed| nearest(typed, choices.iter().map(String::as_str))) {
        return failure.hint(format!("did you mean `{name}={near}`?"));
    }
    match takes_json {
        true => failure
            .hint(format!("give JSON, quoted for the shell: {name}='{}'", explain::json_example(declared))),
        false => failure,
    }
}

/// The members of a JSON object, in order, each as it was written; a repeated key keeps its last value.
fn read_base(text: &str) -> Result<Vec<(String, String)>, Failure> {
    let refused = || {
        Failure::new(Exit::Usage, "the arguments are not a JSON object").hint(
            "quote the object for the shell: '{\"name\": \"value\"}'; or name a file: @FILE, - for stdin",
        )
    };
    let json = RawJson::parse(text).map_err(|error| refused().because(&error))?;
    if json.kind() != JsonKind::Object {
        return Err(refused());
    }
    let mut members: Vec<(String, String)> = Vec::new();
    for (name, value) in json.members().map_err(|error| refused().because(&error))? {
        let value = value.text().to_owned();
        match members.iter_mut().find(|(known, _)| *known == name) {
            Some(known) => known.1 = value,
            None => members.push((name, value)),
        }
    }
    Ok(members)
}

#[cfg(test)]
mod tests;
