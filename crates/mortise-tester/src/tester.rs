//! The tester as a set of tools.

use std::sync::Arc;

use mortise_contract::ToolCall;
use mortise_server::{
    BuildError, CallContext, Changes, RegistrationError, Reply, Server, ToolList, ToolSet, Tools,
};

use crate::callers::TesterCallers;
use crate::options::TesterOptions;
use crate::tools::all_tools;

/// How the tester calls itself, which gives its tools the names that assistants know.
const NAME: &str = "mcp-test-mcp";

const INSTRUCTIONS: &str = "\
Tests MCP servers. Call connect_to_server with the URL of a deployed server, or with the command of a \
local one; then list_tools, call_tool, list_resources, read_resource, list_prompts and get_prompt act on \
that connection and show exactly what the server sent, never a summary. call_tool adds `contract`: whether \
the result keeps the tool's output schema, with every violation. test_server looks at everything in one \
call. Every failure has `error.type`, `error.details` and a suggestion.";

/// Tools that connect to other servers and show what is there.
///
/// Every session has its own connections, which end with it; [`Tester::close`] ends them all. A client
/// of protocol 2026-07-28 over HTTP has no session: its connections are known by names that hold 128
/// random bits, which only that client is given.
#[derive(Clone, Debug)]
pub struct Tester {
    tools: Tools,
    callers: TesterCallers,
}

impl Tester {
    /// A tester without connections.
    ///
    /// # Errors
    ///
    /// Never, unless a declaration of ours is at fault.
    pub fn new(options: TesterOptions) -> Result<Self, RegistrationError> {
        let callers = TesterCallers::new(options);
        let tools = Tools::new(all_tools(&callers)?)?;
        callers.set_form(&tools.tools());
        Ok(Self { tools, callers })
    }

    /// A server of these tools.
    ///
    /// # Errors
    ///
    /// Never, unless its identity is at fault.
    pub fn server(&self) -> Result<Server, BuildError> {
        Server::new(NAME, env!("CARGO_PKG_VERSION"))
            .title("mortise tester")
            .instructions(INSTRUCTIONS)
            .tools(self.clone())
            .build()
    }

    /// Ends every connection, and with it every local server, within seconds.
    pub async fn close(&self) {
        self.callers.close().await;
    }
}

impl ToolSet for Tester {
    fn tools(&self) -> Arc<ToolList> {
        self.tools.tools()
    }

    async fn call(&self, call: ToolCall, context: CallContext) -> Reply {
        self.tools.call(call, context).await
    }

    fn changes(&self) -> Changes {
        self.tools.changes()
    }
}
