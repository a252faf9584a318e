//! A set of tools written one by one, which may change while it is served.

use std::collections::HashMap;
use std::sync::Arc;

use mortise_contract::ToolCall;
use parking_lot::RwLock;

use crate::registration::RegistrationError;
use crate::tool::{ArgumentChecker, Handler};
use crate::tool_list::ToolEntry;
use crate::{Answer, CallContext, ChangeSignal, Changes, Reply, Tool, ToolList, ToolSet};

/// Tools in the order in which they were added. Clones are handles to the same set, so a handler can hold one and change it.
///
/// ```
/// # use mortise_server::{Answer, Tool, Tools};
/// let tools = Tools::new([Tool::raw("ping").handler(|_, _| async { Ok(Answer::text("pong")) })])?;
/// tools.add(Tool::raw("pong").handler(|_, _| async { Ok(Answer::text("ping")) }))?;
/// tools.remove("ping");
/// # Ok::<(), mortise_server::RegistrationError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Tools(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    current: RwLock<Current>,
    signal: ChangeSignal,
}

#[derive(Debug)]
struct Current {
    tools: HashMap<String, Tool>,
    list: Arc<ToolList>,
}

impl Tools {
    /// A set of these tools.
    ///
    /// # Errors
    ///
    /// When a declaration is at fault or two tools have one name.
    pub fn new(tools: impl IntoIterator<Item = Tool>) -> Result<Self, RegistrationError> {
        let mut current = Current { tools: HashMap::new(), list: Arc::default() };
        for tool in tools {
            current.add(Checked::new(tool)?)?;
        }
        Ok(Self(Arc::new(Shared { current: RwLock::new(current), signal: ChangeSignal::new() })))
    }

    /// Adds a tool and notifies the clients.
    ///
    /// # Errors
    ///
    /// When the declaration is at fault or the name is taken; the set stays as it was.
    pub fn add(&self, tool: Tool) -> Result<(), RegistrationError> {
        let tool = Checked::new(tool)?;
        self.change(|current| current.add(tool))
    }

    /// Replaces the tool of the same name and notifies the clients. Running calls go on.
    ///
    /// # Errors
    ///
    /// When the declaration is at fault or there is no such tool; the set stays as it was.
    pub fn replace(&self, tool: Tool) -> Result<(), RegistrationError> {
        let tool = Checked::new(tool)?;
        self.change(|current| match current.tools.contains_key(tool.0.name()) {
            true => {
                current.put(tool);
                Ok(())
            }
            false => Err(RegistrationError::NoSuchTool { tool: tool.0.name().to_owned() }),
        })
    }

    /// Removes a tool and notifies the clients. Running calls go on. Returns false when there is no such tool.
    pub fn remove(&self, name: &str) -> bool {
        self.change(|current| match current.tools.remove(name) {
            Some(_) => {
                Arc::make_mut(&mut current.list).remove(name);
                Ok(())
            }
            None => Err(RegistrationError::NoSuchTool { tool: name.to_owned() }),
        })
        .is_ok()
    }

    /// Edits the set or, on an error, leaves it as it was.
    fn change(
        &self,
        edit: impl FnOnce(&mut Current) -> Result<(), RegistrationError>,
    ) -> Result<(), RegistrationError> {
        edit(&mut self.0.current.write())?;
        self.0.signal.fire();
        Ok(())
    }

    fn handler(&self, name: &str) -> Option<Handler> {
        let current = self.0.current.read();
        current.tools.get(name).map(Tool::handler)
    }
}

/// A tool with its schemas compiled, which takes its time and is done before the lock is taken.
struct Checked(Tool, ToolEntry);

impl Checked {
    fn new(tool: Tool) -> Result<Self, RegistrationError> {
        let mut entry = ToolEntry::checked(tool.contract()?)?;
        if tool.argument_check() == ArgumentChecker::Handler {
            entry.input = None;
        }
        Ok(Self(tool, entry))
    }
}

impl Current {
    fn add(&mut self, tool: Checked) -> Result<(), RegistrationError> {
        if self.tools.contains_key(tool.0.name()) {
            return Err(RegistrationError::DuplicateName { tool: tool.0.name().to_owned() });
        }
        self.put(tool);
        Ok(())
    }

    fn put(&mut self, Checked(tool, entry): Checked) {
        Arc::make_mut(&mut self.list).put(entry, tool.task_use());
        self.tools.insert(tool.name().to_owned(), tool);
    }
}

impl ToolSet for Tools {
    fn tools(&self) -> Arc<ToolList> {
        Arc::clone(&self.0.current.read().list)
    }

    async fn call(&self, call: ToolCall, context: CallContext) -> Reply {
        match self.handler(call.tool.as_str()) {
            Some(handler) => handler(call, context).await,
            // Removed between the look at the list and the call.
            None => Answer::error(format!("the tool `{}` has just been removed", call.tool)).into(),
        }
    }

    fn changes(&self) -> Changes {
        self.0.signal.changes()
    }
}
