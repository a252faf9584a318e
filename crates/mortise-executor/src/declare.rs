//! The executor's own tools as clients see them.
//!
//! None declares an output schema: their answers are text for a model, and facts for programs in `_meta`.

use mortise_contract::{Contract, RawJson};
use serde_json::{Value, json};

use crate::detail::Detail;

/// Callers may shorten the time of a program, not lengthen it.
const LONGEST_SECONDS: u64 = 600;

/// All tools; `description` is that of `execute_program`, which shows the catalogue.
pub(crate) fn contracts(description: &str) -> Vec<Contract> {
    [execute_program(description), check_program(), inspect_tool(), list_callable_tools(), search_tools()]
        .iter()
        .filter_map(contract)
        .collect()
}

fn contract(tool: &Value) -> Option<Contract> {
    Contract::parse(RawJson::from_value(tool).ok()?).ok()
}

fn execute_program(description: &str) -> Value {
    json!({
        "name": "execute_program",
        "title": "Run a program over all tools",
        "description": description,
        "inputSchema": {
            "type": "object",
            "properties": {
                "code": { "type": "string", "description": "The Python program. Tools are async functions; only printed output comes back." },
                "timeout_seconds": { "type": "number", "exclusiveMinimum": 0, "maximum": LONGEST_SECONDS, "description": "A shorter limit than the configured one" },
                "check": { "type": "string", "enum": ["off", "guard", "strict"], "description": "How strictly the program is checked against what the tools declare before it runs, if not as configured: guard refuses what surely fails, strict every finding and what could not be checked, off nothing" },
            },
            "required": ["code"],
        },
        // A program can do whatever the tools can.
        "annotations": { "readOnlyHint": false, "destructiveHint": true, "idempotentHint": false, "openWorldHint": true },
    })
}

fn check_program() -> Value {
    json!({
        "name": "check_program",
        "title": "Check a program without running it",
        "description": "Checks a Python program against what the tools declare, without running it: unknown fields, wrong arguments, unknown names, missing awaits, each with its line and the nearest right name. execute_program does the same before every run.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "code": { "type": "string", "description": "The Python program" },
                "check": { "type": "string", "enum": ["guard", "strict"], "description": "Whether only what surely fails counts as a refusal, or every finding" },
            },
            "required": ["code"],
        },
        "annotations": reading(),
    })
}

fn inspect_tool() -> Value {
    json!({
        "name": "inspect_tool",
        "title": "Show what a tool takes and returns",
        "description": "Returns the schema and description of a tool available in execute_program. Includes outputSchema if the upstream MCP server defines one. Call this before writing a script if you need to understand a tool's return format.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "tool_name": { "type": "string", "description": "Namespaced tool name (e.g., mcp__financial_data__query_financials)" },
                "detail": { "type": "string", "enum": Detail::WORDS, "default": "brief", "description": "brief: the schemas; types: a signature and the Python declaration too; full: everything known about the tool" },
            },
            "required": ["tool_name"],
        },
        "annotations": reading(),
    })
}

fn list_callable_tools() -> Value {
    json!({
        "name": "list_callable_tools",
        "title": "List the tools that programs can call",
        "description": "Returns the namespaced names of all tools that execute_program can call, sorted, and which servers are unavailable.",
        "inputSchema": { "type": "object", "properties": {} },
        "annotations": reading(),
    })
}

fn search_tools() -> Value {
    json!({
        "name": "search_tools",
        "title": "Find tools by words",
        "description": "Finds tools by words in their names, descriptions and arguments, best first, each with a signature that shows what it takes and returns.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "query": { "type": "string", "description": "Words, e.g. `stock price history`" },
                "limit": { "type": "integer", "minimum": 1, "maximum": 100, "default": 10 },
                "detail": { "type": "string", "enum": Detail::WORDS, "default": "brief", "description": "brief: a signature and one line; types: the Python declaration too; full: the schemas too" },
            },
            "required": ["query"],
        },
        "annotations": reading(),
    })
}

fn reading() -> Value {
    json!({ "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false })
}
