//! `mortise auth`: logins of servers that ask for one.

mod browser;
mod view;

use clap::{Args, Subcommand};
use mortise_client::oauth::{self, LoginOptions, LoginStatus, OAuthError};
use mortise_client::server_config::{HttpConfig, ServerConfig, Transport};

use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::find::nearest;
use crate::interrupt;
use crate::server_memory::ServerMemory;
use crate::servers::{self, AdHocArgs, IfNone};

/// Arguments of `mortise auth`.
#[derive(Clone, Debug, Args)]
pub(crate) struct AuthArgs {
    #[command(subcommand)]
    action: AuthAction,
}

#[derive(Clone, Debug, Subcommand)]
enum AuthAction {
    /// Log in to a server in the browser
    Login {
        /// The server: its name, or a URL
        #[arg(value_name = "SERVER")]
        target: String,
        /// Only print the address to open
        #[arg(long)]
        no_browser: bool,
        /// Ask for this scope too, besides what the login has; may be given several times
        #[arg(long = "scope", value_name = "SCOPE", value_delimiter = ' ')]
        scopes: Vec<String>,
    },
    /// Show which servers there is a login for; nothing is contacted
    Status {
        /// Only this server: its name, or a URL
        #[arg(value_name = "SERVER")]
        target: Option<String>,
    },
    /// Forget the login of a server
    Logout {
        /// The server: its name, or a URL
        #[arg(value_name = "SERVER")]
        target: String,
    },
}

/// Logs in, shows or logs out.
pub(crate) fn run(app: &App, args: &AuthArgs) -> Result<Exit, Failure> {
    match &args.action {
        AuthAction::Login { target, no_browser, scopes } => login(app, target, *no_browser, scopes),
        AuthAction::Status { target } => status(app, target.as_deref()),
        AuthAction::Logout { target } => logout(app, target),
    }
}

pub(super) fn login(app: &App, target: &str, no_browser: bool, scopes: &[String]) -> Result<Exit, Failure> {
    let server = find(app, target)?;
    let http = http(&server)?;
    let needs_user = !http.oauth.as_ref().is_some_and(|oauth| oauth.client_credentials);
    if needs_user && !no_browser && !app.terminal.is_interactive() {
        return Err(Failure::new(Exit::Authentication, "a login in the browser needs a terminal")
            .hint("--no-browser prints the address and waits for it to be opened on this machine"));
    }
    let open = |url: &_| browser::show(app, url, no_browser);
    let facts = interrupt::block_on(async |stop| {
        let options = LoginOptions { scopes: scopes.to_vec(), ..LoginOptions::default() };
        let login = Box::pin(oauth::login(http, &app.environment, &options, open));
        stop.unless_asked(async { login.await.map_err(|error| failed(&server, &error)) }).await
    })?;
    if let Some(memory) = ServerMemory::open(app) {
        memory.note_login(&server, false);
    }
    view::print(app, &[(server.name.to_string(), LoginStatus::LoggedIn(facts))])?;
    Ok(Exit::Ok)
}

pub(super) fn status(app: &App, target: Option<&str>) -> Result<Exit, Failure> {
    let servers = match target {
        Some(target) => vec![find(app, target)?],
        None => servers::choose(app, &AdHocArgs::default(), None, IfNone::GoOn)?.configs,
    };
    let mut found = Vec::new();
    for server in &servers {
        if let Transport::Http(http) = &server.transport {
            let status = oauth::status(http, &app.environment).map_err(|error| failed(server, &error))?;
            found.push((server.name.to_string(), status));
        } else if target.is_some() {
            http(server)?;
        }
    }
    let logged_out = found.iter().any(|(_, status)| *status == LoginStatus::LoggedOut);
    view::print(app, &found)?;
    // Asked about one server, the exit code is the answer.
    Ok(if target.is_some() && logged_out { Exit::Authentication } else { Exit::Ok })
}

pub(super) fn logout(app: &App, target: &str) -> Result<Exit, Failure> {
    let server = find(app, target)?;
    match oauth::logout(http(&server)?, &app.environment).map_err(|error| failed(&server, &error))? {
        true => app.terminal.note(&format!("the login for `{}` is forgotten", server.name)),
        false => app.terminal.note(&format!("there was no login for `{}`", server.name)),
    }
    Ok(Exit::Ok)
}

fn find(app: &App, target: &str) -> Result<ServerConfig, Failure> {
    let url = Some(target).filter(|target| servers::is_url(target));
    let servers = servers::choose(app, &AdHocArgs::default(), url, IfNone::GoOn)?;
    let named = |server: &&ServerConfig| url.is_some() || server.name.as_str() == target;
    servers.configs.iter().find(named).cloned().ok_or_else(|| {
        let failure = Failure::new(Exit::Usage, format!("there is no server `{target}`"));
        match nearest(target, servers.configs.iter().map(|server| server.name.as_str())) {
            Some(near) => failure.hint(format!("did you mean `{near}`?")),
            None => failure.hint("`mortise list` shows what is configured"),
        }
    })
}

fn http(server: &ServerConfig) -> Result<&HttpConfig, Failure> {
    match &server.transport {
        Transport::Http(http) => Ok(http),
        _ => Err(Failure::new(Exit::Usage, format!("the server `{}` is not reached over HTTP", server.name))),
    }
}

fn failed(server: &ServerConfig, error: &OAuthError) -> Failure {
    let exit = match error {
        OAuthError::TimedOut { .. } => Exit::TimedOut,
        OAuthError::Cancelled => Exit::Interrupted,
        OAuthError::BadUrl { .. } | OAuthError::NoStateDirectory => Exit::Configuration,
        OAuthError::Internal { .. } => Exit::Bug,
        _ => Exit::Authentication,
    };
    Failure::from_error(exit, error).hints(error.hint(server.name.as_str()))
}
