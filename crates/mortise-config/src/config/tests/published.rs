//! The schema and the reference page say what the loader does.

use mortise_contract::CompiledSchema;
use mortise_contract::schema::{SchemaOptions, Validation as Checked};

use super::*;

/// Whether the published schema accepts a text.
fn fits_the_schema(text: &str) -> bool {
    let schema = CompiledSchema::compile(&Config::json_schema(), &SchemaOptions::default()).unwrap();
    // `off` is a word in YAML 1.2, as editors read it.
    let options = serde_saphyr::options! { strict_booleans: true };
    let value: serde_json::Value = serde_saphyr::from_str_with_options(text, options).unwrap();
    match schema.validate(&value) {
        Checked::Valid => true,
        Checked::Invalid { .. } => false,
        Checked::Unchecked { reason } => panic!("{reason}"),
    }
}

#[test]
fn the_schema_and_the_loader_agree() {
    for (text, expected) in [
        ("{}", true),
        ("{servers: [{name: a, command: x, args: [1, true, b], env: {PORT: 80}}]}", true),
        (
            "{servers: {a: {url: 'https://x/', oauth: {grant: client_credentials, client_id: a, client_secret: b}}}}",
            true,
        ),
        (
            "{servers: [{name: a, command: x, transport: stdio, mode: off, era: auto, environment: clean}]}",
            true,
        ),
        ("{servers: [{name: a, command: x, in_flight: 1024, call_timeout_seconds: 600}]}", true),
        ("{execution: {timeout_seconds: 600, max_output_bytes: 16777216, max_tool_calls: 100000}}", true),
        ("{execution: {max_concurrent_calls: 64, max_tool_result_bytes: 67108864, trace: summary}}", true),
        ("{execution: {max_emitted_bytes: 67108864, max_source_bytes: 16777216, max_running: 1024}}", true),
        ("{execution: {max_memory_bytes: 4294967296, max_total_memory_bytes: 1099511627776}}", true),
        ("{execution: {max_waiting: 100000}}", true),
        ("{execution: {max_waiting: 100001}}", false),
        ("{execution: {max_running: 1025}}", false),
        ("{execution: {max_running: 0}}", false),
        ("{execution: {max_memory_bytes: 4294967297}}", false),
        ("{execution: {max_total_memory_bytes: 1099511627777}}", false),
        ("{execution: {max_emitted_bytes: 67108865}}", false),
        ("{execution: {max_source_bytes: 16777217}}", false),
        ("{serverz: []}", false),
        ("{servers: 5}", false),
        ("{servers: [{name: a, command: x, transport: sse}]}", false),
        ("{servers: [{name: a, command: x, in_flight: 0}]}", false),
        ("{servers: [{name: a, command: x, in_flight: 1025}]}", false),
        ("{servers: [{name: a, command: x, call_timeout_seconds: 600.1}]}", false),
        ("{servers: [{name: a, command: x, start_timeout_seconds: 0}]}", false),
        ("{execution: {timeout_seconds: 0}}", false),
        ("{execution: {timeout_seconds: 601}}", false),
        ("{execution: {max_output_bytes: 16777217}}", false),
        ("{execution: {max_tool_calls: 100001}}", false),
        ("{execution: {max_concurrent_calls: 65}}", false),
        ("{execution: {max_tool_result_bytes: 67108865}}", false),
        ("{execution: {trace: loud}}", false),
        ("{wizards: {timeout_seconds: 86400}}", true),
        ("{wizards: {timeout_seconds: 86400.1}}", false),
        ("{wizards: {max_output_bytes: 0}}", false),
    ] {
        assert_eq!(fits_the_schema(text), expected, "schema: {text}");
        let is_unusable = |server: &ServerConfig| matches!(server.transport, Transport::Unusable(_));
        let is_taken = load_text(text).is_ok_and(|loaded| !loaded.config.servers.iter().any(is_unusable));
        assert_eq!(is_taken, expected, "loader: {text}");
    }
}

/// A file of the documentation.
fn documentation(path: &str) -> String {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/");
    fs::read_to_string(format!("{root}{path}")).unwrap()
}

#[test]
fn the_published_schema_is_current() {
    let published: serde_json::Value =
        serde_json::from_str(&documentation("reference/mortise.schema.json")).unwrap();
    assert_eq!(published, Config::json_schema(), "run `cargo xtask codegen`");
}

#[test]
fn the_example_of_the_reference_loads() {
    let page = documentation("reference/configuration.md");
    let examples: Vec<&str> =
        page.split("```yaml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert!(examples.len() > 1);
    let mut project = Project::new();
    for name in ["GITHUB_TOKEN", "SEARCH_TOKEN", "HOME"] {
        project.environment.variables.insert(name.into(), "x".into());
    }
    project.write("project/.mcp.json", "{\"mcpServers\": {}}");
    project.write("home/.cursor/mcp.json", "{\"mcpServers\": {}}");
    for example in examples {
        let path = project.write("project/example.yaml", example);
        let loaded = project.load(&[path]).unwrap_or_else(|error| panic!("{error}\n{example}"));
        assert!(loaded.notes.iter().all(|note| note.kind == NoteKind::Disabled), "{:?}", loaded.notes);
        assert!(fits_the_schema(example), "{example}");
    }
}
