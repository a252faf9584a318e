use std::os::unix::fs::symlink;

use super::*;

fn options() -> ScanOptions {
    ScanOptions { max_files: 1000, max_depth: 5, include_hidden: false }
}

fn paths(scan: &FolderScan) -> Vec<&str> {
    scan.files.iter().map(|file| file.path.as_str()).collect()
}

fn scan_of(root: &Path, options: ScanOptions) -> FolderScan {
    let files = DataFiles::new(&[root.to_owned()], None).unwrap();
    let folder = files.folder(".").unwrap();
    scan(&files, &folder, options, &CancellationToken::new()).unwrap()
}

fn tree() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    std::fs::create_dir_all(root.join("sub/deep")).unwrap();
    for name in ["b.csv", "a.CSV", "c.json", "sub/d.csv", ".hidden.csv", "none", "sub/deep/e.csv", "sub.txt"]
    {
        std::fs::write(root.join(name), "12345").unwrap();
    }
    folder
}

#[test]
fn files_come_in_the_order_of_their_paths() {
    let folder = tree();
    let found = scan_of(folder.path(), options());
    let expected = ["a.CSV", "b.csv", "c.json", "none", "sub.txt", "sub/d.csv", "sub/deep/e.csv"];
    assert_eq!((paths(&found).as_slice(), found.total_size), (&expected[..], 35));
    let mut sorted = expected;
    sorted.sort_unstable();
    assert_eq!(sorted, expected);
    assert_eq!((found.truncated, found.max_depth_reached), (false, false));
    assert_eq!(found.files[0].extension.as_deref(), Some("csv"));
    let hidden = scan_of(folder.path(), ScanOptions { include_hidden: true, ..options() });
    assert!(hidden.files.iter().any(|file| file.path == ".hidden.csv" && file.is_hidden));
}

#[test]
fn bounds_are_told() {
    let folder = tree();
    let few = scan_of(folder.path(), ScanOptions { max_files: 2, ..options() });
    assert_eq!((paths(&few), few.truncated), (vec!["a.CSV", "b.csv"], true));
    let all = scan_of(folder.path(), ScanOptions { max_files: 7, ..options() });
    assert!(!all.truncated);
    let flat = scan_of(folder.path(), ScanOptions { max_depth: 1, ..options() });
    assert_eq!((flat.files.len(), flat.max_depth_reached), (5, true));
}

#[test]
fn links_are_never_followed_out_or_around() {
    let folder = tree();
    let root = folder.path();
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("secret.csv"), "s").unwrap();
    symlink(root, root.join("sub/loop")).unwrap();
    symlink(outside.path(), root.join("out")).unwrap();
    symlink(outside.path().join("secret.csv"), root.join("secret.csv")).unwrap();
    symlink("a.CSV", root.join("same.csv")).unwrap();
    symlink("nowhere", root.join("broken")).unwrap();
    let found = scan_of(root, options());
    assert!(paths(&found).contains(&"same.csv"));
    assert!(!paths(&found).iter().any(|path| path.contains("secret") || path.contains("loop")));
    let told: Vec<&str> = found.unreadable.iter().map(|it| it.path.as_str()).collect();
    assert_eq!(told, ["broken", "out", "secret.csv", "sub/loop"]);
}

#[test]
fn results_are_no_data_unless_the_scan_begins_among_them() {
    let folder = tree();
    let root = folder.path();
    let files = DataFiles::new(&[root.to_owned()], None).unwrap();
    std::fs::create_dir_all(root.join("mortise-out/sub")).unwrap();
    std::fs::create_dir_all(root.join("sub/mortise-out")).unwrap();
    for name in ["mortise-out/a.csv", "mortise-out/sub/b.csv", "sub/mortise-out/own.csv"] {
        std::fs::write(root.join(name), "1").unwrap();
    }
    let flat = ScanOptions { max_depth: 1, ..options() };
    let below = |start: &str, options: ScanOptions| {
        scan(&files, &files.folder(start).unwrap(), options, &CancellationToken::new()).unwrap()
    };
    let all = below(".", options());
    assert!(!paths(&all).iter().any(|path| path.starts_with("mortise-out")), "{all:?}");
    // Another folder of that name is like any other.
    assert!(paths(&all).contains(&"sub/mortise-out/own.csv"), "{all:?}");
    assert_eq!(paths(&below("mortise-out", options())), ["mortise-out/a.csv", "mortise-out/sub/b.csv"]);
    assert_eq!(paths(&below("mortise-out/sub", options())), ["mortise-out/sub/b.csv"]);
    assert_eq!(below("sub/..", options()).files.len(), all.files.len());
    std::fs::remove_dir_all(root.join("sub")).unwrap();
    assert!(!below(".", flat).max_depth_reached);
}

#[test]
fn a_scan_can_be_stopped() {
    let folder = tree();
    let files = DataFiles::new(&[folder.path().to_owned()], None).unwrap();
    let stop = CancellationToken::new();
    stop.cancel();
    let stopped = scan(&files, &files.folder(".").unwrap(), options(), &stop);
    assert!(matches!(stopped, Err(DataError::Canceled)));
}
