//! What the tester does, at size: the diff of a thousand tools, and a list with twenty calls against other command lines.

mod twenty;

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::Bench;
use super::series::{Series, interleave};
use super::statistics::median;

const TOOLS: usize = 1_000;
/// What the diff exits with when something breaks.
const BREAKS: i32 = 9;

pub(super) fn run(bench: &Bench<'_>) -> Result<(String, Vec<Series>)> {
    let lists =
        [("old", 0), ("new", 1)].map(|(name, change)| (bench.folder.join(format!("{name}.json")), change));
    for (path, change) in &lists {
        let tools: Vec<Value> = (0..TOOLS).map(|index| tool(index, *change)).collect();
        std::fs::write(path, json!({ "tools": tools }).to_string())?;
    }
    let mut words = vec![bench.ours("mortise"), "diff".to_owned()];
    words.extend(lists.iter().map(|(path, _)| path.to_string_lossy().into_owned()));
    words.push("--json".to_owned());
    let mut series = interleave("tester", &["mortise diff"], bench.rounds, |_| {
        let sample = bench.measure(&words, BREAKS)?;
        let report: Value = serde_json::from_str(&std::fs::read_to_string(bench.folder.join("output"))?)?;
        let breaking = report["counts"]["breaking"].as_u64().unwrap_or_default();
        ensure!(breaking == 2 * TOOLS as u64, "{breaking} breaks found");
        Ok(sample)
    })?;
    let (compared, others) = twenty::run(bench)?;
    let page = format!(
        "### A list and twenty calls\n\n{}### mortise diff\n\n\
         `mortise diff` of two recorded lists of {TOOLS} tools, each of which changed in its input and its output: \
         {} breaks, every one with a value that shows it. Median wall time **{:.2} s** (goal: under 1 s), CPU {:.2} s, \
         peak resident set {:.0} MiB.\n",
        compared,
        2 * TOOLS,
        median(&series[0].wall()) / 1e3,
        median(&series[0].cpu()) / 1e3,
        series[0].peak_mib()
    );
    series.extend(others);
    Ok((page, series))
}

/// A tool of usual size; `change` 1 takes fewer inputs and gives more outputs than 0.
fn tool(index: usize, change: usize) -> Value {
    let units: &[&str] =
        if change == 0 { &["metric", "imperial", "kelvin"] } else { &["metric", "imperial"] };
    let skies: &[&str] = if change == 0 { &["clear", "rain"] } else { &["clear", "rain", "snow"] };
    json!({
        "name": format!("tool_{index:04}"),
        "description": "Tells the weather of one place for some days.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "place": {"type": "string", "minLength": 1, "description": "A city or an address"},
                "days": {"type": "integer", "minimum": 1, "maximum": 14, "default": 3},
                "units": {"enum": units},
                "at": {"anyOf": [{"$ref": "#/$defs/point"}, {"type": "null"}]},
            },
            "required": ["place"],
            "$defs": {"point": {
                "type": "object",
                "properties": {"lat": {"type": "number"}, "lon": {"type": "number"}},
                "required": ["lat", "lon"],
            }},
        },
        "outputSchema": {
            "type": "object",
            "properties": {
                "place": {"type": "string"},
                "days": {"type": "array", "items": {
                    "type": "object",
                    "properties": {
                        "date": {"type": "string", "format": "date"},
                        "sky": {"enum": skies},
                        "high": {"type": ["number", "null"]},
                        "low": {"type": ["number", "null"]},
                    },
                    "required": ["date", "sky"],
                }},
            },
            "required": ["place", "days"],
        },
    })
}
