//! `mortise add`: one more server in `mortise.yaml`.

use clap::Args;
use mortise_config::edit::{self, NewServer};
use mortise_contract::ServerName;

use crate::app::App;
use crate::editing::{self, WhichFile};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::json_text::JsonObject;
use crate::overview::short_path;
use crate::servers;
use crate::shell_word::shell_word;
use crate::terminal::{Mark, escape};

/// Arguments of `mortise add`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Examples:
  mortise add files -- npx -y @modelcontextprotocol/server-filesystem ~/notes
  mortise add search https://mcp.example.com/mcp --header 'Authorization: Bearer ${SEARCH_TOKEN}'")]
pub(crate) struct AddArgs {
    /// What to call the server
    #[arg(value_name = "NAME")]
    name: String,
    /// Its address
    #[arg(value_name = "URL")]
    address: Option<String>,
    /// Send this header with every request (repeatable); ${VAR} stands for a variable
    #[arg(long = "header", value_name = "NAME: VALUE")]
    headers: Vec<String>,
    #[command(flatten)]
    file: WhichFile,
    /// The command that starts it
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

/// Adds the server.
pub(crate) fn run(app: &App, args: &AddArgs) -> Result<Exit, Failure> {
    let server = server(app, args)?;
    let file = args.file.find(app)?;
    let edited = edit::add_servers(&app.environment, &file.path, std::slice::from_ref(&server))
        .map_err(|error| editing::refused(&error))?;
    if let Some(wrong) = edit::wrong_entry(&app.environment, &edited, &args.name) {
        // Without the place in a file that was not written.
        let place = format!("{}:", file.path.display());
        let reason = wrong.reason.strip_prefix(&place).and_then(|rest| Some(rest.split_once(": ")?.1));
        let reason = reason.unwrap_or(&wrong.reason);
        let message = format!("`{}` can't be added: {reason}", args.name);
        return Err(Failure::new(Exit::Usage, message).hints(wrong.hints));
    }
    file.save(app, &edited)?;
    if app.global.json {
        let path = file.path.to_string_lossy();
        app.print_json(&JsonObject::default().text("added", &args.name).text("file", &path).finish())?;
        return Ok(Exit::Ok);
    }
    notes(app, args, &server, &file.path);
    let name = shell_word(&args.name);
    let text = format!(
        "added `{}` to {}; see it with: mortise tools {name}",
        args.name,
        short_path(app, &file.path)
    );
    app.terminal.say_painted(&app.terminal.for_stderr().marked(0, Mark::Good, &escape::text(&text)));
    Ok(Exit::Ok)
}

/// What will keep the server from working.
fn notes(app: &App, args: &AddArgs, server: &NewServer, file: &std::path::Path) {
    let beside = file.parent().unwrap_or(file);
    if let Some(program) = args.command.first()
        && !editing::is_found(app, program, beside)
    {
        app.terminal.warn(&format!("there is no program `{program}` on this machine's PATH yet"));
    }
    for variable in edit::unset_variables(&app.environment, server) {
        app.terminal
            .warn(&format!("the variable {variable} is not set yet; the server can't be used without it"));
    }
}

fn server(app: &App, args: &AddArgs) -> Result<NewServer, Failure> {
    let name = ServerName::parse(&args.name).map_err(|error| Failure::from_error(Exit::Usage, &error))?;
    let usage = |message: &str| {
        Failure::new(Exit::Usage, message)
            .hint(format!("write `mortise add {0} -- COMMAND …` or `mortise add {0} URL`", args.name))
    };
    let address = args.address.as_deref().or(app.connect.url.as_deref());
    let server = match (address, args.command.split_first()) {
        (Some(_), Some(_)) => return Err(usage("a server has an address or a command, not both")),
        (Some(url), None) if servers::is_url(url) => NewServer::url(name, url),
        (Some(word), None) => {
            let message = format!("`{word}` is not an address that begins with http:// or https://");
            return Err(Failure::new(Exit::Usage, message)
                .hint(format!("a command stands behind `--`: mortise add {} -- {word} …", args.name)));
        }
        (None, Some((program, arguments))) => NewServer::command(name, program, arguments),
        (None, None) => return Err(usage("there is neither an address nor a command")),
    };
    let env: Vec<(String, String)> = app.connect.env.iter().map(|text| variable(text)).collect();
    if !env.is_empty() && args.command.is_empty() {
        return Err(usage("`--env` is for servers that are started; an address takes `--header`"));
    }
    if !args.headers.is_empty() && !args.command.is_empty() {
        return Err(usage("`--header` is for servers with an address; a command takes `--env`"));
    }
    let headers: Result<Vec<_>, Failure> = args.headers.iter().map(|text| header(text)).collect();
    Ok(server.env(env).headers(headers?))
}

/// `NAME=VALUE`, or `NAME` for the variable of that name.
fn variable(text: &str) -> (String, String) {
    match text.split_once('=') {
        Some((name, value)) => (name.to_owned(), value.to_owned()),
        None => (text.to_owned(), format!("${{{text}}}")),
    }
}

/// `NAME: VALUE` or `NAME=VALUE`.
fn header(text: &str) -> Result<(String, String), Failure> {
    let (name, value) = text.split_once(':').or_else(|| text.split_once('=')).ok_or_else(|| {
        Failure::new(Exit::Usage, "a header has no `:`")
            .hint("write --header 'Authorization: Bearer ${TOKEN}'")
    })?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}
