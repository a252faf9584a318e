//! One server, for a program that calls a few tools.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use mortise_contract::name::NameError;
use mortise_contract::unwrap::{ShapeRule, unwrapped};
use mortise_contract::{Mode, RawJson, ServerName, ToolCall, ToolName, ToolOutcome};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::catalog::Catalog;
use crate::environment::Environment;
use crate::secret::Secret;
#[cfg(feature = "http")]
use crate::server_config::HttpConfig;
use crate::server_config::{EnvPolicy, ServerConfig, StdioConfig, Transport};
use crate::{CallError, CallOptions, ConnectError, Pool, PoolOptions, Restart, Upstream};

/// A connected server. Dropping the client ends the connection, and with it the server's process.
///
/// ```no_run
/// use mortise_client::Client;
/// use serde_json::json;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let health = Client::stdio("health-server").arg("--metric").connect().await?;
/// let bmi: f64 = health.call("calculate_bmi", json!({ "height_cm": 180, "weight_kg": 75 })).await?;
/// # Ok(()) }
/// ```
///
/// For many servers that are restarted when they fail, use a [`Pool`].
#[derive(Debug)]
pub struct Client {
    upstream: Upstream,
    /// Ends the server when it is dropped.
    pool: Pool,
}

/// A server to start as a child process; see [`Client::stdio`].
#[derive(Clone, Debug)]
#[must_use]
pub struct StdioClient {
    stdio: StdioConfig,
    options: ClientOptions,
}

/// A server to reach over Streamable HTTP (feature `http`); see [`Client::http`].
#[cfg(feature = "http")]
#[derive(Clone, Debug)]
#[must_use]
pub struct HttpClient {
    http: HttpConfig,
    options: ClientOptions,
}

#[derive(Clone, Debug)]
struct ClientOptions {
    mode: Mode,
    start_timeout: Duration,
    call_timeout: Duration,
}

impl Default for ClientOptions {
    fn default() -> Self {
        Self {
            mode: Mode::Strict,
            start_timeout: ServerConfig::START_TIMEOUT,
            call_timeout: ServerConfig::CALL_TIMEOUT,
        }
    }
}

/// Why a typed call failed.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the message of a variant says what its fields hold")]
pub enum ClientError {
    /// The arguments have no JSON form.
    #[error("the arguments of `{tool}` can't be written as JSON")]
    Arguments {
        tool: String,
        #[source]
        source: serde_json::Error,
    },
    /// The name can't be that of a tool.
    #[error("`{tool}` is not a tool name")]
    Name {
        /// The name as given.
        tool: String,
        #[source]
        source: NameError,
    },
    /// The call failed, or its result breaks the contract.
    #[error(transparent)]
    Call(#[from] CallError),
    /// The tool ran and reported an error.
    #[error("`{tool}` failed: {message}")]
    Tool {
        tool: String,
        /// The tool's own words.
        message: String,
    },
    /// The result keeps its contract and is not a value of the type asked for.
    #[error("the result of `{tool}` is not the value that was asked for")]
    Value {
        tool: String,
        #[source]
        source: serde_json::Error,
    },
}

impl Client {
    /// A server that is started as a child process and speaks over stdin and stdout.
    pub fn stdio(command: impl AsRef<Path>) -> StdioClient {
        let command = command.as_ref().to_string_lossy().into_owned();
        StdioClient { stdio: StdioConfig::new(command, Vec::new()), options: ClientOptions::default() }
    }

    /// A server at an address, e.g. `https://example.com/mcp` (feature `http`).
    #[cfg(feature = "http")]
    pub fn http(url: impl Into<String>) -> HttpClient {
        HttpClient { http: HttpConfig::new(url), options: ClientOptions::default() }
    }

    /// Calls a tool and reads its result as a `T`.
    ///
    /// The value is the structured content, without the `{"result": …}` in which some servers wrap values. A result
    /// that is one text is read as that text, or else as the JSON in it.
    ///
    /// # Errors
    ///
    /// When the tool reports an error, the result breaks its contract, or it is not a `T`.
    pub async fn call<T: DeserializeOwned>(
        &self,
        tool: &str,
        arguments: impl Serialize,
    ) -> Result<T, ClientError> {
        let outcome = self.call_raw(tool, arguments).await?;
        let result = &outcome.result;
        if result.is_error {
            let message = result.texts().collect::<Vec<_>>().join("\n");
            return Err(ClientError::Tool { tool: tool.to_owned(), message });
        }
        let contract = self.upstream.catalog().get(tool).cloned();
        let structured = contract
            .and_then(|contract| unwrapped(&contract, result, ShapeRule::default()))
            .map(|unwrapped| unwrapped.value)
            .or_else(|| result.structured.clone());
        let value = match structured {
            Some(json) => serde_json::from_str(json.text()),
            None => {
                let text = result.texts().collect::<Vec<_>>().join("\n");
                serde_json::from_value(text.as_str().into()).or_else(|_| serde_json::from_str(&text))
            }
        };
        value.map_err(|source| ClientError::Value { tool: tool.to_owned(), source })
    }

    /// Calls a tool and returns its result as sent, with the verdict.
    ///
    /// # Errors
    ///
    /// When the call fails or, unless [`Mode::Warn`] was asked for, the result breaks its contract. A result that
    /// says `isError` is not an error of this function.
    pub async fn call_raw(&self, tool: &str, arguments: impl Serialize) -> Result<ToolOutcome, ClientError> {
        let unwritable = |source| ClientError::Arguments { tool: tool.to_owned(), source };
        // Through text and not through `Value`, which would round 128-bit integers.
        let text = serde_json::to_string(&arguments).map_err(unwritable)?;
        let arguments =
            RawJson::parse(&text).map_err(|error| unwritable(serde::ser::Error::custom(error)))?;
        let name =
            ToolName::parse(tool).map_err(|source| ClientError::Name { tool: tool.to_owned(), source })?;
        Ok(self.upstream.call(ToolCall { tool: name, arguments }, CallOptions::default()).await?)
    }

    /// The tools, as last listed.
    pub fn tools(&self) -> Arc<Catalog> {
        self.upstream.catalog()
    }

    /// The handle beneath, for resources, prompts, events and calls with options.
    pub fn upstream(&self) -> &Upstream {
        &self.upstream
    }

    /// Ends the connection and waits until the server's process is gone.
    pub async fn close(self) {
        self.pool.shutdown().await;
    }

    async fn connect(transport: Transport, name: &str, options: ClientOptions) -> Result<Self, ConnectError> {
        let environment = Environment {
            variables: std::env::vars_os().collect(),
            working_directory: std::env::current_dir().unwrap_or_default(),
            ..Environment::default()
        };
        let config = ServerConfig {
            start_timeout: options.start_timeout,
            call_timeout: Some(options.call_timeout),
            ..ServerConfig::new(ServerName::lossy(name), transport)
        };
        let start_timeout = options.start_timeout;
        let options =
            PoolOptions { mode: options.mode, restart: Restart::Never, ..PoolOptions::new(environment) };
        let mut pool = Pool::new(options);
        // A new pool has no server of the same name.
        let upstream = pool.add(config).map_err(|_| ConnectError::ShutDown)?;
        upstream.ready(start_timeout).await?;
        Ok(Self { upstream, pool })
    }
}

/// The options that both kinds of client share.
macro_rules! client_options {
    () => {
        /// What happens when a result breaks its contract: an error, unless this is [`Mode::Warn`].
        pub fn mode(mut self, mode: Mode) -> Self {
            self.options.mode = mode;
            self
        }

        /// How long connecting and listing the tools may take.
        pub fn start_timeout(mut self, timeout: Duration) -> Self {
            self.options.start_timeout = timeout;
            self
        }

        /// How long a call may take.
        pub fn call_timeout(mut self, timeout: Duration) -> Self {
            self.options.call_timeout = timeout;
            self
        }
    };
}
impl StdioClient {
    /// Adds an argument of the command.
    pub fn arg(mut self, argument: impl Into<String>) -> Self {
        self.stdio.args.push(argument.into());
        self
    }

    /// Adds arguments of the command.
    pub fn args(mut self, arguments: impl IntoIterator<Item: Into<String>>) -> Self {
        self.stdio.args.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// Sets a variable of the server's environment.
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.stdio.env.insert(name.into(), Secret::new(value.into()));
        self
    }

    /// Gives the server the whole environment of this process instead of `PATH`, `HOME`, locales, proxies and the like.
    pub fn inherit_env(mut self) -> Self {
        self.stdio.env_policy = EnvPolicy::Inherit;
        self
    }

    /// Starts the server in this folder.
    pub fn current_dir(mut self, folder: impl Into<PathBuf>) -> Self {
        self.stdio.cwd = Some(folder.into());
        self
    }

    client_options!();

    /// Starts the server, agrees on a protocol version and lists the tools. Must be called inside a tokio runtime.
    ///
    /// # Errors
    ///
    /// When the command can't be started, or the server does not answer as the protocol wants.
    pub async fn connect(self) -> Result<Client, ConnectError> {
        let name = Path::new(&self.stdio.command).file_stem().unwrap_or_default();
        let name = name.to_string_lossy().into_owned();
        Client::connect(Transport::Stdio(self.stdio), &name, self.options).await
    }
}

#[cfg(feature = "http")]
impl HttpClient {
    /// Sends this bearer token, to the server's origin only.
    pub fn bearer(mut self, token: impl Into<String>) -> Self {
        self.http.bearer = Some(Secret::new(token.into()));
        self
    }

    /// Sends a header with every request.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.http.headers.insert(name.into(), Secret::new(value.into()));
        self
    }

    client_options!();

    /// Connects, agrees on a protocol version and lists the tools. Must be called inside a tokio runtime.
    ///
    /// # Errors
    ///
    /// When nothing listens there, or the server does not answer as the protocol wants.
    pub async fn connect(self) -> Result<Client, ConnectError> {
        Client::connect(Transport::Http(self.http), "server", self.options).await
    }
}
