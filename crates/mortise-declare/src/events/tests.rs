//! What is said in the log when tools are declared.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use mortise_contract::name::{NameLength, Renamed};
use mortise_contract::{NameMap, ServerName, ToolName};
use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

use super::super::typescript::tests::catalogue;
use crate::{
    Provider, ProviderOptions, PythonOptions, TypeScriptOptions, lint, provider_names, python_declarations,
    render_tools, typescript_declarations,
};

/// Keeps every event as one line.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<String>>>);

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        if field.name() != "message" {
            write!(self.0, " {}={value:?}", field.name()).unwrap();
        }
    }
}

impl Subscriber for Lines {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= Level::DEBUG
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(event.metadata().level().to_string());
        event.record(&mut line);
        self.0.lock().unwrap().push(line.0);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

fn said(work: impl FnOnce()) -> Vec<String> {
    let lines = Lines::default();
    tracing::subscriber::with_default(lines.clone(), work);
    lines.0.lock().unwrap().clone()
}

#[test]
fn every_output_schema_that_goes_along_is_in_the_log() {
    let (tools, names) = catalogue();
    let one = &tools[..1];
    let native = said(|| drop(render_tools(Provider::OpenAi, one, &names, &ProviderOptions::default())));
    assert_eq!(
        native,
        [
            r#"DEBUG event="mortise.output_schema.forwarded" tool="mcp__rmcp__echo" declared_for="openai" form="native" bytes=116 losses=0"#
        ]
    );
    let hint = said(|| drop(render_tools(Provider::Anthropic, one, &names, &ProviderOptions::default())));
    assert_eq!(
        hint,
        [
            r#"DEBUG event="mortise.output_schema.forwarded" tool="mcp__rmcp__echo" declared_for="anthropic" form="hint" bytes=46 losses=0"#
        ]
    );
    let typescript = said(|| drop(typescript_declarations(one, &names, &TypeScriptOptions::default())));
    assert_eq!(
        typescript,
        [
            r#"DEBUG event="mortise.output_schema.forwarded" tool="mcp__rmcp__echo" declared_for="typescript" form="typescript" bytes=37 losses=0"#
        ]
    );
    let python = said(|| drop(python_declarations(one, &names, &PythonOptions::default())));
    assert!(python[0].contains(r#"declared_for="python""#), "{python:?}");
}

#[test]
fn nothing_is_said_where_nothing_goes_along() {
    let (mut tools, _) = catalogue();
    let names = provider_names(&tools);
    assert_eq!(
        said(|| drop(lint(&tools, &Provider::ALL, &names, &ProviderOptions::default()))),
        Vec::<String>::new()
    );
    tools.iter_mut().for_each(|tool| tool.forward_output_schema = false);
    for provider in Provider::ALL {
        let said = said(|| drop(render_tools(provider, &tools, &names, &ProviderOptions::default())));
        assert_eq!(said, Vec::<String>::new());
    }
}

#[test]
fn names_that_tools_share_or_that_are_too_long_are_said() {
    let server = ServerName::parse("s").unwrap();
    let tools = ["a-b", "a_b", &"n".repeat(80)].map(|name| ToolName::parse(name).unwrap());
    let names = NameMap::with_length(tools.iter().map(|tool| (&server, tool)), NameLength::Provider);
    let said = said(|| names.renamed().iter().for_each(Renamed::log));
    let start = |line: &String| line.split(" public=").next().unwrap().to_owned();
    assert_eq!(
        said.iter().map(start).collect::<Vec<_>>(),
        [
            "WARN event=\"mortise.name.collision\" server=s wire=a-b".to_owned(),
            "WARN event=\"mortise.name.collision\" server=s wire=a_b".to_owned(),
            format!("INFO event=\"mortise.name.renamed\" server=s wire={}", "n".repeat(80)),
        ]
    );
}

#[test]
fn shortening_is_said_with_both_sizes() {
    let (mut tools, names) = catalogue();
    let properties: serde_json::Map<_, _> = (0..20)
        .map(|at| (format!("field_{at:02}"), json!({"type": "array", "items": {"type": "string"}})))
        .collect();
    tools[0].output_schema = Some(json!({"type": "object", "properties": properties}));
    let options = ProviderOptions { hint_bytes: 64, ..ProviderOptions::default() };
    let shorten = || said(|| drop(render_tools(Provider::Anthropic, &tools[..1], &names, &options)));
    let first = shorten();
    assert_eq!(first.len(), 2, "{first:?}");
    assert!(first[1].starts_with(r#"WARN event="mortise.output_schema.reduced""#), "{first:?}");
    assert!(first[1].contains("from_bytes=") && first[1].contains(r#"step="keys""#), "{first:?}");
    // Once for a tool and its schema, whoever it is declared for.
    assert!(shorten()[1].starts_with(r#"DEBUG event="mortise.output_schema.reduced""#));
}
