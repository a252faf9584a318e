//! No bytes make the sniffer or a reader panic, hang or read what is not there.

use mortise_testkit::fuzz;
use mortise_wizards::data::dialect::{SniffHint, sniff};
use mortise_wizards::data::files::DataFiles;
use mortise_wizards::data::schema::{InferOptions, infer};
use mortise_wizards::data::table::{ReadOptions, Row, Table};
use proptest::prelude::*;
use tokio_util::sync::CancellationToken;

/// Pieces of which files are made, so that rows, quotes and numbers come about.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[,;|:\t\"'#\\\\]{1,3}",
        3 => "(\n|\r\n|\r)",
        4 => "-?[0-9]{1,5}([.,][0-9]{1,3})?",
        2 => "[0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4}",
        4 => "[A-Za-z_ ]{1,8}",
        1 => "[{}\\[\\]\":]{1,6}",
        1 => "\\PC{1,4}",
        1 => "(sep=;\n|\u{feff}|NA|null|true|\0)",
    ]
}

fn content() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        6 => prop::collection::vec(piece(), 0..120).prop_map(|pieces| pieces.concat().into_bytes()),
        1 => prop::collection::vec(any::<u8>(), 0..400),
        1 => prop::collection::vec(piece(), 0..60)
            .prop_map(|pieces| pieces.concat().encode_utf16().flat_map(u16::to_le_bytes).collect()),
    ]
}

/// A dialect is found for any text, the same each time, and it can be used.
#[test]
fn sniffer() {
    let text = content().prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    fuzz(&(text, any::<bool>()), |(text, complete)| {
        let sniffed = sniff(&text, complete, SniffHint::default());
        assert_eq!(sniffed, sniff(&text, complete, SniffHint::default()));
        assert!((0.0..=1.0).contains(&sniffed.regularity), "{}", sniffed.regularity);
        assert!(sniffed.dialect.delimiter.is_ascii());
        let lines = text.matches(['\n', '\r']).count() as u64;
        assert!(sniffed.dialect.skip_lines <= lines + 1, "{} of {lines}", sniffed.dialect.skip_lines);
    });
}

/// Whatever a file holds, it is read to its end or refused with a reason; names of columns are never empty or doubled.
#[test]
fn readers() {
    let folder = tempfile::tempdir().unwrap();
    let files = DataFiles::new(&[folder.path().to_owned()], None).unwrap();
    let names = prop_oneof![
        Just("a.csv"),
        Just("a.tsv"),
        Just("a.json"),
        Just("a.ndjson"),
        Just("a.parquet"),
        Just("a")
    ];
    fuzz(&(content(), names), |(bytes, name)| {
        std::fs::write(folder.path().join(name), &bytes).unwrap();
        let Ok(table) = Table::open(files.open(name).unwrap(), &ReadOptions::default()) else { return };
        let mut different = table.columns().to_vec();
        different.sort();
        different.dedup();
        assert_eq!(different.len(), table.columns().len());
        assert!(table.columns().iter().all(|name| !name.is_empty() || !table.format().is_delimited()));
        let Ok(schema) = infer(&table, &InferOptions::default(), &CancellationToken::new()) else { return };
        assert_eq!(schema.columns.len(), table.columns().len());
        let (mut rows, mut row, mut count) = (table.rows().unwrap(), Row::default(), 0u64);
        while rows.read(&mut row).unwrap_or(false) {
            assert_eq!(row.cells().count(), table.columns().len());
            count += 1;
        }
        assert!(count <= bytes.len() as u64 + 1);
        assert!(schema.rows_analyzed <= count);
    });
}
