//! Values that programs keep, on disk.

use futures::FutureExt as _;
use mortise_executor::journal::Journal;
use mortise_executor::kept::{
    KeptBounds, KeptError, KeptName, KeptOwner, KeptReason, KeptValues, NewKeptValue,
};
use mortise_journal::{KeptTable, PruneRules};

use crate::samples::{keep_whole, open, raw};

fn name(text: &str) -> KeptName {
    KeptName::parse(text).unwrap()
}

fn value(caller: &str, text: &str, json: &str, reason: KeptReason) -> NewKeptValue {
    NewKeptValue { caller: caller.to_owned(), name: name(text), value: raw(json), reason }
}

#[tokio::test]
async fn values_survive_their_process_with_their_digits() {
    let directory = tempfile::tempdir().unwrap();
    let path = || directory.path().to_path_buf();
    let large = format!("[1.10, 12345678901234567890123, \"{}\"]", "é".repeat(100_000));
    let first = KeptTable::new(path());
    let entry = first.keep(value("a", "orders", &large, KeptReason::Asked)).await.unwrap();
    first.keep(value("b", "orders", "2", KeptReason::Asked)).await.unwrap();
    let second = KeptTable::new(path());
    assert_eq!(second.load("a", &name("orders")).await.unwrap().text(), large);
    let listed = second.list(KeptOwner::Caller("a".to_owned())).await.unwrap();
    assert_eq!(listed.len(), 1);
    assert_eq!((listed[0].bytes, &listed[0].shape), (large.len() as u64, &entry.shape));
    let error = second.load("a", &name("order")).await.unwrap_err();
    assert_eq!(error.to_string(), "nothing is kept as `order`; did you mean `orders`?");
    assert!(second.remove("a", &name("orders")).await.unwrap());
    assert!(matches!(first.load("a", &name("orders")).await, Err(KeptError::NoValue { nearest: None, .. })));
    assert_eq!(first.list(KeptOwner::Everyone).await.unwrap().len(), 1);
}

#[tokio::test]
async fn the_oldest_outputs_make_room() {
    let directory = tempfile::tempdir().unwrap();
    let bounds = KeptBounds { outputs: 2, ..KeptBounds::ON_DISK };
    let table = KeptTable::with_bounds(directory.path().to_path_buf(), bounds);
    for output in ["output-1", "output-2", "output-3"] {
        table.keep(value("", output, "\"x\"", KeptReason::CutOutput)).await.unwrap();
    }
    table.keep(value("", "mine", "1", KeptReason::Asked)).await.unwrap();
    let mut names: Vec<String> =
        table.list(KeptOwner::Everyone).await.unwrap().iter().map(|entry| entry.name.to_string()).collect();
    names.sort();
    assert_eq!(names, ["mine", "output-2", "output-3"]);
}

#[tokio::test]
async fn removing_all_runs_leaves_kept_values() {
    let directory = tempfile::tempdir().unwrap();
    let table = KeptTable::new(directory.path().to_path_buf());
    table.keep(value("", "mine", "[1]", KeptReason::Asked)).await.unwrap();
    let journal = open(directory.path());
    keep_whole(&journal, 10, "print(1)");
    journal.reader().prune(&PruneRules::all()).unwrap();
    assert!(journal.fault().is_none());
    assert_eq!(table.load("", &name("mine")).await.unwrap().text(), "[1]");
}

#[test]
fn a_folder_that_is_not_there_has_no_values() {
    let directory = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let table = KeptTable::new(directory.path().join("journal"));
    assert!(runtime.block_on(table.list(KeptOwner::Everyone)).unwrap().is_empty());
    let missing = runtime.block_on(table.load("", &name("x")).map(Result::unwrap_err));
    assert_eq!(missing.to_string(), "nothing is kept as `x`");
    assert!(!directory.path().join("journal").exists());
}
