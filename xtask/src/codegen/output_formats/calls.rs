//! The folder that the wizards look at, and what they are asked.

use serde_json::{Value, json};

use super::results::Results;

/// Files of the folder.
pub(super) const FILES: [(&str, &str); 3] = [
    ("orders/north/2024-01-15/orders_001.csv", "id,amount,placed\n1,9.50,2024-01-15\n2,12.00,2024-01-15\n"),
    ("orders/north/2024-01-16/orders_002.csv", "id,amount,placed\n3,7.25,2024-01-16\n4,,2024-01-16\n"),
    ("orders/south/2024-01-15/orders_003.csv", "id,amount,placed\n5,3.00,2024-01-15\n"),
];

/// One call.
pub(super) struct Call {
    /// Its name among the calls.
    pub(super) name: &'static str,
    pub(super) tool: &'static str,
    /// What it is asked.
    pub(super) about: &'static str,
    pub(super) arguments: fn(&Results) -> Value,
}

impl Call {
    /// The heading: the tool, and the case where a tool is called twice.
    pub(super) fn title(&self) -> String {
        match self.name.strip_prefix(self.tool).map(|rest| rest.trim_start_matches([' ', ','])) {
            Some("") | None => format!("`{}`", self.tool),
            Some(case) => format!("`{}`, {case}", self.tool),
        }
    }
}

fn files() -> Vec<&'static str> {
    FILES.iter().map(|(path, _)| *path).collect()
}

/// A value of an earlier result.
fn earlier(results: &Results, call: &str, pointer: &str) -> Value {
    results.get(call).and_then(|result| result.pointer(pointer)).cloned().unwrap_or_default()
}

/// In the order in which they are made; later ones use what earlier ones returned.
pub(super) const CALLS: [Call; 20] = [
    Call {
        name: "quick_scan",
        tool: "quick_scan",
        about: "What is in the folder?",
        arguments: |_| json!({"path": "."}),
    },
    Call {
        name: "preview_files",
        tool: "preview_files",
        about: "The first lines of a file.",
        arguments: |_| json!({"files": [FILES[0].0], "lines": 2}),
    },
    Call {
        name: "recognize_semantic_path",
        tool: "recognize_semantic_path",
        about: "What do the folders mean?",
        arguments: |_| json!({"sample_paths": files()}),
    },
    Call {
        name: "generate_rule_from_semantic",
        tool: "generate_rule_from_semantic",
        about: "A rule from an expression.",
        arguments: |_| json!({"expression": "entity_folder(mission) > dated_hierarchy(iso) > files"}),
    },
    Call {
        name: "find_similar_sources",
        tool: "find_similar_sources",
        about: "Sources with the same structure.",
        arguments: |_| json!({"expression": "dated_hierarchy(iso) > files"}),
    },
    Call {
        name: "generate_extractor",
        tool: "generate_extractor",
        about: "A rule for the paths; YAML can say all of it.",
        arguments: |_| json!({"sample_paths": files()}),
    },
    Call {
        name: "generate_extractor, with code",
        tool: "generate_extractor",
        about: "A rule for paths where something is to be computed.",
        arguments: |_| {
            json!({"sample_paths": ["data/CLIENT-ABC/2024/Q1/report.csv", "data/CLIENT-XYZ/2024/Q4/report.csv"],
                "hint": "Quarter folder should compute start/end month"})
        },
    },
    Call {
        name: "apply_scope",
        tool: "apply_scope",
        about: "The files under one name.",
        arguments: |_| json!({"name": "orders", "files": files()}),
    },
    Call {
        name: "discover_schemas",
        tool: "discover_schemas",
        about: "The columns of the files, with the evidence.",
        arguments: |_| json!({"files": [FILES[1].0]}),
    },
    Call {
        name: "approve_schemas",
        tool: "approve_schemas",
        about: "A person agrees.",
        arguments: |results| {
            json!({"scope_id": earlier(results, "apply_scope", "/scope/scope_id"), "schemas": [{
                "discovery_id": earlier(results, "discover_schemas", "/schemas/0/discovery_id"),
                "name": "orders", "output_table_name": "orders", "columns": [
                    {"name": "id", "data_type": "int64", "nullable": false},
                    {"name": "amount", "data_type": "float64", "nullable": true},
                    {"name": "placed", "data_type": "date", "nullable": false, "format": "%Y-%m-%d"}]}]})
        },
    },
    Call {
        name: "propose_amendment",
        tool: "propose_amendment",
        about: "Something turned out otherwise.",
        arguments: |results| {
            json!({"contract_id": earlier(results, "approve_schemas", "/contract_id"),
                "amendment_type": "nullability_change", "column": "placed"})
        },
    },
    Call {
        name: "read_sample",
        tool: "read_sample",
        about: "Rows, with one column hidden.",
        arguments: |_| json!({"file_path": FILES[0].0, "rows": 2, "redact_columns": ["amount"]}),
    },
    Call {
        name: "generate_parser",
        tool: "generate_parser",
        about: "A parser, run on the file and compared with an independent reading.",
        arguments: |_| json!({"file_path": FILES[1].0}),
    },
    Call {
        name: "run_backtest",
        tool: "run_backtest",
        about: "The parser on every file.",
        arguments: |results| json!({"files": files(), "draft_id": earlier(results, "generate_parser", "/draft_id")}),
    },
    Call {
        name: "fix_parser",
        tool: "fix_parser",
        about: "What could be done about a failure.",
        arguments: |results| {
            json!({"parser_code": earlier(results, "generate_parser", "/code"), "failures": [{
                "file_path": FILES[2].0, "error": "row 2, column 'amount': '' is empty in a required column",
                "category": "NullNotAllowed", "column": "amount"}]})
        },
    },
    Call {
        name: "refine_parser",
        tool: "refine_parser",
        about: "The parser with the failure mended.",
        arguments: |results| {
            json!({"current_code": earlier(results, "generate_parser", "/code"), "errors": [{
                "file_path": FILES[2].0, "error_type": "type_mismatch", "message": "invalid literal for int()",
                "column": "id", "value": "A5"}]})
        },
    },
    Call {
        name: "execute_pipeline",
        tool: "execute_pipeline",
        about: "All files into tables; here only as a rehearsal.",
        arguments: |results| {
            json!({"files": files(), "parser_code": earlier(results, "generate_parser", "/code"),
                "config": {"mode": "dry_run", "output_format": "csv"}})
        },
    },
    Call {
        name: "query_output",
        tool: "query_output",
        about: "Rows of a table.",
        arguments: |_| json!({"source": FILES[0].0, "limit": 1}),
    },
    Call {
        name: "commit_draft",
        tool: "commit_draft",
        about: "The parser is kept.",
        arguments: |results| json!({"draft_id": earlier(results, "generate_parser", "/draft_id")}),
    },
    Call {
        name: "list_drafts",
        tool: "list_drafts",
        about: "What is proposed and kept.",
        arguments: |_| json!({"kind": "parser"}),
    },
];
