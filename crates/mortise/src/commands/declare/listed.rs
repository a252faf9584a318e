//! The tools that are declared, whether a server lists them now or a file records them.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use mortise_client::RejectedTool;
use mortise_contract::{Contract, RawJson, ServerName};
use mortise_declare::{
    Action, LintFinding, LintSubject, LintVerdict, Loss, Provider, SchemaSide, Severity, ToolDefinition,
};

use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::session::Connected;
use crate::snapshots;
use crate::terminal::escape;

/// The tools of one server.
pub(super) struct ListedServer {
    name: ServerName,
    contracts: Vec<Arc<Contract>>,
    left_out: Vec<UndeclaredElement>,
}

/// An element of a list that can't be declared: a name that comes twice, something that is not a tool.
struct UndeclaredElement {
    /// `server/tool`, or the place in the list of what has no name.
    name: String,
    reason: String,
}

impl ListedServer {
    /// What servers list now.
    pub(super) fn of_connected(connected: &[Connected]) -> Vec<Self> {
        let of_server = |server: &Connected| {
            let (name, catalog) = (server.upstream.name().clone(), server.upstream.catalog());
            let rejected = catalog.rejected.iter();
            let left_out = |rejected: &RejectedTool| {
                UndeclaredElement::new(
                    &name,
                    rejected.name.as_deref(),
                    rejected.position,
                    rejected.reason.clone(),
                )
            };
            let left_out = rejected.map(left_out).collect();
            Self { contracts: catalog.contracts.clone(), left_out, name }
        };
        connected.iter().map(of_server).collect()
    }

    /// What a lock file or a recorded list holds.
    pub(super) fn of_file(app: &App, path: &Path) -> Result<Vec<Self>, Failure> {
        let servers = snapshots::read_tools(app, path)?.into_iter();
        servers.map(|(server, tools)| Self::recorded(path, &server, tools)).collect()
    }

    fn recorded(path: &Path, server: &str, tools: Vec<RawJson>) -> Result<Self, Failure> {
        let name = ServerName::parse(server).map_err(|error| {
            Failure::new(Exit::Configuration, format!("cannot use `{}`", path.display())).because(&error)
        })?;
        let (mut contracts, mut left_out, mut seen) = (Vec::new(), Vec::new(), HashSet::new());
        for (position, raw) in tools.into_iter().enumerate() {
            match Contract::parse(raw) {
                Ok(contract) if seen.insert(contract.name.clone()) => contracts.push(Arc::new(contract)),
                Ok(contract) => {
                    let tool = contract.name.as_str();
                    let reason = format!("a tool named `{tool}` was listed before");
                    left_out.push(UndeclaredElement::new(&name, Some(tool), position, reason));
                }
                Err(error) => left_out.push(UndeclaredElement::new(&name, None, position, error.to_string())),
            }
        }
        Ok(Self { name, contracts, left_out })
    }

    /// The tools as declarations are made from them.
    pub(super) fn definitions(&self) -> impl Iterator<Item = ToolDefinition> {
        self.contracts.iter().map(|contract| ToolDefinition::of(&self.name, contract))
    }

    /// Says on stderr which elements are left out, as `mortise tools` does.
    pub(super) fn warn(&self, app: &App) {
        for UndeclaredElement { name, reason } in &self.left_out {
            let (name, reason) = (escape::line(name), escape::line(reason));
            app.terminal.warn(&format!("`{name}` is left out: {reason}"));
        }
    }

    /// The elements that are left out, as findings.
    pub(super) fn findings(&self, providers: &[Provider]) -> Vec<LintFinding> {
        let finding = |left_out: &UndeclaredElement| LintFinding {
            subject: LintSubject::Tool(left_out.name.clone()),
            verdict: LintVerdict::Weakened,
            providers: providers.to_vec(),
            loss: Loss {
                side: SchemaSide::Input,
                pointer: String::new(),
                keyword: "name".to_owned(),
                action: Action::Dropped,
                severity: Severity::Warn,
                reason: left_out.reason.clone(),
                fix: Some("give every tool a name of its own, and the form that the protocol asks for"),
                rule: None,
                before_excerpt: None,
                after_excerpt: None,
            },
            rules: Vec::new(),
        };
        self.left_out.iter().map(finding).collect()
    }
}

impl UndeclaredElement {
    fn new(server: &ServerName, tool: Option<&str>, position: usize, reason: String) -> Self {
        let name = match tool {
            Some(tool) => format!("{server}/{tool}"),
            None => format!("{server}/element {position}"),
        };
        Self { name, reason }
    }
}
