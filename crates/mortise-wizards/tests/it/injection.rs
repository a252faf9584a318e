//! Whatever the headers and values are, generated code is data and never becomes instructions.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::json;

use mortise_formats::python::Module;
use mortise_wizards::data::data_type::DataType;
use mortise_wizards::data::nulls::NullTokens;
use mortise_wizards::parsers::generate;
use mortise_wizards::parsers::plan::{
    BadCells, ColumnPlace, Delimited, ParserPlan, PlanColumn, PlanSource, SinkKind, SourceFormat,
};

use crate::bench::Bench;

fn plan(
    name: String,
    columns: Vec<(String, String)>,
    nulls: Vec<String>,
    format: SourceFormat,
) -> ParserPlan {
    let column = |(index, (source, output)): (usize, (String, String))| PlanColumn {
        place: ColumnPlace::Named(source),
        name: format!("{output}{index}"),
        data_type: DataType::ALL[index % DataType::ALL.len()],
        nullable: index % 2 == 0,
        format: (index % 3 == 0).then(|| "%d/%m/%y\"\\".to_owned()),
        tolerant: index % 5 == 0,
    };
    ParserPlan {
        name,
        source: PlanSource { format, encoding: "utf-8-sig".to_owned(), gzip: false },
        columns: columns.into_iter().enumerate().map(column).collect(),
        nulls: NullTokens::only(nulls),
        sink: SinkKind::Sqlite,
        table: Some("ta\"\nble".to_owned()),
        bad_cells: BadCells::Collect,
        validate: true,
        imports: Vec::new(),
    }
}

/// Text with what ends literals, lines and comments.
fn nasty() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[\"'\\\\\n\r\t#{}()%\u{0}\u{85}\u{2028}\u{202e}a-c]{0,12}",
        Just("\"\"\"\nimport os\nos.system('x')\n\"\"\"".to_owned()),
        Just("\\".to_owned()),
    ]
}

#[test]
fn any_header_and_any_value_stay_literals() {
    let mut runner = TestRunner::new(Config { cases: 300, failure_persistence: None, ..Config::default() });
    let columns = prop::collection::vec((nasty(), nasty()), 1..8);
    let strategy = (nasty(), columns, prop::collection::vec(nasty(), 0..4), any::<char>());
    let outcome = runner.run(&strategy, |(name, columns, nulls, sign)| {
        let delimited = Delimited {
            delimiter: sign,
            quote: Some(sign),
            backslash: true,
            skip_lines: 1,
            comment: Some(name.clone()),
            header: true,
            cells: None,
        };
        for format in [SourceFormat::Delimited(delimited), SourceFormat::Json, SourceFormat::Ndjson] {
            let plan = plan(name.clone(), columns.clone(), nulls.clone(), format);
            let code = generate::parser(&plan);
            let module =
                Module::parse(&code).map_err(|error| TestCaseError::fail(format!("{error}\n{code}")))?;
            let report = module.check_bridge(&mortise_formats::python::BridgeOptions::default());
            prop_assert!(report.error().is_none(), "{:?}\n{code}", report.error());
            let table = module.table(generate::TABLE).unwrap_or_default();
            let keys: Vec<&str> = table.iter().map(|entry| entry.key.as_str()).collect();
            let names: Vec<&str> = plan.columns.iter().map(|column| column.name.as_str()).collect();
            prop_assert_eq!(keys, names, "{}", code);
            // The shape of the code does not depend on the texts in it.
            let functions: Vec<String> =
                module.functions().into_iter().map(|function| function.name).collect();
            prop_assert_eq!(functions.last().map(String::as_str), Some("parse"));
        }
        Ok(())
    });
    outcome.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_header_with_quotes_and_newlines_is_read_as_it_is() {
    let bench = Bench::new();
    let file = bench.file(
        "nasty.csv",
        "\"a \"\"b\"\"\nc\",\"'''\"\"\"\"\"\"\",\"\\n{x}\u{202e}\",\"); import os #\"\n1,x,y,z\n2,\"\"\"\",\\,'\n",
    );
    let result = bench.call("generate_parser", json!({"file_path": file})).await;
    assert_eq!(result["validation_results"]["is_valid"], true, "{}", result["code"].as_str().unwrap());
    let first = result["validation_results"]["test_output"][0].as_object().unwrap();
    let names: Vec<&str> = first.keys().map(String::as_str).collect();
    assert_eq!(names, ["a \"b\"\nc", "'''\"\"\"", "\\n{x}\u{202e}", "); import os #"]);
}
