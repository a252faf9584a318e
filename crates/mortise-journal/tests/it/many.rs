//! Many runs, and readers beside the writer.

use std::sync::atomic::{AtomicBool, Ordering};

use futures::executor::block_on;
use mortise_executor::journal::{Durability, Journal, RunEntry};
use mortise_journal::{PruneRules, RunQuery};

use crate::samples::{all, begun, keep_whole, new_id, open};

#[test]
fn ten_thousand_runs_are_listed_and_removed() {
    let directory = tempfile::tempdir().unwrap();
    let journal = open(directory.path());
    for at in 0..10_000 {
        let run = keep_whole(&journal, at, "print(1)");
        if at % 100 == 0 {
            block_on(journal.kept(&run, Durability::Process)).unwrap();
        }
    }
    let last = keep_whole(&journal, 10_000, "print(2)");
    block_on(journal.kept(&last, Durability::Process)).unwrap();
    assert!(journal.fault().is_none());
    let page = journal.reader().list(&RunQuery { limit: 50, ..RunQuery::default() }).unwrap();
    assert_eq!((page.runs.len(), &page.runs[0].id), (50, &last));
    let rules = PruneRules { keep_bytes: Some(1024 * 1024), ..PruneRules::default() };
    let report = journal.reader().prune(&rules).unwrap();
    assert!((5_000..10_000).contains(&report.runs), "{report:?}");
    assert_eq!(journal.find("last").unwrap(), last, "the oldest go first");
    assert_eq!(
        journal.reader().list(&RunQuery { limit: 20_000, ..all() }).unwrap().runs.len(),
        10_001 - report.runs
    );
}

#[test]
fn readers_see_whole_entries_while_runs_are_written() {
    let directory = tempfile::tempdir().unwrap();
    let journal = open(directory.path());
    let run = new_id();
    journal.begin(&run, begun(1, "print(1)"));
    block_on(journal.kept(&run, Durability::Process)).unwrap();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut seen = 0;
                while !is_over.load(Ordering::Relaxed) {
                    let kept = journal.reader().read(&run).unwrap();
                    assert!(kept.entries.len() >= seen, "an entry is gone");
                    seen = kept.entries.len();
                    let expected = (0..seen).map(|at| RunEntry::Printed(format!("{at}")));
                    assert!(expected.eq(kept.entries));
                }
            });
        }
        for at in 0..500 {
            journal.append(&run, RunEntry::Printed(format!("{at}")));
            block_on(journal.kept(&run, Durability::Process)).unwrap();
        }
        is_over.store(true, Ordering::Relaxed);
    });
    assert!(journal.fault().is_none());
}

#[test]
fn a_run_that_outgrows_the_queue_is_recorded_no_further() {
    let directory = tempfile::tempdir().unwrap();
    let journal = open(directory.path());
    let (large, small) = (new_id(), new_id());
    journal.begin(&large, begun(1, "print('x')"));
    journal.append(&large, RunEntry::Printed("x".repeat(65 * 1024 * 1024)));
    journal.begin(&small, begun(2, "print(1)"));
    assert!(block_on(journal.kept(&large, Durability::Process)).is_err());
    block_on(journal.kept(&small, Durability::Process)).unwrap();
    assert!(!journal.read(&large).unwrap().is_complete);
    assert!(journal.read(&small).unwrap().is_complete);
    assert!(journal.fault().is_none());
}
