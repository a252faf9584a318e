//! Which argument of a tool each word of the command line means.

use std::iter::Peekable;
use std::vec::IntoIter;

use mortise_contract::shape::Field;
use mortise_contract::{Contract, Shape};
use serde_json::Value;

use super::{ArgumentNames, Pair, coerce, explain, fields, read_base};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::find::{CorrectedCall, nearest};
use crate::shell_word::shell_word;

/// A word after the name of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ArgumentWord {
    /// `name=value`.
    Named(Pair),
    /// `--name` or `--name=value`.
    Option {
        /// The name as it was typed, without dashes.
        name: String,
        /// What stands after `=`.
        value: Option<String>,
    },
    /// A value without a name.
    Bare(String),
}

/// What the words of a call are compared with.
pub(crate) struct Binding<'a> {
    /// The tool as the user named it.
    pub(crate) tool: &'a str,
    /// What it declares.
    pub(crate) contract: &'a Contract,
    /// Our own options, which a misspelt one may mean.
    pub(crate) our_options: &'a [String],
    /// Whether unknown names are refused.
    pub(crate) names: ArgumentNames,
}

/// Finds the argument that each word means, in the order of the words.
pub(crate) fn bind(
    binding: &Binding<'_>,
    base: Option<&str>,
    words: Vec<ArgumentWord>,
) -> Result<Vec<Pair>, Failure> {
    let shape = binding.contract.input_schema().map_or(Shape::Any, Shape::of);
    let (mut pairs, mut bare) = (Vec::new(), Vec::new());
    let mut words = words.into_iter().peekable();
    while let Some(word) = words.next() {
        match word {
            ArgumentWord::Named(pair) => pairs.push(pair),
            ArgumentWord::Bare(value) => bare.push(value),
            ArgumentWord::Option { name, value } => {
                pairs.push(option(binding, &shape, &name, value, &mut words)?);
            }
        }
    }
    if bare.is_empty() {
        return Ok(pairs);
    }
    let mut given: Vec<String> = pairs.iter().map(|pair| pair.name.clone()).collect();
    if let Some(base) = base {
        given.extend(read_base(base)?.into_iter().map(|(name, _)| name));
    }
    let only = only_missing(&shape, &given)
        .filter(|field| bare.len() == 1 || coerce::is_array(&field.shape))
        .ok_or_else(|| nameless(binding, &shape, &bare))?;
    pairs.extend(bare.into_iter().map(|value| Pair::text(&only.name, value)));
    Ok(pairs)
}

/// A call of the tool with its required arguments, for a message: `mortise call add a=1 b=NUMBER`, where `a` is known.
///
/// `known` holds JSON. Numbers and the like are shown everywhere, text only to the person who typed it.
pub(crate) fn example(tool: &str, contract: &Contract, known: &[(String, String)]) -> CorrectedCall {
    let shape = contract.input_schema().map_or(Shape::Any, Shape::of);
    let all = fields(&shape);
    let value = |field: &Field| known.iter().find(|(name, _)| *name == field.name).map(|(_, value)| value);
    let mut shown: Vec<&Field> =
        all.iter().copied().filter(|field| field.required || value(field).is_some()).collect();
    if shown.is_empty() {
        shown = all.into_iter().take(1).collect();
    }
    let start = format!("mortise call {tool}");
    let mut call = CorrectedCall { typed: start.clone(), elsewhere: start };
    for field in shown {
        let (typed, elsewhere) = words_of(field, value(field).map(String::as_str));
        call.typed.push_str(&typed);
        call.elsewhere.push_str(&elsewhere);
    }
    call
}

/// ` name=value` for the person who typed it, and for others.
fn words_of(field: &Field, value: Option<&str>) -> (String, String) {
    let name = &field.name;
    let placeholder = format!(" {name}={}", explain::placeholder(&field.shape));
    let quoted = |word: String| format!(" {}", shell_word(&word));
    match value.map(|value| (value, serde_json::from_str::<Value>(value).ok())) {
        Some((_, Some(Value::String(text)))) => (quoted(format!("{name}={text}")), placeholder),
        Some((value, Some(Value::Array(_) | Value::Object(_)))) => {
            (quoted(format!("{name}:={value}")), placeholder)
        }
        Some((value, Some(_))) => (format!(" {name}={value}"), format!(" {name}={value}")),
        Some((_, None)) | None => (placeholder.clone(), placeholder),
    }
}

/// `--name value`, `--name=value`, and `--name` or `--no-name` for one that is true or false.
fn option(
    binding: &Binding<'_>,
    shape: &Shape,
    name: &str,
    value: Option<String>,
    words: &mut Peekable<IntoIter<ArgumentWord>>,
) -> Result<Pair, Failure> {
    let known = named(shape, name);
    let negated = name.strip_prefix("no-").and_then(|name| named(shape, name));
    let is_switch = |field: &Field| coerce::coerce(&field.shape, "true").as_deref() == Some("true");
    if let (None, None, Some(field)) = (known, &value, negated.filter(|field| is_switch(field))) {
        return Ok(Pair::text(&field.name, "false"));
    }
    if known.is_none() && binding.names == ArgumentNames::Declared {
        refuse_unknown(binding, shape, name)?;
    }
    let own = known.map_or(name, |field| field.name.as_str());
    let is_value = |word: &ArgumentWord| match (word, known) {
        (ArgumentWord::Bare(value), Some(field)) if is_switch(field) => {
            coerce::coerce(&field.shape, value).is_some()
        }
        (ArgumentWord::Bare(_), _) => true,
        // `--query a=b`: the value has an equals sign in it.
        _ => false,
    };
    let value = value.or_else(|| match words.next_if(is_value) {
        Some(ArgumentWord::Bare(value)) => Some(value),
        _ => None,
    });
    match (value, known) {
        (Some(value), _) => Ok(Pair::text(own, value)),
        (None, Some(field)) if !is_switch(field) => {
            let placeholder = explain::placeholder(&field.shape);
            Err(Failure::new(Exit::Usage, format!("`--{name}` has no value"))
                .hint(format!("write --{name} {placeholder}, or {own}={placeholder}")))
        }
        (None, _) => Ok(Pair::text(own, "true")),
    }
}

/// The argument of this name, whether words in it are joined by `-`, `_` or a capital.
fn named<'a>(shape: &'a Shape, name: &str) -> Option<&'a Field> {
    let plain = |name: &str| name.replace(['-', '_'], "").to_lowercase();
    let fields = fields(shape);
    let exact = fields.iter().find(|field| field.name == name);
    exact.or_else(|| fields.iter().find(|field| plain(&field.name) == plain(name))).copied()
}

fn refuse_unknown(binding: &Binding<'_>, shape: &Shape, name: &str) -> Result<(), Failure> {
    let Err(failure) = super::check_name(binding.contract.input_schema(), shape, name) else { return Ok(()) };
    let fields = fields(shape);
    let is_argument = nearest(name, fields.iter().map(|field| field.name.as_str())).is_some();
    match nearest(name, binding.our_options.iter().map(String::as_str)) {
        Some(ours) if !is_argument => {
            let message = format!("neither the tool nor mortise has an option `--{name}`");
            Err(Failure::new(Exit::Usage, message).hint(format!("did you mean `--{ours}`?")))
        }
        _ => Err(failure),
    }
}

/// The one argument that a value without a name can mean.
fn only_missing<'a>(shape: &'a Shape, given: &[String]) -> Option<&'a Field> {
    let missing: Vec<&Field> =
        fields(shape).into_iter().filter(|field| !given.contains(&field.name)).collect();
    let required: Vec<&Field> = missing.iter().copied().filter(|field| field.required).collect();
    match (required.as_slice(), missing.as_slice()) {
        ([only], _) | ([], [only]) => Some(only),
        _ => None,
    }
}

fn nameless(binding: &Binding<'_>, shape: &Shape, bare: &[String]) -> Failure {
    let tool = binding.tool;
    let looked_up = format!("`mortise tools {tool}` shows what it takes");
    let fields = fields(shape);
    match fields.len() {
        0 => Failure::new(Exit::Usage, format!("`{tool}` takes no arguments")).hint(looked_up),
        count => {
            let message = format!("a value has no name, and `{tool}` takes {count} arguments");
            let call = example(tool, binding.contract, &in_order(&fields, bare));
            Failure::new(Exit::Usage, message)
                .typed_hint(
                    format!("name each value: {}", call.typed),
                    format!("name each value: {}", call.elsewhere),
                )
                .hint(looked_up)
        }
    }
}

/// Values without names as those of the required arguments, if there are as many and all fit.
fn in_order(fields: &[&Field], bare: &[String]) -> Vec<(String, String)> {
    let required: Vec<&Field> = fields.iter().copied().filter(|field| field.required).collect();
    if required.len() != bare.len() {
        return Vec::new();
    }
    let read =
        |(field, text): (&&Field, &String)| Some((field.name.clone(), coerce::coerce(&field.shape, text)?));
    required.iter().zip(bare).map(read).collect::<Option<_>>().unwrap_or_default()
}

#[cfg(test)]
mod tests;
