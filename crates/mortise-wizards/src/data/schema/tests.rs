use super::*;
use crate::data::files::DataFiles;
use crate::data::table::ReadOptions;

fn discovered(name: &str, bytes: impl AsRef<[u8]>) -> DiscoveredSchema {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(name), bytes).unwrap();
    let files = DataFiles::new(&[folder.path().to_owned()], None).unwrap();
    let table = Table::open(files.open(name).unwrap(), &ReadOptions::default()).unwrap();
    infer(&table, &InferOptions::default(), &CancellationToken::new()).unwrap()
}

/// `name type format nullable`.
fn columns(schema: &DiscoveredSchema) -> Vec<String> {
    let column = |column: &DiscoveredColumn| {
        let nullable = if column.nullable { "?" } else { "" };
        format!("{} {}{nullable} {}", column.name, column.data_type, column.format.as_deref().unwrap_or("-"))
    };
    schema.columns.iter().map(column).collect()
}

fn codes(schema: &DiscoveredSchema) -> Vec<&str> {
    schema.warnings.iter().map(|warning| warning.code.as_str()).collect()
}

#[test]
fn a_file_becomes_a_proposal() {
    let schema = discovered(
        "orders.csv",
        "id,zip,total,day,note\n1,00501,2.50,15/05/2024,\n2,10001,3,16/05/2024,hi\n3,20002,4,01/05/2024,\n",
    );
    assert_eq!(
        columns(&schema),
        ["id int64 -", "zip string -", "total float64 -", "day date %d/%m/%Y", "note string? -"]
    );
    assert_eq!((schema.name.as_str(), schema.rows_analyzed, schema.confidence), ("orders", 3, 0.9));
    assert_eq!(schema.columns[4].null_percentage, 66.667);
    assert_eq!(schema.proposal_hash.len(), 64);
    assert_eq!(codes(&schema), Vec::<&str>::new());
}

#[test]
fn the_same_file_gives_the_same_bytes_and_a_changed_one_another_hash() {
    let text = "id,day\n1,05/06/2024\n2,06/07/2024\n";
    let (one, other) = (discovered("a.csv", text), discovered("a.csv", text));
    assert_eq!(serde_json::to_string(&one).unwrap(), serde_json::to_string(&other).unwrap());
    let changed = discovered("a.csv", text.replace("2,06", "x,06"));
    assert_eq!(changed.discovery_id, one.discovery_id);
    assert_ne!(changed.proposal_hash, one.proposal_hash);
}

#[test]
fn open_questions_keep_a_column_text_for_parsers() {
    let schema = discovered("a.csv", "id,day\n1,05/06/2024\n2,06/07/2024\n");
    assert_eq!(columns(&schema)[1], "day date %d/%m/%Y");
    assert!(schema.columns[1].constraint.needs_human_decision);
    assert_eq!(schema.questions().count(), 1);
    assert_eq!(schema.parser_columns()[1].data_type, DataType::String);
    assert_eq!(schema.parser_columns()[1].format, None);
}

#[test]
fn what_the_reader_noticed_is_told() {
    let ragged = discovered("a.csv", "made by hand\nid,n\n1,2\n3\n4,5\n6,7\n");
    assert_eq!(codes(&ragged), ["WARN_RAGGED_ROWS", "WARN_PREAMBLE"]);
    assert!(ragged.columns[1].nullable);
    let formulas = discovered("a.csv", "id,note\n1,=1+2\n2,@x\n3,plain\n");
    assert_eq!(codes(&formulas), ["WARN_FORMULAS"]);
    let latin = discovered("a.csv", b"id,name\n1,Zo\xeb\n2,Andr\xe9\n");
    assert_eq!(codes(&latin), ["WARN_ENCODING_GUESSED"]);
    let nested = discovered("a.json", r#"[{"id": 1, "tags": ["a"]}, {"id": 2}]"#);
    assert_eq!(codes(&nested), ["WARN_NESTED"]);
    assert_eq!(columns(&nested), ["id int64 -", "tags string? -"]);
}

#[test]
fn json_numbers_mix_and_texts_stay_texts() {
    let schema = discovered(
        "a.json",
        r#"[{"a": 1, "b": "1", "c": true, "d": "2024-01-15"}, {"a": 2.5, "b": "2", "c": 1, "d": "2024-01-16"}]"#,
    );
    assert_eq!(columns(&schema), ["a float64 -", "b string -", "c string -", "d date %Y-%m-%d"]);
}

#[test]
fn an_empty_file_has_no_columns() {
    let schema = discovered("a.csv", "");
    assert_eq!((schema.columns.len(), schema.rows_analyzed, schema.confidence), (0, 0, 0.0));
    let header = discovered("a.csv", "id,name\n");
    assert_eq!(header.columns[0].constraint.resolved_type, "null");
}

#[test]
fn work_stops_when_nobody_waits() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.csv"), "1,2\n".repeat(5000)).unwrap();
    let files = DataFiles::new(&[folder.path().to_owned()], None).unwrap();
    let table = Table::open(files.open("a.csv").unwrap(), &ReadOptions::default()).unwrap();
    let stop = CancellationToken::new();
    stop.cancel();
    let options = InferOptions { max_rows: 5000, ..InferOptions::default() };
    assert!(matches!(infer(&table, &options, &stop), Err(DataError::Canceled)));
}

#[test]
fn parquet_says_itself_what_it_is() {
    use parquet::data_type::{BoolType, ByteArrayType, DoubleType, Int32Type, Int64Type};

    use crate::data::table::test_files::{column, optional, parquet_file};

    let fields = "required int64 id; optional binary zip (UTF8); optional boolean ok; optional double n; \
                  optional int32 day (DATE);";
    let columns_of_group = vec![
        column::<Int64Type>(vec![1, 2]),
        optional::<ByteArrayType>(vec![Some("00501".into()), None]),
        optional::<BoolType>(vec![Some(true), Some(false)]),
        optional::<DoubleType>(vec![Some(1.0), Some(2.0)]),
        optional::<Int32Type>(vec![Some(0), Some(1)]),
    ];
    let bytes =
        parquet_file(fields, parquet::file::properties::WriterProperties::default(), &[columns_of_group]);
    let schema = discovered("a.parquet", bytes);
    assert_eq!(
        columns(&schema),
        ["id int64 -", "zip string? -", "ok boolean -", "n float64 -", "day date %Y-%m-%d"]
    );
    assert_eq!(schema.columns[4].sample_values, ["1970-01-01", "1970-01-02"]);
}
