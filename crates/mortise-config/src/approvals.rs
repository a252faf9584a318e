//! What `approvals:` means: a policy, and how long a question waits.

use std::time::Duration;

use mortise_contract::Glob;
use mortise_contract::approval::{ApprovalPolicy, ArgumentSchema, PolicyAnswer, PolicyHint, PolicyRule};
use mortise_contract::limits::{APPROVAL_TIME, APPROVAL_TIME_MAX};
use mortise_contract::text::{cut, printable};

use crate::Problem;
use crate::file::approvals::{AnswerKind, ApprovalRule, Approvals, ApprovalsSection, Globs, HintKind};
use crate::located::{Located, Position};
use crate::resolve::Resolver;

/// Which calls need the agreement of a person.
#[derive(Clone, Debug, PartialEq)]
pub struct ApprovalSettings {
    /// What each call needs.
    pub policy: ApprovalPolicy,
    /// How long a question waits for its answer.
    pub timeout: Duration,
}

impl Default for ApprovalSettings {
    fn default() -> Self {
        Self { policy: ApprovalPolicy::default(), timeout: APPROVAL_TIME }
    }
}

impl Resolver<'_> {
    pub(super) fn approvals(&mut self, file: &Located<Approvals>) -> ApprovalSettings {
        let word = match &file.value {
            Approvals::Section(section) => return self.approval_section(section),
            Approvals::Word(word) => word,
        };
        let found = PolicyAnswer::ALL.into_iter().find(|answer| answer.as_str() == word);
        if found.is_none() {
            let known = PolicyAnswer::ALL.map(PolicyAnswer::as_str).to_vec();
            self.find(file.position, Problem::UnknownValue { value: cut(&printable(word), 120), known });
        }
        let policy = ApprovalPolicy { default: found.unwrap_or_default(), ..ApprovalPolicy::default() };
        ApprovalSettings { policy, ..ApprovalSettings::default() }
    }

    fn approval_section(&mut self, file: &ApprovalsSection) -> ApprovalSettings {
        let timeout = self.seconds("timeout_seconds", &file.timeout_seconds, APPROVAL_TIME_MAX);
        let rules = file.rules.iter().flatten().filter_map(|rule| self.approval_rule(rule)).collect();
        let policy = ApprovalPolicy {
            rules,
            default: file.default.map(PolicyAnswer::from).unwrap_or_default(),
            no_hints: file.no_hints.map(PolicyAnswer::from),
        };
        ApprovalSettings { policy, timeout: timeout.unwrap_or(APPROVAL_TIME) }
    }

    /// A rule, unless something is wrong with it, which is found.
    fn approval_rule(&mut self, rule: &Located<ApprovalRule>) -> Option<PolicyRule> {
        let (position, rule) = (rule.position, &rule.value);
        let written = [
            (PolicyAnswer::Allow, &rule.allow),
            (PolicyAnswer::Ask, &rule.ask),
            (PolicyAnswer::Deny, &rule.deny),
        ];
        let mut written = written.into_iter().filter_map(|(answer, globs)| Some((answer, globs.as_ref()?)));
        let Some((answer, globs)) = written.next() else {
            let expected = "one of the keys `allow`, `ask` and `deny`".to_owned();
            self.find(position, Problem::WrongKind { expected, found: None });
            return None;
        };
        if let Some((second, other)) = written.next() {
            let (first, second) = (answer.as_str(), second.as_str());
            self.find(other.position, Problem::MutuallyExclusive { first, second });
            return None;
        }
        let tools = self.approval_globs(globs);
        let arguments = match &rule.arguments {
            Some(schema) => Some(self.argument_schema(schema)?),
            None => None,
        };
        let caller =
            rule.caller.as_ref().map(|caller| self.one_glob("caller", &caller.value, caller.position));
        Some(PolicyRule { answer, tools, hint: rule.hint.map(PolicyHint::from), arguments, caller })
    }

    fn approval_globs(&mut self, globs: &Located<Globs>) -> Vec<Glob> {
        if globs.value.0.is_empty() {
            self.find(globs.position, Problem::BadText { key: "pattern", reason: "is missing" });
        }
        globs.value.0.iter().map(|glob| self.one_glob("pattern", glob, globs.position)).collect()
    }

    fn one_glob(&mut self, key: &'static str, glob: &str, position: Position) -> Glob {
        if glob.is_empty() {
            self.find(position, Problem::BadText { key, reason: "is empty" });
        }
        Glob::new(glob)
    }

    fn argument_schema(&mut self, schema: &Located<serde_json::Value>) -> Option<ArgumentSchema> {
        match ArgumentSchema::compile(schema.value.clone()) {
            Ok(compiled) => Some(compiled),
            Err(error) => {
                self.find(
                    schema.position,
                    Problem::BadSchema { key: "arguments", reason: error.to_string() },
                );
                None
            }
        }
    }
}

impl From<AnswerKind> for PolicyAnswer {
    fn from(kind: AnswerKind) -> Self {
        match kind {
            AnswerKind::Allow => Self::Allow,
            AnswerKind::Ask => Self::Ask,
            AnswerKind::Deny => Self::Deny,
        }
    }
}

impl From<HintKind> for PolicyHint {
    fn from(kind: HintKind) -> Self {
        match kind {
            HintKind::ReadOnly => Self::ReadOnly,
            HintKind::Writes => Self::Writes,
            HintKind::Destructive => Self::Destructive,
            HintKind::Idempotent => Self::Idempotent,
            HintKind::OpenWorld => Self::OpenWorld,
            HintKind::None => Self::None,
        }
    }
}

#[cfg(test)]
mod tests;
