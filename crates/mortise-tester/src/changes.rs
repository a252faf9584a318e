//! What changed between two snapshots of servers, and whether that is allowed.
//!
//! [`compare`] pairs servers, tools, resources and prompts and asks
//! [`mortise_contract::diff`] about each pair. A change that counts as breaking stands, unless a
//! [waiver] with a reason lets it pass until a day.

mod compare;
mod json;
mod markdown;
pub mod waiver;

use chrono::NaiveDate;
use mortise_contract::diff::{Bump, Change, Level, Rule, Strictness};
use mortise_contract::lock::About;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use waiver::Waivers;

pub use compare::{CompareError, compare, compare_by_name};

/// What counts as breaking, and what is let pass.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// Which changes count as breaking.
    pub strictness: Strictness,
    /// Whether clients approve calls by the hints, so that a worse hint breaks.
    pub hints: HintPolicy,
    /// What is let pass.
    pub waivers: Waivers,
}

/// What a hint that promises less than before means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HintPolicy {
    /// Something to look at.
    #[default]
    Warns,
    /// A break: people and policies approve calls by these hints.
    Breaks,
}

/// All changes between two snapshots.
#[derive(Clone, Debug)]
pub struct SnapshotComparison {
    /// The servers, by name.
    pub servers: Vec<ServerChanges>,
    /// Which changes counted as breaking.
    pub strictness: Strictness,
    /// Waivers that would have let something pass, were they not past their day.
    pub expired: Vec<waiver::Waiver>,
    /// Waivers that nothing asked for.
    pub unused: Vec<waiver::Waiver>,
}

#[derive(Clone, Debug)]
pub struct ServerChanges {
    pub name: String,
    /// Who it was.
    pub old: Option<About>,
    /// Who it is.
    pub new: Option<About>,
    /// What changed, by kind and name.
    pub items: Vec<ItemChanges>,
    /// Lists that only one side has, and that say nothing therefore.
    pub not_compared: Vec<&'static str>,
}

/// The changes of one tool, resource or prompt, or of the server itself.
#[derive(Clone, Debug)]
pub struct ItemChanges {
    pub kind: ItemKind,
    /// Its name; the server's own for [`ItemKind::Server`].
    pub name: String,
    /// The changes, the order of the declaration kept.
    pub changes: Vec<SeenChange>,
}

/// What a change is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ItemKind {
    /// The server itself.
    Server,
    Tool,
    Resource,
    ResourceTemplate,
    Prompt,
}

/// One change and what is made of it.
#[derive(Clone, Debug)]
pub struct SeenChange {
    pub change: Change,
    /// What stood there, for changes of words and hints.
    pub before: Option<Value>,
    pub after: Option<Value>,
    /// Whether it may pass.
    pub standing: ChangeStanding,
}

/// Whether a change may pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeStanding {
    /// It does not count as breaking.
    Passes,
    /// It counts as breaking.
    Breaks,
    /// It counts as breaking, and a waiver lets it pass.
    Waived {
        reason: String,
        /// The last day.
        until: NaiveDate,
    },
}

/// How many changes there are of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Those that count as breaking, by the strictness asked for.
    pub breaking: usize,
    /// Breaking ones that were let pass.
    pub waived: usize,
    /// Warnings that do not count as breaking.
    pub warnings: usize,
    /// Changes of the surface that break nothing.
    pub safe: usize,
    /// Everything else.
    pub notes: usize,
}

impl SnapshotComparison {
    pub fn changes(&self) -> impl Iterator<Item = &SeenChange> {
        self.servers.iter().flat_map(|server| &server.items).flat_map(|item| &item.changes)
    }

    /// Whether nothing changed at all.
    pub fn is_empty(&self) -> bool {
        self.changes().next().is_none()
    }

    /// Whether both sides are the same: nothing changed, and no list is missing on one side.
    pub fn is_same(&self) -> bool {
        self.is_empty() && self.servers.iter().all(|server| server.not_compared.is_empty())
    }

    /// Whether something breaks that no waiver lets pass.
    pub fn breaks(&self) -> bool {
        self.changes().any(|seen| seen.standing == ChangeStanding::Breaks)
    }

    /// How many changes there are of each kind.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for seen in self.changes() {
            let count = match (&seen.standing, seen.change.level) {
                (ChangeStanding::Breaks, _) => &mut counts.breaking,
                (ChangeStanding::Waived { .. }, _) => &mut counts.waived,
                (ChangeStanding::Passes, Level::Warning | Level::Breaking) => &mut counts.warnings,
                (ChangeStanding::Passes, Level::Safe) => &mut counts.safe,
                (ChangeStanding::Passes, Level::Info) => &mut counts.notes,
            };
            *count += 1;
        }
        counts
    }

    /// Which part of the version must grow. A break that was let pass is still one.
    pub fn bump(&self) -> Bump {
        let of_change = |seen: &SeenChange| match seen.standing {
            ChangeStanding::Passes => seen.change.bump(self.strictness),
            ChangeStanding::Breaks | ChangeStanding::Waived { .. } => Bump::Major,
        };
        self.changes().map(of_change).max().unwrap_or(Bump::None)
    }
}

impl SeenChange {
    /// Whether models or people who approve calls go by what changed: words, hints, and what is new.
    pub fn is_of_trust(&self) -> bool {
        matches!(
            self.change.rule,
            Rule::DescriptionChanged
                | Rule::InstructionsChanged
                | Rule::TitleChanged
                | Rule::TextChanged
                | Rule::DefaultChanged
                | Rule::HintWorsened
                | Rule::HintImproved
                | Rule::ToolAdded
                | Rule::PromptAdded
                | Rule::ServerAdded
        )
    }

    /// Its name in reports: the level, or what the policy made of it.
    pub fn word(&self) -> &'static str {
        match (&self.standing, self.change.level) {
            (ChangeStanding::Breaks, _) => "breaking",
            (ChangeStanding::Waived { .. }, _) => "waived",
            (ChangeStanding::Passes, Level::Warning | Level::Breaking) => "warning",
            (ChangeStanding::Passes, Level::Safe) => "safe",
            (ChangeStanding::Passes, Level::Info) => "note",
        }
    }
}

impl ItemKind {
    /// The name used in JSON and in messages.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

#[cfg(test)]
mod tests;
