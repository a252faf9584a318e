//! The section `journal`: a word, or a mapping.

use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, IntoDeserializer, MapAccess, Visitor};

use crate::located::Located;

/// `journal: off`, or how long runs are kept.
#[derive(Default)]
pub(crate) struct JournalSection {
    pub(crate) switch: Option<JournalSwitch>,
    pub(crate) keys: JournalKeys,
}

/// Whether runs are recorded.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum JournalSwitch {
    /// They are, and can be looked at, replayed and resumed.
    On,
    /// They are not.
    Off,
}

/// How long runs are kept, and what happens when they can't be.
#[derive(Deserialize, JsonSchema, Default)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Journal")]
pub(crate) struct JournalKeys {
    /// Days after which a run that has ended is removed. Default 30.
    #[schemars(range(min = 1, max = 36500))]
    pub(crate) keep_days: Option<Located<i64>>,
    /// Bytes of all runs, above which the oldest are removed. Default 1073741824.
    #[schemars(range(min = 1, max = 1099511627776_i64))]
    pub(crate) keep_bytes: Option<Located<i64>>,
    /// What programs do while the journal can't be written. Default `go_on`.
    pub(crate) on_failure: Option<JournalFailureKind>,
}

/// What programs do while the journal can't be written.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "JournalFailure")]
pub(crate) enum JournalFailureKind {
    /// They run unrecorded, and the answer says so.
    GoOn,
    /// They stop before their next call.
    Stop,
}

/// The section as the schema has it.
#[derive(JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "JournalSection")]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) enum JournalForm {
    Switch(JournalSwitch),
    Keys(JournalKeys),
}

impl<'de> Deserialize<'de> for JournalSection {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(JournalVisitor)
    }
}

struct JournalVisitor;

impl<'de> Visitor<'de> for JournalVisitor {
    type Value = JournalSection;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("`on`, `off`, or a mapping with `keep_days`, `keep_bytes` and `on_failure`")
    }

    fn visit_unit<E: Error>(self) -> Result<JournalSection, E> {
        Ok(JournalSection::default())
    }

    fn visit_bool<E: Error>(self, is_on: bool) -> Result<JournalSection, E> {
        let switch = if is_on { JournalSwitch::On } else { JournalSwitch::Off };
        Ok(JournalSection { switch: Some(switch), ..JournalSection::default() })
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<JournalSection, E> {
        let switch = Some(JournalSwitch::deserialize(word.into_deserializer())?);
        Ok(JournalSection { switch, ..JournalSection::default() })
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<JournalSection, A::Error> {
        let keys = JournalKeys::deserialize(MapAccessDeserializer::new(map))?;
        Ok(JournalSection { keys, switch: None })
    }
}
