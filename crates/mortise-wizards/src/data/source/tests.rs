use std::io::Write as _;

use super::super::files::DataFiles;
use super::*;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn a_compressed_file_that_grows_past_its_limit_is_left() {
    let compressed = gzip(&vec![0; 100_000]);
    let read = |unjudged| {
        let mut content = Vec::new();
        let result = Growing::new(compressed.as_slice(), unjudged).read_to_end(&mut content);
        result.map_err(|error| error.to_string())
    };
    assert_eq!(read(100_000), Ok(100_000));
    assert_eq!(read(99_999), Err("the content is too large for its compressed size".to_owned()));
}

#[test]
fn growth_is_judged_on_the_way_and_not_by_what_comes_after() {
    let mut noise = vec![0; 400_000];
    getrandom::fill(&mut noise).unwrap();
    let bomb = [gzip(&vec![0; 20_000_000]), gzip(&noise)].concat();
    assert!(20_400_000 < bomb.len() as u64 * INFLATION, "as a whole it grows little");
    let mut growing = Growing::new(bomb.as_slice(), 1_000_000);
    assert!(io::copy(&mut growing, &mut io::sink()).is_err());
    assert!(growing.read < 10_000_000, "left after {} bytes", growing.read);
}

#[test]
fn a_check_of_growth_ends_when_nobody_waits_for_it() {
    let stop = CancellationToken::new();
    let bomb = gzip(&vec![0; 100_000]);
    assert!(grows_too_much(bomb.as_slice(), 99_999, &stop));
    assert!(!grows_too_much(bomb.as_slice(), 100_000, &stop));
    assert!(!grows_too_much(b"id,name\n1,x\n".as_slice(), 0, &stop), "it is not compressed");
    stop.cancel();
    assert!(!grows_too_much(bomb.as_slice(), 99_999, &stop));
}

#[test]
fn lines_are_skipped_whatever_ends_them() {
    for (text, lines, rest) in [
        ("a\nb\nc", 1, "b\nc"),
        ("a\r\nb\r\nc", 2, "c"),
        ("a\rb\rc", 1, "b\rc"),
        ("a\r\n\r\nc", 2, "c"),
        ("a", 5, ""),
        ("a\n", 0, "a\n"),
    ] {
        let mut reader = Guarded { inner: text.as_bytes(), since: 0 };
        skip_lines(&mut reader, lines).unwrap();
        let mut left = String::new();
        reader.read_to_string(&mut left).unwrap();
        assert_eq!(left, rest, "{text:?}");
    }
}

#[test]
fn a_file_that_nobody_waits_for_is_not_read_on() {
    let folder = tempfile::tempdir().unwrap();
    let rows: String = (0..500_000).map(|n| format!("{{\"n\": {n}}}\n")).collect();
    std::fs::write(folder.path().join("a.ndjson"), rows).unwrap();
    let stop = CancellationToken::new();
    let files = DataFiles::new(&[folder.path().to_owned()], None).unwrap().until(&stop);
    let source = DataSource::open(files.open("a.ndjson").unwrap()).unwrap();
    let mut text = source.text().unwrap();
    text.read_exact(&mut [0; 1000]).unwrap();
    stop.cancel();
    let error = io::copy(&mut LineMarks(text), &mut io::sink()).unwrap_err();
    assert!(matches!(DataError::read("a.ndjson", 0, error), DataError::Canceled));
}

/// Every piece is a record.
struct LineMarks<R>(Guarded<R>);

impl<R: BufRead> Read for LineMarks<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.mark();
        self.0.read(buffer)
    }
}
