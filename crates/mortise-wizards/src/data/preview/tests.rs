use super::*;
use crate::data::files::DataFiles;

fn previewed(text: &[u8], lines: u64, offset: u64) -> Preview {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.csv"), text).unwrap();
    let files = DataFiles::new(&[folder.path().to_owned()], None).unwrap();
    preview(files.open("a.csv").unwrap(), lines, offset, &CancellationToken::new()).unwrap()
}

#[test]
fn lines_are_shown_and_counted() {
    let preview = previewed(b"id;name\r\n1;Ann\r\n2;Bob\r\n3;Eve", 2, 1);
    assert_eq!(preview.lines, ["1;Ann", "2;Bob"]);
    assert_eq!((preview.total_lines, preview.lines_estimated, preview.start_line), (4, false, 2));
    assert_eq!((preview.has_more, preview.delimiter, preview.column_count), (true, Some(';'), Some(2)));
    assert_eq!(preview.header, Some(vec!["id".to_owned(), "name".to_owned()]));
    assert!(!previewed(b"a\nb\n", 20, 0).has_more);
    assert_eq!(previewed(b"", 20, 0).total_lines, 0);
}

#[test]
fn long_lines_are_cut_and_many_are_estimated() {
    let long = previewed("x".repeat(5000).as_bytes(), 1, 0);
    assert_eq!(long.lines[0].chars().count(), LINE_CHARACTERS + 1);
    let many = previewed("1,2\n".repeat(150_000).as_bytes(), 1, 0);
    assert_eq!((many.total_lines, many.lines_estimated), (150_000, true));
}
