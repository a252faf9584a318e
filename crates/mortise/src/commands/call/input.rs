//! Where arguments come from: words, a file, stdin.

use crate::arguments::Pair;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input;

/// The JSON of `--args`: itself, `@FILE` or `-`.
pub(super) async fn base(argument: &str) -> Result<String, Failure> {
    match argument.strip_prefix('@') {
        Some(path) => file(path).await,
        None if argument == "-" => stdin().await,
        None => Ok(argument.to_owned()),
    }
}

/// One `k=v`, `k:=JSON` or `k:=@FILE`.
pub(super) async fn pair(word: &str) -> Result<Pair, Failure> {
    match word.split_once(":=@") {
        // Not the `:=@` inside of a value.
        Some((name, path)) if !name.contains('=') => Pair::parse(&format!("{name}:={}", file(path).await?)),
        _ => Pair::parse(word),
    }
}

async fn file(path: &str) -> Result<String, Failure> {
    if path == "-" {
        return stdin().await;
    }
    input::read_aside(path)
        .await
        .map_err(|error| Failure::new(Exit::Usage, format!("cannot read `{path}`")).because(&error))
}

async fn stdin() -> Result<String, Failure> {
    input::read_aside("-")
        .await
        .map_err(|error| Failure::new(Exit::Usage, "cannot read the arguments from stdin").because(&error))
}
