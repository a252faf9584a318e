//! `mortise login` and `mortise logout`: logins of servers that ask for one.

use clap::Args;

use crate::app::App;
use crate::commands::auth;
use crate::exit::Exit;
use crate::failure::Failure;

/// Arguments of `mortise login`.
#[derive(Clone, Debug, Args)]
pub(crate) struct LoginArgs {
    /// The server: its name, or a URL
    #[arg(value_name = "SERVER or URL", required_unless_present = "status")]
    target: Option<String>,
    /// Show which servers there is a login for; nothing is contacted
    #[arg(long, conflicts_with_all = ["no_browser", "scopes"])]
    status: bool,
    /// Only print the address to open
    #[arg(long)]
    no_browser: bool,
    /// Ask for this scope too, besides what the login has; may be given several times
    #[arg(long = "scope", value_name = "SCOPE", value_delimiter = ' ')]
    scopes: Vec<String>,
}

/// Arguments of `mortise logout`.
#[derive(Clone, Debug, Args)]
pub(crate) struct LogoutArgs {
    /// The server: its name, or a URL
    #[arg(value_name = "SERVER or URL")]
    target: String,
}

/// Logs in, or shows the logins.
pub(crate) fn login(app: &App, args: &LoginArgs) -> Result<Exit, Failure> {
    match args.target.as_deref() {
        Some(target) if !args.status => auth::login(app, target, args.no_browser, &args.scopes),
        target => auth::status(app, target),
    }
}

/// Forgets a login.
pub(crate) fn logout(app: &App, args: &LogoutArgs) -> Result<Exit, Failure> {
    auth::logout(app, &args.target)
}
