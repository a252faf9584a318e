//! Validates each case again and again and prints nanoseconds for one validation: over the first results
//! after compiling, and in a long loop.
//!
//! The argument is a file with `[{"name": …, "schema": …, "instance": …}, …]`. The benchmarks run this program
//! in turn with those of other validators.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::Write;
use std::time::{Duration, Instant};

use mortise_contract::SchemaCache;
use mortise_contract::schema::{CompiledSchema, SchemaOptions, Validation};
use serde_json::{Value, json};

/// As many as a session may see of one tool.
const RESULTS: u32 = 100;
const TIME: Duration = Duration::from_millis(50);

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("the argument is a file with cases")?;
    let cases: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    let cache = SchemaCache::default();
    let mut times = BTreeMap::new();
    for case in &cases {
        let compiled = cache.get(&case["schema"], &SchemaOptions::default())?;
        let first = first(&compiled, &case["instance"])?;
        let steady = steady(&compiled, &case["instance"])?;
        times.insert(case["name"].as_str().unwrap_or_default(), json!({ "first": first, "steady": steady }));
    }
    writeln!(std::io::stdout(), "{}", serde_json::to_string(&times)?)?;
    Ok(())
}

fn first(compiled: &CompiledSchema, instance: &Value) -> Result<f64, String> {
    let start = Instant::now();
    for _ in 0..RESULTS {
        check(compiled, instance)?;
    }
    Ok(start.elapsed().as_secs_f64() * 1e9 / f64::from(RESULTS))
}

fn steady(compiled: &CompiledSchema, instance: &Value) -> Result<f64, String> {
    let (mut count, mut batch) = (0u32, 1u32);
    let start = Instant::now();
    while start.elapsed() < TIME {
        for _ in 0..batch {
            check(compiled, instance)?;
        }
        count += batch;
        batch = (batch * 2).min(1024);
    }
    Ok(start.elapsed().as_secs_f64() * 1e9 / f64::from(count))
}

fn check(compiled: &CompiledSchema, instance: &Value) -> Result<(), String> {
    match compiled.validate(std::hint::black_box(instance)) {
        Validation::Valid => Ok(()),
        other => Err(format!("a valid instance was refused: {other:?}")),
    }
}
