use std::io::Write as _;

use super::*;
use crate::data::bounds::SAMPLE_BYTES;
use crate::data::files::DataFiles;

struct Folder {
    folder: tempfile::TempDir,
}

impl Folder {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn open(&self, name: &str, bytes: impl AsRef<[u8]>) -> Result<Table, DataError> {
        self.open_with(name, bytes, &ReadOptions::default())
    }

    fn open_with(
        &self,
        name: &str,
        bytes: impl AsRef<[u8]>,
        options: &ReadOptions,
    ) -> Result<Table, DataError> {
        std::fs::write(self.folder.path().join(name), bytes).unwrap();
        let files = DataFiles::new(&[self.folder.path().to_owned()], None).unwrap();
        Table::open(files.open(name).unwrap(), options)
    }
}

/// The rows with `-` for cells that are not there and bars between cells.
fn rows(table: &Table) -> Vec<String> {
    let mut rows = table.rows().unwrap();
    let mut row = Row::default();
    let mut all = Vec::new();
    while rows.read(&mut row).unwrap() {
        all.push(row.cells().map(|cell| cell.unwrap_or("-").to_owned()).collect::<Vec<_>>().join("|"));
    }
    all
}

#[track_caller]
fn check(name: &str, bytes: impl AsRef<[u8]>, format: FileFormat, columns: &[&str], expected: &[&str]) {
    let folder = Folder::new();
    let table = folder.open(name, bytes).unwrap();
    assert_eq!(
        (table.format(), table.columns()),
        (format, columns.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>().as_slice())
    );
    assert_eq!(rows(&table), expected);
}

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn delimited_files_in_all_their_forms() {
    use FileFormat::{Csv, Tsv};
    check("a.csv", "id,name\n1,Ann\n2,\n", Csv, &["id", "name"], &["1|Ann", "2|"]);
    check("a.txt", "id\tname\r\n1\tAnn\r\n", Tsv, &["id", "name"], &["1|Ann"]);
    check("a.csv", "1;2\n3;4\n", Csv, &["column_1", "column_2"], &["1|2", "3|4"]);
    check("a.csv", "id,n\n1\n2,3,4\n5,6\n7,8\n", Csv, &["id", "n"], &["1|-", "2|3", "5|6", "7|8"]);
    check("a.csv", "note\n\nid,n\n1,2\n3,4\n", Csv, &["id", "n"], &["1|2", "3|4"]);
    check("a.csv", "a,a,\n1,2,3\n", Csv, &["a", "a_2", "column_3"], &["1|2|3"]);
    check("a.csv.gz", gzip("id,n\n1,2\n"), Csv, &["id", "n"], &["1|2"]);
    check("a.csv", "", Csv, &[], &[]);
    check("a.csv", "id,name\n", Csv, &["id", "name"], &[]);
    check("a.csv", b"id,name\n1,Zo\xeb\n2,Andr\xe9\n", Csv, &["id", "name"], &["1|Zoë", "2|André"]);
    check("a.csv", "{not json},b\n1,2\n3,4\n", Csv, &["{not json}", "b"], &["1|2", "3|4"]);
}

#[test]
fn ragged_rows_are_counted() {
    let folder = Folder::new();
    let table = folder.open("a.csv", "a,b\n1,2\n3\n4,5,6\n7,8\n").unwrap();
    let mut reading = table.rows().unwrap();
    let mut row = Row::default();
    while reading.read(&mut row).unwrap() {}
    assert_eq!(reading.ragged(), Ragged { short: 1, long: 1, first_row: Some(2) });
}

#[test]
fn cells_beyond_the_columns_are_told_where_they_hold_anything() {
    let folder = Folder::new();
    let table = folder.open("a.csv", "a,b\n1,2\n3,4, ,\n5,6,7,\n8\n9,10\n11,12\n13,14\n15,16\n").unwrap();
    let mut reading = table.rows().unwrap();
    let mut row = Row::default();
    let mut surplus = Vec::new();
    while reading.read(&mut row).unwrap() {
        surplus.push(row.surplus());
    }
    assert_eq!(surplus, [None, None, Some(2), None, None, None, None, None]);
}

#[test]
fn json_is_known_by_reading_it() {
    use FileFormat::{Json, Ndjson};
    check(
        "a.json",
        r#"[{"a": 1, "b": "x"}, {"b": null, "c": 1.50}]"#,
        Json,
        &["a", "b", "c"],
        &["1|x|-", "-|-|1.5"],
    );
    check(
        "a.json",
        "{\n \"a\": {\"x\": [1, 2]},\n \"b\": true\n}\n",
        Json,
        &["a", "b"],
        &["{\"x\":[1,2]}|true"],
    );
    check("a.json", "{\"a\": 1}\n{\"a\": 2}\n", Ndjson, &["a"], &["1", "2"]);
    check("a.jsonl", "{\"a\": 1}", Ndjson, &["a"], &["1"]);
    check("a.ndjson", "{\"a\": 1}\r\r\n{\"a\": 2}\r{\"a\": 3}", Ndjson, &["a"], &["1", "2", "3"]);
    check("a.ndjson", "{\n\"a\": 1\n}\n", Json, &["a"], &["1"]);
    check("a.txt", "[{\"a\": \"}]\\\"\"}]", Json, &["a"], &["}]\""]);
    check("a.json", "[]", Json, &[], &[]);
    check("a.json", "{\"a\": 1, \"a\": 2}", Json, &["a"], &["2"]);
    check(
        "a.json.gz",
        gzip("{\"a\": 12345678901234567890123}\n{\"a\": 1e400}"),
        Ndjson,
        &["a"],
        &["12345678901234567890123", "Infinity"],
    );
}

#[test]
fn what_is_no_table_of_objects_says_so() {
    let folder = Folder::new();
    for (text, expected) in [
        (
            "[1, 2]",
            "`a.json` is no JSON with objects as rows: value 1: invalid type: integer `1`, expected an object at line 1 column 1",
        ),
        ("[{\"a\": 1}", "`a.json` is no JSON with objects as rows: value 2: the array is not closed"),
        (
            "[{\"a\": 1} {\"a\": 2}]",
            "`a.json` is no JSON with objects as rows: value 2: `,` or `]` is missing after a value",
        ),
        ("{\"a\": 1", "`a.json` is no JSON with objects as rows: value 1: it ends in the middle of a value"),
        ("[{\"a\": 1}] x", "`a.json` is no JSON with objects as rows: value 2: something follows the array"),
        (
            "{\"a\": 1}\n{broken}\n",
            "`a.json` is no JSON with objects as rows: value 2: key must be a string at line 1 column 2",
        ),
        (
            "{\"a\": 1}{\"a\": 2}\n",
            "`a.json` is no JSON with objects as rows: value 2: not one object per line",
        ),
        (
            "{\n\"a\": 1\n}\n{\"a\": 2}\n",
            "`a.json` is no JSON with objects as rows: value 2: not one object per line",
        ),
        ("PK\u{3}\u{4}", "`a.json` is a zip archive or an Office document, which is not read here"),
    ] {
        assert_eq!(folder.open("a.json", text).unwrap_err().to_string(), expected);
    }
    let format = |format| ReadOptions { format: Some(format), ..ReadOptions::default() };
    let refused = folder.open_with("a.csv", "id\n1\n", &format(FileFormat::Parquet)).unwrap_err();
    assert_eq!(refused.to_string(), "`a.csv` is no Parquet file: it does not begin with `PAR1`");
    assert!(folder.open_with("a.csv", "id\n1\n", &format(FileFormat::Json)).is_err());
    let given = folder.open_with("a.csv", "[{\"a\": 1}]", &format(FileFormat::Csv)).unwrap();
    assert_eq!(given.format(), FileFormat::Csv);
}

#[test]
fn binary_files_are_refused() {
    let folder = Folder::new();
    let noise: Vec<u8> =
        (0..4096u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    assert!(matches!(
        folder.open("a.csv", [b"\0\0\0".as_slice(), &noise].concat()),
        Err(DataError::Unsupported { .. })
    ));
    assert!(matches!(folder.open("a.parquet", b"PAR1 nothing more"), Err(DataError::Mismatch { .. })));
    assert!(matches!(folder.open("a.parquet", b"PAR1"), Err(DataError::Mismatch { .. })));
    let cut = &gzip(&"id,n\n".repeat(5000))[..40];
    assert!(matches!(folder.open("a.csv.gz", cut), Err(DataError::Read { .. })));
}

#[test]
fn endless_records_end_at_the_bound() {
    let folder = Folder::new();
    let long = usize::try_from(super::super::bounds::RECORD_BYTES).unwrap();
    let text = format!("id,n\n1,2\n3,\"{}", "x".repeat(long + 300_000));
    let table = folder.open("a.csv", text).unwrap();
    let mut rows = table.rows().unwrap();
    let mut row = Row::default();
    assert!(rows.read(&mut row).unwrap());
    let error = rows.read(&mut row).unwrap_err();
    assert!(matches!(error, DataError::LongRecord { row: 1, .. }), "{error}");
    let fits = format!("id,n\n1,{}\n", "x".repeat(long - 100_000));
    let table = folder.open("b.csv", fits).unwrap();
    assert!(table.rows().unwrap().read(&mut row).unwrap());
    let json = format!("{{\"a\": \"{}\"}}", "x".repeat(long + 10));
    assert!(matches!(folder.open("a.json", json), Err(DataError::LongRecord { .. })));
}

#[test]
fn too_many_columns_are_refused() {
    let folder = Folder::new();
    let header = |count: usize| (0..count).map(|number| format!("c{number}")).collect::<Vec<_>>().join(",");
    assert_eq!(folder.open("a.csv", header(COLUMNS)).unwrap().columns().len(), COLUMNS);
    let error = folder.open("a.csv", header(COLUMNS + 1)).unwrap_err();
    assert_eq!(error.to_string(), "`a.csv` has 10001 columns, more than 10000");
}

#[test]
fn wanted_keys_come_in_the_wanted_order() {
    let folder = Folder::new();
    let options = ReadOptions { columns: Some(vec!["b".into(), "x".into()]), ..ReadOptions::default() };
    let table = folder.open_with("a.json", r#"[{"a": 1, "b": 2}]"#, &options).unwrap();
    assert_eq!(rows(&table), ["2|-"]);
}

#[test]
fn a_value_that_cannot_be_decoded_is_an_error_of_its_row() {
    let folder = Folder::new();
    let table = folder.open("a.ndjson", "{\"a\": 1}\n{\"a\": \"\\ud800\"}\n").unwrap();
    let mut rows = table.rows().unwrap();
    let mut row = Row::default();
    assert!(rows.read(&mut row).unwrap());
    let error = rows.read(&mut row).unwrap_err().to_string();
    assert!(error.starts_with("`a.ndjson` is no JSON with objects as rows: value 2: `a`: "), "{error}");
    let deep = format!("[{{\"a\": {}{}}}]", "[".repeat(200), "]".repeat(200));
    let table = folder.open("a.json", deep).unwrap();
    let error = table.rows().unwrap().read(&mut row).unwrap_err().to_string();
    assert!(error.ends_with("value 1: `a`: the value is nested deeper than 127 levels"), "{error}");
}

#[test]
fn columns_of_one_name_are_numbered_however_many_there_are() {
    let header = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let few = header(&["a", "a", "a_2", "a", ""]);
    assert_eq!(usable_names(&few, 6), ["a", "a_2", "a_2_2", "a_3", "column_5", "column_6"]);
    let names = usable_names(&vec!["a".to_owned(); 50_000], 50_000);
    assert_eq!(names.last().map(String::as_str), Some("a_50000"));
}

#[test]
fn what_can_not_be_decoded_is_no_binary_file() {
    let folder = Folder::new();
    let mut marked = "\u{feff}name,n\n".as_bytes().to_vec();
    for _ in 0..50 {
        marked.extend_from_slice(b"Andr\xe9 Mu\xf1oz,3\n");
    }
    let refused = folder.open("marked.csv", &marked).unwrap_err();
    assert_eq!(refused.to_string(), "`marked.csv` can't be decoded as utf-8, which it seems to be");
    // Without the mark it is what its bytes are.
    assert_eq!(folder.open("plain.csv", &marked[3..]).unwrap().encoding().name(), "windows-1252");
    // What another program has lost already is text.
    let lost = "name,n\nAndr\u{fffd} Mu\u{fffd}oz,3\n\u{fffd},4\n";
    assert_eq!(rows(&folder.open("lost.csv", lost).unwrap()).len(), 2);
    // Also where the beginning that is looked at ends within such a character.
    for name in ["names", "a_name"] {
        let head = format!("{name},n\n");
        let long = head + &"\u{fffd},4\n".repeat(SAMPLE_BYTES / 6 + 2);
        assert!(!long.is_char_boundary(SAMPLE_BYTES));
        assert!(folder.open("long.csv", long).is_ok(), "{name}");
    }
    assert!(matches!(
        folder.open("b.csv", [1, 2, 3, 0, 5, 6, 7, 8, 0xff]),
        Err(DataError::Unsupported { .. })
    ));
}

#[test]
fn lines_that_are_longer_than_what_is_sniffed_have_all_their_columns() {
    let folder = Folder::new();
    // Of numbers alone, so that no header tells how many there are.
    for (columns, digits) in [(5_000, 100), (9_000, 200)] {
        let row = vec!["7".repeat(digits); columns].join(",");
        let table = folder.open("wide.csv", format!("{row}\n{row}\n")).unwrap();
        assert_eq!((table.columns().len(), rows(&table).len()), (columns, 2));
    }
}

/// A Parquet file of one whole number, as DuckDB 2.0 writes it with `COMPRESSION brotli`.
const BROTLI: &str = "504152311500150815102c150215001506150600008b018001000000031502192c3500180d6475636b64625f736368656d61\
        150200150225001801612522001602191c191c26001c15021915001918016115081602162a163226083c1804010000001804\
        010000001600280401000000180401000000111100191c150015001502000000162a1602260816320028284475636b444220\
        76657273696f6e2076322e302e3020286275696c64206435346362626533646629191c1c000000a000000050415231";
const INTERVAL: &str = "504152311500151815182c150215001506150600000000000003000000000000001502192c3500180d6475636b64625f7363\
        68656d61150200150e1518150018026976252a001602191c191c26001c150e191500191802697615001602163a163a260849\
        1c150015001502000000163a16022608163a00191c181c6475636b64622e696e74657276616c5f626c6f6f6d5f66696c7465\
        72180d6e6f726d616c697a65642d76310018284475636b44422076657273696f6e2076322e302e3020286275696c64206435\
        346362626533646629191c1c000000b600000050415231";

fn from_hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> =
        text.chars().filter_map(|digit| Some(u8::try_from(digit.to_digit(16)?).unwrap())).collect();
    digits.chunks(2).map(|pair| pair[0] * 16 + pair[1]).collect()
}

#[test]
fn parquet_files_that_no_code_reads_say_so() {
    let folder = Folder::new();
    let refused = |bytes: &str| folder.open("x.parquet", from_hex(bytes)).unwrap_err().to_string();
    // The same file with another number for its codec.
    for (codec, name) in [("04", "GZIP"), ("06", "LZO"), ("08", "BROTLI"), ("0a", "LZ4"), ("0e", "LZ4_RAW")] {
        let file = BROTLI.replace("18016115081602", &format!("18016115{codec}1602"));
        assert_eq!(
            refused(&file),
            format!("`x.parquet` is a Parquet file compressed with {name}, which is not read here")
        );
    }
    assert_eq!(
        refused(INTERVAL),
        "`x.parquet` is a Parquet file with intervals in `iv`, which is not read here"
    );
}

#[test]
fn values_of_parquet_are_what_the_file_says() {
    use ::parquet::data_type::{DoubleType, FloatType, Int64Type};

    use super::test_files::{column, parquet_file, texts};
    use crate::data::value::Value;

    let fields = "required int64 at (TIMESTAMP(NANOS,false)); required int64 time (TIME(NANOS,false)); \
                  required double large; required double odd; required float small; required binary bytes;";
    let values = vec![
        column::<Int64Type>(vec![1_700_000_000_123_456_789, -1]),
        column::<Int64Type>(vec![1_000_001_999, 0]),
        column::<DoubleType>(vec![1e300, 9_223_372_036_854_775_808.0]),
        column::<DoubleType>(vec![f64::NAN, f64::NEG_INFINITY]),
        column::<FloatType>(vec![0.1, 2.0]),
        texts([b"\x00\xff".to_vec(), Vec::new()]),
    ];
    let bytes = parquet_file(fields, ::parquet::file::properties::WriterProperties::default(), &[values]);
    let folder = Folder::new();
    let table = folder.open("x.parquet", bytes).unwrap();
    assert_eq!(
        rows(&table),
        [
            "2023-11-14T22:13:20.123456|00:00:01.000001|1e300|NaN|0.1|00ff",
            "1969-12-31T23:59:59.999999|00:00:00.000000|9.223372036854776e18|-inf|2|",
        ]
    );
    let column = |place: usize, format: Option<&str>| Column {
        name: table.columns()[place].clone(),
        data_type: table.schema()[place].data_type,
        nullable: true,
        format: format.map(str::to_owned),
    };
    let formats = [Some("%Y-%m-%dT%H:%M:%S.%f"), None, None, None, None, None];
    let mut reading = table.rows().unwrap();
    let mut row = Row::default();
    let mut all = Vec::new();
    while reading.read(&mut row).unwrap() {
        for (place, format) in formats.into_iter().enumerate() {
            let converter = table.converter(Some(place), &column(place, format), &table.null_tokens());
            all.push(converter.value(row.cell(place)).unwrap());
        }
    }
    assert!(matches!(all.remove(3), Value::Float(value) if value.is_nan()));
    assert_eq!(
        all,
        [
            Value::Timestamp { micros: 1_700_000_000_123_456, zoned: false },
            Value::Time(1_000_001),
            Value::Float(1e300),
            Value::Float(0.1),
            Value::Bytes(vec![0, 255]),
            Value::Timestamp { micros: -1, zoned: false },
            Value::Time(0),
            Value::Float(9_223_372_036_854_775_808.0),
            Value::Float(f64::NEG_INFINITY),
            Value::Float(2.0),
            Value::Bytes(Vec::new()),
        ]
    );
    let losses: Vec<_> = table.schema().iter().filter_map(|column| column.loss).collect();
    assert_eq!(losses, ["moments are given to the microsecond", "times are given to the microsecond"]);
}

#[test]
fn parquet_is_read_in_every_usual_compression_and_damage_is_told() {
    use ::parquet::basic::{Compression, ZstdLevel};
    use ::parquet::data_type::Int64Type;
    use ::parquet::file::properties::WriterProperties;

    use super::test_files::{optional, parquet_file, texts};

    let folder = Folder::new();
    let fields = "optional int64 n; required binary t (UTF8);";
    let values = [vec![
        optional::<Int64Type>((0..500).map(|n| (n % 7 != 0).then_some(n)).collect()),
        texts((0..500).map(|n| format!("text {n}"))),
    ]];
    let zstd = Compression::ZSTD(ZstdLevel::default());
    for compression in [Compression::UNCOMPRESSED, Compression::SNAPPY, zstd] {
        let properties = WriterProperties::builder().set_compression(compression).build();
        let bytes = parquet_file(fields, properties, &values);
        let table = folder.open("x.parquet", &bytes).unwrap();
        assert_eq!((rows(&table).len(), rows(&table)[8].as_str()), (500, "8|text 8"), "{compression}");
        // Whatever one byte becomes, there are rows or an error.
        for place in (0..bytes.len()).step_by(7) {
            let mut damaged = bytes.clone();
            damaged[place] ^= 0xa5;
            let Ok(table) = folder.open("damaged.parquet", &damaged) else { continue };
            let Ok(mut rows) = table.rows() else { continue };
            let mut row = Row::default();
            while rows.read(&mut row).is_ok_and(|found| found) && rows.count() < 1_000 {}
        }
    }
}
