//! All wizards as one MCP server.

use std::sync::Arc;

use mortise_server::{BuildError, RegistrationError, Server, Tools};

use crate::tool::Wizard;
use crate::wizards::Wizards;

/// The instructions that a client gets for the wizards as a whole.
pub const INSTRUCTIONS: &str = "\
Turns a folder of data files into typed tables. Nothing is guessed silently: what only a person can decide comes back \
as `questions`, and every result says in `workflow.next_actions` what to call next.

The chain: quick_scan a folder, look with preview_files or read_sample, group files with apply_scope, infer types with \
discover_schemas, let the person confirm and call approve_schemas (propose_amendment changes a contract later), write a \
parser with generate_parser, run it on all files with run_backtest, mend it with fix_parser and refine_parser, write \
tables with execute_pipeline (try mode dry_run first) and look at them with query_output.

Paths carry data too: recognize_semantic_path and generate_extractor turn sample paths into an extraction rule in YAML; \
python_code comes beside it only where YAML can't say it. Use the rule first; run Python only if the person enables it.

Results have one of four formats, named in `format`: code (in `code`), yaml_rule, hybrid (yaml_rule and perhaps \
python_code), metadata. The second text block of a result is for the person: show it. Show code and rules as they are. \
An error is JSON with error_code, field or line, reason and suggestion: correct the argument and call again.

Generated parsers have been run on the real file in a sandbox and compared cell by cell with an independent reading; \
`validation_results` says what was run and what was skipped. Proposals are drafts for 24 hours: list_drafts shows them, \
commit_draft keeps one. Files are read only below the roots and written only below the output folder.";

/// Why the server can't be made: a tool or a text of ours is at fault.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// A tool is not declared as it must be.
    #[error("a wizard is not declared as it must be")]
    Tool(#[from] RegistrationError),
    /// The server is not.
    #[error("the server of the wizards can't be built")]
    Build(#[from] BuildError),
}

/// All wizards, in the order of the chain.
pub fn all() -> Vec<Wizard> {
    let mut all = crate::data::tools::wizards();
    all.extend(crate::paths::tools::wizards());
    all.extend(crate::parsers::tools::wizards());
    all
}

/// The server with all wizards.
///
/// # Errors
///
/// When a declaration of ours is at fault.
pub fn server(wizards: &Arc<Wizards>) -> Result<Server, ServerError> {
    let tools = all().into_iter().map(|wizard| wizard.into_tool(wizards)).collect::<Result<Vec<_>, _>>()?;
    let tools = Tools::new(tools)?;
    let server =
        Server::new("mortise-wizards", env!("CARGO_PKG_VERSION")).instructions(INSTRUCTIONS).tools(tools);
    Ok(server.build()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_are_not_cut_by_clients() {
        assert!(INSTRUCTIONS.len() < 2_000, "{}", INSTRUCTIONS.len());
    }
}
