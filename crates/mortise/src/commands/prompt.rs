//! `mortise prompt`: one prompt, filled in.

use clap::Args;
use mortise_client::{CallOptions, Upstream};
use mortise_contract::RawJson;
use serde_json::Value;

use crate::app::App;
use crate::commands::tools::offered::{self, Offered, OfferedList};
use crate::exit::Exit;
use crate::failure::{self, Failure};
use crate::find;
use crate::json_text::{self, JsonObject};
use crate::servers::{self, AdHocArgs, IfNone};
use crate::session::{self, StartFirst};
use crate::terminal::{Tint, escape};

/// Arguments of `mortise prompt`.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PromptArgs {
    /// The prompt: its name, or server/prompt
    name: String,
    /// What the prompt takes: name=value
    #[arg(value_name = "NAME=VALUE")]
    words: Vec<String>,
    #[command(flatten)]
    ad_hoc: AdHocArgs,
}

const EXAMPLES: &str = "\
Examples:
  mortise tools --prompts
  mortise prompt summarize topic=tides
  mortise prompt notes/summarize topic=tides --json";

/// A prompt that was found.
struct FoundPrompt {
    upstream: Upstream,
    name: String,
    declared: Value,
}

/// Prints the messages of the prompt.
pub(crate) fn run(app: &App, args: &PromptArgs) -> Result<Exit, Failure> {
    let servers = servers::choose(app, &args.ad_hoc, None, IfNone::TrySamples)?;
    session::run(app, servers, StartFirst::All, async |session| {
        let connected = session.connected().await;
        let lists = offered::lists(app, &connected, Offered::Prompts).await?;
        let prompt = find_prompt(&args.name, &lists)?;
        let arguments = arguments(args, &prompt.declared)?;
        let options = CallOptions::default();
        let result = prompt.upstream.get_prompt(&prompt.name, arguments.as_ref(), options).await;
        let result = result.map_err(|error| failure::upstream::call(&error))?;
        print(app, &prompt.upstream, &result)?;
        Ok(Exit::Ok)
    })
}

fn find_prompt(query: &str, lists: &[OfferedList]) -> Result<FoundPrompt, Failure> {
    let all: Vec<FoundPrompt> = lists
        .iter()
        .flat_map(|list| {
            list.elements.iter().filter_map(|element| {
                let declared = element.value().ok()?;
                let name = declared.get("name")?.as_str()?.to_owned();
                Some(FoundPrompt { upstream: list.upstream.clone(), name, declared })
            })
        })
        .collect();
    let qualified = |prompt: &FoundPrompt| format!("{}/{}", prompt.upstream.name(), prompt.name);
    let is_meant = |prompt: &&FoundPrompt| prompt.name == query || qualified(prompt) == query;
    let found: Vec<String> = all.iter().filter(is_meant).map(qualified).collect();
    let known: Vec<String> = all.iter().flat_map(|prompt| [prompt.name.clone(), qualified(prompt)]).collect();
    match found.as_slice() {
        [only] => {
            all.into_iter().find(|prompt| qualified(prompt) == *only).ok_or_else(|| unknown(query, &known))
        }
        [] => Err(unknown(query, &known)),
        several => Err(Failure::new(Exit::Usage, format!("several servers have a prompt `{query}`"))
            .hint(format!("use one of {}", several.join(", ")))),
    }
}

fn unknown(query: &str, known: &[String]) -> Failure {
    let failure = Failure::new(Exit::Usage, format!("there is no prompt `{query}`"));
    match find::nearest(query, known.iter().map(String::as_str)) {
        Some(near) => failure.hint(format!("did you mean `{near}`?")),
        None => failure.hint("`mortise tools --prompts` lists what there is"),
    }
}

/// The arguments as an object; every one is a text.
fn arguments(args: &PromptArgs, declared: &Value) -> Result<Option<RawJson>, Failure> {
    let declared: Vec<&Value> =
        declared.get("arguments").and_then(Value::as_array).into_iter().flatten().collect();
    let name_of =
        |argument: &Value| argument.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let names: Vec<String> = declared.iter().map(|argument| name_of(argument)).collect();
    let mut object = JsonObject::default();
    let mut given: Vec<&str> = Vec::new();
    for word in &args.words {
        let (name, value) = word.split_once('=').filter(|(name, _)| !name.is_empty()).ok_or_else(|| {
            Failure::new(Exit::Usage, "an argument of a prompt has no name")
                .hint(format!("write {}", example(args, &names)))
        })?;
        if !names.iter().any(|known| known == name) {
            let failure = Failure::new(Exit::Usage, format!("the prompt has no argument `{name}`"));
            return Err(match find::nearest(name, names.iter().map(String::as_str)) {
                Some(near) => failure.hint(format!("did you mean `{near}`?")),
                None if names.is_empty() => failure.hint("it takes no arguments"),
                None => failure.hint(format!("it takes {}", names.join(", "))),
            });
        }
        object.text(name, value);
        given.push(name);
    }
    let is_required = |argument: &Value| argument.get("required").and_then(Value::as_bool).unwrap_or(false);
    let missing: Vec<String> = declared
        .iter()
        .filter(|argument| is_required(argument))
        .map(|argument| name_of(argument))
        .filter(|name| !given.contains(&name.as_str()))
        .collect();
    if let Some(first) = missing.first() {
        return Err(Failure::new(Exit::Usage, format!("the prompt needs `{first}`"))
            .hint(format!("for example: {}", example(args, &missing))));
    }
    match given.is_empty() {
        true => Ok(None),
        false => RawJson::parse(&object.finish())
            .map(Some)
            .map_err(|error| Failure::new(Exit::Usage, "the arguments are not JSON").because(&error)),
    }
}

fn example(args: &PromptArgs, names: &[String]) -> String {
    let words: Vec<String> = names.iter().map(|name| format!(" {name}=TEXT")).collect();
    format!("mortise prompt {}{}", args.name, words.concat())
}

fn print(app: &App, upstream: &Upstream, result: &RawJson) -> Result<(), Failure> {
    if app.global.json {
        let mut added = JsonObject::default();
        added.text("server", upstream.name().as_str());
        return app.print_json(&json_text::extend(result.text(), &mut added));
    }
    let value = result.value().unwrap_or_default();
    let mut out = String::new();
    for message in value.get("messages").and_then(Value::as_array).into_iter().flatten() {
        let role = message.get("role").and_then(Value::as_str).unwrap_or("message");
        out.push_str(&format!("{}\n", app.terminal.paint(Tint::Heading, &escape::line(role))));
        let content = message.get("content").cloned().unwrap_or_default();
        let text = match content
            .get("text")
            .or_else(|| content.get("resource")?.get("text"))
            .and_then(Value::as_str)
        {
            Some(text) => app.terminal.verbatim(text).into_owned(),
            None => {
                let kind = content.get("type").and_then(Value::as_str).unwrap_or("content");
                format!("[{}; --json prints it]", escape::line(kind))
            }
        };
        out.push_str(&format!("{}\n", text.trim_end()));
    }
    app.print_paged(&out)
}
