//! The words of the modes on the command line, with what they mean.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use mortise_contract::{CheckMode, LockMode, Mode};

/// What happens to results that break their contract.
pub(crate) fn results() -> impl TypedValueParser<Value = Mode> {
    // Without their meanings: an option of every command would make every help long.
    words(Mode::ALL, Mode::as_str, |mode| PossibleValue::new(mode.as_str()))
}

/// How strictly a program is checked before it runs.
pub(crate) fn check() -> impl TypedValueParser<Value = CheckMode> {
    let shown = |mode: CheckMode| PossibleValue::new(mode.as_str()).help(mode.meaning());
    words(CheckMode::ALL, CheckMode::as_str, shown)
}

/// What happens to tools that are not as the lock file records them.
pub(crate) fn lock() -> impl TypedValueParser<Value = LockMode> {
    let shown = |mode: LockMode| PossibleValue::new(mode.as_str()).help(mode.meaning());
    words(LockMode::ALL, LockMode::as_str, shown)
}

fn words<M: Copy + Send + Sync + 'static>(
    [first, second, third]: [M; 3],
    word: fn(M) -> &'static str,
    shown: fn(M) -> PossibleValue,
) -> impl TypedValueParser<Value = M> {
    PossibleValuesParser::new([first, second, third].map(shown)).map(move |given| match given {
        given if given == word(first) => first,
        given if given == word(second) => second,
        _ => third,
    })
}
