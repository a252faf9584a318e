//! Where arguments come from: words, a file, stdin.

use std::path::Path;

use mortise_contract::RawJson;
use mortise_contract::json::JsonKind;

use crate::arguments::{ArgumentWord, Pair};
use crate::cli::tool_options::MARK;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input;

/// The arguments of a call before they are held against what the tool takes.
#[derive(Debug, Default)]
pub(super) struct GivenArguments {
    /// All arguments as one JSON object.
    pub(super) base: Option<String>,
    /// The others, in order.
    pub(super) words: Vec<ArgumentWord>,
}

impl GivenArguments {
    /// Whether nothing was given.
    pub(super) fn is_empty(&self) -> bool {
        self.base.is_none() && self.words.is_empty()
    }
}

/// Reads `--args` and the words after the tool's name.
pub(super) async fn read(args: Option<&str>, words: &[&str]) -> Result<GivenArguments, Failure> {
    let mut given = GivenArguments::default();
    for argument in args.into_iter().chain(words.iter().copied().filter(|word| is_object(word))) {
        if given.base.is_some() {
            return Err(Failure::new(Exit::Usage, "more than one JSON object is given as the arguments")
                .hint("give one object, and change single arguments with name=value"));
        }
        given.base = Some(base(argument).await?);
    }
    for word in words.iter().filter(|word| !is_object(word)) {
        given.words.push(argument(word).await?);
    }
    Ok(given)
}

/// Whether a word is a value without a name: neither `name=value`, nor an option, nor the object of all arguments.
pub(super) fn is_bare(word: &str) -> bool {
    !is_object(word) && !word.starts_with(MARK) && name_and_value(word).is_none()
}

/// Whether a word stands for all arguments: a JSON object, `@FILE`, or `-` for stdin.
fn is_object(word: &str) -> bool {
    word == "-" || word.starts_with('{') || (word.starts_with('@') && word.len() > 1)
}

/// The JSON of all arguments: itself, `@FILE` or `-`.
async fn base(argument: &str) -> Result<String, Failure> {
    let (text, origin) = match argument.strip_prefix('@') {
        Some(path) => (file(path).await?, format!("`{path}`")),
        None if argument == "-" => (stdin().await?, "stdin".to_owned()),
        None => return Ok(argument.to_owned()),
    };
    let not_object = || Failure::new(Exit::Usage, format!("{origin} does not hold a JSON object"));
    match RawJson::parse(&text) {
        Ok(json) if json.kind() == JsonKind::Object => Ok(text),
        Ok(_) => Err(not_object().hint("write {\"name\": value, …}, with the names of the tool's arguments")),
        Err(error) => Err(not_object().because(&error)),
    }
}

async fn argument(word: &str) -> Result<ArgumentWord, Failure> {
    if let Some(marked) = word.strip_prefix(MARK) {
        return option(marked).await;
    }
    let Some((name, value)) = name_and_value(word) else {
        return Ok(ArgumentWord::Bare(word.to_owned()));
    };
    let pair = match (name.strip_suffix(':'), value.strip_prefix('@')) {
        (Some(name), Some(path)) => Pair::json(name, &file(path).await?)?,
        (Some(name), None) => Pair::json(name, value)?,
        (None, Some(path)) => Pair::file(name, value_file(name, path).await?),
        (None, None) => Pair::text(name, value),
    };
    Ok(ArgumentWord::Named(pair))
}

/// `--name`, `--name=value`, or a negative number.
async fn option(marked: &str) -> Result<ArgumentWord, Failure> {
    let Some(option) = marked.strip_prefix("--") else {
        return Ok(ArgumentWord::Bare(marked.to_owned()));
    };
    match option.split_once('=') {
        Some((name, value)) => match value.strip_prefix('@') {
            Some(path) => {
                Ok(ArgumentWord::Named(Pair::file(name.replace('-', "_"), value_file(name, path).await?)))
            }
            None => Ok(ArgumentWord::Option { name: name.to_owned(), value: Some(value.to_owned()) }),
        },
        None => Ok(ArgumentWord::Option { name: option.to_owned(), value: None }),
    }
}

/// `name=value` or `name:=value`, split; `None` if what stands before the first `=` can't be a name.
fn name_and_value(word: &str) -> Option<(&str, &str)> {
    word.split_once('=').filter(|(name, _)| {
        !matches!(*name, "" | ":")
            && !name.contains(|c: char| c.is_whitespace() || matches!(c, '/' | '?' | '"'))
    })
}

async fn value_file(name: &str, path: &str) -> Result<String, Failure> {
    file(path)
        .await
        .map_err(|failure| failure.hint(format!("for text that begins with @, write {name}:='\"@…\"'")))
}

async fn file(path: &str) -> Result<String, Failure> {
    if path == "-" {
        return stdin().await;
    }
    input::read_aside(path).await.map_err(|error| input::unreadable(Path::new(path), &error))
}

async fn stdin() -> Result<String, Failure> {
    input::read_aside("-")
        .await
        .map_err(|error| Failure::new(Exit::Usage, "cannot read the arguments from stdin").because(&error))
}
