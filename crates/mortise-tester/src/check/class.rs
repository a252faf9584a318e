//! What kind of trouble a check found, for an exit code.

use super::{CheckReport, CheckRule, FindingSeverity};

/// The gravest kind of trouble, the gravest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Class {
    /// None that counts.
    Ok,
    /// A case failed, a server crashed or broke the protocol, nothing was checked or verified.
    Failed,
    /// A schema can't be used.
    SchemaUnusable,
    /// A call got no answer in time.
    TimedOut,
    /// A contract is broken.
    ContractViolated,
    /// A server can't be reached.
    Unreachable,
    /// A server wants a login.
    AuthorizationRequired,
}

impl Class {
    /// The name used in JSON and in messages.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl CheckRule {
    /// The kind of trouble that it is.
    pub fn class(self) -> Class {
        match self {
            Self::AuthorizationRequired => Class::AuthorizationRequired,
            Self::Unreachable => Class::Unreachable,
            Self::ContractViolation | Self::OnlyText | Self::FormatMismatch | Self::TextDisagrees => {
                Class::ContractViolated
            }
            Self::TimedOut | Self::Slow => Class::TimedOut,
            Self::SchemaUnusable | Self::LooseSchema | Self::NoOutputSchema => Class::SchemaUnusable,
            _ => Class::Failed,
        }
    }
}

impl CheckReport {
    /// The gravest kind of trouble among findings of at least this severity.
    pub fn class(&self, at_least: FindingSeverity) -> Class {
        let findings = self.servers.iter().flat_map(|server| server.findings.iter());
        let counting = findings.filter(|finding| finding.severity >= at_least);
        counting.map(|finding| finding.rule.class()).max().unwrap_or(Class::Ok)
    }
}
