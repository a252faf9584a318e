//! The grammar of semantic expressions: names with arguments, joined by `>`.

use mortise_formats::format::{ErrorBody, ErrorCode};
use winnow::combinator::{alt, cut_err, delimited, eof, opt, preceded, repeat, separated, terminated};
use winnow::error::{ContextError, StrContext, StrContextValue};
use winnow::prelude::*;
use winnow::stream::{LocatingSlice, Location as _};
use winnow::token::{one_of, take_while};

type Input<'a> = LocatingSlice<&'a str>;

pub(super) const EXPRESSION_LIMIT: usize = 1024;

/// A step before its name is looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RawStep {
    AnyDepth,
    Named(RawCall),
}

/// A name with its arguments, and the column where it stands, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RawCall {
    pub(super) name: String,
    pub(super) arguments: Vec<String>,
    pub(super) column: u32,
}

/// The steps of an expression, or where it stops being one.
pub(super) fn parse(text: &str) -> Result<Vec<(RawStep, u32)>, ErrorBody> {
    if text.chars().count() > EXPRESSION_LIMIT {
        let reason = format!("the expression has more than {EXPRESSION_LIMIT} characters");
        return Err(failure(1, reason, "shorten the expression"));
    }
    let steps = expression.parse(LocatingSlice::new(text)).map_err(|error| {
        let rest = text.get(error.offset()..).unwrap_or_default();
        let found = match rest.chars().next() {
            Some(character) => format!("found `{}`", character.escape_debug()),
            None => "the expression ends".to_owned(),
        };
        let expected = expected(error.inner());
        failure(
            column(text, error.offset()),
            format!("{found}; expected {expected}"),
            "write steps as `name` or `name(argument, …)`, joined by `>`",
        )
    })?;
    Ok(steps
        .into_iter()
        .map(|(step, offset)| {
            let column = column(text, offset);
            match step {
                RawStep::Named(call) => (RawStep::Named(RawCall { column, ..call }), column),
                RawStep::AnyDepth => (RawStep::AnyDepth, column),
            }
        })
        .collect())
}

/// An error at a column, from 1.
pub(super) fn failure(column: u32, reason: impl Into<String>, suggestion: impl Into<String>) -> ErrorBody {
    ErrorBody::new(ErrorCode::ExpressionParse, reason, suggestion).at_field("expression").at_column(column)
}

fn column(text: &str, offset: usize) -> u32 {
    let before = text.get(..offset).unwrap_or(text).chars().count();
    u32::try_from(before).unwrap_or(u32::MAX).saturating_add(1)
}

fn expected(error: &ContextError) -> String {
    let wanted: Vec<String> = error
        .context()
        .filter_map(|context| match context {
            StrContext::Expected(value) => Some(value.to_string()),
            _ => None,
        })
        .collect();
    if wanted.is_empty() { "`>` or the end".to_owned() } else { wanted.join(" or ") }
}

fn expression(input: &mut Input<'_>) -> ModalResult<Vec<(RawStep, usize)>> {
    let first = located_step(input)?;
    let next = preceded((space, '>'), cut_err(located_step));
    let mut steps: Vec<(RawStep, usize)> = terminated(repeat(0.., next), (space, eof)).parse_next(input)?;
    steps.insert(0, first);
    Ok(steps)
}

fn located_step(input: &mut Input<'_>) -> ModalResult<(RawStep, usize)> {
    space(input)?;
    let offset = input.current_token_start();
    let named = (name, opt(arguments)).map(|(name, arguments)| {
        RawStep::Named(RawCall { name, arguments: arguments.unwrap_or_default(), column: 0 })
    });
    let step = alt(("**".value(RawStep::AnyDepth), named))
        .context(described("a step such as `files`"))
        .parse_next(input)?;
    Ok((step, offset))
}

fn name(input: &mut Input<'_>) -> ModalResult<String> {
    (one_of('a'..='z'), take_while(0.., ('a'..='z', '0'..='9', '_')))
        .take()
        .map(str::to_owned)
        .parse_next(input)
}

fn arguments(input: &mut Input<'_>) -> ModalResult<Vec<String>> {
    let one = delimited(space, cut_err(argument), space);
    let close = cut_err(')').context(described("`,` or `)`"));
    delimited((space, '('), separated(1.., one, ','), close).parse_next(input)
}

fn argument(input: &mut Input<'_>) -> ModalResult<String> {
    alt((ident, string)).context(described("a word or a quoted text")).parse_next(input)
}

fn ident(input: &mut Input<'_>) -> ModalResult<String> {
    let first = ('a'..='z', 'A'..='Z', '0'..='9', '_');
    let rest = ('a'..='z', 'A'..='Z', '0'..='9', '_', '-', '.');
    (one_of(first), take_while(0.., rest)).take().map(str::to_owned).parse_next(input)
}

fn string(input: &mut Input<'_>) -> ModalResult<String> {
    let plain = take_while(1.., |character| character != '"' && character != '\\').map(str::to_owned);
    let escaped = preceded('\\', one_of(['"', '\\'])).map(|character: char| character.to_string());
    let inner = repeat(0.., alt((plain, escaped))).fold(String::new, |mut text, part: String| {
        text.push_str(&part);
        text
    });
    let close = cut_err('"').context(described("a closing `\"`"));
    preceded('"', terminated(inner, close)).parse_next(input)
}

fn space(input: &mut Input<'_>) -> ModalResult<()> {
    take_while(0.., char::is_whitespace).void().parse_next(input)
}

fn described(what: &'static str) -> StrContext {
    StrContext::Expected(StrContextValue::Description(what))
}
