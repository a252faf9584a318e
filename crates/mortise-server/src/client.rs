//! Who is asking: protocol version, era, capabilities, name.

use mortise_contract::Era;
use serde_json::{Map, Value};

use crate::InputKind;
use crate::tasks::TASKS_EXTENSION;

/// Protocol versions that are served, oldest first.
pub const PROTOCOL_VERSIONS: [&str; 5] =
    ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

/// The first version without sessions.
pub(crate) const MODERN: &str = "2026-07-28";
/// The first version that knows structured content.
pub(crate) const STRUCTURED: &str = "2025-06-18";
/// What an HTTP client speaks that names no version.
pub(crate) const UNNAMED: &str = "2025-03-26";

/// What is known about the client of one request. Names and capabilities are its own claim.
#[derive(Clone, Debug, PartialEq)]
pub struct Client {
    pub(crate) version: String,
    pub(crate) capabilities: Map<String, Value>,
    pub(crate) info: Map<String, Value>,
}

/// What a result may look like for a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResultShape {
    /// No structured content at all.
    TextOnly,
    /// Structured content is an object.
    ObjectOnly,
    /// Structured content is any JSON.
    AnyJson,
}

impl Client {
    /// A client of this protocol version that declares these capabilities.
    ///
    /// Meant for tests of tool sets; over a transport the client describes itself.
    pub fn new(version: impl Into<String>, capabilities: Map<String, Value>) -> Self {
        Self { version: version.into(), capabilities, info: Map::new() }
    }

    /// The protocol version of this request, such as `2025-11-25`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The era that the version belongs to.
    pub fn era(&self) -> Era {
        // Versions are dates in ISO form: text order is time order.
        if self.version.as_str() >= MODERN { Era::Modern } else { Era::Legacy }
    }

    /// The capabilities that the client declared, as it wrote them.
    pub fn capabilities(&self) -> &Map<String, Value> {
        &self.capabilities
    }

    /// The client's name, if it gave one.
    pub fn name(&self) -> Option<&str> {
        self.info.get("name").and_then(Value::as_str)
    }

    /// Name, version and what else the client said about itself.
    pub fn info(&self) -> &Map<String, Value> {
        &self.info
    }

    /// Whether a question of this kind may be put to the client.
    pub fn supports(&self, kind: InputKind) -> bool {
        match kind {
            InputKind::Sample => self.declares("sampling"),
            InputKind::ListRoots => self.declares("roots"),
            InputKind::ElicitForm => self.capabilities.get("elicitation").is_some_and(|elicitation| {
                // `{}` means form: clients older than the url mode say no more than that.
                elicitation.get("form").is_some() || elicitation.get("url").is_none()
            }),
            InputKind::ElicitUrl => self
                .capabilities
                .get("elicitation")
                .is_some_and(|elicitation| elicitation.get("url").is_some()),
        }
    }

    /// Whether a call may be answered with a task: the client declares the extension
    /// `io.modelcontextprotocol/tasks`, which only the modern era has.
    pub fn takes_tasks(&self) -> bool {
        let declared = self.capabilities.get("extensions").and_then(|known| known.get(TASKS_EXTENSION));
        self.era() == Era::Modern && declared.is_some()
    }

    fn declares(&self, capability: &str) -> bool {
        self.capabilities.get(capability).is_some_and(|value| !value.is_null())
    }

    pub(crate) fn shape(&self) -> ResultShape {
        match self.version.as_str() {
            version if version >= MODERN => ResultShape::AnyJson,
            version if version >= STRUCTURED => ResultShape::ObjectOnly,
            _ => ResultShape::TextOnly,
        }
    }
}
