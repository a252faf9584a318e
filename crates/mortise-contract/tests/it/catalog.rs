//! From a tool list to verdicts on calls.

use mortise_contract::arguments::{ArgumentCheck, check_arguments};
use mortise_contract::listing::{ToolPage, parse_tool_list};
use mortise_contract::mirror::mirror;
use mortise_contract::schema::SchemaOptions;
use mortise_contract::unwrap::{ShapeRule, unwrapped};
use mortise_contract::verdict::JudgeOptions;
use mortise_contract::{Contract, NameMap, RawJson, SchemaCache, ServerName, Status, ToolResult, judge};

struct Catalog {
    page: ToolPage,
    calls: Vec<RawJson>,
}

fn catalog() -> Catalog {
    let file = RawJson::parse(include_str!("../cases/catalog.json")).unwrap();
    let page = parse_tool_list(&file.member("list").unwrap()).unwrap();
    Catalog { page, calls: file.member("calls").unwrap().elements().unwrap() }
}

fn text(call: &RawJson, key: &str) -> Option<String> {
    call.member(key).unwrap().value().unwrap().as_str().map(str::to_owned)
}

fn shown_arguments(contract: &Contract, call: &RawJson, cache: &SchemaCache) -> String {
    let arguments = call.member("arguments").unwrap().value().unwrap();
    match check_arguments(contract, &arguments, &SchemaOptions::default(), cache) {
        ArgumentCheck::Valid => "valid".to_owned(),
        ArgumentCheck::Invalid { violations, .. } => {
            let shown = violations.iter().map(|found| match found.violation.instance_path.as_str() {
                "" => format!("/ {}", found.violation.message),
                path => format!("{path} {}", found.violation.message),
            });
            shown.collect::<Vec<_>>().join("; ")
        }
        other => format!("{other:?}"),
    }
}

#[test]
fn every_call_gets_its_verdict() {
    let Catalog { page, calls } = catalog();
    let cache = SchemaCache::default();
    for call in calls {
        let name = text(&call, "tool").unwrap();
        let contract = page.items.iter().find(|contract| contract.name.as_str() == name).unwrap();
        assert_eq!(Some(shown_arguments(contract, &call, &cache)), text(&call, "arguments_are"), "{name}");
        let result = ToolResult::parse(call.member("result").unwrap()).unwrap();
        let verdict = judge(contract, &result, &JudgeOptions::default(), &cache);
        let shown = match (&verdict.status, verdict.errors.first()) {
            (Status::Invalid, Some(error)) => {
                format!("invalid at {}: {}", error.instance_path, error.message)
            }
            (status, _) => status.as_str().to_owned(),
        };
        assert_eq!(Some(shown), text(&call, "verdict"), "{name}");
        assert_eq!(Some(mirror(&result).as_str().to_owned()), text(&call, "mirror"), "{name}");
        let value =
            unwrapped(contract, &result, ShapeRule::Unwrap).map(|found| found.value.text().to_owned());
        assert_eq!(value, text(&call, "value"), "{name}");
    }
    let schemas =
        page.items.iter().flat_map(|contract| [contract.input_schema(), contract.output_schema()]).flatten();
    assert!(cache.compilations() <= schemas.count() as u64);
}

#[test]
fn the_list_says_which_tools_can_be_called_under_which_name() {
    let Catalog { page, .. } = catalog();
    let server = ServerName::parse("my-server").unwrap();
    let names = NameMap::new(page.items.iter().map(|contract| (&server, &contract.name)));
    let callable: Vec<&str> = page
        .items
        .iter()
        .filter(|contract| contract.is_callable())
        .filter_map(|contract| names.callable(&server, &contract.name))
        .map(|callable| callable.as_str())
        .collect();
    assert_eq!(
        callable,
        [
            "mcp__my_server__list_directory",
            "mcp__my_server__add",
            "mcp__my_server__primes",
            "mcp__my_server__query_financials",
            "mcp__my_server__search_docs_",
            "mcp__my_server__graph",
            "mcp__my_server__research",
            "mcp__my_server__remote",
        ]
    );
    assert_eq!(page.rejected.len(), 1);
}
