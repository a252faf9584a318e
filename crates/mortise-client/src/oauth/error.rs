//! Why a login failed or a token is missing.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::private_file::PrivateFileError;

/// Why a login failed or a token is missing. No variant carries a token, a code or a secret.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the message of a variant says what its fields hold")]
pub enum OAuthError {
    /// The server wants a login and there is none, or it can't be renewed without the user.
    #[error("`{origin}` wants a login")]
    LoginRequired {
        /// The server's origin.
        origin: String,
    },
    /// The token lacks a scope that the server asks for.
    #[error("`{origin}` wants the scope `{scope}`, which the login does not have")]
    InsufficientScope {
        /// The server's origin.
        origin: String,
        /// The scopes it asks for.
        scope: String,
    },
    /// The configured address is none.
    #[error("`{key}` is not an address: {reason}")]
    BadUrl {
        key: &'static str,
        /// The reason, as the end of a sentence.
        reason: String,
    },
    /// The server's authorization metadata could not be found or used.
    #[error("cannot find out how to log in to `{origin}`: {reason}")]
    Discovery {
        /// The server's origin.
        origin: String,
        /// The reason, as the end of a sentence.
        reason: String,
    },
    /// The metadata or an answer names another issuer than it should: someone may be in between.
    #[error("expected the issuer `{expected}`, found `{found}`")]
    IssuerMismatch {
        /// The issuer that was expected.
        expected: String,
        /// The issuer that was named.
        found: String,
    },
    /// An endpoint would get a secret unencrypted.
    #[error("the {endpoint} endpoint `{origin}` is not https")]
    Insecure {
        /// `authorization` or `token`.
        endpoint: &'static str,
        origin: String,
    },
    /// An endpoint lies at a private address that the operator did not name.
    #[error(
        "the {endpoint} endpoint is refused: `{host}` is a private address that the configuration does not name"
    )]
    PrivateAddress {
        /// `authorization` or `token`.
        endpoint: &'static str,
        host: String,
    },
    /// The authorization server knows no way to get a client.
    #[error("cannot register as a client: {reason}")]
    Registration {
        /// The reason, as the end of a sentence.
        reason: String,
    },
    /// The user or the authorization server refused.
    #[error("the authorization server answered `{code}`{}", description.as_ref().map(|text| format!(": {text}")).unwrap_or_default())]
    Denied {
        /// The error code of OAuth, e.g. `access_denied`.
        code: String,
        /// What the server adds.
        description: Option<String>,
    },
    /// The token endpoint gave no token.
    #[error("the token endpoint gave no token: {reason}")]
    Exchange {
        /// The reason, as the end of a sentence.
        reason: String,
    },
    /// Something took too long.
    #[error("{what} took longer than {limit:?}")]
    TimedOut {
        /// The step, as the subject of a sentence.
        what: &'static str,
        limit: Duration,
    },
    /// The caller stopped it.
    #[error("the login was stopped")]
    Cancelled,
    /// No port could be opened for the answer of the browser.
    #[error("cannot listen on 127.0.0.1 for the answer of the browser")]
    Listen(#[source] Arc<io::Error>),
    /// There is no directory to keep tokens in.
    #[error("no state directory is known to keep tokens in")]
    NoStateDirectory,
    /// A token file can't be read or written.
    #[error(transparent)]
    File(Arc<PrivateFileError>),
    /// A token file is not ours or was damaged.
    #[error("`{}` is not a token file of this version of mortise", path.display())]
    Damaged { path: PathBuf },
    /// A bug in this library.
    #[error("internal: {reason}")]
    Internal {
        /// What was broken.
        reason: String,
    },
}

impl OAuthError {
    /// What the reader can do now; `server` is the name in the configuration.
    pub fn hint(&self, server: &str) -> Option<String> {
        Some(match self {
            Self::LoginRequired { .. } => format!("run `mortise login {server}`"),
            Self::InsufficientScope { scope, .. } => {
                format!("run `mortise login {server} --scope '{scope}'`")
            }
            Self::Registration { .. } => {
                format!("register a client with the server and set `oauth.client_id` of `{server}`")
            }
            Self::PrivateAddress { .. } => {
                format!("set `oauth.issuer` of `{server}` if you trust that authorization server")
            }
            Self::File(error) => return error.hint(),
            Self::Damaged { path } => format!("remove `{}` and log in again", path.display()),
            _ => return None,
        })
    }
}

impl From<PrivateFileError> for OAuthError {
    fn from(error: PrivateFileError) -> Self {
        Self::File(Arc::new(error))
    }
}
