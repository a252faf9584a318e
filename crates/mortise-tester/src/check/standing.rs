//! How far each tool was verified, and what that comes to.

use serde::Serialize;

/// What is known about one tool's results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Verification {
    /// A call succeeded, and no result broke the contract.
    Verified,
    /// A result broke the contract, or the server held one back that would have.
    Broken,
    /// The tool was called and no call succeeded.
    Unverified,
    /// The tool was not called.
    NotCalled,
}

impl Verification {
    /// All of them, in the order of reports.
    pub const ALL: [Self; 4] = [Self::Verified, Self::Broken, Self::Unverified, Self::NotCalled];

    /// The key in JSON.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The words for people.
    pub fn words(self) -> &'static str {
        match self {
            Self::NotCalled => "not called",
            other => other.as_str(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ToolStanding {
    pub tool: String,
    /// What is known.
    pub standing: Verification,
    /// Why no more is known; empty for verified and broken tools.
    pub reason: String,
}

/// How many tools have each standing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VerificationTally([usize; 4]);

impl VerificationTally {
    /// Counts standings.
    pub fn of<'a>(standings: impl IntoIterator<Item = &'a ToolStanding>) -> Self {
        let mut tally = Self::default();
        for standing in standings {
            tally.0[standing.standing as usize] += 1;
        }
        tally
    }

    /// How many tools have this standing.
    pub fn count(&self, standing: Verification) -> usize {
        self.0[standing as usize]
    }

    /// How many tools there are.
    pub fn total(&self) -> usize {
        self.0.iter().sum()
    }

    /// `3 verified, 1 unverified, 2 not called`; broken tools are named where there are any.
    pub fn sentence(&self) -> String {
        let is_named =
            |standing: &Verification| *standing != Verification::Broken || self.count(*standing) > 0;
        let parts = Verification::ALL.into_iter().filter(is_named);
        parts
            .map(|standing| format!("{} {}", self.count(standing), standing.words()))
            .collect::<Vec<_>>()
            .join(", ")
    }
}
