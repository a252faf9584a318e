//! Checks programs over many tools and prints what it cost: the first check, the following ones, memory.
//!
//! The argument is the number of tools. Each program names three of them, and no two programs are the same.

use std::error::Error;
use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

use mortise_contract::{Contract, RawJson, ServerName};
use mortise_typecheck::{CheckMode, CheckRequest, CheckedTool, Checker, Outputs};
use serde_json::json;

/// Programs checked after the first.
const PROGRAMS: usize = 400;

fn main() -> Result<(), Box<dyn Error>> {
    let count: usize = std::env::args().nth(1).ok_or("the argument is the number of tools")?.parse()?;
    let tools = (0..count).map(tool).collect::<Result<Vec<CheckedTool>, Box<dyn Error>>>()?;
    let before = resident_kib();
    let checker = Checker::new();
    let started = Instant::now();
    checker.warm_up();
    checker.check(CheckRequest::new("print(1)\n", CheckMode::Guard));
    let cold_ms = started.elapsed().as_secs_f64() * 1e3;
    let warm = resident_kib();
    let mut times = Vec::new();
    for number in 0..PROGRAMS {
        let request = program(&tools, number);
        let started = Instant::now();
        let report = checker.check(request);
        times.push(started.elapsed().as_secs_f64() * 1e3);
        if report.refusals().count() != 1 || report.unchecked.is_some() {
            return Err(format!("program {number}: {report:?}").into());
        }
    }
    let answer = json!({
        "cold_ms": cold_ms, "warm_ms": times,
        "before_kib": before, "warm_kib": warm, "after_kib": resident_kib(),
    });
    writeln!(std::io::stdout(), "{answer}")?;
    Ok(())
}

fn tool(number: usize) -> Result<CheckedTool, Box<dyn Error>> {
    let contract = Contract::parse(RawJson::from_value(&json!({
        "name": format!("rows_{number}"),
        "description": "Rows of a table",
        "inputSchema": { "type": "object", "required": ["table"], "properties": {
            "table": { "type": "string" }, "limit": { "type": "integer" }, "order": { "enum": ["up", "down"] } } },
        "outputSchema": { "type": "object", "required": ["rows"], "properties": { "rows": { "type": "array", "items": {
            "type": "object", "required": ["day", "revenue"], "properties": {
                "day": { "type": "string" }, "revenue": { "type": "number" }, "region": { "type": ["string", "null"] },
                "owner": { "type": "object", "properties": { "name": { "type": "string" }, "mail": { "type": "string" } } } } } } } },
    }))?)?;
    Ok(CheckedTool {
        callable: format!("mcp__data__rows_{number}"),
        server: ServerName::parse("data")?,
        contract: Arc::new(contract),
        outputs: Outputs::Declared,
    })
}

/// A program of twenty lines over three tools, with one mistake.
fn program(tools: &[CheckedTool], number: usize) -> CheckRequest {
    let chosen: Vec<CheckedTool> =
        (0..3).map(|at| tools[(number * 7 + at * 13) % tools.len()].clone()).collect();
    let [first, second, third] = [0, 1, 2].map(|at| chosen[at].callable.as_str());
    let source = format!(
        r#"
import asyncio
import json
from collections import defaultdict

async def total_{number}(region):
    found = await {first}(table="sales", limit={number})
    return sum(row["revenue"] for row in found["rows"] if row.get("region") == region)

orders, owners = await asyncio.gather({second}(table="orders"), {third}(table="owners", order="up"))
by_day = defaultdict(list)
for row in orders["rows"]:
    by_day[row["day"]].append(row["revenue"])
for day, values in sorted(by_day.items(), key=lambda item: sum(item[1]), reverse=True)[:10]:
    print(f"{{day}}: {{sum(values):,.2f}} in {{len(values)}} rows")
names = {{row["owner"]["name"].title() for row in owners["rows"] if "owner" in row}}
print(json.dumps({{"total": await total_{number}("north"), "names": sorted(names)}}, indent=2))
print(max(row["revenu"] for row in orders["rows"]))
"#
    );
    let mut named = Vec::new();
    for tool in chosen {
        if !named.iter().any(|known: &CheckedTool| known.callable == tool.callable) {
            named.push(tool);
        }
    }
    CheckRequest { tools: named, ..CheckRequest::new(source, CheckMode::Guard) }
}

/// Memory of this process, where the system says it.
fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next())
        .and_then(|number| number.parse().ok())
        .unwrap_or_default()
}
