//! Proof: a break is a break when a value shows it, and none when set algebra rules it out.

use jsonschema::canonical::Satisfiability;
use serde_json::{Map, Value};

use super::cost;
use super::side::DiffSide;
use super::walk::{Doubt, FoundChange, ValueStep};
use super::{Change, Level, Proof, Role, Rule};
use crate::sample::{Sampler, sample};
use crate::schema::{CompiledSchema, SchemaOptions, Validation};

/// Proposals tried for one change.
const TRIES: usize = 24;

/// Turns what the walk found into changes with proof.
pub(super) fn prove(old: &Value, new: &Value, role: Role, found: Vec<FoundChange>) -> Vec<Change> {
    let Some(judge) = WitnessJudge::new(old, new, role) else {
        let message = "one of the schemas can't be compiled: nothing can be proven";
        let unusable = of_schema(Rule::SchemaUnusable, Level::Warning, role, message);
        let unproven = found.into_iter().map(|found| {
            let proof = if found.doubt == Doubt::None { Proof::ByRule } else { Proof::NotProven };
            change(found, role, proof, None)
        });
        return std::iter::once(unusable).chain(unproven).collect();
    };
    let only_words = !found.is_empty() && found.iter().all(|found| WORDS.contains(&found.rule));
    // The table lets these pass although values can show them, so such a value explains nothing else.
    let is_lenient = |found: &FoundChange| found.level == Level::Warning && LENIENT.contains(&found.rule);
    let is_excused = found.iter().any(is_lenient);
    let doubtful: Vec<Doubt> = found.iter().map(|found| found.doubt).collect();
    let mut changes: Vec<Change> = found.into_iter().map(|found| judge.witnessed(found)).collect();
    let is_shown = changes.iter().any(|change| change.proof == Proof::Witnessed);
    if only_words || is_shown && changes.iter().all(|change| change.proof != Proof::NotProven) {
        return changes;
    }
    match judge.difference() {
        Difference::Empty => {
            for (change, doubt) in changes.iter_mut().zip(doubtful).filter(|(_, doubt)| *doubt != Doubt::None)
            {
                change.level = if doubt == Doubt::UndecidedOrSafe { Level::Safe } else { Level::Info };
                change.proof = Proof::ProvenSafe;
            }
        }
        Difference::Some(Some(witness)) if !is_shown => {
            match judge.explained(&witness, &changes, &doubtful) {
                Some(at) => {
                    changes[at].level = Level::Breaking;
                    changes[at].proof = Proof::Witnessed;
                    changes[at].witness = Some(witness);
                }
                None if is_excused => {}
                None => changes.push(Change {
                    proof: Proof::Witnessed,
                    witness: Some(witness),
                    ..of_schema(Rule::Unexplained, Level::Breaking, role, unexplained(role))
                }),
            }
        }
        Difference::Some(_) | Difference::Unknown => {}
    }
    changes
}

/// Rules about words, which change no set of values.
const WORDS: [Rule; 5] =
    [Rule::TextChanged, Rule::DefaultChanged, Rule::Deprecated, Rule::FormatChanged, Rule::DialectChanged];
/// Rules that the table calls a warning although a value may show a difference.
const LENIENT: [Rule; 3] = [Rule::Opened, Rule::OptionalPropertyAdded, Rule::OptionalPropertyRemoved];

fn of_schema(rule: Rule, level: Level, role: Role, message: &str) -> Change {
    Change { role: Some(role), ..Change::of_tool(rule, level, "", message) }
}

fn unexplained(role: Role) -> &'static str {
    match role {
        Role::Input => "a value that was accepted is refused now",
        Role::Output => "a value can come now that could not come before",
    }
}

fn change(found: FoundChange, role: Role, proof: Proof, witness: Option<Value>) -> Change {
    Change {
        rule: found.rule,
        role: Some(role),
        level: found.level,
        pointer: found.pointer,
        message: found.message,
        proof,
        witness,
    }
}

/// What set algebra says about the surprising values.
enum Difference {
    /// There are none.
    Empty,
    /// There are some; one of them, if it could be made and checked.
    Some(Option<Value>),
    /// Set algebra does not decide it.
    Unknown,
}

/// Both schemas, compiled, seen from the side that can surprise.
struct WitnessJudge<'a> {
    role: Role,
    /// Where surprising values come from: the old input, or the new output.
    from: &'a Value,
    /// What must accept them: the new input, or the old output.
    into: &'a Value,
    from_compiled: CompiledSchema,
    into_compiled: CompiledSchema,
}

impl<'a> WitnessJudge<'a> {
    fn new(old: &'a Value, new: &'a Value, role: Role) -> Option<Self> {
        let (from, into) = match role {
            Role::Input => (old, new),
            Role::Output => (new, old),
        };
        let options = SchemaOptions::default();
        let from_compiled = CompiledSchema::compile(from, &options).ok()?;
        let into_compiled = CompiledSchema::compile(into, &options).ok()?;
        Some(Self { role, from, into, from_compiled, into_compiled })
    }

    /// Whether one side accepts the value and the other refuses it.
    fn shows(&self, value: &Value) -> bool {
        self.from_compiled.validate(value) == Validation::Valid
            && matches!(self.into_compiled.validate(value), Validation::Invalid { .. })
    }

    fn difference(&self) -> Difference {
        if !cost::is_affordable(self.from) || !cost::is_affordable(self.into) {
            return Difference::Unknown;
        }
        let canonical = |schema: &Value| jsonschema::canonical::options().offline().canonicalize(schema).ok();
        let difference =
            canonical(self.from).zip(canonical(self.into)).and_then(|(from, into)| from.subtract(&into).ok());
        let Some(difference) = difference else { return Difference::Unknown };
        match difference.satisfiability() {
            Satisfiability::No => Difference::Empty,
            Satisfiability::Yes => {
                Difference::Some(sample(&difference.to_json_schema()).filter(|value| self.shows(value)))
            }
            _ => Difference::Unknown,
        }
    }

    /// The change with a value that shows it, if one of the proposals does.
    fn witnessed(&self, mut found: FoundChange) -> Change {
        if found.doubt == Doubt::None {
            return change(found, self.role, Proof::ByRule, None);
        }
        match found.proposals.iter().take(TRIES).find_map(|value| self.whole(&found.path, value)) {
            Some(witness) => {
                found.level = Level::Breaking;
                change(found, self.role, Proof::Witnessed, Some(witness))
            }
            None => {
                found.level = Level::Warning;
                change(found, self.role, Proof::NotProven, None)
            }
        }
    }

    /// Which of the doubtful changes a value from set algebra shows: the one at the keyword that refuses it,
    /// else the first.
    fn explained(&self, witness: &Value, changes: &[Change], doubtful: &[Doubt]) -> Option<usize> {
        let candidates = || (0..changes.len()).filter(|at| doubtful[*at] != Doubt::None);
        let Validation::Invalid { violations, .. } = self.into_compiled.validate(witness) else {
            return None;
        };
        let at_keyword = |at: &usize| {
            let pointer = &changes[*at].pointer;
            violations.iter().any(|violation| {
                violation.schema_path.starts_with(pointer) || pointer.starts_with(&violation.schema_path)
            })
        };
        candidates().find(at_keyword).or_else(|| candidates().next())
    }

    /// A whole value with `value` at `path` that shows the break.
    fn whole(&self, path: &[ValueStep], value: &Value) -> Option<Value> {
        let whole = self.around(self.from, path, value)?;
        self.shows(&whole).then_some(whole)
    }

    /// Builds the value around the place: at each level the smallest that the schema there needs.
    fn around(&self, schema: &Value, path: &[ValueStep], value: &Value) -> Option<Value> {
        let Some((step, rest)) = path.split_first() else {
            return Some(self.filled(schema, value));
        };
        let side = DiffSide::new(self.from, schema);
        let anything = Value::Bool(true);
        let own = Value::Object(side.keywords.clone().into_owned());
        let sampled = Sampler::new(self.from).value(&[&own]);
        match step {
            ValueStep::Property(name) => {
                let inner = side.property(name).or(side.additional()).unwrap_or(&anything);
                let inner = self.around(inner, rest, value)?;
                let mut object = match sampled {
                    Some(Value::Object(object)) => object,
                    _ => Map::new(),
                };
                object.insert(name.clone(), inner);
                Some(Value::Object(object))
            }
            ValueStep::Item(position) => {
                let item = |at: usize| side.prefix().get(at).or(side.rest()).unwrap_or(&anything);
                let inner = self.around(item(*position), rest, value)?;
                let mut items = match sampled {
                    Some(Value::Array(items)) => items,
                    _ => Vec::new(),
                };
                while items.len() <= *position {
                    let next = Sampler::new(self.from).value(&[item(items.len())]).unwrap_or(Value::Null);
                    items.push(next);
                }
                items[*position] = inner;
                Some(Value::Array(items))
            }
            ValueStep::Branch { keyword, index } => {
                let branch = side.get(keyword)?.get(*index)?;
                self.around(branch, rest, value)
            }
        }
    }

    /// A proposal made to fit the schema where only its form was proposed: items and properties get real values.
    fn filled(&self, schema: &Value, value: &Value) -> Value {
        let side = DiffSide::new(self.from, schema);
        let anything = Value::Bool(true);
        match value {
            Value::Array(items) if items.iter().all(Value::is_null) => {
                let item = |at: usize| side.prefix().get(at).or(side.rest()).unwrap_or(&anything);
                let made = |at: usize| Sampler::new(self.from).value(&[item(at)]).unwrap_or(Value::Null);
                Value::Array((0..items.len()).map(made).collect())
            }
            Value::Object(members) if members.keys().next().is_some_and(|key| key.starts_with("key0")) => {
                let own = Value::Object(side.keywords.clone().into_owned());
                let mut object = match Sampler::new(self.from).value(&[&own]) {
                    Some(Value::Object(object)) => object,
                    _ => Map::new(),
                };
                let declared: Vec<&String> = side.properties().map(|(name, _)| name).collect();
                for name in declared.into_iter().chain(members.keys()) {
                    if object.len() >= members.len() {
                        break;
                    }
                    let inner = side.property(name).or(side.additional()).unwrap_or(&anything);
                    if let Some(made) = Sampler::new(self.from).value(&[inner]) {
                        object.entry(name.clone()).or_insert(made);
                    }
                }
                Value::Object(object)
            }
            other => other.clone(),
        }
    }
}
