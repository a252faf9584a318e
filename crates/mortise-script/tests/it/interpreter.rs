//! The build refuses another interpreter than the recorded one, and another machine than its own.

use std::ffi::OsStr;
use std::fs;

#[path = "../../build/interpreter.rs"]
mod check;

use check::{InterpreterRecord, digest, is_foreign, replaced};

const TEXT: &str = include_str!("../../interpreter.sha256");

fn lock(checksum: &str) -> String {
    format!(
        "version = 4\n\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\n{checksum}dependencies = [\n \"b\",\n]\n\n\
         [[package]]\nname = \"b\"\nversion = \"1.0.0\"\n"
    )
}

#[test]
fn a_variable_that_replaces_the_machine_code_is_refused() {
    assert_eq!(replaced(None), Vec::<String>::new());
    let problems = replaced(Some(OsStr::new("/tmp/python.cwasm")));
    assert!(problems[0].starts_with("`BASHKIT_CPYTHON_CWASM=/tmp/python.cwasm` would put"), "{problems:?}");
    assert_eq!(replaced(Some(OsStr::new(""))).len(), 1);
}

#[test]
fn a_build_for_another_kind_of_machine_is_refused() {
    use std::env::consts::{ARCH, OS};
    assert_eq!(is_foreign(ARCH, OS), None);
    assert!(is_foreign(ARCH, "plan9").is_some_and(|problem| problem.contains("plan9: build there")));
    assert!(is_foreign("vax", OS).is_some());
}

#[test]
fn the_lock_file_must_hold_the_recorded_archive() {
    let record = InterpreterRecord::parse("00ff  a-1.0.0.crate\n");
    assert_eq!(record.locked(&lock("checksum = \"00ff\"\n")), Vec::<String>::new());
    assert_eq!(record.locked(&lock("checksum = \"00fe\"\n")).len(), 1);
    // A package from a path, as `[patch]` makes it, has no checksum.
    assert_eq!(record.locked(&lock("")).len(), 1);
    assert_eq!(
        InterpreterRecord::parse("00ff  a-1.0.1.crate\n").locked(&lock("checksum = \"00ff\"\n")).len(),
        1
    );
    assert_eq!(InterpreterRecord::parse("").locked(&lock("checksum = \"00ff\"\n")).len(), 1);
}

#[test]
fn an_unpacked_file_that_differs_or_is_missing_is_named() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("artifacts")).unwrap();
    fs::write(folder.path().join("artifacts/x"), "content").unwrap();
    let text = format!("00  a-1.0.0.crate\n{}  artifacts/x\n", digest(b"content"));
    let record = InterpreterRecord::parse(&text);
    assert_eq!(record.files().collect::<Vec<_>>(), ["artifacts/x"]);
    assert_eq!(record.unpacked(folder.path()), Vec::<String>::new());
    fs::write(folder.path().join("artifacts/x"), "contents").unwrap();
    assert!(record.unpacked(folder.path())[0].starts_with("`artifacts/x` in "));
    fs::remove_file(folder.path().join("artifacts/x")).unwrap();
    assert!(record.unpacked(folder.path())[0].starts_with("cannot read `artifacts/x`"));
}

#[test]
fn what_is_built_in_is_what_the_record_says() {
    let record = InterpreterRecord::parse(TEXT);
    assert!(record.files().any(|file| file == "artifacts/python.wasm.xz"));
    let library = include_bytes!(concat!(env!("OUT_DIR"), "/python.zip"));
    assert_eq!(record.hash("artifacts/python314.zip"), Some(digest(library).as_str()));
    let lock = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.lock")).unwrap();
    assert_eq!(record.locked(&lock), Vec::<String>::new());
}
