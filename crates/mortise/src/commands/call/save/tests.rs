//! Names of the files that are written.

use super::*;

#[test]
fn a_media_type_has_the_usual_ending() {
    for (mime_type, expected) in [
        ("image/png", "png"),
        ("image/jpeg", "jpg"),
        ("image/svg+xml", "svg"),
        ("audio/mpeg; rate=8000", "mp3"),
        ("application/vnd.ms-excel", "bin"),
        ("../../etc", "etc"),
        ("", "bin"),
    ] {
        assert_eq!(extension(mime_type), expected, "{mime_type}");
    }
}

#[test]
fn a_folder_never_loses_a_file_and_a_name_counts_up() {
    let folder = tempfile::TempDir::new().unwrap();
    let first = free(folder.path(), &file_name("draw/../x"), "png");
    assert_eq!(first.file_name().unwrap(), "draw____x.png");
    std::fs::write(&first, "").unwrap();
    assert_eq!(free(folder.path(), "draw____x", "png").file_name().unwrap(), "draw____x-2.png");
    assert_eq!(numbered(Path::new("out/a.png"), 0), Path::new("out/a.png"));
    assert_eq!(numbered(Path::new("out/a.png"), 1), Path::new("out/a-2.png"));
}
