//! Elements of a server's list that can't be declared: a name that comes twice, something that is no tool.

use mortise_contract::declare::{Action, LintFinding, LintVerdict, Loss, Provider, Severity, Side};
use mortise_upstream::RejectedTool;

use crate::app::App;
use crate::session::Connected;
use crate::terminal::escape;

/// Says on stderr which elements are left out, as `mortise tools` does.
pub(super) fn warn(app: &App, connected: &[Connected]) {
    for server in connected {
        for rejected in &server.upstream.catalog().rejected {
            let (name, reason) = (escape::line(&name(server, rejected)), escape::line(&rejected.reason));
            app.terminal.warn(&format!("`{name}` is left out: {reason}"));
        }
    }
}

/// The same as findings: no provider is told about them.
pub(super) fn findings(connected: &[Connected], providers: &[Provider]) -> Vec<LintFinding> {
    let finding = |server: &Connected, rejected: &RejectedTool| LintFinding {
        name: name(server, rejected),
        verdict: LintVerdict::Weakened,
        providers: providers.to_vec(),
        loss: Loss {
            side: Side::Input,
            pointer: String::new(),
            keyword: "name".to_owned(),
            action: Action::Dropped,
            severity: Severity::Warn,
            reason: rejected.reason.clone(),
            fix: Some("give every tool a name of its own, and the form that the protocol asks for"),
            before_excerpt: None,
            after_excerpt: None,
        },
    };
    let of_server = |server: &Connected| {
        let catalog = server.upstream.catalog();
        catalog.rejected.iter().map(|rejected| finding(server, rejected)).collect::<Vec<_>>()
    };
    connected.iter().flat_map(of_server).collect()
}

/// `server/tool`, or the place in the list of what has no name.
fn name(server: &Connected, rejected: &RejectedTool) -> String {
    let server = server.upstream.name();
    match &rejected.name {
        Some(tool) => format!("{server}/{tool}"),
        None => format!("{server}/element {}", rejected.position),
    }
}
