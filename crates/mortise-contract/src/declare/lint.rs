//! Which providers would refuse or weaken a tool, which texts of it look odd, and what its author can do.

use std::collections::BTreeMap;

use super::definition::ToolDefinition;
use super::loss::{Loss, Severity};
use super::provider::{Provider, ProviderOptions, rendered};
use crate::NameMap;

/// One finding about one tool: the same loss with all providers that it happens to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LintFinding {
    /// The name that providers know the tool by.
    pub name: String,
    /// How bad it is.
    pub verdict: LintVerdict,
    /// Where it happens.
    pub providers: Vec<Provider>,
    /// What happens.
    pub loss: Loss,
}

/// What a finding means, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LintVerdict {
    /// A provider would refuse the tool as it is declared.
    Refused,
    /// A text of the tool may speak to the model behind a person's back.
    Flagged,
    /// Something is lost on the way.
    Weakened,
}

impl LintFinding {
    /// Whether a provider would refuse the tool as it is declared.
    pub fn is_refusal(&self) -> bool {
        self.verdict == LintVerdict::Refused
    }
}

impl LintVerdict {
    /// The word that reports use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Flagged => "flagged",
            Self::Weakened => "weakened",
        }
    }
}

/// Looks at tools with the eyes of some providers; what is merely cosmetic is left out.
///
/// Tools in the order of their names, the worst first; those that `names` does not know are left out. The names are
/// those of [`render_tools`](super::render_tools).
pub fn lint(
    tools: &[ToolDefinition],
    providers: &[Provider],
    names: &NameMap,
    options: &ProviderOptions,
) -> Vec<LintFinding> {
    let mut by_tool: BTreeMap<String, Vec<LintFinding>> = BTreeMap::new();
    for provider in providers {
        for tool in rendered(*provider, tools, names, options) {
            let losses = tool.losses.into_iter().filter(|loss| loss.severity > Severity::Info);
            for loss in losses {
                let known = by_tool.entry(tool.name.clone()).or_default();
                match known.iter_mut().find(|known| known.loss == loss) {
                    Some(known) => known.providers.push(*provider),
                    None => known.push(LintFinding {
                        name: tool.name.clone(),
                        verdict: match loss.severity {
                            Severity::Error => LintVerdict::Refused,
                            _ => LintVerdict::Weakened,
                        },
                        providers: vec![*provider],
                        loss,
                    }),
                }
            }
        }
    }
    for finding in flagged(tools, providers, names) {
        by_tool.entry(finding.name.clone()).or_default().push(finding);
    }
    let worst_first = |mut findings: Vec<LintFinding>| {
        findings.sort_by(|a, b| {
            let key =
                |finding: &LintFinding| (finding.verdict, finding.loss.side, finding.loss.pointer.clone());
            key(a).cmp(&key(b))
        });
        findings
    };
    by_tool.into_values().flat_map(worst_first).collect()
}

/// What every provider would pass on to the model.
fn flagged(tools: &[ToolDefinition], providers: &[Provider], names: &NameMap) -> Vec<LintFinding> {
    let of_tool = |tool: &ToolDefinition| {
        let Some(name) = names.callable(&tool.server, &tool.tool) else { return Vec::new() };
        let finding = |flag: super::Flag| LintFinding {
            name: name.to_string(),
            verdict: LintVerdict::Flagged,
            providers: providers.to_vec(),
            loss: flag.to_loss(),
        };
        tool.flags().into_iter().map(finding).collect::<Vec<_>>()
    };
    tools.iter().flat_map(of_tool).collect()
}
