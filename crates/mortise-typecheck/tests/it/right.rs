//! Programs that run are not refused, and hardly ever warned about.

use std::path::{Path, PathBuf};

use mortise_typecheck::{CheckMode, CheckedTool, TypecheckRule};
use serde_json::{Value, json};

use crate::tools::{SAMPLES, TOOLS, check, schema_of, tool};

/// Programs of the kind that models write, all known to run.
fn corpus() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../mortise-script/tests/corpus");
    let mut paths = programs(&folder);
    paths.retain(|path| !fails(path));
    paths
}

fn programs(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "py"));
    paths.sort();
    paths
}

/// Whether a program ends with an error that it means to show.
fn fails(path: &Path) -> bool {
    std::fs::read_to_string(path.with_extension("txt")).is_ok_and(|printed| printed.contains("--- error ---"))
}

/// The corpus' tools, with the schemas that servers with such data would declare.
fn corpus_tools() -> Vec<CheckedTool> {
    let described: Value =
        serde_json::from_str(include_str!("../../../mortise-script/tests/oracle/tools.json")).unwrap();
    let tools = described.as_object().unwrap().iter().map(|(callable, described)| {
        let (server, name) = callable.strip_prefix("mcp__").unwrap().split_once("__").unwrap();
        let mut listed = json!({ "name": name, "inputSchema": { "type": "object" } });
        if let Some(schema) = output(described) {
            listed["outputSchema"] = schema;
        }
        if let Some(filters) = described["filters"].as_array() {
            let properties: serde_json::Map<String, Value> =
                filters.iter().map(|filter| (filter.as_str().unwrap().to_owned(), json!({}))).collect();
            listed["inputSchema"]["properties"] = Value::Object(properties);
        }
        tool(server, &listed)
    });
    tools.collect()
}

fn output(described: &Value) -> Option<Value> {
    let items = || schema_of(&described["items"]);
    match described["kind"].as_str().unwrap() {
        "table" => Some(schema_of(&described["rows"])),
        "lookup" => {
            let values: Vec<Value> = described["values"].as_object().unwrap().values().cloned().collect();
            Some(schema_of(&Value::from(values))["items"].clone())
        }
        "pages" => Some(json!({ "type": "object", "additionalProperties": false,
            "properties": { "items": items(), "page": { "type": "integer" }, "total": { "type": "integer" },
                "next": { "type": ["integer", "null"] } },
            "required": ["items", "page", "total", "next"] })),
        "cursor" => Some(json!({ "type": "object", "additionalProperties": false,
            "properties": { "items": items(), "nextCursor": { "type": ["string", "null"] } },
            "required": ["items", "nextCursor"] })),
        "constant" | "flaky" => Some(schema_of(&described["value"])),
        _ => None,
    }
}

/// What is said about some programs, each line a finding.
fn said(paths: &[PathBuf], tools: &[CheckedTool]) -> Vec<String> {
    let mut said = Vec::new();
    for path in paths {
        let source = std::fs::read_to_string(path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let report = check(&source, CheckMode::Guard, tools);
        assert_eq!(report.unchecked, None, "{name}");
        for finding in &report.findings {
            let severity = format!("{:?}", finding.severity).to_lowercase();
            said.push(format!(
                "{name}:{} {severity} {}: {}",
                finding.line,
                finding.rule.word(),
                finding.message
            ));
        }
    }
    said
}

#[test]
fn the_corpus_is_never_refused_and_hardly_warned_about() {
    let paths = corpus();
    assert!(paths.len() >= 120, "{}", paths.len());
    let said = said(&paths, &corpus_tools());
    insta::assert_snapshot!(said.join("\n"));
    assert_hardly_warned(&said, paths.len());
}

/// Programs as models write them over the sample servers, all known to run there.
#[test]
fn everyday_programs_are_never_refused_and_hardly_warned_about() {
    let paths = programs(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/everyday"));
    assert!(paths.len() >= 70, "{}", paths.len());
    let said = said(&paths, &SAMPLES);
    insta::assert_snapshot!(said.join("\n"));
    assert_hardly_warned(&said, paths.len());
}

#[track_caller]
fn assert_hardly_warned(said: &[String], programs: usize) {
    let refused: Vec<&String> = said.iter().filter(|line| line.contains(" refuse ")).collect();
    assert!(refused.is_empty(), "{refused:#?}");
    let mut warned: Vec<&str> = said.iter().filter_map(|line| line.split(':').next()).collect();
    warned.dedup();
    assert!(warned.len() * 20 < programs, "{} of {programs}: {warned:?}", warned.len());
}

#[test]
fn programs_that_know_better_are_not_refused() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/right");
    let paths = programs(&folder);
    assert!(paths.len() >= 20, "{}", paths.len());
    for path in paths {
        let source = std::fs::read_to_string(&path).unwrap();
        let report = check(&source, CheckMode::Guard, &TOOLS);
        assert_eq!(report.unchecked, None, "{}", path.display());
        assert_eq!(report.refusal(), None, "{}", path.display());
        // Servers are lenient, the types are not; and some right programs the types can't follow.
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with("lenient_") || name.starts_with("doubted_") {
            continue;
        }
        let types: Vec<String> = report
            .warnings()
            .filter(|finding| finding.rule == TypecheckRule::Types)
            .map(ToString::to_string)
            .collect();
        assert!(types.is_empty(), "{}: {types:#?}", path.display());
    }
}
