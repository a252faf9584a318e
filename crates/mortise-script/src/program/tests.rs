use super::*;

#[track_caller]
fn refused(path: &str) {
    assert!(matches!(MountedFile::bytes(path, *b"x"), Err(MountError::BadPath { .. })), "{path:?}");
}

#[test]
fn a_relative_path_starts_at_the_root() {
    assert_eq!(MountedFile::bytes("data/a.csv", *b"x").unwrap().path(), "/data/a.csv");
    assert_eq!(MountedFile::bytes("/data/a.csv", *b"x").unwrap().path(), "/data/a.csv");
}

#[test]
fn paths_that_are_not_plain_names_are_refused() {
    for path in ["", "/", "..", "../a", "a/../b", "a//b", "./a", "a\0b", "a\nb", "a/"] {
        refused(path);
    }
    refused(&"a".repeat(1025));
}

#[test]
fn the_interpreters_own_directories_are_refused() {
    for path in ["usr", "/usr/local/lib/python314.zip", "usr/share/zoneinfo/UTC"] {
        refused(path);
    }
}

#[test]
fn only_regular_files_are_opened() {
    let directory = tempfile::tempdir().unwrap();
    assert!(matches!(MountedFile::open("d", directory.path()), Err(MountError::Unreadable { .. })));
    let missing = directory.path().join("missing");
    assert!(matches!(MountedFile::open("d", &missing), Err(MountError::Unreadable { .. })));
}

#[test]
fn reading_stops_at_the_mounted_length() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("grows");
    std::fs::write(&path, b"12345").unwrap();
    let mounted = MountedFile::open("grows", &path).unwrap();
    std::fs::write(&path, b"1234567890").unwrap();
    let mut buffer = [0; 16];
    assert_eq!(mounted.content.read_at(2, &mut buffer).unwrap(), 3);
    assert_eq!(&buffer[..3], b"345");
    assert_eq!(mounted.content.read_at(99, &mut buffer).unwrap(), 0);
}
