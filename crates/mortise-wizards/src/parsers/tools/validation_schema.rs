//! The schema of `validation_results`, as the format's type has it.

use schemars::{Schema, SchemaGenerator, json_schema};

/// `validation_results` of every parser that was checked.
pub(super) fn validation_results(_: &mut SchemaGenerator) -> Schema {
    let error = || {
        serde_json::json!({
            "type": "object",
            "required": ["error_code", "reason", "suggestion"],
            "properties": {
                "error_code": {"type": "string"}, "subcode": {"type": "string"}, "field": {"type": "string"},
                "line": {"type": "integer"}, "column": {"type": "integer"}, "reason": {"type": "string"},
                "suggestion": {"type": "string"}, "details": {"type": "array", "items": {"type": "object"}},
                "retryable": {"type": "boolean"}
            },
            "additionalProperties": false
        })
    };
    let status = || serde_json::json!({"enum": ["passed", "failed", "skipped"]});
    let errors = || serde_json::json!({"type": "array", "items": error()});
    json_schema!({
        "type": "object",
        "description": "What checking and running the parser found",
        "required": ["is_valid", "execution", "syntax_errors", "import_errors", "runtime_errors", "warnings", "bridge", "test_cases"],
        "additionalProperties": false,
        "properties": {
            "is_valid": {"type": "boolean"},
            "execution": status(),
            "skip_reason": {"type": "string"},
            "syntax_errors": errors(),
            "import_errors": errors(),
            "runtime_errors": {"type": "array", "items": {
                "type": "object", "required": ["type", "message"], "additionalProperties": false,
                "properties": {"type": {"type": "string"}, "message": {"type": "string"}, "line": {"type": "integer"}}
            }},
            "warnings": {"type": "array", "items": {"type": "string"}},
            "bridge": {
                "type": "object", "required": ["valid", "errors"], "additionalProperties": false,
                "properties": {
                    "valid": {"type": "boolean"}, "topic": {"type": "string"}, "sink": {"type": "string"},
                    "errors": errors()
                }
            },
            "test_cases": {
                "type": "object", "required": ["passed", "failed", "skipped", "items"], "additionalProperties": false,
                "properties": {
                    "passed": {"type": "integer"}, "failed": {"type": "integer"}, "skipped": {"type": "integer"},
                    "items": {"type": "array", "items": {
                        "type": "object", "required": ["name", "status"], "additionalProperties": false,
                        "properties": {"name": {"type": "string"}, "status": status(), "reason": {"type": "string"}}
                    }}
                }
            },
            "row_count": {"type": "integer"},
            "test_output": {"type": "array", "items": {"type": "object"}},
            "reconciliation": {
                "type": "object", "additionalProperties": false,
                "required": ["status", "rows_expected", "rows_actual", "columns", "mismatches"],
                "properties": {
                    "status": status(),
                    "rows_expected": {"type": "integer"}, "rows_actual": {"type": "integer"},
                    "columns": {"type": "array", "items": {"type": "object"}},
                    "mismatches": {"type": "array", "maxItems": 20, "items": {
                        "type": "object", "required": ["row", "column", "expected", "actual"],
                        "additionalProperties": false,
                        "properties": {"row": {"type": "integer"}, "column": {"type": "string"}, "expected": {}, "actual": {}}
                    }}
                }
            }
        }
    })
}
