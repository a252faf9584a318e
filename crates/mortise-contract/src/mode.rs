//! The modes: how strictly results, programs and tools are held to what was declared.
//!
//! Each question has its own type, and a word means the same under all of them:
//!
//! | word | what happens |
//! | --- | --- |
//! | `off` | nothing is compared |
//! | `warn` | what was found is reported, nothing is withheld |
//! | `guard` | what surely fails is refused, the rest is reported |
//! | `strict` | every finding is refused, and so is what could not be checked |
//! | `enforce` | what was not recorded is held back |
//!
//! [`Mode`] is about the results of a tool, [`CheckMode`] about a program before it runs, [`LockMode`] about tools that
//! are not as the lock file records them.

use serde::{Deserialize, Serialize};

/// What happens to a result that breaks its contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Mode {
    /// Nothing is checked.
    Off,
    /// Checked and reported; the value is never withheld.
    #[default]
    Warn,
    /// A violation is an error that carries the payload, and so is a result that could not be checked.
    Strict,
}

/// How strictly a program is checked before it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum CheckMode {
    /// Programs are not checked.
    Off,
    /// What surely fails is refused; the rest are warnings.
    #[default]
    Guard,
    /// Every finding is refused, and so is a program that could not be checked.
    Strict,
}

/// What happens to tools that are not as the lock file records them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum LockMode {
    /// The lock file is not read.
    Off,
    /// They are offered, and the change is named.
    Warn,
    /// They are held back until `mortise lock` records them.
    Enforce,
}

impl Mode {
    /// All of them, the most lenient first.
    pub const ALL: [Self; 3] = [Self::Off, Self::Warn, Self::Strict];

    /// The word that configurations, options and verdict objects carry.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl CheckMode {
    /// All of them, the most lenient first.
    pub const ALL: [Self; 3] = [Self::Off, Self::Guard, Self::Strict];

    /// The word that configurations, options and calls carry.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// What happens, in half a sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Off => "the program is not checked",
            Self::Guard => "what surely fails is refused, the rest are warnings",
            Self::Strict => "every finding is refused, and so is a program that could not be checked",
        }
    }

    /// The mode of this word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.as_str() == word)
    }
}

/// Whether shapes of results are learned and shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum ObserveMode {
    /// Nothing is learned, kept or shown.
    Off,
    /// Types, names of fields and counts are learned from results.
    #[default]
    On,
}

impl ObserveMode {
    /// The word that configurations carry.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl LockMode {
    /// All of them, the most lenient first.
    pub const ALL: [Self; 3] = [Self::Off, Self::Warn, Self::Enforce];

    /// The word that configurations and options carry.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// What happens, in half a sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Off => "the lock file is not read",
            Self::Warn => "they are offered, and the change is named",
            Self::Enforce => "they are held back until `mortise lock` records them",
        }
    }
}
