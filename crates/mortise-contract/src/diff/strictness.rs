//! How strict a diff is, and which version number a change asks for.

use super::{Change, Level, Role, Rule};

/// Which changes count as breaking. One choice for all rules.
#[derive(strum::Display, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Strictness {
    /// What makes a call, or a consumer that validates, fail.
    #[default]
    Wire,
    /// What `Wire` counts, and what breaks types that were generated from the schemas.
    Types,
    /// What `Types` counts, and every warning.
    Strict,
}

/// Which part of a version number must grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, strum::Display, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Bump {
    /// Nothing changed.
    None,
    /// The third number: only words changed.
    Patch,
    /// The second number: the surface changed, and what worked still works.
    Minor,
    /// The first number: something breaks.
    Major,
}

impl Change {
    /// Whether the change counts as breaking.
    ///
    /// ```
    /// use mortise_contract::diff::{Role, Strictness, diff_schemas};
    /// use serde_json::json;
    ///
    /// let old = json!({"type": "object", "properties": {"a": {}, "b": {}}});
    /// let new = json!({"type": "object", "properties": {"a": {}}});
    /// let gone = &diff_schemas(&old, &new, Role::Output)[0];
    /// assert!(!gone.is_breaking(Strictness::Wire));
    /// assert!(gone.is_breaking(Strictness::Types));
    /// ```
    pub fn is_breaking(&self, strictness: Strictness) -> bool {
        match (strictness, self.level) {
            (_, Level::Breaking) | (Strictness::Strict, Level::Warning) => true,
            (Strictness::Types, Level::Warning) => {
                // Code made from the old schema reads a field that is gone, or has no place for new ones.
                self.role == Some(Role::Output)
                    && matches!(self.rule, Rule::OptionalPropertyRemoved | Rule::Opened)
            }
            _ => false,
        }
    }

    /// The version number that the change asks for.
    pub fn bump(&self, strictness: Strictness) -> Bump {
        let only_words = matches!(self.rule, Rule::DescriptionChanged | Rule::InstructionsChanged);
        match self.level {
            _ if self.is_breaking(strictness) => Bump::Major,
            Level::Info => Bump::Patch,
            Level::Warning if only_words => Bump::Patch,
            Level::Safe | Level::Warning | Level::Breaking => Bump::Minor,
        }
    }
}

impl Strictness {
    /// Every level, the most lenient first.
    pub const ALL: [Self; 3] = [Self::Wire, Self::Types, Self::Strict];

    /// The name used in JSON and in messages.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl Bump {
    /// The name used in JSON and in messages.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}
