//! Validates instances against schemas, one JSON object per line, through the bounds of this crate.
//!
//! Each input line is `{"schema": …, "instances": […], "dialect": "2020-12", "formats": false}`; `dialect` (one of
//! `draft-04`, `draft-06`, `draft-07`, `2019-09`, `2020-12`) holds where the schema has no `$schema`. Each output line
//! is `{"results": ["valid", "invalid", "unchecked", "schema_error", …], "reasons": [null, "…", …]}`, one entry per
//! instance; or `{"error": "…"}` for a line that can't be read. The official JSON Schema test suite and the benchmarks
//! run through this program. A boolean schema, which no tool can declare, is wrapped as `{"allOf": [schema]}`.

use std::io::{BufRead, Write};

use mortise_contract::SchemaCache;
use mortise_contract::schema::{Dialect, SchemaOptions, Validation};
use serde_json::{Value, json};

fn main() -> std::io::Result<()> {
    let cache = SchemaCache::default();
    let mut output = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let answer = answer(&line?, &cache).unwrap_or_else(|error| json!({ "error": error }));
        writeln!(output, "{answer}")?;
    }
    output.flush()
}

fn answer(line: &str, cache: &SchemaCache) -> Result<Value, String> {
    let request: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let schema = match request.get("schema") {
        None => return Err("`schema` is missing".to_owned()),
        Some(schema @ Value::Bool(_)) => json!({ "allOf": [schema] }),
        Some(schema) => schema.clone(),
    };
    let instances = request.get("instances").and_then(Value::as_array).ok_or("`instances` is no array")?;
    let mut options = SchemaOptions {
        assert_formats: request.get("formats").and_then(Value::as_bool).unwrap_or(false),
        ..SchemaOptions::default()
    };
    if let Some(name) = request.get("dialect").and_then(Value::as_str) {
        let named = |dialect: &Dialect| dialect.as_str() == name;
        options.default_dialect =
            Dialect::ALL.into_iter().find(named).ok_or_else(|| format!("no dialect `{name}`"))?;
    }
    let compiled = cache.get(&schema, &options);
    let judged = instances.iter().map(|instance| match &compiled {
        Err(error) => ("schema_error", Some(error.to_string())),
        Ok(compiled) => match compiled.validate(instance) {
            Validation::Valid => ("valid", None),
            Validation::Invalid { violations, .. } => {
                ("invalid", violations.first().map(|first| first.message.clone()))
            }
            Validation::Unchecked { reason } => ("unchecked", Some(reason)),
        },
    });
    let (results, reasons): (Vec<_>, Vec<_>) = judged.unzip();
    Ok(json!({ "results": results, "reasons": reasons }))
}
