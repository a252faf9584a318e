//! Tool arguments from the command line: `k=v`, `k:=JSON` and `--args`.
//!
//! Values are never echoed in errors: they can be secrets.

mod check;
mod coerce;

use mortise_contract::json::JsonKind;
use mortise_contract::shape::Field;
use mortise_contract::{RawJson, Shape};
use serde_json::Value;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::find::nearest;
use crate::json_text::JsonObject;

pub(crate) use check::check;

/// One `k=v` or `k:=JSON`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    name: String,
    value: PairValue,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum PairValue {
    /// Read by the declared type of the property.
    Text(String),
    /// JSON, sent as it is.
    Json(String),
}

impl Pair {
    /// Reads one word of the command line; `:=@FILE` was replaced by the file's text already.
    pub(crate) fn parse(word: &str) -> Result<Self, Failure> {
        let Some((name, value)) = word.split_once('=').filter(|(name, _)| !matches!(*name, "" | ":")) else {
            return Err(Failure::new(Exit::Usage, "an argument is neither `name=value` nor `name:=JSON`")
                .hint("write `ticker=AMZN limit=4`, or give all arguments at once: --args '{\"ticker\": \"AMZN\"}'"));
        };
        match name.strip_suffix(':') {
            None => Ok(Self { name: name.to_owned(), value: PairValue::Text(value.to_owned()) }),
            Some(name) => match RawJson::parse(value) {
                Ok(json) => {
                    Ok(Self { name: name.to_owned(), value: PairValue::Json(json.text().to_owned()) })
                }
                Err(error) => Err(Failure::new(Exit::Usage, format!("the value of `{name}:=` is not JSON"))
                    .because(&error)
                    .hint(format!(
                        "for plain text write `{name}=TEXT`; quote JSON for the shell: {name}:='[1, 2]'"
                    ))),
            },
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
                coerce::coerce(declared, text).ok_or_else(|| wrong_type(&pair.name, declared))?
            }
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
    match shape {
        Shape::Object { fields, .. } => fields.iter().find(|field| field.name == name),
        Shape::Intersection(members) | Shape::Union(members) => {
            members.iter().find_map(|member| field(member, name))
        }
        _ => None,
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

fn wrong_type(name: &str, declared: &Shape) -> Failure {
    let wanted = declared.one_line(80);
    let failure = Failure::new(Exit::Usage, format!("the argument `{name}` must be {wanted}"));
    match coerce::takes_json(declared) {
        true => failure.hint(format!("give JSON, quoted for the shell: {name}='{{…}}'")),
        false => failure,
    }
}

/// The members of an `--args` object, in order, each as it was written; a repeated key keeps its last value.
fn read_base(text: &str) -> Result<Vec<(String, String)>, Failure> {
    let refused = || {
        Failure::new(Exit::Usage, "--args is not a JSON object")
            .hint("write --args '{\"name\": \"value\"}', --args @FILE or --args - for stdin")
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
