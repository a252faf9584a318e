use super::*;
use crate::data::data_type::DataType;
use crate::data::nulls::NullTokens;
use crate::parsers::plan::{ColumnPlace, Delimited, PlanColumn, PlanSource};

fn column(name: &str, data_type: DataType, format: Option<&str>) -> PlanColumn {
    PlanColumn {
        place: ColumnPlace::Named(name.to_owned()),
        name: name.to_owned(),
        data_type,
        nullable: false,
        format: format.map(str::to_owned),
        tolerant: false,
    }
}

fn plan(columns: Vec<PlanColumn>) -> ParserPlan {
    ParserPlan {
        name: "Orders 2024".to_owned(),
        source: PlanSource {
            format: SourceFormat::Delimited(Delimited::default()),
            encoding: "utf-8-sig".to_owned(),
            gzip: false,
        },
        columns,
        nulls: NullTokens::default(),
        sink: SinkKind::Parquet,
        table: None,
        bad_cells: BadCells::Raise,
        validate: true,
        imports: Vec::new(),
    }
}

#[test]
fn a_parser_is_what_a_person_would_write() {
    let mut plan = plan(vec![
        column("id", DataType::Int64, None),
        column("day", DataType::Date, Some("%d/%m/%Y")),
        column("paid", DataType::Boolean, None),
    ]);
    plan.columns[1].nullable = true;
    insta::assert_snapshot!(parser(&plan));
}

#[test]
fn a_parser_of_lines_of_json() {
    let mut plan = plan(vec![column("id", DataType::Int64, None), column("Note", DataType::String, None)]);
    plan.columns[1].name = "note".to_owned();
    plan.source.format = SourceFormat::Ndjson;
    plan.nulls = NullTokens::only([]);
    plan.source.gzip = true;
    plan.bad_cells = BadCells::Collect;
    insta::assert_snapshot!(parser(&plan));
}

#[test]
fn texts_of_json_are_missing_only_where_the_caller_says_so() {
    let mut plan = plan(vec![column("c", DataType::String, None)]);
    plan.source.format = SourceFormat::Json;
    plan.nulls = NullTokens::only([]);
    let test = "    empty = value is None or value == \"\" and to_type is not to_text\n";
    assert!(parser(&plan).contains(test), "{}", parser(&plan));
    plan.nulls = NullTokens::only(["-".to_owned()]);
    let test = "    empty = value is None or isinstance(value, str) and value.strip() in NULLS or value == \"\" \
                and to_type is not to_text\n";
    assert!(parser(&plan).contains(test), "{}", parser(&plan));
}

#[test]
fn only_what_is_needed_is_there() {
    let mut plan = plan(vec![column("name", DataType::String, None)]);
    plan.bad_cells = BadCells::Plain;
    plan.nulls = NullTokens::only([String::new(), "NA".to_owned()]);
    plan.validate = false;
    plan.source.format = SourceFormat::Delimited(Delimited {
        delimiter: ';',
        quote: Some('\''),
        backslash: true,
        skip_lines: 2,
        comment: Some("#".to_owned()),
        header: false,
        cells: Some(5),
    });
    plan.columns[0].place = ColumnPlace::Position(3);
    insta::assert_snapshot!(parser(&plan));
}

#[test]
fn rows_with_more_cells_than_columns_are_left_out_where_bad_rows_are() {
    let mut plan = plan(vec![column("id", DataType::Int64, None)]);
    plan.bad_cells = BadCells::Collect;
    let left_out = "            if len(cells) > len(header) and any(map(str.strip, cells[len(header):])):\n                \
                    REJECTED.append(f\"row {row}, line {reader.line_num}: {len(cells)} cells for {len(header)} columns\")\n                \
                    continue\n";
    assert!(parser(&plan).contains(left_out), "{}", parser(&plan));
}

#[test]
fn whatever_the_names_are_the_text_is_one_line_per_column() {
    let nasty = "\"\"\"\nimport os\r\\\u{0}\u{2028}'{TOPIC}";
    let mut plan = plan(vec![column(nasty, DataType::String, None)]);
    plan.name = nasty.to_owned();
    plan.nulls = NullTokens::only([nasty.to_owned()]);
    let text = parser(&plan);
    assert!(!text.lines().any(|line| line.trim_start().starts_with("import os")), "{text}");
    assert_eq!(text.matches("\"\"\"").count() % 2, 0, "{text}");
}
