//! How often a program is read until all that its helpers pass on is known.

use std::sync::Arc;

use mortise_contract::{Contract, RawJson, ServerName};

use super::WarmDatabase;
use mortise_contract::CheckMode;

use crate::request::{CheckRequest, CheckedTool, Outputs};

/// How often a program is read, and how many findings refuse it.
fn read(source: &str) -> (usize, usize) {
    let contract = RawJson::parse(
        r#"{"name": "add", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object",
            "properties": {"sum": {"type": "number"}}, "required": ["sum"], "additionalProperties": false}}"#,
    );
    let tool = CheckedTool {
        callable: "mcp__m__add".to_owned(),
        server: ServerName::parse("m").unwrap(),
        contract: Arc::new(Contract::parse(contract.unwrap()).unwrap()),
        outputs: Outputs::Declared,
    };
    let mut warm = WarmDatabase::new();
    let report =
        warm.check(&CheckRequest { tools: vec![tool], ..CheckRequest::new(source, CheckMode::Guard) });
    (warm.passes, report.refusals().count())
}

#[test]
fn a_program_without_helpers_is_read_once() {
    assert_eq!(read("row = await mcp__m__add()\nprint(row['smu'])\n"), (1, 1));
}

#[test]
fn what_follows_from_a_group_is_foreseen() {
    let source = |key: &str| {
        format!(
            "from collections import defaultdict
def total(rows: list[dict]) -> int:
    return sum(row['{key}'] for row in rows)
async def main():
    groups = defaultdict(list)
    for row in [await mcp__m__add() for _ in range(3)]:
        groups[row['sum']].append(row)
    for key, rows in sorted(groups.items()):
        print(key, total(rows))
await main()
"
        )
    };
    assert_eq!(read(&source("sum")), (2, 0));
    assert_eq!(read(&source("smu")), (2, 1));
}

#[test]
fn a_chain_of_helpers_is_foreseen() {
    let source = "def line(row):
    return row['smu']
def table(rows):
    return [line(row) for row in rows]
def report(rows):
    print(table(rows))
async def load(n):
    return [await mcp__m__add() for _ in range(n)]
async def main():
    rows = await load(3)
    report(rows)
await main()
";
    assert_eq!(read(source), (2, 1));
}

/// Of `rows` within the test the types know better. Believed, what was foreseen would refuse the program.
#[test]
fn what_was_foreseen_and_is_not_so_is_dropped() {
    let source = "from collections import defaultdict
def name(value):
    return value['name']
async def main():
    groups = defaultdict(list)
    for row in [await mcp__m__add() for _ in range(3)]:
        groups[row['sum']].append(row)
    for key, rows in groups.items():
        if isinstance(rows, dict):
            print(name(rows))
await main()
";
    let (passes, refusals) = read(source);
    assert_eq!(refusals, 0);
    assert!(passes > 2, "{passes}");
}
