//! Which providers would refuse or weaken a tool, and what its author can do.

use super::definition::ToolDefinition;
use super::loss::{Loss, Severity};
use super::provider::{Provider, ProviderOptions, render_tools};

/// One finding about one tool: the same loss with all providers that it happens to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LintFinding {
    /// The name that providers know the tool by.
    pub name: String,
    /// Where it happens.
    pub providers: Vec<Provider>,
    /// What happens.
    pub loss: Loss,
}

impl LintFinding {
    /// Whether a provider would refuse the tool as it is declared; else it only loses something.
    pub fn is_refusal(&self) -> bool {
        self.loss.severity == Severity::Error
    }
}

/// Looks at tools with the eyes of some providers; what is merely cosmetic is left out.
///
/// Tools in the order of their names, refusals first.
pub fn lint(tools: &[ToolDefinition], providers: &[Provider], options: &ProviderOptions) -> Vec<LintFinding> {
    let mut findings: Vec<LintFinding> = Vec::new();
    for provider in providers {
        for tool in render_tools(*provider, tools, options).tools {
            for loss in tool.losses.into_iter().filter(|loss| loss.severity > Severity::Info) {
                match findings.iter_mut().find(|known| known.name == tool.name && known.loss == loss) {
                    Some(known) => known.providers.push(*provider),
                    None => findings.push(LintFinding {
                        name: tool.name.clone(),
                        providers: vec![*provider],
                        loss,
                    }),
                }
            }
        }
    }
    findings.sort_by(|a, b| {
        let key = |finding: &LintFinding| {
            let severity = std::cmp::Reverse(finding.loss.severity);
            (finding.name.clone(), severity, finding.loss.side, finding.loss.pointer.clone())
        };
        key(a).cmp(&key(b))
    });
    findings
}
