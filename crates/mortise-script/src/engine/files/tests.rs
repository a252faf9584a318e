use super::*;

fn files() -> Files {
    let mounted = ["data/a.csv", "data/deep/b.csv"].map(|path| MountedFile::bytes(path, *b"x").unwrap());
    Files::new(mounted.into())
}

#[track_caller]
fn finds(path: &str) {
    assert!(files().find(ROOT, path).is_ok(), "{path}");
}

#[track_caller]
fn misses(path: &str) {
    assert_eq!(files().find(ROOT, path).err(), Some(Errno::NOENT), "{path}");
}

#[test]
fn paths_are_resolved_by_name() {
    for path in
        ["data/a.csv", "/data/a.csv", "./data/deep/../a.csv", "../../data/a.csv", "data", "", ".", "/usr"]
    {
        finds(path);
    }
}

#[test]
fn nothing_else_exists() {
    for path in
        ["etc/passwd", "/proc/self/environ", "../etc/passwd", "data/a.csv/x", "dat", "/dev/stdin", "/root"]
    {
        misses(path);
    }
}

#[test]
fn time_zones_are_there() {
    finds("/usr/share/zoneinfo/Europe/Berlin");
    finds("/usr/share/zoneinfo/UTC");
}

#[test]
fn a_directory_lists_files_and_directories_once() {
    assert_eq!(files().list("/data"), [("a.csv".to_owned(), false), ("deep".to_owned(), true)]);
    assert_eq!(files().list(""), [("data".to_owned(), true), ("usr".to_owned(), true)]);
}

#[test]
fn descriptors_are_bounded_and_reused() {
    let mut files = files();
    let node = files.find(ROOT, "data/a.csv").unwrap();
    let first = files.open(node.clone()).unwrap();
    for _ in 2..MOST_OPEN {
        files.open(node.clone()).unwrap();
    }
    assert_eq!(files.open(node.clone()).err(), Some(Errno::MFILE));
    files.close(first).unwrap();
    assert_eq!(files.open(node), Ok(first));
}

#[test]
fn a_path_of_absurd_length_is_refused() {
    assert_eq!(files().find(ROOT, &"a/".repeat(3000)).err(), Some(Errno::NAMETOOLONG));
}
