//! Who may call a listener: the clients that send its token.
//!
//! A loopback port is open to every user and program of the machine, so a listener asks for a token
//! unless the operator says otherwise.

use std::path::{Path, PathBuf};

use clap::Args;
use mortise_client::private_file::{self, PrivateFileError};
use mortise_server::Token;

use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::Terminal;

/// The variable that holds the token clients must send.
const TOKEN_VARIABLE: &str = "MORTISE_HTTP_TOKEN";
/// The file of the token that we make, in the state directory.
const TOKEN_FILE: &str = "http-token";

/// Which token clients must send.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct TokenArgs {
    /// Ask clients for the bearer token in this file [default: the token in the variable
    /// MORTISE_HTTP_TOKEN, else one that is made and kept in the state directory]
    #[arg(
        long,
        value_name = "FILE",
        requires = "http",
        conflicts_with = "no_token",
        help_heading = "Serving"
    )]
    token_file: Option<PathBuf>,
    /// Let every user and program of this machine call without a token; on loopback only
    #[arg(long, requires = "http", help_heading = "Serving")]
    no_token: bool,
}

/// The token of a listener and where its clients find it.
#[derive(Debug)]
pub(crate) struct Access {
    token: Option<Token>,
    origin: TokenOrigin,
}

/// Where the token comes from.
#[derive(Debug)]
enum TokenOrigin {
    /// A file of the operator, or the one that an earlier start made.
    File(PathBuf),
    Variable,
    /// Made and kept by this start.
    MadeAndKept(PathBuf),
    /// Made by this start; this is why it could not be kept.
    MadeForThisRun(String),
    /// The operator wants none.
    NoToken,
}

impl Access {
    /// The token of the file, else of the environment, else of the state directory. None of them
    /// shows in the list of processes.
    pub(crate) fn choose(app: &App, args: &TokenArgs) -> Result<Self, Failure> {
        if args.no_token {
            return Ok(Self { token: None, origin: TokenOrigin::NoToken });
        }
        if let Some(path) = &args.token_file {
            let path = app.environment.absolute(path);
            let text = private_file::read_named_secret(&path).map_err(|error| unusable(&error, &path))?;
            let text = text.ok_or_else(|| {
                Failure::new(Exit::Usage, format!("there is no token file `{}`", path.display()))
            })?;
            return Ok(Self { token: Some(parse(&text, &path)?), origin: TokenOrigin::File(path) });
        }
        if let Some(value) = app.environment.variable(TOKEN_VARIABLE) {
            let token = parse(&value.to_string_lossy(), Path::new(TOKEN_VARIABLE))?;
            return Ok(Self { token: Some(token), origin: TokenOrigin::Variable });
        }
        match &app.environment.state_directory {
            Some(directory) => Self::kept(directory.join(TOKEN_FILE)),
            None => Ok(Self::for_this_run("there is no state directory: HOME is not set".to_owned())),
        }
    }

    /// The token that is kept at `path`; made where there is none.
    fn kept(path: PathBuf) -> Result<Self, Failure> {
        match keep(&path) {
            Ok(KeptToken::Earlier(text)) => {
                Ok(Self { token: Some(parse(&text, &path)?), origin: TokenOrigin::File(path) })
            }
            Ok(KeptToken::New(token)) => {
                Ok(Self { token: Some(token), origin: TokenOrigin::MadeAndKept(path) })
            }
            // A state directory that can't be used does not stop a server.
            Err(error @ PrivateFileError::Io { .. }) => {
                let cause = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
                Ok(Self::for_this_run(format!("{error}: {cause}")))
            }
            Err(error) => Err(unusable(&error, &path)),
        }
    }

    fn for_this_run(reason: String) -> Self {
        Self { token: Some(Token::generate()), origin: TokenOrigin::MadeForThisRun(reason) }
    }

    pub(crate) fn token(&self) -> Option<&Token> {
        self.token.as_ref()
    }

    /// Says once how clients get in. A token is shown only by the start that made it.
    pub(crate) fn explain(&self, terminal: &Terminal) {
        let shown = self.token.as_ref().map(Token::expose).unwrap_or_default();
        let header = "clients send the header `Authorization: Bearer TOKEN`";
        match &self.origin {
            TokenOrigin::File(path) => {
                terminal.say(&format!("{header} with the token in `{}`", path.display()));
            }
            TokenOrigin::Variable => terminal.say(&format!("{header} with the token in {TOKEN_VARIABLE}")),
            TokenOrigin::MadeAndKept(path) => {
                terminal.say(&format!("the token is new and shown only now: {shown}"));
                terminal.say(&format!("{header} with the token in `{}`", path.display()));
            }
            // Without these lines nobody could call at all, so they are said to the quiet too.
            TokenOrigin::MadeForThisRun(reason) => {
                terminal.warn(&format!("the token is good for this run only: {reason}"));
                terminal.warn(&format!("{header}; the token is {shown}"));
            }
            TokenOrigin::NoToken => {
                terminal.warn("every user and program of this machine can call without a token");
            }
        }
    }
}

/// What the state directory holds.
enum KeptToken {
    /// The text that an earlier start wrote.
    Earlier(String),
    /// The token that was written just now.
    New(Token),
}

fn keep(path: &Path) -> Result<KeptToken, PrivateFileError> {
    if let Some(text) = private_file::read_secret(path)? {
        return Ok(KeptToken::Earlier(text));
    }
    // Of two processes that start at once, one makes the token and the other reads it.
    let _lock = private_file::lock(path)?;
    if let Some(text) = private_file::read_secret(path)? {
        return Ok(KeptToken::Earlier(text));
    }
    let token = Token::generate();
    private_file::write(path, &format!("{}\n", token.expose()))?;
    Ok(KeptToken::New(token))
}

fn parse(text: &str, place: &Path) -> Result<Token, Failure> {
    Token::parse(text.trim()).map_err(|error| {
        Failure::new(Exit::Configuration, format!("`{}` does not hold a usable token", place.display()))
            .because(&error)
            .hint("`openssl rand -hex 32` prints a good token; without a file, mortise makes one")
    })
}

fn unusable(error: &PrivateFileError, token_file: &Path) -> Failure {
    let failure = Failure::from_error(Exit::Configuration, error);
    match error {
        PrivateFileError::Readable { path, .. } | PrivateFileError::Exposed { path, .. }
            if path == token_file =>
        {
            failure.hint(format!(
                "others may know the token: replace it, then run `chmod 600 {}`",
                path.display()
            ))
        }
        PrivateFileError::NotRegular { .. } => {
            failure.hint(format!("put the token into a file, or into the variable {TOKEN_VARIABLE}"))
        }
        error => failure.hints(error.hint()),
    }
}
