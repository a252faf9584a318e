//! The executor's own tools as clients see them, each with an output schema that its results satisfy.

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
                "check": { "enum": ["off", "guard", "strict"], "description": "How strictly the program is checked against what the tools declare before it runs, if not as configured: guard refuses what surely fails, strict every finding and what could not be checked, off nothing" },
            },
            "required": ["code"],
        },
        "outputSchema": {
            "type": "object",
            "properties": {
                "ok": { "type": "boolean", "description": "Whether the program ran to its end" },
                "output": { "type": "string", "description": "What it printed" },
                "truncated": { "type": "boolean", "description": "Whether it printed more than is kept" },
                "result": { "description": "What it gave to emit(), or null" },
                "error": {
                    "type": ["object", "null"],
                    "properties": {
                        "type": { "type": "string" },
                        "message": { "type": "string" },
                        "line": { "type": ["integer", "null"] },
                    },
                    "required": ["type", "message", "line"],
                },
                "ledger": {
                    "type": "object",
                    "properties": {
                        "calls": { "type": "integer" },
                        "failed": { "type": "integer" },
                        "refused": { "type": "integer", "description": "Calls beyond the budget" },
                        "bytes_from_tools": { "type": "integer" },
                        "bytes_kept_out": { "type": "integer", "description": "Bytes of tool results that never entered the model's context" },
                        "tools": { "type": "array", "items": { "type": "object" } },
                        "tools_omitted": { "type": "integer" },
                        "failures": { "type": "array", "items": { "type": "object" } },
                    },
                    "required": ["calls", "failed", "bytes_from_tools", "bytes_kept_out", "tools"],
                },
                "check": {
                    "type": "object",
                    "properties": findings(),
                    "required": ["refusals", "warnings"],
                    "description": "What the check before the run found; left out where it found nothing",
                },
            },
            "required": ["ok", "output", "truncated", "result", "error", "ledger"],
        },
        // A program can do whatever the tools can.
        "annotations": { "readOnlyHint": false, "destructiveHint": true, "idempotentHint": false, "openWorldHint": true },
    })
}

fn check_program() -> Value {
    let mut properties = findings();
    properties["ok"] = json!({ "type": "boolean", "description": "Whether execute_program would run it" });
    properties["mode"] = json!({ "enum": ["guard", "strict"] });
    json!({
        "name": "check_program",
        "title": "Check a program without running it",
        "description": "Checks a Python program against what the tools declare, without running it: unknown fields, wrong arguments, unknown names, missing awaits, each with its line and the nearest right name. execute_program does the same before every run.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "code": { "type": "string", "description": "The Python program" },
                "check": { "enum": ["guard", "strict"], "description": "Whether only what surely fails counts as a refusal, or every finding" },
            },
            "required": ["code"],
        },
        "outputSchema": {
            "type": "object",
            "properties": properties,
            "required": ["ok", "mode", "refusals", "warnings"],
        },
        "annotations": reading(),
    })
}

/// What a check found.
fn findings() -> Value {
    let finding = json!({
        "type": "object",
        "properties": {
            "rule": { "type": "string" },
            "line": { "type": "integer" },
            "column": { "type": "integer" },
            "message": { "type": "string" },
            "declared": { "type": "string", "description": "The declared shape or signature" },
            "nearest": { "type": "string", "description": "The name that was probably meant" },
        },
        "required": ["rule", "line", "column", "message"],
    });
    json!({
        "refusals": { "type": "array", "items": finding, "description": "What keeps the program from running" },
        "warnings": { "type": "array", "items": finding },
        "omitted": { "type": "integer", "description": "Further findings, which are left out" },
        "note": { "type": "string", "description": "Why the program was not checked" },
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
            },
            "required": ["tool_name"],
        },
        "outputSchema": {
            "type": "object",
            "properties": {
                "name": { "type": "string" },
                "description": { "type": "string" },
                "inputSchema": { "description": "As the upstream server declares it" },
                "outputSchema": { "description": "As the upstream server declares it, or null" },
                "note": { "type": "string" },
                "signature": { "type": "string", "description": "Arguments and return type on one line; programs pass arguments by keyword" },
                "types": {
                    "type": "object",
                    "properties": {
                        "ts": { "type": "string", "description": "TypeScript declarations" },
                        "python": { "type": "string", "description": "Python stubs, as programs see the tool" },
                    },
                    "required": ["ts", "python"],
                },
                "example": {
                    "type": "object",
                    "properties": { "synthetic": { "const": true }, "value": { "description": "What a program could get" } },
                    "required": ["synthetic", "value"],
                    "description": "Made up from the output schema; the tool never returned it",
                },
                "server": { "type": "string" },
                "wire_name": { "type": "string", "description": "The tool's own name on its server" },
                "title": { "type": "string" },
                "annotations": { "type": "object" },
                "lock": { "type": "string", "description": "How it differs from what the lock file records" },
                "issues": { "type": "array", "items": { "type": "string" }, "description": "What is wrong with the declaration" },
            },
            "required": ["name", "description", "inputSchema", "outputSchema", "signature", "types", "server", "wire_name"],
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
        "outputSchema": {
            "type": "object",
            "properties": {
                "tools": { "type": "array", "items": { "type": "string" } },
                "unavailable": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": { "server": { "type": "string" }, "state": { "type": "string" }, "error": { "type": "string" } },
                        "required": ["server", "state"],
                    },
                },
                "renamed": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": { "name": { "type": "string" }, "server": { "type": "string" }, "wire_name": { "type": "string" } },
                        "required": ["name", "server", "wire_name"],
                    },
                    "description": "Tools whose name had to be changed to keep it distinct",
                },
                "held": deviating("Tools that can't be called: they are new or changed since the lock file was written"),
                "changed": deviating("Tools that can be called and are new or changed since the lock file was written"),
            },
            "required": ["tools", "unavailable", "renamed"],
        },
        "annotations": reading(),
    })
}

fn deviating(description: &str) -> Value {
    json!({
        "type": "array",
        "items": {
            "type": "object",
            "properties": { "name": { "type": "string" }, "reason": { "type": "string" } },
            "required": ["name", "reason"],
        },
        "description": description,
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
                "detail": { "enum": Detail::WORDS, "default": "brief", "description": "brief: a signature and one line; types: the Python declaration too; full: the schemas too" },
            },
            "required": ["query"],
        },
        "outputSchema": {
            "type": "object",
            "properties": {
                "tools": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "name": { "type": "string" },
                            "description": { "type": "string" },
                            "signature": { "type": "string" },
                            "server": { "type": "string" },
                            "python": { "type": "string", "description": "With detail=types: the Python declaration" },
                            "inputSchema": { "description": "With detail=full: as the upstream server declares it" },
                            "outputSchema": { "description": "With detail=full: as the upstream server declares it, or null" },
                        },
                        "required": ["name", "description", "signature", "server"],
                    },
                },
                "total": { "type": "integer", "description": "Tools in the whole catalogue" },
            },
            "required": ["tools", "total"],
        },
        "annotations": reading(),
    })
}

fn reading() -> Value {
    json!({ "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false })
}
