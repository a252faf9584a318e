//! Finding out which era a server speaks, and connecting in it.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use rmcp::RoleClient;
use rmcp::model::{ClientCapabilities, ClientConfig, ErrorCode, Implementation, ProtocolVersion};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, RunningService, serve_client_with_lifecycle_and_ct,
};
use rmcp::transport::Transport;
use serde_json::Value;

use super::connection::Dial;
use super::exchange::ExchangeAnswer;
use super::handshake::HandshakeAnswer;
use super::service::ClientService;
use super::tap::Tap;
use crate::error::{CloseReason, ConnectError};
use crate::facts::{Era, ServerFacts};
use crate::handler::Handlers;
use crate::process::ProcessSigns;
use crate::server_config::EraChoice;

/// The client as servers see it.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) handlers: Handlers,
}

impl Identity {
    pub(crate) fn client_config(&self) -> ClientConfig {
        let capabilities = Value::Object(self.handlers.capabilities());
        let capabilities: ClientCapabilities = serde_json::from_value(capabilities).unwrap_or_default();
        ClientConfig::new(capabilities, Implementation::new(self.name.clone(), self.version.clone()))
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }
}

type Running = RunningService<RoleClient, ClientService>;

/// A handshake that worked.
pub(crate) struct Established {
    pub(crate) running: Running,
    pub(crate) facts: ServerFacts,
}

/// A handshake over one connection.
pub(crate) struct Negotiation<'a> {
    pub(crate) dial: &'a Dial,
    pub(crate) tap: Arc<Tap>,
    /// The process that is asked; `None` for what needs no start.
    pub(crate) process: Option<&'a ProcessSigns>,
    /// Scheme, host and port, for messages; empty where there is no network.
    pub(crate) origin: String,
}

/// How one attempt ended.
enum Outcome {
    Established(Box<Established>),
    /// The server speaks the other era, or nothing we know.
    NotThisEra(ConnectError),
    /// Trying the other era makes no sense.
    Failed(ConnectError),
}

impl Negotiation<'_> {
    /// Shakes hands over transports made by `transport`, in one era or the other.
    pub(crate) async fn shake_hands<T>(
        &self,
        mut transport: impl FnMut() -> T,
    ) -> Result<Established, ConnectError>
    where
        T: Transport<RoleClient> + 'static,
    {
        match (self.dial.choice, self.dial.known) {
            (EraChoice::Modern, _) => self.attempt(transport(), Era::Modern).await.into_result(),
            (EraChoice::Legacy, _) => self.attempt(transport(), Era::Legacy).await.into_result(),
            (EraChoice::Auto, Some(Era::Legacy)) => match self.attempt(transport(), Era::Legacy).await {
                // It is another server than the last time.
                Outcome::NotThisEra(_) => self.attempt(transport(), Era::Modern).await.into_result(),
                outcome => outcome.into_result(),
            },
            (EraChoice::Auto, Some(Era::Modern) | None) => self.discover(&mut transport).await,
        }
    }

    async fn discover<T>(&self, transport: &mut impl FnMut() -> T) -> Result<Established, ConnectError>
    where
        T: Transport<RoleClient> + 'static,
    {
        let probed = tokio::select! {
            biased;
            outcome = self.attempt(transport(), Era::Modern) => Some(outcome),
            () = self.probe_over() => None,
        };
        match probed {
            Some(Outcome::Established(established)) => return Ok(*established),
            Some(Outcome::Failed(error)) => return Err(error),
            Some(Outcome::NotThisEra(_)) => self.tap.handshake.refused_probe(),
            None => {}
        }
        match self.attempt(transport(), Era::Legacy).await {
            // A modern server that is slow answers the probe after we have given it up.
            Outcome::NotThisEra(_) if self.tap.handshake.late_discover() => {
                self.attempt(transport(), Era::Modern).await.into_result()
            }
            outcome => outcome.into_result(),
        }
    }

    /// Resolves when the server has had its time to answer the probe, which counts from its first read.
    async fn probe_over(&self) {
        if let Some(process) = self.process {
            process.first_read(|| self.tap.has_written()).await;
        }
        tokio::time::sleep(self.dial.probe).await;
    }

    async fn attempt<T: Transport<RoleClient> + 'static>(&self, transport: T, era: Era) -> Outcome {
        self.tap.forget_handshake();
        let service = ClientService {
            server: self.dial.server.clone(),
            identity: self.dial.identity.clone(),
            tap: self.tap.clone(),
            era,
        };
        let mode = match era {
            Era::Modern => {
                ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] }
            }
            Era::Legacy => ClientLifecycleMode::Initialize,
        };
        let serving =
            serve_client_with_lifecycle_and_ct(service, transport, mode, self.dial.stop.child_token());
        let serving: BoxFuture<'static, Result<Running, ClientInitializeError>> = serving.boxed();
        match serving.await {
            Ok(running) => self.established(running, era),
            Err(error) => self.classify(error, era),
        }
    }

    fn established(&self, running: Running, era: Era) -> Outcome {
        let method = method(era);
        let Some(HandshakeAnswer::Result(raw)) = self.tap.handshake.last() else {
            let detail = "the answer is lost".to_owned();
            return Outcome::Failed(ConnectError::Protocol { method, detail });
        };
        let version = running.peer().peer_info().map(|info| info.protocol_version.as_str().to_owned());
        let version = version.unwrap_or_default();
        let capabilities = self.dial.identity.handlers.capabilities();
        let facts = ServerFacts::read(era, version, raw, capabilities);
        Outcome::Established(Box::new(Established { running, facts }))
    }

    fn classify(&self, error: ClientInitializeError, era: Era) -> Outcome {
        let method = method(era);
        let answered = self.tap.handshake.last();
        match (error, answered) {
            (ClientInitializeError::NoCompatibleProtocolVersion { server_supported, .. }, _) => {
                let offered: Vec<String> =
                    server_supported.iter().map(|version| version.as_str().to_owned()).collect();
                let legacy = server_supported.iter().any(ProtocolVersion::has_initialize);
                let error = ConnectError::Version { offered };
                if legacy { Outcome::NotThisEra(error) } else { Outcome::Failed(error) }
            }
            (ClientInitializeError::JsonRpcError(_), Some(HandshakeAnswer::Error(error))) => {
                let modern = is_modern_rejection(error.code);
                let refused = ConnectError::Refused { method, error };
                if modern && era == Era::Modern {
                    Outcome::Failed(refused)
                } else {
                    Outcome::NotThisEra(refused)
                }
            }
            (ClientInitializeError::JsonRpcError(_), Some(HandshakeAnswer::Unusable(detail))) => {
                Outcome::NotThisEra(ConnectError::Protocol { method, detail })
            }
            (ClientInitializeError::JsonRpcError(_), Some(HandshakeAnswer::Other(answer))) => {
                Outcome::Failed(self.unanswered(answer, method))
            }
            (ClientInitializeError::ConnectionClosed(_) | ClientInitializeError::Cancelled, _) => {
                // Only what is reached over a network has an origin.
                let reason = match self.origin.is_empty() {
                    true => CloseReason::OutputClosed,
                    false => {
                        let detail = "it ended in the middle of an answer".to_owned();
                        CloseReason::Network { detail }
                    }
                };
                Outcome::Failed(ConnectError::Closed { reason, stderr: String::new() })
            }
            (error, _) => Outcome::Failed(ConnectError::Protocol { method, detail: error.to_string() }),
        }
    }
}

impl Negotiation<'_> {
    fn unanswered(&self, answer: ExchangeAnswer, method: &'static str) -> ConnectError {
        let origin = self.origin.clone();
        match answer {
            ExchangeAnswer::AuthRequired { challenge, detail } => {
                ConnectError::AuthRequired { origin, challenge, detail }
            }
            ExchangeAnswer::Http { status, retry_after, body } => {
                ConnectError::Http { origin, status, retry_after, body }
            }
            ExchangeAnswer::Network { detail } => ConnectError::Unreachable { origin, detail },
            ExchangeAnswer::TooLarge { limit } => {
                ConnectError::Protocol { method, detail: format!("larger than {limit} bytes") }
            }
            ExchangeAnswer::Malformed { detail } => ConnectError::Protocol { method, detail },
            ExchangeAnswer::Result(_) | ExchangeAnswer::Error(_) => {
                ConnectError::Protocol { method, detail: "the answer is lost".to_owned() }
            }
        }
    }
}

impl Outcome {
    fn into_result(self) -> Result<Established, ConnectError> {
        match self {
            Self::Established(established) => Ok(*established),
            Self::NotThisEra(error) | Self::Failed(error) => Err(error),
        }
    }
}

fn method(era: Era) -> &'static str {
    match era {
        Era::Modern => "server/discover",
        Era::Legacy => "initialize",
    }
}

/// Errors that only a modern server sends.
fn is_modern_rejection(code: i64) -> bool {
    [
        ErrorCode::HEADER_MISMATCH,
        ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY,
        ErrorCode::UNSUPPORTED_PROTOCOL_VERSION,
    ]
    .iter()
    .any(|modern| i64::from(modern.0) == code)
}
