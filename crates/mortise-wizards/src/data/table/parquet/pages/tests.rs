use parquet::basic::Compression;
use parquet::data_type::{ByteArrayType, Int32Type};
use parquet::file::metadata::ParquetMetaDataReader;
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder, WriterVersion};

use super::super::test_files::{WriteColumn, leveled, parquet_file, texts};
use crate::data::fault::DataError;
use crate::data::files::DataFiles;
use crate::data::table::{ReadOptions, Row, Table};

const TEXTS: &str = "required binary t (UTF8);";
const LISTS: &str = "required group t (LIST) { repeated group list { optional int32 item; } }";

fn some_texts(rows: std::ops::Range<i32>) -> WriteColumn {
    texts(rows.map(|number| format!("text number {number}")))
}

/// Row `n` has the numbers from zero to before `n % 7`.
fn some_lists(rows: std::ops::Range<i32>) -> WriteColumn {
    let (mut values, mut definition, mut repetition) = (Vec::new(), Vec::new(), Vec::new());
    for row in rows {
        let length = row % 7;
        values.extend(0..length);
        definition.extend(if length == 0 { vec![0] } else { vec![2; length as usize] });
        repetition.extend((0..length.max(1)).map(|place| i16::from(place > 0)));
    }
    leveled::<Int32Type>(values, Some(definition), Some(repetition))
}

/// A file whose first column has other pages than it was written with.
fn forged(fields: &str, compression: Compression, pages: &[u8]) -> Vec<u8> {
    let properties = WriterProperties::builder().set_dictionary_enabled(false).set_compression(compression);
    forged_with(fields, properties, pages)
}

fn forged_with(fields: &str, properties: WriterPropertiesBuilder, pages: &[u8]) -> Vec<u8> {
    let column = if fields == LISTS { some_lists(0..300) } else { some_texts(0..300) };
    let mut bytes = parquet_file(fields, properties.build(), &[vec![column]]);
    let metadata = ParquetMetaDataReader::new().parse_and_finish(&bytes::Bytes::from(bytes.clone())).unwrap();
    let (start, length) = metadata.row_group(0).column(0).byte_range();
    let chunk = &mut bytes[start as usize..][..length as usize];
    chunk.fill(0);
    chunk[..pages.len()].copy_from_slice(pages);
    bytes
}

fn read(bytes: &[u8]) -> Result<Vec<String>, DataError> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("x.parquet"), bytes).unwrap();
    let files = DataFiles::new(&[folder.path().to_owned()], None).unwrap();
    let table = Table::open(files.open("x.parquet").unwrap(), &ReadOptions::default())?;
    let (mut rows, mut row, mut all) = (table.rows()?, Row::default(), Vec::new());
    while rows.read(&mut row)? {
        all.push(row.cells().map(|cell| cell.unwrap_or("-").to_owned()).collect::<Vec<_>>().join("|"));
    }
    Ok(all)
}

fn zigzag(number: i64) -> Vec<u8> {
    varint(((number << 1) ^ (number >> 63)).cast_unsigned())
}

fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

const PLAIN: i64 = 0;
const DELTA_LENGTHS: i64 = 6;
const DELTA_BYTES: i64 = 7;

/// A data page of the first version.
fn page(size: i64, values: i64, encoding: i64, content: &[u8]) -> Vec<u8> {
    let length = zigzag(content.len() as i64);
    let (size, values, encoding) = (zigzag(size), zigzag(values), zigzag(encoding));
    let mut page = [&[0x15, 0, 0x15][..], &size, &[0x15], &length].concat();
    page.extend(
        [&[0x2c, 0x15][..], &values, &[0x15], &encoding, &[0x15, 6, 0x15, 6, 0, 0], content].concat(),
    );
    page
}

fn dictionary(values: i64, content: &[u8]) -> Vec<u8> {
    let length = zigzag(content.len() as i64);
    let values = zigzag(values);
    [&[0x15, 4, 0x15][..], &length, &[0x15], &length, &[0x4c, 0x15], &values, &[0x15, 0, 0, 0], content]
        .concat()
}

#[track_caller]
fn check_refused(bytes: &[u8], expected: &str) {
    assert_eq!(read(bytes).unwrap_err().to_string(), expected);
}

#[test]
fn a_page_that_declares_gigabytes_is_refused_before_they_are_taken() {
    for compression in [Compression::SNAPPY, Compression::ZSTD(Default::default()), Compression::UNCOMPRESSED]
    {
        check_refused(
            &forged(TEXTS, compression, &page(i64::from(i32::MAX), 300, PLAIN, b"few bytes")),
            "`x.parquet` has a page of 2147483647 bytes in column `t` of row group 1, more than 134217728",
        );
    }
}

#[test]
fn a_dictionary_of_more_values_than_fit_is_refused() {
    check_refused(
        &forged(TEXTS, Compression::UNCOMPRESSED, &dictionary(i64::from(i32::MAX), b"few bytes")),
        "`x.parquet` is no Parquet file: row 1: Parquet error: column `t`, row group 1: \
         a dictionary of 9 bytes can't have 2147483647 values",
    );
}

#[test]
fn more_lengths_than_values_are_refused() {
    let list = |count: u64| [&[0x80, 0x01, 0x04][..], &varint(count), &[0, 0, 0, 0, 0, 0]].concat();
    let lies = "`x.parquet` is no Parquet file: row 1: Parquet error: column `t`, row group 1: \
                a page of 300 values can't have 1099511627776 lengths";
    let content = list(1 << 40);
    let lengths = page(content.len() as i64, 300, DELTA_LENGTHS, &content);
    check_refused(&forged(TEXTS, Compression::UNCOMPRESSED, &lengths), lies);
    let content = [list(100), list(1 << 40)].concat();
    let beginnings = page(content.len() as i64, 300, DELTA_BYTES, &content);
    let declared = WriterProperties::builder()
        .set_dictionary_enabled(false)
        .set_encoding(parquet::basic::Encoding::DELTA_BYTE_ARRAY);
    check_refused(&forged_with(TEXTS, declared, &beginnings), lies);
    // Only columns that declare it are read one value at a time.
    check_refused(
        &forged(TEXTS, Compression::UNCOMPRESSED, &beginnings),
        "`x.parquet` is no Parquet file: row 1: Parquet error: column `t`, row group 1: \
         a page has the encoding DELTA_BYTE_ARRAY, which its column does not declare",
    );
}

#[test]
fn a_row_without_an_end_is_refused() {
    let values = 20_000_000;
    let run = |level: u8, count: u64| [varint(count << 1), vec![level]].concat();
    let repetition = [run(0, 1), run(1, values - 1)].concat();
    let definition = run(1, values);
    let mut content = Vec::new();
    for levels in [repetition, definition] {
        content.extend((levels.len() as u32).to_le_bytes());
        content.extend(levels);
    }
    let long = page(content.len() as i64, values as i64, PLAIN, &content);
    check_refused(
        &forged(LISTS, Compression::UNCOMPRESSED, &long),
        "`x.parquet` has open pages of 5120000020 bytes in column `t.list.item` of row group 1, more than 536870912",
    );
}

#[test]
fn the_pages_of_all_columns_count_together() {
    // Six columns with a text of 100 MiB each: every page is small enough.
    let names = ["a", "b", "c", "d", "e", "f"];
    let fields: String = names.iter().map(|name| format!("required binary {name} (UTF8);")).collect();
    let columns = names.iter().map(|_| texts(["x".repeat(100 << 20)])).collect();
    let zstd = WriterProperties::builder()
        .set_dictionary_enabled(false)
        .set_statistics_enabled(parquet::file::properties::EnabledStatistics::None)
        .set_compression(Compression::ZSTD(Default::default()));
    let error = read(&parquet_file(&fields, zstd.build(), &[columns])).unwrap_err().to_string();
    let (start, end) =
        ("`x.parquet` has open pages of 629145", " in column `f` of row group 1, more than 536870912");
    assert!(error.starts_with(start) && error.ends_with(end), "{error}");
}

#[test]
fn a_row_is_no_longer_than_any_record() {
    let rows = texts(["short".to_owned(), "x".repeat(17 << 20)]);
    check_refused(
        &parquet_file(TEXTS, WriterProperties::default(), &[vec![rows]]),
        "`x.parquet` has a record of more than 16777216 bytes after row 1",
    );
}

/// A file of decimals, each with these bytes.
fn decimals(declared: &str, values: &[&[u8]]) -> Vec<u8> {
    let values = values.iter().map(|value| value.to_vec().into()).collect();
    let column = leveled::<ByteArrayType>(values, None, None);
    parquet_file(
        &format!("required binary d (DECIMAL({declared}));"),
        WriterProperties::default(),
        &[vec![column]],
    )
}

#[test]
fn a_decimal_has_no_more_digits_than_anybody_needs() {
    check_refused(
        &decimals("2000000, 1999999", &[&[1]]),
        "`x.parquet` is a Parquet file with decimals of 2000000 digits in `d`, which is not read here",
    );
    let rows = read(&decimals("10, 2", &[&[0x04, 0xd2], &[1; 513]])).unwrap();
    assert_eq!(rows, ["12.34".to_owned(), "01".repeat(513)]);
}

#[test]
fn what_writers_write_is_read_whatever_its_encoding_and_its_pages() {
    use parquet::basic::Encoding::{DELTA_BYTE_ARRAY, DELTA_LENGTH_BYTE_ARRAY, PLAIN};
    for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
        for encoding in [None, Some(PLAIN), Some(DELTA_LENGTH_BYTE_ARRAY), Some(DELTA_BYTE_ARRAY)] {
            for page_rows in [7, 1000] {
                let mut properties = WriterProperties::builder()
                    .set_writer_version(version)
                    .set_compression(Compression::SNAPPY)
                    .set_write_batch_size(5)
                    .set_data_page_row_count_limit(page_rows)
                    .set_dictionary_enabled(encoding.is_none());
                if let Some(encoding) = encoding {
                    properties = properties.set_column_encoding("t".into(), encoding);
                }
                let fields = format!("{TEXTS} {}", LISTS.replace("group t", "group l"));
                let groups =
                    [0..100, 100..200, 200..300].map(|rows| vec![some_texts(rows.clone()), some_lists(rows)]);
                let rows = read(&parquet_file(&fields, properties.build(), &groups)).unwrap();
                assert_eq!(rows.len(), 300, "{version:?} {encoding:?} {page_rows}");
                assert_eq!(rows[206], "text number 206|[0,1,2]", "{version:?} {encoding:?} {page_rows}");
            }
        }
    }
}

#[test]
fn wide_tables_may_have_more_open() {
    let mib = |bytes: u64| bytes >> 20;
    assert_eq!([6, 128, 200, 10_000].map(|columns| mib(super::most_open(columns))), [512, 512, 800, 2048]);
}
