//! The scenarios: one named way to behave each, to be combined at will.

mod asks;
mod bombs;
mod deaths;
mod eras;
mod floods;
mod frames;
mod healthy;
mod lies;
mod lists;
mod process;
mod results;
mod tasks;
mod timing;
mod transport;
mod trust;

use mortise_contract::text::nearest;

use super::plan::MockPlan;

/// One named way to behave.
#[derive(Clone, Copy)]
pub struct Scenario {
    /// What it is asked for by.
    pub name: &'static str,
    /// What the mock does, in one line.
    pub about: &'static str,
    /// The number it takes.
    pub number: Option<ScenarioNumber>,
    /// Where it can be seen.
    pub transport: ScenarioTransport,
    /// The heading it is listed under.
    pub group: &'static str,
    apply: fn(&mut MockPlan, u64),
}

/// A number that a scenario takes, as in `slow=20`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScenarioNumber {
    /// What it counts, e.g. `MS`.
    pub unit: &'static str,
    /// Taken when none is given.
    pub default: u64,
    /// The largest allowed.
    pub max: u64,
}

/// Where a scenario shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScenarioTransport {
    /// Over stdio and HTTP.
    Any,
    /// Over stdio only.
    Stdio,
    /// Over HTTP only.
    Http,
}

/// Why a scenario can't be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScenarioError {
    /// There is none of that name.
    #[error("there is no scenario `{name}`")]
    Unknown {
        name: String,
        /// One that reads like it.
        similar: Option<&'static str>,
    },
    /// It takes no number, or this is not one it takes.
    #[error("scenario `{name}` takes {expected}, not `{value}`")]
    BadNumber { name: &'static str, value: String, expected: String },
}

impl Scenario {
    const fn new(name: &'static str, about: &'static str, apply: fn(&mut MockPlan, u64)) -> Self {
        Self { name, about, number: None, transport: ScenarioTransport::Any, group: "", apply }
    }

    const fn number(mut self, unit: &'static str, default: u64, max: u64) -> Self {
        self.number = Some(ScenarioNumber { unit, default, max });
        self
    }

    const fn over(mut self, transport: ScenarioTransport) -> Self {
        self.transport = transport;
        self
    }

    /// How it is written, e.g. `slow=MS`.
    pub fn usage(&self) -> String {
        match self.number {
            Some(number) => format!("{}={}", self.name, number.unit),
            None => self.name.to_owned(),
        }
    }
}

/// Every scenario, in the order in which they are listed.
pub fn scenarios() -> impl Iterator<Item = Scenario> {
    let groups = [
        ("Healthy servers", healthy::SCENARIOS),
        ("Protocol eras", eras::SCENARIOS),
        ("Time", timing::SCENARIOS),
        ("Death", deaths::SCENARIOS),
        ("Frames", frames::SCENARIOS),
        ("Tool lists", lists::SCENARIOS),
        ("Results", results::SCENARIOS),
        ("Broken contracts", lies::SCENARIOS),
        ("Schemas", bombs::SCENARIOS),
        ("Floods", floods::SCENARIOS),
        ("Trust", trust::SCENARIOS),
        ("Requests to the client", asks::SCENARIOS),
        ("Tasks", tasks::SCENARIOS),
        ("The process", process::SCENARIOS),
        ("HTTP", transport::SCENARIOS),
    ];
    groups
        .into_iter()
        .flat_map(|(group, scenarios)| scenarios.iter().map(move |scenario| Scenario { group, ..*scenario }))
}

/// The plan of a healthy server changed by each scenario in turn, e.g. `tools=500`, `slow`.
pub fn plan<'a>(wanted: impl IntoIterator<Item = &'a str>) -> Result<MockPlan, ScenarioError> {
    let mut plan = MockPlan::default();
    for wanted in wanted {
        add(&mut plan, wanted)?;
    }
    Ok(plan)
}

/// Changes a plan by one scenario.
pub(crate) fn add(plan: &mut MockPlan, wanted: &str) -> Result<(), ScenarioError> {
    let (name, value) = match wanted.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (wanted, None),
    };
    let Some(scenario) = scenarios().find(|scenario| scenario.name == name) else {
        let similar = nearest(name, scenarios().map(|scenario| scenario.name));
        return Err(ScenarioError::Unknown { name: name.to_owned(), similar });
    };
    (scenario.apply)(plan, number(&scenario, value)?);
    Ok(())
}

fn number(scenario: &Scenario, value: Option<&str>) -> Result<u64, ScenarioError> {
    let Some(value) = value else {
        return Ok(scenario.number.map_or(0, |number| number.default));
    };
    let refused = |expected: String| ScenarioError::BadNumber {
        name: scenario.name,
        value: value.to_owned(),
        expected,
    };
    let Some(number) = scenario.number else { return Err(refused("no number".to_owned())) };
    match value.parse() {
        Ok(parsed) if parsed <= number.max => Ok(parsed),
        _ => Err(refused(format!("{} from 0 to {}", number.unit, number.max))),
    }
}

#[cfg(test)]
mod tests;
