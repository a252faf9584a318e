//! A server: an identity, a tool set, and what may go with it.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::call::Running;
use crate::completion::{Completer, DynCompleter};
use crate::prompts::{DynPromptSet, PromptSet};
use crate::registration::RegistrationError;
use crate::resources::{DynResourceSet, ResourceSet};
use crate::settle::Unschematised;
use crate::tool_set::{DynToolSet, ToolSet};
use crate::{Tool, Tools};

/// Longest instructions, in characters: clients cut what is longer.
pub const INSTRUCTIONS_LIMIT: usize = 2_000;

/// Serves tools, resources and prompts to clients of every protocol version.
///
/// ```
/// use mortise_server::{BuildError, Server, Tool, ToolError};
///
/// async fn ping() -> Result<String, ToolError> {
///     Ok("pong".to_owned())
/// }
///
/// # async fn example() -> Result<(), BuildError> {
/// Server::new("example", "1.0.0").tool(Tool::new("ping", ping)).serve_stdio().await?;
/// # Ok(()) }
/// ```
///
/// [`Server::new`] collects what belongs to the server, and [`ServerBuilder::build`] checks it. Clones of a
/// built server are handles to the same one: it can be served over several transports at once.
#[derive(Clone, Debug)]
pub struct Server(pub(crate) Arc<ServerParts>);

pub(crate) struct ServerParts {
    pub(crate) identity: Map<String, Value>,
    pub(crate) instructions: Option<String>,
    pub(crate) tools: Option<Box<dyn DynToolSet>>,
    pub(crate) resources: Option<Box<dyn DynResourceSet>>,
    pub(crate) prompts: Option<Box<dyn DynPromptSet>>,
    pub(crate) completer: Option<Box<dyn DynCompleter>>,
    pub(crate) unschematised: Unschematised,
    pub(crate) running: Running,
}

/// Collects what a [`Server`] consists of. Mistakes are reported by [`ServerBuilder::build`].
#[must_use]
pub struct ServerBuilder {
    inner: ServerParts,
    tools: Vec<Tool>,
}

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
    /// A tool can't be served.
    #[error(transparent)]
    Tool(#[from] RegistrationError),
    /// Tools were added one by one to a server that also got a set of tools.
    #[error("the tool `{tool}` was added to a server that has a set of tools; add it to the set")]
    ToolBesideSet {
        /// The first such tool.
        tool: String,
    },
}

impl Server {
    /// Begins a server that calls itself by this name and version.
    #[expect(clippy::new_ret_no_self, reason = "what is wrong with a tool is known only when all are there")]
    pub fn new(name: &str, version: &str) -> ServerBuilder {
        let mut identity = Map::new();
        identity.insert("name".to_owned(), json!(name));
        identity.insert("version".to_owned(), json!(version));
        let inner = ServerParts {
            identity,
            instructions: None,
            tools: None,
            resources: None,
            prompts: None,
            completer: None,
            unschematised: Unschematised::Allowed,
            running: Running::new(),
        };
        ServerBuilder { inner, tools: Vec::new() }
    }

    /// The name the server goes by.
    pub fn name(&self) -> &str {
        self.0.identity.get("name").and_then(Value::as_str).unwrap_or_default()
    }
}

impl ServerBuilder {
    /// The server's name for people.
    pub fn title(mut self, title: &str) -> Self {
        self.inner.identity.insert("title".to_owned(), json!(title));
        self
    }

    /// How to use the server, for the model that uses it. At most 2,000 characters, the most useful first.
    pub fn instructions(mut self, instructions: &str) -> Self {
        self.inner.instructions = Some(instructions.to_owned());
        self
    }

    /// Adds a tool. Clients see tools in the order in which they were added.
    pub fn tool(mut self, tool: Tool) -> Self {
        self.tools.push(tool);
        self
    }

    /// Serves a set of tools, which may change, instead of single ones.
    pub fn tools(mut self, tools: impl ToolSet) -> Self {
        self.inner.tools = Some(Box::new(tools));
        self
    }

    /// Sets the resources that the server offers.
    pub fn resources(mut self, resources: impl ResourceSet) -> Self {
        self.inner.resources = Some(Box::new(resources));
        self
    }

    /// The prompts.
    pub fn prompts(mut self, prompts: impl PromptSet) -> Self {
        self.inner.prompts = Some(Box::new(prompts));
        self
    }

    /// Who completes arguments.
    pub fn completer(mut self, completer: impl Completer) -> Self {
        self.inner.completer = Some(Box::new(completer));
        self
    }

    /// A tool without output schema must return content and no structured content;
    /// otherwise its answer becomes an error. By default it may return what it likes.
    pub fn forbid_unschematised(mut self) -> Self {
        self.inner.unschematised = Unschematised::Forbidden;
        self
    }

    /// The server.
    ///
    /// # Errors
    ///
    /// When a tool can't be served, name or version are empty, or the instructions are too long.
    pub fn build(mut self) -> Result<Server, BuildError> {
        for part in ["name", "version"] {
            if self.inner.identity.get(part).and_then(Value::as_str).is_none_or(str::is_empty) {
                return Err(BuildError::Empty { part });
            }
        }
        let length = self.inner.instructions.as_ref().map_or(0, |instructions| instructions.chars().count());
        if length > INSTRUCTIONS_LIMIT {
            return Err(BuildError::InstructionsTooLong { length, limit: INSTRUCTIONS_LIMIT });
        }
        if let Some(tool) = self.tools.first() {
            if self.inner.tools.is_some() {
                return Err(BuildError::ToolBesideSet { tool: tool.name().to_owned() });
            }
            self.inner.tools = Some(Box::new(Tools::new(self.tools)?));
        }
        Ok(Server(Arc::new(self.inner)))
    }

    /// Serves the client on standard input and output until it leaves. Nothing else may write to standard output.
    ///
    /// # Errors
    ///
    /// Before anything is read, when the server can't be built.
    pub async fn serve_stdio(self) -> Result<(), BuildError> {
        self.build()?.serve_stdio(std::future::pending()).await;
        Ok(())
    }
}

impl std::fmt::Debug for ServerParts {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Server").field("identity", &self.identity).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for ServerBuilder {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.inner.fmt(formatter)
    }
}
