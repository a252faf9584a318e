//! A server: an identity, a tool set, and what may go with it.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::call::Running;
use crate::completion::{Completer, DynCompleter};
use crate::prompts::{DynPromptSet, PromptSet};
use crate::resources::{DynResourceSet, ResourceSet};
use crate::settle::Unschematised;
use crate::tool_set::{DynToolSet, ToolSet};

/// Longest instructions, in characters: clients cut what is longer.
pub const INSTRUCTIONS_LIMIT: usize = 2_000;

/// Serves tools, resources and prompts to clients of every protocol version.
///
/// ```
/// use mortise_server::{Answer, Server, Tool, Tools};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let tools = Tools::new([Tool::raw("ping").handler(|_, _| async { Ok(Answer::text("pong")) })])?;
/// let server = Server::builder("example", "1.0.0").tools(tools).build()?;
/// server.serve_stdio(std::future::pending()).await;
/// # Ok(()) }
/// ```
///
/// Clones are handles to the same server: one can be served over several transports at once.
#[derive(Clone, Debug)]
pub struct Server(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) identity: Map<String, Value>,
    pub(crate) instructions: Option<String>,
    pub(crate) tools: Option<Box<dyn DynToolSet>>,
    pub(crate) resources: Option<Box<dyn DynResourceSet>>,
    pub(crate) prompts: Option<Box<dyn DynPromptSet>>,
    pub(crate) completer: Option<Box<dyn DynCompleter>>,
    pub(crate) unschematised: Unschematised,
    pub(crate) running: Running,
}

/// Collects what a [`Server`] consists of.
#[must_use]
pub struct ServerBuilder(Inner);

/// Why a server can't be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// The name or the version is empty.
    #[error("a server needs a {part}")]
    Empty {
        /// `name` or `version`.
        part: &'static str,
    },
    /// The instructions are longer than clients keep.
    #[error("the instructions have {length} characters; the limit is {limit}")]
    InstructionsTooLong {
        /// Characters found.
        length: usize,
        /// Characters allowed.
        limit: usize,
    },
}

impl Server {
    /// A server that calls itself by this name and version.
    pub fn builder(name: &str, version: &str) -> ServerBuilder {
        let mut identity = Map::new();
        identity.insert("name".to_owned(), json!(name));
        identity.insert("version".to_owned(), json!(version));
        ServerBuilder(Inner {
            identity,
            instructions: None,
            tools: None,
            resources: None,
            prompts: None,
            completer: None,
            unschematised: Unschematised::Allowed,
            running: Running::new(),
        })
    }

    /// The name the server goes by.
    pub fn name(&self) -> &str {
        self.0.identity.get("name").and_then(Value::as_str).unwrap_or_default()
    }
}

impl ServerBuilder {
    /// The server's name for people.
    pub fn title(mut self, title: &str) -> Self {
        self.0.identity.insert("title".to_owned(), json!(title));
        self
    }

    /// How to use the server, for the model that uses it. At most 2,000 characters, the most useful first.
    pub fn instructions(mut self, instructions: &str) -> Self {
        self.0.instructions = Some(instructions.to_owned());
        self
    }

    /// The tools.
    pub fn tools(mut self, tools: impl ToolSet) -> Self {
        self.0.tools = Some(Box::new(tools));
        self
    }

    /// The resources.
    pub fn resources(mut self, resources: impl ResourceSet) -> Self {
        self.0.resources = Some(Box::new(resources));
        self
    }

    /// The prompts.
    pub fn prompts(mut self, prompts: impl PromptSet) -> Self {
        self.0.prompts = Some(Box::new(prompts));
        self
    }

    /// Who completes arguments.
    pub fn completer(mut self, completer: impl Completer) -> Self {
        self.0.completer = Some(Box::new(completer));
        self
    }

    /// A tool without output schema must return content and no structured content;
    /// otherwise its answer becomes an error. By default it may return what it likes.
    pub fn forbid_unschematised(mut self) -> Self {
        self.0.unschematised = Unschematised::Forbidden;
        self
    }

    /// The server.
    ///
    /// # Errors
    ///
    /// When name or version are empty or the instructions too long.
    pub fn build(self) -> Result<Server, BuildError> {
        for part in ["name", "version"] {
            if self.0.identity.get(part).and_then(Value::as_str).is_none_or(str::is_empty) {
                return Err(BuildError::Empty { part });
            }
        }
        let length = self.0.instructions.as_ref().map_or(0, |instructions| instructions.chars().count());
        if length > INSTRUCTIONS_LIMIT {
            return Err(BuildError::InstructionsTooLong { length, limit: INSTRUCTIONS_LIMIT });
        }
        Ok(Server(Arc::new(self.0)))
    }
}

impl std::fmt::Debug for Inner {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Server").field("identity", &self.identity).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for ServerBuilder {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(formatter)
    }
}
