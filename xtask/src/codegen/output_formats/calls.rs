//! The folder that the wizards look at, and what they are asked.

use serde_json::{Value, json};

use super::results::Results;

/// Files of the folder. The parser is written for the first; the second has a row without an amount.
pub(super) const FILES: [(&str, &str); 3] = [
    (
        "orders/store_041/2024-01-15/orders_001.csv",
        "id,amount,placed\n1,9.50,2024-01-15\n2,12.00,2024-01-15\n",
    ),
    ("orders/store_041/2024-01-16/orders_002.csv", "id,amount,placed\n3,7.25,2024-01-16\n4,,2024-01-16\n"),
    ("orders/store_042/2024-01-15/orders_003.csv", "id,amount,placed\n5,3.00,2024-01-15\n"),
];

/// One call.
pub(super) struct Call {
    pub(super) tool: &'static str,
    /// What sets it apart from another call of the same tool; empty for the first.
    pub(super) case: &'static str,
    /// What it is asked.
    pub(super) about: &'static str,
    pub(super) arguments: fn(&Results) -> Value,
}

impl Call {
    const fn new(tool: &'static str, about: &'static str, arguments: fn(&Results) -> Value) -> Self {
        Self { tool, case: "", about, arguments }
    }
}

fn files() -> Vec<&'static str> {
    FILES.iter().map(|(path, _)| *path).collect()
}

/// A value that the first call of a tool returned; null, which no tool accepts, if there is none.
fn earlier(results: &Results, tool: &str, pointer: &str) -> Value {
    results.get(tool).and_then(|result| result.pointer(pointer)).cloned().unwrap_or_default()
}

/// The file that the backtest found wanting, and why.
fn failure(results: &Results) -> (Value, Value, Value) {
    let listed = earlier(results, "run_backtest", "/results");
    let failed = listed.as_array().into_iter().flatten().find(|result| result["status"] == "failed");
    let part = |name: &str| failed.and_then(|result| result.get(name)).cloned().unwrap_or_default();
    (part("path"), part("error"), part("category"))
}

/// In the order in which they are made; later ones use what earlier ones returned.
pub(super) const CALLS: &[Call] = &[
    Call::new("quick_scan", "What is in the folder?", |_| json!({"path": "."})),
    Call::new("preview_files", "The first lines of a file.", |_| json!({"files": [FILES[0].0], "lines": 2})),
    Call::new(
        "read_sample",
        "Rows of a file, with one column hidden.",
        |_| json!({"file_path": FILES[0].0, "rows": 2, "redact_columns": ["amount"]}),
    ),
    Call::new("recognize_semantic_path", "What do the folders mean?", |_| json!({"sample_paths": files()})),
    Call::new(
        "list_semantic_primitives",
        "What else could folders mean? Here only what is special to one domain.",
        |_| json!({"domain": "healthcare"}),
    ),
    Call::new("generate_rule_from_semantic", "A rule from an expression.", |_| {
        json!({"expression": "entity_folder(mission) > dated_hierarchy(iso) > files",
            "sample_paths": ["mission_042/2024-01-15/readings.csv"]})
    }),
    Call::new("apply_scope", "The files under one name.", |_| json!({"name": "orders", "files": files()})),
    Call::new(
        "find_similar_sources",
        "Sources whose folders are built alike: the scope itself.",
        |results| json!({"expression": earlier(results, "recognize_semantic_path", "/expression")}),
    ),
    Call::new(
        "list_pending_review",
        "Folders of the scope that no rule is for yet.",
        |_| json!({"type": "unlabeled_groups"}),
    ),
    Call::new(
        "generate_extractor",
        "A rule for the paths. YAML can say all of it.",
        |_| json!({"sample_paths": files()}),
    ),
    Call {
        tool: "generate_extractor",
        case: "with code beside the rule",
        about: "A rule for paths where something is to be computed.",
        arguments: |_| {
            json!({"sample_paths": ["data/CLIENT-ABC/2024/Q1/report.csv", "data/CLIENT-XYZ/2024/Q4/report.csv"],
                "hint": "Quarter folder should compute start/end month"})
        },
    },
    Call::new(
        "discover_schemas",
        "The columns of a file, with the evidence.",
        |_| json!({"files": [FILES[0].0]}),
    ),
    Call::new("approve_schemas", "A person agrees.", |results| {
        json!({"scope_id": earlier(results, "apply_scope", "/scope/scope_id"),
            "proposal_hash": earlier(results, "discover_schemas", "/schemas/0/proposal_hash"),
            "schemas": [{
                "discovery_id": earlier(results, "discover_schemas", "/schemas/0/discovery_id"),
                "name": "orders", "output_table_name": "orders", "columns": [
                    {"name": "id", "data_type": "int64", "nullable": false},
                    {"name": "amount", "data_type": "float64", "nullable": false},
                    {"name": "placed", "data_type": "date", "nullable": false, "format": "%Y-%m-%d"}]}]})
    }),
    Call::new(
        "generate_parser",
        "A parser, run on the file and compared with an independent reading.",
        |_| json!({"file_path": FILES[0].0}),
    ),
    Call::new(
        "run_backtest",
        "The parser on every file. One has an order without an amount.",
        |results| json!({"files": files(), "draft_id": earlier(results, "generate_parser", "/draft_id")}),
    ),
    Call::new("fix_parser", "What could be done about the failure.", |results| {
        let (path, error, category) = failure(results);
        json!({"parser_code": earlier(results, "generate_parser", "/code"),
            "failures": [{"file_path": path, "error": error, "category": category, "column": "amount"}]})
    }),
    Call::new("refine_parser", "The parser with the failure mended.", |results| {
        let (path, error, category) = failure(results);
        json!({"current_code": earlier(results, "generate_parser", "/code"),
            "errors": [{"file_path": path, "error_type": category, "message": error, "column": "amount"}],
            "constraints": {"nullable_columns": ["amount"]}})
    }),
    Call::new("propose_amendment", "What was agreed has to change with it.", |results| {
        json!({"contract_id": earlier(results, "approve_schemas", "/contract_id"),
            "amendment_type": "nullability_change", "column": "amount"})
    }),
    Call::new("execute_pipeline", "All files into tables, with the mended parser.", |results| {
        json!({"files": files(), "parser_code": earlier(results, "refine_parser", "/code"),
            "config": {"output_format": "csv"}})
    }),
    Call::new("query_output", "Rows of a table.", |results| {
        json!({"source": earlier(results, "execute_pipeline", "/file_results/1/output_file"),
            "sql": "select id, amount where id > 3"})
    }),
    Call::new(
        "commit_draft",
        "The rule for the paths is kept.",
        |results| json!({"draft_id": earlier(results, "generate_extractor", "/draft_id")}),
    ),
    Call::new("list_drafts", "What is proposed and kept.", |_| json!({"kind": "extractor"})),
];
