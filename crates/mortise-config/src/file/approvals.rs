//! `approvals:` as it is written.

use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use crate::located::Located;

/// Which calls of programs need the agreement of a person, and which are refused.
#[derive(Deserialize, JsonSchema, Default)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Approvals")]
pub(crate) struct ApprovalsSection {
    /// The first rule that matches a call decides about it.
    pub(crate) rules: Option<Vec<Located<ApprovalRule>>>,
    /// What holds where no rule matches. Default `allow`. Under `ask` and `deny`, tools that say they are read-only are still allowed.
    pub(crate) default: Option<AnswerKind>,
    /// What holds where no rule matches and the tool gives no hints. Default as `default`.
    pub(crate) no_hints: Option<AnswerKind>,
    /// How long a question waits for its answer. Default 300.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 600))]
    pub(crate) timeout_seconds: Option<Located<f64>>,
}

/// One rule: `allow`, `ask` or `deny` with the tools that it is about. It matches a call that all of its other keys match.
#[derive(Deserialize, JsonSchema, Default)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ApprovalRule {
    /// These calls are made: a glob over `mcp__<server>__<tool>`, or a list of them. Upper and lower case differ.
    #[schemars(with = "Option<GlobsForm>")]
    pub(crate) allow: Option<Located<Globs>>,
    /// These calls are made if a person agrees. Upper and lower case are the same.
    #[schemars(with = "Option<GlobsForm>")]
    pub(crate) ask: Option<Located<Globs>>,
    /// These calls are refused. Upper and lower case are the same.
    #[schemars(with = "Option<GlobsForm>")]
    pub(crate) deny: Option<Located<Globs>>,
    /// What the tool says about itself.
    pub(crate) hint: Option<HintKind>,
    /// A JSON Schema that the arguments of the call conform to.
    pub(crate) arguments: Option<Located<Value>>,
    /// A glob over the name that the caller gives itself; `mortise run` is `mortise run`.
    pub(crate) caller: Option<Located<String>>,
}

/// What happens to a call.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ApprovalAnswer")]
pub(crate) enum AnswerKind {
    /// It is made.
    Allow,
    /// It is made if a person agrees.
    Ask,
    /// It is refused.
    Deny,
}

/// What a tool says about itself.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ApprovalHint")]
pub(crate) enum HintKind {
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

/// `approvals: ask`, or the whole section.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) enum ApprovalsForm {
    Word(AnswerKind),
    Section(ApprovalsSection),
}

/// What stands under `approvals`. A word is read later, where its place is known.
pub(crate) enum Approvals {
    Word(String),
    Section(Box<ApprovalsSection>),
}

impl<'de> Deserialize<'de> for Approvals {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ApprovalsVisitor)
    }
}

struct ApprovalsVisitor;

impl<'de> Visitor<'de> for ApprovalsVisitor {
    type Value = Approvals;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("`allow`, `ask`, `deny` or a mapping")
    }

    fn visit_unit<E: Error>(self) -> Result<Approvals, E> {
        Ok(Approvals::Section(Box::default()))
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<Approvals, E> {
        Ok(Approvals::Word(word.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Approvals, A::Error> {
        let section = ApprovalsSection::deserialize(MapAccessDeserializer::new(map))?;
        Ok(Approvals::Section(Box::new(section)))
    }
}

/// One glob or several.
pub(crate) struct Globs(pub(crate) Vec<String>);

#[derive(JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Globs")]
#[expect(dead_code, reason = "only its schema is used")]
enum GlobsForm {
    One(String),
    Several(Vec<String>),
}

impl<'de> Deserialize<'de> for Globs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(GlobsVisitor)
    }
}

struct GlobsVisitor;

impl<'de> Visitor<'de> for GlobsVisitor {
    type Value = Globs;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a glob or a list of globs")
    }

    fn visit_str<E: Error>(self, glob: &str) -> Result<Globs, E> {
        Ok(Globs(vec![glob.to_owned()]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Globs, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(list)).map(Globs)
    }
}
