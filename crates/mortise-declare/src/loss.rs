//! What a rendering could not keep of a schema, and what became of it.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use mortise_contract::text::cut_bytes;
use serde_json::{Value, json};

use super::provider::ProviderRule;

/// Losses kept of one rendering, the worst of all; one more says that there were others.
const KEPT: usize = 500;
/// Bytes of an excerpt.
const EXCERPT: usize = 80;

/// Which schema of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SchemaSide {
    /// What the tool takes; its name and description count as this too.
    Input,
    /// What the tool returns.
    Output,
}

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Action {
    /// Left out; other values fit now.
    Dropped,
    /// Replaced by something that more values fit.
    Widened,
    /// A reference was replaced by what it refers to.
    Inlined,
    /// Another word for the same.
    Renamed,
    /// Cut to a bound.
    Truncated,
    /// Several parts became one.
    Collapsed,
    /// Taken to mean something that it does not quite say.
    Assumed,
    /// Left as it is, although the target does not accept it.
    Kept,
}

/// How much a loss matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Cosmetic.
    Info,
    /// A model may build wrong values.
    Warn,
    /// The target would refuse the tool as its server declares it.
    Error,
}

/// One thing that a rendering could not keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// Which schema.
    pub side: SchemaSide,
    /// JSON pointer into that schema.
    pub pointer: String,
    /// The keyword that is concerned.
    pub keyword: String,
    /// What was done about it.
    pub action: Action,
    /// How much it matters.
    pub severity: Severity,
    /// The cause, for a person.
    pub reason: String,
    /// What the author of the tool can do about it.
    pub fix: Option<&'static str>,
    /// The [`ProviderRule`](super::ProviderRule) behind it, by its id.
    pub rule: Option<&'static str>,
    /// The beginning of what stood there.
    pub before_excerpt: Option<String>,
    /// The beginning of what stands there now.
    pub after_excerpt: Option<String>,
}

impl SchemaSide {
    /// The word that reports use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Output => "output",
        }
    }
}

impl Action {
    /// The word that reports use.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl Severity {
    /// The word that reports use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warn => "warn",
            Self::Error => "error",
        }
    }
}

impl Loss {
    /// The loss as reports show it.
    pub fn to_json(&self) -> Value {
        json!({
            "schema": self.side.as_str(),
            "pointer": self.pointer,
            "keyword": self.keyword,
            "action": self.action.as_str(),
            "severity": self.severity.as_str(),
            "reason": self.reason,
            "fix": self.fix,
            "rule": self.rule,
            "before_excerpt": self.before_excerpt,
            "after_excerpt": self.after_excerpt,
        })
    }
}

/// Collects losses in a fixed order, within a bound: those that matter little give way to those that matter more.
#[derive(Clone, Debug)]
pub(super) struct Losses {
    side: SchemaSide,
    /// By severity, the least first.
    kept: [Vec<Loss>; 3],
    /// Where each of them is among those of its severity, by what it says.
    places: HashMap<u64, usize>,
    /// How many are left out.
    more: usize,
    /// How much the worst of those matters.
    worst_left_out: Severity,
}

impl Losses {
    pub(super) fn new(side: SchemaSide) -> Self {
        Self {
            side,
            kept: [const { Vec::new() }; 3],
            places: HashMap::new(),
            more: 0,
            worst_left_out: Severity::Info,
        }
    }

    /// Notes a loss at a keyword; the caller may add to it.
    pub(super) fn add(
        &mut self,
        pointer: &str,
        keyword: &str,
        (action, severity): (Action, Severity),
        reason: impl Into<String>,
    ) -> LossDetail<'_> {
        LossDetail(self.note(Loss {
            side: self.side,
            pointer: pointer.to_owned(),
            keyword: keyword.to_owned(),
            action,
            severity,
            reason: reason.into(),
            fix: None,
            rule: None,
            before_excerpt: None,
            after_excerpt: None,
        }))
    }

    /// Takes over what was collected apart.
    pub(super) fn absorb(&mut self, others: Self) {
        if others.more > 0 {
            self.leave_out(others.more, others.worst_left_out);
        }
        for loss in others.kept.into_iter().flatten() {
            self.note(loss);
        }
    }

    /// The loss where it is kept, or one that says the same; nothing where no more are kept.
    fn note(&mut self, loss: Loss) -> Option<&mut Loss> {
        let (level, words) = (loss.severity as usize, words(&loss));
        if let Some(at) = self.places.get(&words) {
            return self.kept[level].get_mut(*at);
        }
        if self.kept.iter().map(Vec::len).sum::<usize>() >= KEPT {
            let Some(given_up) = self.kept[..level].iter_mut().find_map(Vec::pop) else {
                self.leave_out(1, loss.severity);
                return None;
            };
            self.places.remove(&self::words(&given_up));
            self.leave_out(1, given_up.severity);
        }
        self.places.insert(words, self.kept[level].len());
        self.kept[level].push(loss);
        self.kept[level].last_mut()
    }

    fn leave_out(&mut self, more: usize, worst: Severity) {
        self.more += more;
        self.worst_left_out = self.worst_left_out.max(worst);
    }

    /// All of them, in the order of schema, pointer and keyword, the worst first.
    pub(super) fn finish(self) -> Vec<Loss> {
        let mut losses: Vec<Loss> = self.kept.into_iter().rev().flatten().collect();
        if self.more > 0 {
            losses.push(Loss {
                side: self.side,
                pointer: String::new(),
                keyword: "…".to_owned(),
                action: Action::Truncated,
                severity: self.worst_left_out,
                reason: format!("{} further losses are not listed", self.more),
                fix: None,
                rule: None,
                before_excerpt: None,
                after_excerpt: None,
            });
        }
        sort(&mut losses);
        losses
    }
}

/// Stands for what a loss says: the same for losses that say the same.
fn words(loss: &Loss) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&loss.pointer, &loss.keyword, &loss.reason, loss.severity).hash(&mut hasher);
    hasher.finish()
}

/// The order of reports.
pub(super) fn sort(losses: &mut [Loss]) {
    losses.sort_by(|a, b| (a.side, &a.pointer, &a.keyword).cmp(&(b.side, &b.pointer, &b.keyword)));
}

/// A loss that was just noted; nothing where no more are kept.
pub(super) struct LossDetail<'a>(Option<&'a mut Loss>);

impl LossDetail<'_> {
    /// What the author can do.
    pub(super) fn fix(mut self, fix: &'static str) -> Self {
        if let Some(loss) = &mut self.0 {
            loss.fix = Some(fix);
        }
        self
    }

    /// The rule of a provider behind it.
    pub(super) fn rule(mut self, rule: &'static ProviderRule) -> Self {
        if let Some(loss) = &mut self.0 {
            loss.rule = Some(rule.id);
        }
        self
    }

    /// What stood there.
    pub(super) fn before(mut self, before: &Value) -> Self {
        if let Some(loss) = &mut self.0 {
            loss.before_excerpt = Some(cut_bytes(&before.to_string(), EXCERPT));
        }
        self
    }

    /// What stood there, as it was written.
    pub(super) fn written(mut self, text: &str) -> Self {
        if let Some(loss) = &mut self.0 {
            loss.before_excerpt = Some(cut_bytes(text, EXCERPT));
        }
        self
    }

    /// What stands there now.
    pub(super) fn after(mut self, after: &str) -> Self {
        if let Some(loss) = &mut self.0 {
            loss.after_excerpt = Some(cut_bytes(after, EXCERPT));
        }
        self
    }
}

#[cfg(test)]
mod tests;
