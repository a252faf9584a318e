//! Messages passed between a client's streams and a server, unaltered.
//!
//! A [`Relay`] stands where a server would: a client writes lines to it and reads lines from it. It starts the server's
//! process, or speaks Streamable HTTP to its address, and reports each message before it passes it on. It takes part in
//! no handshake, so client and server agree on a protocol version as if they were alone.

#[cfg(feature = "http")]
mod http;
mod lines;
mod streams;

#[cfg(feature = "http")]
use std::sync::Arc;

use mortise_contract::recording::MessageSource;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::environment::Environment;
use crate::error::{CloseReason, ConnectError};
use crate::process;
use crate::secret::Secrets;
use crate::server_config::{ServerConfig, Transport, UnusableEntry};
#[cfg(feature = "http")]
use crate::token::TokenSource;

/// Learns of each message, in the order in which the messages pass. It must not block for long.
pub trait RelayWitness: Send + Sync {
    /// `text` is one message, or a line that is not one, without its line end.
    fn passed(&self, from: MessageSource, text: &str);
}

/// One server, ready to be connected to one client.
#[derive(Debug)]
pub struct Relay {
    config: ServerConfig,
    environment: Environment,
    secrets: Secrets,
    #[cfg(feature = "http")]
    tokens: Option<Arc<dyn TokenSource>>,
}

/// Why messages no longer pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RelayEnd {
    /// The client closed its side.
    ClientClosed,
    /// The server ended first.
    ServerEnded(CloseReason),
    /// The caller asked to stop.
    Stopped,
}

impl Relay {
    /// A relay to this server, which is started by [`Relay::run`].
    pub fn new(config: ServerConfig, environment: Environment) -> Self {
        let secrets = Secrets::of(&config);
        Self {
            config,
            environment,
            secrets,
            #[cfg(feature = "http")]
            tokens: None,
        }
    }

    /// Logs in with these tokens.
    #[cfg(feature = "http")]
    #[must_use]
    pub fn tokens(mut self, tokens: Arc<dyn TokenSource>) -> Self {
        self.tokens = Some(tokens);
        self
    }

    /// What must not be shown or kept of the messages.
    pub fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    /// Passes messages on until a side ends or `stop` is done. The server ends with it.
    ///
    /// # Errors
    ///
    /// When the server can't be started, or its address can't be used.
    pub async fn run(
        &self,
        input: impl AsyncRead + Send + Unpin,
        output: impl AsyncWrite + Send + Unpin + 'static,
        witness: &dyn RelayWitness,
        stop: impl Future<Output = ()>,
    ) -> Result<RelayEnd, ConnectError> {
        match &self.config.transport {
            Transport::Stdio(config) => {
                let process = process::spawn_relayed(config, &self.environment).await?;
                Ok(streams::relay_process(input, output, process, witness, stop).await)
            }
            Transport::InProcess(server) => {
                Ok(streams::relay_stream(input, output, server.connect(), witness, stop).await)
            }
            Transport::Unusable(UnusableEntry { reason, hints }) => {
                Err(ConnectError::Configuration { reason: reason.clone(), hints: hints.clone() })
            }
            #[cfg(feature = "http")]
            Transport::Http(config) => {
                let target = crate::http_target::HttpTarget::new(
                    &self.config,
                    config,
                    &self.environment,
                    self.tokens.clone(),
                    crate::pool::Reach::Any,
                    self.secrets.clone(),
                )?;
                Ok(http::relay(target, input, output, witness, stop).await)
            }
        }
    }
}
