use std::io::{Seek as _, Write as _};

use super::*;

fn gzip(bytes: &[u8]) -> File {
    let mut file = tempfile::tempfile().unwrap();
    let mut encoder = flate2::write::GzEncoder::new(&mut file, flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap();
    file.rewind().unwrap();
    file
}

#[test]
fn a_compressed_file_that_grows_past_its_limit_is_left() {
    let read = |limit| {
        let inner = Box::new(MultiGzDecoder::new(gzip(&vec![0; 100_000])));
        let mut content = Vec::new();
        let result = Inflated::Gzip { inner, read: 0, limit }.read_to_end(&mut content);
        result.map_err(|error| error.to_string())
    };
    assert_eq!(read(100_000), Ok(100_000));
    assert_eq!(read(99_999), Err("the content is too large for its compressed size".to_owned()));
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
