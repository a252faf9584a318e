//! Which providers would refuse or weaken a tool, which texts of it look odd, and what its author can do.

use std::collections::BTreeMap;

use mortise_contract::NameMap;

use super::definition::ToolDefinition;
use super::loss::{Loss, Severity};
use super::provider::{Provider, ProviderOptions, RequestLoss, rendered};

/// One finding: the same loss with all providers that it happens to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LintFinding {
    /// What it is about.
    pub subject: LintSubject,
    /// How bad it is.
    pub verdict: LintVerdict,
    /// The providers that are affected.
    pub providers: Vec<Provider>,
    /// What happens; its rules are in [`LintFinding::rules`].
    pub loss: Loss,
    /// The ids of the [`ProviderRule`](super::ProviderRule)s behind it.
    pub rules: Vec<&'static str>,
}

/// What a finding is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LintSubject {
    /// One tool, by the name that providers know it by.
    Tool(String),
    /// All tools of a request together; these are the ones that are too much.
    Request(Vec<String>),
}

/// What a finding means, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
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
        self.into()
    }
}

/// Looks at tools with the eyes of some providers; what is merely cosmetic is left out.
///
/// What is about all tools together comes first, then tools in the order of their names, the worst first; those that
/// `names` does not know are left out. The names are those of [`render_tools`](super::render_tools).
pub fn lint(
    tools: &[ToolDefinition],
    providers: &[Provider],
    names: &NameMap,
    options: &ProviderOptions,
) -> Vec<LintFinding> {
    let mut of_request: Vec<LintFinding> = Vec::new();
    let mut by_tool: BTreeMap<String, Vec<LintFinding>> = BTreeMap::new();
    for provider in providers {
        let (tools, request_losses) = rendered(*provider, tools, names, options);
        for RequestLoss { tools, loss } in request_losses {
            note(&mut of_request, LintSubject::Request(tools), *provider, loss);
        }
        for tool in tools {
            for loss in tool.losses.into_iter().filter(|loss| loss.severity > Severity::Info) {
                let known = by_tool.entry(tool.name.clone()).or_default();
                note(known, LintSubject::Tool(tool.name.clone()), *provider, loss);
            }
        }
    }
    for (name, finding) in flagged(tools, providers, names) {
        by_tool.entry(name).or_default().push(finding);
    }
    let worst_first = |mut findings: Vec<LintFinding>| {
        findings.sort_by(|a, b| {
            let key =
                |finding: &LintFinding| (finding.verdict, finding.loss.side, finding.loss.pointer.clone());
            key(a).cmp(&key(b))
        });
        findings
    };
    of_request.extend(by_tool.into_values().flat_map(worst_first));
    of_request
}

/// Adds a loss to the findings, or its provider to the finding that says the same.
fn note(findings: &mut Vec<LintFinding>, subject: LintSubject, provider: Provider, mut loss: Loss) {
    let rule = loss.rule.take();
    match findings.iter_mut().find(|known| known.loss == loss && known.subject == subject) {
        Some(known) => {
            known.providers.push(provider);
            known.rules.extend(rule.filter(|rule| !known.rules.contains(rule)));
        }
        None => findings.push(LintFinding {
            subject,
            verdict: match loss.severity {
                Severity::Error => LintVerdict::Refused,
                _ => LintVerdict::Weakened,
            },
            providers: vec![provider],
            loss,
            rules: rule.into_iter().collect(),
        }),
    }
}

/// What every provider would pass on to the model.
fn flagged(tools: &[ToolDefinition], providers: &[Provider], names: &NameMap) -> Vec<(String, LintFinding)> {
    let of_tool = |tool: &ToolDefinition| {
        let Some(name) = names.callable(&tool.server, &tool.tool) else { return Vec::new() };
        let finding = |flag: super::Flag| {
            let subject = LintSubject::Tool(name.to_string());
            let (verdict, providers, loss) = (LintVerdict::Flagged, providers.to_vec(), flag.to_loss());
            (name.to_string(), LintFinding { subject, verdict, providers, loss, rules: Vec::new() })
        };
        tool.flags().into_iter().map(finding).collect::<Vec<_>>()
    };
    tools.iter().flat_map(of_tool).collect()
}
