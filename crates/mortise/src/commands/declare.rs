//! `mortise declare`: tools as declarations for LLM providers, in TypeScript, in Python.

mod choose;
mod lint;
mod listed;
mod render;
mod rules;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use mortise_contract::NameMap;
use mortise_contract::name::Renamed;
use mortise_declare::limits;
use mortise_declare::{Provider, ResultForm, ToolDefinition, provider_names};

use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::find;
use crate::servers::{self, AdHocArgs, IfNone};
use crate::session::{self, Connected, StartFirst};
use listed::ListedServer;

/// Arguments of `mortise declare`.
#[derive(Clone, Debug, Args)]
pub(crate) struct DeclareArgs {
    /// The provider or language to declare the tools for
    #[arg(long = "for", value_enum, value_name = "TARGET")]
    target: Option<DeclareTarget>,
    /// Only these: a server, a tool, or server/tool, with * and ?; or a server's URL
    #[arg(value_name = "SERVER|TOOL")]
    only: Vec<String>,
    /// Read the tools from a file instead of servers: a lock file, an answer to tools/list, an array of
    /// tools, or what `mortise tools --json` printed; `-` is stdin
    #[arg(long, value_name = "FILE", conflicts_with_all = ["config", "server", "url", "samples", "command"])]
    from: Option<PathBuf>,
    /// Write to this file instead of stdout
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Say which providers would refuse or weaken which tool, which texts stand out, and what to do about it
    #[arg(long, conflicts_with = "out")]
    lint: bool,
    /// Which findings of --lint make the command fail (exit 7)
    #[arg(long, value_enum, value_name = "FINDINGS", requires = "lint", default_value_t = LintFailOn::Never)]
    fail_on: LintFailOn,
    /// Show the rules of providers that declarations and --lint go by, with source and date
    #[arg(long, conflicts_with_all = ["lint", "out", "from"])]
    rules: bool,
    /// Whether declarations show what tools return
    #[arg(long, value_name = "BOOL", default_value_t = true, action = clap::ArgAction::Set)]
    forward_output_schema: bool,
    /// Leave out output schemas with texts that look like instructions to the model or hide something
    #[arg(long)]
    drop_output_schema_on_flag: bool,
    /// Describe results without the wrapper {"result": …} that some servers need; always so in
    /// TypeScript and Python unless --raw-results
    #[arg(long, conflicts_with = "raw_results")]
    unwrap: bool,
    /// Describe results as servers send them
    #[arg(long)]
    raw_results: bool,
    /// Ask providers to hold arguments to the schema, where that is possible
    #[arg(long)]
    strict_arguments: bool,
    /// How the output shape looks in a description, for providers that have no field for it
    #[arg(long, value_enum, value_name = "FORM", default_value_t = OutputHint::Type)]
    hint: OutputHint,
    /// Bytes of that shape; a longer one is shortened by structure
    #[arg(long, value_name = "BYTES", default_value_t = limits::HINT_BYTES, value_parser = parse_hint_bytes)]
    hint_bytes: usize,
    /// TypeScript as a module that can be imported
    #[arg(long)]
    module: bool,
    /// Python with `typing_extensions`, which has words for closed objects and for the type of other keys
    #[arg(long)]
    typing_extensions: bool,
    #[command(flatten)]
    ad_hoc: AdHocArgs,
}

/// Which findings of `--lint` make the command fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LintFailOn {
    /// A tool that a provider would refuse
    Refused,
    /// Any finding
    Any,
    /// None
    Never,
}

/// How an output shape looks in a description.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OutputHint {
    /// A TypeScript type
    Type,
    /// The JSON Schema, if it fits
    Schema,
}

/// Who reads a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DeclareTarget {
    /// OpenAI, Responses API
    Openai,
    /// OpenAI, Chat Completions API
    OpenaiChat,
    /// OpenAI's models on Azure, Chat Completions API
    AzureOpenai,
    /// Anthropic, Messages API
    Anthropic,
    /// Google Gemini and Vertex AI
    Gemini,
    /// Amazon Bedrock, Converse API
    Bedrock,
    /// Mistral
    Mistral,
    /// Ollama
    Ollama,
    /// TypeScript declarations
    Typescript,
    /// Python stubs
    Python,
}

impl DeclareTarget {
    fn provider(self) -> Option<Provider> {
        Some(match self {
            Self::Openai => Provider::OpenAi,
            Self::OpenaiChat => Provider::OpenAiChat,
            Self::AzureOpenai => Provider::AzureOpenAi,
            Self::Anthropic => Provider::Anthropic,
            Self::Gemini => Provider::Gemini,
            Self::Bedrock => Provider::Bedrock,
            Self::Mistral => Provider::Mistral,
            Self::Ollama => Provider::Ollama,
            Self::Typescript | Self::Python => return None,
        })
    }
}

/// Declares the tools of all servers or of a file, or those asked for.
pub(crate) fn run(app: &App, args: &DeclareArgs) -> Result<Exit, Failure> {
    if args.rules {
        return rules::run(app, &args.chosen_providers()?);
    }
    if args.target.is_none() && !args.lint {
        return Err(no_target());
    }
    if let Some(path) = &args.from {
        let patterns: Vec<&str> = args.only.iter().map(String::as_str).collect();
        return declare(app, args, &patterns, &ListedServer::of_file(app, path)?);
    }
    let url = args.only.iter().find_map(|word| find::noted_address(app, word));
    let servers = servers::choose(app, &args.ad_hoc, url.as_deref(), IfNone::Refuse)?;
    let patterns: Vec<&str> =
        args.only.iter().map(String::as_str).filter(|word| find::address(word).is_none()).collect();
    session::run(app, servers, StartFirst::All, async |session| {
        let connected = session.connected().await;
        report_failed(app, &connected)?;
        declare(app, args, &patterns, &ListedServer::of_connected(&connected))
    })
}

/// Nobody is named; all that can be are listed.
fn no_target() -> Failure {
    let mut message = "`mortise export` needs `--for TARGET`, one of these".to_owned();
    for target in DeclareTarget::value_variants() {
        if let Some(value) = target.to_possible_value() {
            let help = value.get_help().map(ToString::to_string).unwrap_or_default();
            message.push_str(&format!("\n  {:<14}{help}", value.get_name()));
        }
    }
    Failure::new(Exit::Usage, message)
        .hint("for example: mortise export --for python; `--lint` says who would refuse which tool")
}

fn declare(
    app: &App,
    args: &DeclareArgs,
    patterns: &[&str],
    listed: &[ListedServer],
) -> Result<Exit, Failure> {
    let mut tools: Vec<ToolDefinition> = listed.iter().flat_map(ListedServer::definitions).collect();
    let names = NameMap::new(tools.iter().map(|tool| (&tool.server, &tool.tool)));
    // Names are those of the whole catalogue, whatever is chosen.
    let provider_names = provider_names(&tools);
    choose::keep(&mut tools, &names, patterns)?;
    log_renamed(if args.is_for_program() { &names } else { &provider_names }, &tools);
    listed.iter().for_each(|server| server.warn(app));
    prepare(app, args, &mut tools);
    if args.lint {
        return lint::run(app, args, &tools, &provider_names, listed);
    }
    let rendered = render::render(args, &tools, (&names, &provider_names));
    rendered.log_refusals();
    let text = if app.global.json { rendered.report() + "\n" } else { rendered.text() };
    match args.out.as_deref().filter(|path| *path != Path::new("-")) {
        Some(path) => write(app, path, &text, tools.len())?,
        None if app.global.json => app.print_json(text.trim_end())?,
        None => app.print(&app.terminal.verbatim(&text))?,
    }
    rendered.note_losses(app);
    Ok(Exit::Ok)
}

/// Says which of the tools are called otherwise than their servers call them.
fn log_renamed(names: &NameMap, tools: &[ToolDefinition]) {
    let is_chosen = |renamed: &&Renamed| {
        tools.iter().any(|tool| (&tool.server, &tool.tool) == (&renamed.server, &renamed.tool))
    };
    names.renamed().iter().filter(is_chosen).for_each(Renamed::log);
}

/// Decides which output schemas go along, and says which texts stand out.
fn prepare(app: &App, args: &DeclareArgs, tools: &mut [ToolDefinition]) {
    for tool in tools {
        for flag in tool.flags() {
            let (server, pointer, rule) = (&tool.server, flag.pointer.as_str(), flag.rule.as_str());
            tracing::warn!(
                event = "mortise.description.flagged", %server, tool = %tool.tool, pointer, rule, "a text stands out"
            );
        }
        tool.forward_output_schema = args.forward_output_schema;
        if args.drop_output_schema_on_flag && tool.drop_output_schema_on_flag() {
            let name = format!("{}/{}", tool.server, tool.tool);
            app.terminal
                .note(&format!("left out what `{name}` returns: a text in it stands out; see --lint"));
        }
    }
}

impl DeclareArgs {
    /// The provider that is asked for, or all of them.
    fn chosen_providers(&self) -> Result<Vec<Provider>, Failure> {
        match self.target.map(DeclareTarget::provider) {
            None => Ok(Provider::ALL.to_vec()),
            Some(Some(provider)) => Ok(vec![provider]),
            Some(None) => Err(Failure::new(Exit::Usage, "--lint and --rules are about LLM providers only")),
        }
    }

    /// Whether the declarations are source text rather than JSON for a provider.
    fn is_for_program(&self) -> bool {
        self.target.is_some_and(|target| target.provider().is_none())
    }

    /// Which form of results is described; languages unwrap by default.
    fn results(&self) -> ResultForm {
        match self.unwrap || (self.is_for_program() && !self.raw_results) {
            true => ResultForm::Unwrapped,
            false => ResultForm::AsSent,
        }
    }
}

/// One server that fails does not hide the others; all of them do.
fn report_failed(app: &App, connected: &[Connected]) -> Result<(), Failure> {
    if connected.iter().all(|server| server.error.is_some())
        && let Some(failure) = connected.iter().find_map(Connected::failure)
    {
        return Err(failure);
    }
    for failed in connected.iter().filter(|server| server.error.is_some()) {
        app.terminal.warn(&format!("{}; its tools are missing", failed.warning()));
    }
    Ok(())
}

fn write(app: &App, path: &Path, text: &str, tools: usize) -> Result<(), Failure> {
    let path = app.environment.absolute(path);
    std::fs::write(&path, text).map_err(|error| {
        Failure::new(Exit::Usage, format!("cannot write `{}`", path.display())).because(&error)
    })?;
    app.terminal.note(&format!("wrote `{}` with {}", path.display(), count_of(tools)));
    Ok(())
}

/// Providers in a table.
fn providers(providers: &[Provider]) -> String {
    match providers.len() == Provider::ALL.len() {
        true => "all".to_owned(),
        false => providers.iter().map(|provider| provider.as_str()).collect::<Vec<_>>().join(", "),
    }
}

/// `1 tool`, `3 tools`.
fn count_of(tools: usize) -> String {
    if tools == 1 { "1 tool".to_owned() } else { format!("{tools} tools") }
}

fn parse_hint_bytes(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(bytes) if bytes >= limits::HINT_BYTES_MIN => Ok(bytes),
        _ => Err(format!("use a number of bytes, at least {}", limits::HINT_BYTES_MIN)),
    }
}
