//! Where arguments come from: words, a file, stdin.

use std::path::Path;

use tokio::io::AsyncReadExt as _;

use crate::arguments::Pair;
use crate::exit::Exit;
use crate::failure::Failure;

/// The largest file or input that is read: what fits one frame.
const LIMIT: u64 = 64 * 1024 * 1024;

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
    let failed =
        |error: std::io::Error| Failure::new(Exit::Usage, format!("cannot read `{path}`")).because(&error);
    let file = tokio::fs::File::open(Path::new(path)).await.map_err(failed)?;
    read(file).await.map_err(failed)
}

async fn stdin() -> Result<String, Failure> {
    read(tokio::io::stdin())
        .await
        .map_err(|error| Failure::new(Exit::Usage, "cannot read the arguments from stdin").because(&error))
}

async fn read(input: impl tokio::io::AsyncRead + Unpin) -> std::io::Result<String> {
    let mut text = String::new();
    let length = input.take(LIMIT + 1).read_to_string(&mut text).await?;
    match length as u64 > LIMIT {
        true => Err(std::io::Error::new(
            std::io::ErrorKind::FileTooLarge,
            format!("it is larger than {LIMIT} bytes"),
        )),
        false => Ok(text),
    }
}
