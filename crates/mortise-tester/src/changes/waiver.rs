//! Waivers: accepted breaks, with a reason and a last day.

use chrono::NaiveDate;
use mortise_contract::diff::Rule;
use mortise_contract::embedded;
use serde::Deserialize;
use serde_json::Value;

use super::{ChangeStanding, ItemKind};

/// The waivers of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Waivers {
    /// In the order of the file.
    pub waivers: Vec<Waiver>,
}

/// One break that may pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiver {
    pub rule: Rule,
    /// The server; any without it.
    pub server: Option<String>,
    /// What the item is; any kind without it.
    pub kind: Option<ItemKind>,
    /// The name of the tool, resource or prompt.
    pub item: String,
    /// The place in its declaration; the whole of it without one.
    pub pointer: String,
    /// Why it may pass.
    pub reason: String,
    /// The last day.
    pub until: NaiveDate,
}

/// Why a file is not a list of waivers.
#[derive(Debug, thiserror::Error)]
pub enum WaiverError {
    /// It is not YAML, or lacks something, or has a key that is not known.
    #[error("the waivers can't be read: {reason}")]
    Unreadable { reason: String },
    /// Another version of this program wrote it.
    #[error("the waivers have version {found}, and only version 1 is known")]
    Version { found: u64 },
    /// A value that can't be.
    #[error("waiver {number}: {problem}")]
    Value {
        /// Which one, from 1.
        number: usize,
        /// What is wrong with it.
        problem: WaiverProblem,
    },
}

/// What is wrong with one waiver.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WaiverProblem {
    /// Its rule is not one of ours.
    #[error("there is no rule `{rule}`")]
    UnknownRule {
        /// The rule as written.
        rule: String,
    },
    /// Its last day is not a date.
    #[error("`until` is `{until}`, and must be a day such as 2027-01-31")]
    NotADay {
        /// The day as written.
        until: String,
    },
    /// It gives no reason.
    #[error("`reason` is empty")]
    NoReason,
}

impl Waivers {
    /// Their usual file.
    pub const FILE_NAME: &str = "mortise.waivers.yaml";

    /// Reads the YAML of a waiver file.
    ///
    /// ```
    /// use mortise_tester::changes::waiver::Waivers;
    ///
    /// let waivers = Waivers::parse(
    ///     "version: 1
    /// waivers:
    ///   - rule: enum-value-added
    ///     item: forecast
    ///     pointer: /outputSchema/properties/sky/enum
    ///     reason: all clients are ours and know the new value
    ///     until: 2027-01-31
    /// ",
    /// )?;
    /// assert_eq!(waivers.waivers[0].rule.id(), "enum-value-added");
    /// # Ok::<(), mortise_tester::changes::waiver::WaiverError>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, WaiverError> {
        let options = serde_saphyr::options! { with_snippet: false, strict_booleans: true };
        let file: WaiverFile = serde_saphyr::from_str_with_options(text, options)
            .map_err(|error| WaiverError::Unreadable { reason: error.to_string() })?;
        if file.version != 1 {
            return Err(WaiverError::Version { found: file.version });
        }
        let waivers = file.waivers.into_iter().enumerate().map(|(index, entry)| {
            entry.read().map_err(|problem| WaiverError::Value { number: index + 1, problem })
        });
        Ok(Self { waivers: waivers.collect::<Result<_, _>>()? })
    }

    /// A JSON Schema of the file.
    pub fn json_schema() -> Value {
        let mut schema = embedded::json(include_str!("waivers.schema.json"));
        let ids: Value = Rule::ALL.iter().map(|rule| rule.id()).collect();
        if let Some(rule) = schema.pointer_mut("/$defs/waiver/properties/rule/enum") {
            *rule = ids;
        }
        schema
    }

    /// Whether a break may pass; notes in `used` which waivers had a say.
    pub(super) fn decide(
        &self,
        place: &WaiverPlace<'_>,
        today: NaiveDate,
        used: &mut [WaiverDecision],
    ) -> ChangeStanding {
        let mut standing = ChangeStanding::Breaks;
        for (waiver, used) in self.waivers.iter().zip(used).filter(|(waiver, _)| waiver.covers(place)) {
            if waiver.until < today {
                *used = WaiverDecision::Expired;
            } else {
                *used = WaiverDecision::Used;
                standing = ChangeStanding::Waived { reason: waiver.reason.clone(), until: waiver.until };
            }
        }
        standing
    }
}

/// What became of a waiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WaiverDecision {
    Unused,
    Used,
    Expired,
}

/// Where a break is.
pub(super) struct WaiverPlace<'a> {
    pub(super) server: &'a str,
    pub(super) kind: ItemKind,
    pub(super) item: &'a str,
    pub(super) rule: Rule,
    pub(super) pointer: &'a str,
}

impl Waiver {
    fn covers(&self, place: &WaiverPlace<'_>) -> bool {
        self.rule == place.rule
            && self.item == place.item
            && self.pointer == place.pointer
            && self.server.as_deref().is_none_or(|server| server == place.server)
            && self.kind.is_none_or(|kind| kind == place.kind)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WaiverFile {
    version: u64,
    waivers: Vec<WaiverEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WaiverEntry {
    rule: String,
    server: Option<String>,
    kind: Option<ItemKind>,
    item: String,
    #[serde(default)]
    pointer: String,
    reason: String,
    until: String,
}

impl WaiverEntry {
    fn read(self) -> Result<Waiver, WaiverProblem> {
        let known = Rule::ALL.iter().find(|rule| rule.id() == self.rule);
        let Some(rule) = known.copied() else { return Err(WaiverProblem::UnknownRule { rule: self.rule }) };
        let Ok(until) = NaiveDate::parse_from_str(&self.until, "%Y-%m-%d") else {
            return Err(WaiverProblem::NotADay { until: self.until });
        };
        if self.reason.trim().is_empty() {
            return Err(WaiverProblem::NoReason);
        }
        Ok(Waiver {
            rule,
            server: self.server,
            kind: self.kind,
            item: self.item,
            pointer: self.pointer,
            reason: self.reason.trim().to_owned(),
            until,
        })
    }
}
