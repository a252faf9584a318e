use std::os::unix::fs::PermissionsExt as _;

use mortise_contract::RawJson;
use mortise_contract::observed::ObservedShape;

use super::{ShapeFiles, drop_oldest};
use crate::limits::OBSERVED_FILES;
use crate::observed::ShapeStore as _;

fn shape(text: &str) -> ObservedShape {
    ObservedShape::of(&RawJson::parse(text).unwrap(), 1)
}

fn names(directory: &std::path::Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn files_are_private_and_hold_no_value() {
    let root = tempfile::tempdir().unwrap();
    let directory = root.path().join("observed");
    let files = ShapeFiles::new(&directory);
    assert!(files.load("aa").unwrap().is_none());
    files.merge("aa", &shape(r#"{"name": "Ann"}"#)).unwrap();
    let path = directory.join("aa.json");
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.contains("\"version\":1") && text.contains("name") && !text.contains("Ann"), "{text}");
    assert_eq!(files.load("aa").unwrap().unwrap(), shape(r#"{"name": "Ann"}"#));
}

#[test]
fn a_broken_file_is_set_aside() {
    let root = tempfile::tempdir().unwrap();
    let files = ShapeFiles::new(root.path());
    for text in [
        "",
        "{",
        r#"{"version": 2, "contract": "aa", "shape": {}}"#,
        r#"{"version": 1, "contract": "bb", "shape": {"calls": 1, "first": 1, "last": 1, "is_sampled": false, "levels": 12, "value": {}}}"#,
        r#"{"version": 1, "contract": "aa", "shape": {"calls": 1, "first": 1, "last": 1, "is_sampled": false, "levels": 13, "value": {}}}"#,
    ] {
        std::fs::write(root.path().join("aa.json"), text).unwrap();
        assert!(files.load("aa").unwrap().is_none(), "{text}");
        assert_eq!(names(root.path()), ["aa.json.broken"]);
    }
    assert_eq!(files.merge("aa", &shape("1")).unwrap().calls(), 1);
    assert_eq!(files.load("aa").unwrap().unwrap().calls(), 1);
}

#[test]
fn writers_at_the_same_time_lose_nothing() {
    let root = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let files = ShapeFiles::new(root.path());
            scope.spawn(move || {
                for _ in 0..5 {
                    files.merge("aa", &shape(&format!(r#"{{"f{writer}": 1}}"#))).unwrap();
                }
            });
        }
    });
    let whole = ShapeFiles::new(root.path()).load("aa").unwrap().unwrap();
    assert_eq!(whole.calls(), 20);
    assert_eq!(whole.value().fields().collect::<Vec<_>>(), [("f0", 5), ("f1", 5), ("f2", 5), ("f3", 5)]);
}

#[test]
fn the_oldest_files_are_dropped() {
    let root = tempfile::tempdir().unwrap();
    for number in 0..OBSERVED_FILES + 3 {
        let path = root.path().join(format!("{number:04}.json"));
        let file = std::fs::File::create(&path).unwrap();
        let age = std::time::Duration::from_secs(number as u64 + 1);
        file.set_modified(std::time::UNIX_EPOCH + age).unwrap();
    }
    drop_oldest(root.path(), &root.path().join("0001.json"));
    let names = names(root.path());
    assert_eq!(names.len(), OBSERVED_FILES);
    assert_eq!(names[..2], ["0001.json", "0004.json"]);
}
