//! `allow`, `ask` or `deny`: the rules of the operator.

use serde::{Deserialize, Serialize};

use super::{ArgumentFit, ArgumentSchema};
use crate::contract::Hints;
use crate::{Glob, RawJson};

/// Says what a call needs: the first rule that matches decides.
///
/// The default policy allows everything.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ApprovalPolicy {
    /// The rules, the first one first.
    pub rules: Vec<PolicyRule>,
    /// What holds where no rule matches. Under `ask` and `deny`, tools that say they are read-only are still allowed.
    pub default: PolicyAnswer,
    /// What holds where no rule matches and the tool gives no hints; `None` is [`ApprovalPolicy::default`].
    pub no_hints: Option<PolicyAnswer>,
}

/// What happens to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum PolicyAnswer {
    /// It is made.
    #[default]
    Allow,
    /// It is made if a person agrees.
    Ask,
    /// It is refused.
    Deny,
}

/// One rule. It matches a call that all of its conditions match.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyRule {
    /// What happens to the calls that it matches.
    pub answer: PolicyAnswer,
    /// Globs over `mcp__<server>__<tool>`, of which one must match.
    pub tools: Vec<Glob>,
    /// What the tool must say about itself.
    pub hint: Option<PolicyHint>,
    /// What the arguments must conform to.
    pub arguments: Option<ArgumentSchema>,
    /// Who must be calling.
    pub caller: Option<Glob>,
}

/// What a tool says about itself. A tool that gives at least one hint has the protocol's defaults for the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum PolicyHint {
    /// It changes nothing.
    ReadOnly,
    /// It changes something.
    Writes,
    /// It may destroy something.
    Destructive,
    /// Calling it twice does no more than calling it once.
    Idempotent,
    /// It reaches an open world, such as the web.
    OpenWorld,
    /// It gives no hints.
    None,
}

/// What a tool does to the world, by its own word.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum DeclaredEffect {
    /// It may destroy something.
    Destructive,
    /// It gives no hints.
    Unknown,
    /// It changes something and destroys nothing.
    Writes,
    /// It changes nothing.
    ReadOnly,
}

/// A tool and its caller, as a policy sees them.
#[derive(Clone, Copy, Debug)]
pub struct PolicySubject<'a> {
    /// The name that programs use.
    pub callable: &'a str,
    /// Other spellings of the name, see `NameMap::spellings`. They can withhold a tool and never let one through.
    pub spellings: &'a [String],
    /// The hints that the tool gives, see [`Contract::given_hints`](crate::Contract::given_hints).
    pub hints: Option<Hints>,
    /// The name that the caller gives itself.
    pub caller: &'a str,
}

/// What a policy says to a call, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolicyDecision {
    /// What happens to the call.
    pub answer: PolicyAnswer,
    /// What decided.
    pub by: DecidedBy,
}

/// The part of a policy that decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DecidedBy {
    /// The rule at this place in [`ApprovalPolicy::rules`], from 0.
    Rule(usize),
    /// No rule matches, and the tool says that it is read-only.
    ReadOnly,
    /// No rule matches, and the tool gives no hints.
    NoHints,
    /// No rule matches.
    Default,
}

/// What a policy can say to a tool whose arguments are not known yet: for each answer, what would give it first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PolicyOutlook {
    /// What would allow a call.
    pub allow: Option<DecidedBy>,
    /// What would ask about a call.
    pub ask: Option<DecidedBy>,
    /// What would refuse a call.
    pub deny: Option<DecidedBy>,
}

impl ApprovalPolicy {
    /// Whether every call is allowed, whatever it is.
    pub fn allows_all(&self) -> bool {
        let allows = |answer: &PolicyAnswer| *answer == PolicyAnswer::Allow;
        self.rules.iter().all(|rule| allows(&rule.answer))
            && allows(&self.default)
            && self.no_hints.as_ref().is_none_or(allows)
    }

    /// Decides about one call.
    pub fn decide(&self, subject: &PolicySubject<'_>, arguments: &RawJson) -> PolicyDecision {
        let found = self.rules.iter().position(|rule| rule.is_about(subject) && rule.takes(arguments));
        match found {
            Some(at) => PolicyDecision { answer: self.rules[at].answer, by: DecidedBy::Rule(at) },
            None => self.fallback(subject),
        }
    }

    /// What can be decided about calls of a tool before their arguments are known.
    pub fn outlook(&self, subject: &PolicySubject<'_>) -> PolicyOutlook {
        let mut outlook = PolicyOutlook::default();
        for (at, rule) in self.rules.iter().enumerate().filter(|(_, rule)| rule.is_about(subject)) {
            outlook.note(PolicyDecision { answer: rule.answer, by: DecidedBy::Rule(at) });
            if rule.arguments.is_none() {
                return outlook;
            }
        }
        outlook.note(self.fallback(subject));
        outlook
    }

    /// What decided, as the operator wrote it: ``rule 2, `ask: mcp__crm__*` ``.
    pub fn describe(&self, by: DecidedBy) -> String {
        match by {
            DecidedBy::Rule(at) => match self.rules.get(at) {
                Some(rule) => format!("rule {}, `{}`", at + 1, rule.sentence()),
                None => format!("rule {}", at + 1),
            },
            DecidedBy::ReadOnly => "the tool says that it is read-only".to_owned(),
            DecidedBy::NoHints => "the tool gives no hints".to_owned(),
            DecidedBy::Default => format!("`default: {}`", self.default.as_str()),
        }
    }

    /// The schema that bounds what is granted when this part of the policy asks.
    pub fn asked_arguments(&self, by: DecidedBy) -> Option<&ArgumentSchema> {
        let DecidedBy::Rule(at) = by else { return None };
        self.rules.get(at)?.arguments.as_ref()
    }

    fn fallback(&self, subject: &PolicySubject<'_>) -> PolicyDecision {
        match (subject.hints, self.no_hints) {
            (None, Some(answer)) => PolicyDecision { answer, by: DecidedBy::NoHints },
            (Some(hints), _) if hints.read_only && self.default != PolicyAnswer::Allow => {
                PolicyDecision { answer: PolicyAnswer::Allow, by: DecidedBy::ReadOnly }
            }
            _ => PolicyDecision { answer: self.default, by: DecidedBy::Default },
        }
    }
}

impl PolicyRule {
    /// A rule without conditions but its globs.
    pub fn new(answer: PolicyAnswer, tools: Vec<Glob>) -> Self {
        Self { answer, tools, hint: None, arguments: None, caller: None }
    }

    /// Whether it matches calls of this tool by this caller, as far as their arguments fit.
    fn is_about(&self, subject: &PolicySubject<'_>) -> bool {
        self.names(subject)
            && self.hint.is_none_or(|hint| hint.is_given(subject.hints))
            && self.caller.as_ref().is_none_or(|caller| caller.matches(subject.caller))
    }

    /// The server picks its tools' names, so another spelling can withhold a tool and never let one through.
    fn names(&self, subject: &PolicySubject<'_>) -> bool {
        if self.answer == PolicyAnswer::Allow {
            return self.tools.iter().any(|glob| glob.matches(subject.callable));
        }
        let mut names = subject.spellings.iter().map(String::as_str).chain([subject.callable]);
        names.any(|name| self.tools.iter().any(|glob| glob.matches_in_any_case(name)))
    }

    /// Arguments that can't be compared are never allowed by a rule, and always asked about or refused.
    fn takes(&self, arguments: &RawJson) -> bool {
        let Some(schema) = &self.arguments else { return true };
        match schema.fit(arguments) {
            ArgumentFit::Inside => true,
            ArgumentFit::Outside { .. } => false,
            ArgumentFit::Unknown { .. } => self.answer != PolicyAnswer::Allow,
        }
    }

    /// `deny: mcp__crm__*, hint: destructive`.
    fn sentence(&self) -> String {
        let globs: Vec<&str> = self.tools.iter().map(Glob::as_str).collect();
        let mut parts = vec![format!("{}: {}", self.answer.as_str(), globs.join(" "))];
        parts.extend(self.hint.map(|hint| format!("hint: {}", hint.as_str())));
        parts.extend(self.arguments.as_ref().map(|_| "arguments: …".to_owned()));
        parts.extend(self.caller.as_ref().map(|caller| format!("caller: {}", caller.as_str())));
        parts.join(", ")
    }
}

impl PolicyAnswer {
    /// All of them, the most lenient first.
    pub const ALL: [Self; 3] = [Self::Allow, Self::Ask, Self::Deny];

    /// The word that configurations carry.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl PolicyHint {
    /// The word that configurations carry.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Whether a tool with these hints says this about itself.
    fn is_given(self, hints: Option<Hints>) -> bool {
        match (self, hints) {
            (Self::None, hints) => hints.is_none(),
            (_, None) => false,
            (Self::ReadOnly, Some(hints)) => hints.read_only,
            (Self::Writes, Some(hints)) => !hints.read_only,
            // What changes nothing destroys nothing, whatever its other hints say by default.
            (Self::Destructive, Some(hints)) => hints.destructive && !hints.read_only,
            (Self::Idempotent, Some(hints)) => hints.idempotent,
            (Self::OpenWorld, Some(hints)) => hints.open_world,
        }
    }
}

impl DeclaredEffect {
    /// What a tool with these hints does.
    pub fn of(hints: Option<Hints>) -> Self {
        match hints {
            None => Self::Unknown,
            Some(hints) if hints.read_only => Self::ReadOnly,
            Some(hints) if hints.destructive => Self::Destructive,
            Some(_) => Self::Writes,
        }
    }

    /// The word that reports use.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl PolicyOutlook {
    /// The answer that every call gets, if its arguments do not matter.
    pub fn surely(&self) -> Option<PolicyDecision> {
        let given = |answer, by: Option<DecidedBy>| by.map(|by| PolicyDecision { answer, by });
        let mut all = [
            given(PolicyAnswer::Allow, self.allow),
            given(PolicyAnswer::Ask, self.ask),
            given(PolicyAnswer::Deny, self.deny),
        ]
        .into_iter()
        .flatten();
        let first = all.next()?;
        all.next().is_none().then_some(first)
    }

    /// What asks, if a call can't be made without a question: no arguments are allowed outright.
    pub fn asks(&self) -> Option<DecidedBy> {
        self.ask.filter(|_| self.allow.is_none())
    }

    fn note(&mut self, decision: PolicyDecision) {
        let place = match decision.answer {
            PolicyAnswer::Allow => &mut self.allow,
            PolicyAnswer::Ask => &mut self.ask,
            PolicyAnswer::Deny => &mut self.deny,
        };
        place.get_or_insert(decision.by);
    }
}
