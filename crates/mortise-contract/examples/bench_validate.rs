//! Validates each case again and again and prints nanoseconds for one validation: over the first results after
//! compiling, in a long loop, and in a long loop from the text of the whole result to its verdict.
//!
//! The argument is a file with `[{"name": …, "schema": …, "instance": …}, …]`. The benchmarks run this program
//! in turn with those of other validators.

use std::collections::BTreeMap;
use std::error::Error;
use std::hint::black_box;
use std::io::Write;
use std::time::Instant;

use mortise_contract::schema::{SchemaOptions, Validation};
use mortise_contract::verdict::JudgeOptions;
use mortise_contract::{Contract, RawJson, SchemaCache, Status, ToolResult, judge};
use serde_json::{Value, json};

/// As many as a session may see of one tool.
const RESULTS: usize = 100;
/// Nanoseconds, about: short enough that others seldom interrupt.
const BATCH: f64 = 500_000.0;
const BATCHES: usize = 101;

type Failure = Box<dyn Error>;

fn main() -> Result<(), Failure> {
    let path = std::env::args().nth(1).ok_or("the argument is a file with cases")?;
    let cases: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    let cache = SchemaCache::default();
    let mut times = BTreeMap::new();
    for case in &cases {
        let name = case["name"].as_str().unwrap_or_default();
        times.insert(name, measure(&case["schema"], &case["instance"], &cache)?);
    }
    writeln!(std::io::stdout(), "{}", serde_json::to_string(&times)?)?;
    Ok(())
}

fn measure(schema: &Value, instance: &Value, cache: &SchemaCache) -> Result<Value, Failure> {
    let tool = json!({ "name": "bench", "inputSchema": { "type": "object" }, "outputSchema": schema });
    let contract = Contract::parse(RawJson::from_value(&tool)?)?;
    let compiled = cache.get(schema, &SchemaOptions::default())?;
    let text = json!({ "content": [], "structuredContent": instance }).to_string();
    let options = JudgeOptions::default();
    let parsed = || compiled.validate(black_box(instance)) == Validation::Valid;
    let whole = || {
        let result = RawJson::parse(black_box(&text)).and_then(ToolResult::parse);
        result.is_ok_and(|result| judge(&contract, &result, &options, cache).status == Status::Valid)
    };
    Ok(json!({ "first": time(RESULTS, &parsed)?, "steady": steady(&parsed)?, "whole": steady(&whole)? }))
}

/// Nanoseconds of one check.
fn time(count: usize, check: &impl Fn() -> bool) -> Result<f64, Failure> {
    let start = Instant::now();
    for _ in 0..count {
        if !check() {
            return Err("a valid instance was refused".into());
        }
    }
    Ok(start.elapsed().as_secs_f64() * 1e9 / count as f64)
}

/// The median over many short batches, after as many that are not counted.
fn steady(check: &impl Fn() -> bool) -> Result<f64, Failure> {
    let count = (BATCH / time(RESULTS, check)?).max(1.0) as usize;
    for _ in 0..BATCHES {
        time(count, check)?;
    }
    let mut times = (0..BATCHES).map(|_| time(count, check)).collect::<Result<Vec<_>, _>>()?;
    times.sort_by(f64::total_cmp);
    Ok(times[BATCHES / 2])
}
