//! What is kept of runs, and how it is found again.

use futures::executor::block_on;
use mortise_executor::journal::{Durability, Journal, JournalError, KeptRun, RunEnd, RunEntry, RunState};
use mortise_journal::{PruneRules, RunQuery};

use crate::samples::{all, answer, begun, call, ended, keep_whole, new_id, open, raw};

#[test]
fn entries_come_back_in_order_and_with_their_bytes() {
    let directory = tempfile::tempdir().unwrap();
    let journal = open(directory.path());
    let run = new_id();
    let large = format!("[1.10,\"{}\", 1e400]", "x".repeat(5000));
    let source = format!("print(1)\n# {}", "y".repeat(3000));
    let entries = vec![
        call(1, r#"{"a":1.10, "a":2}"#),
        answer(1, &large),
        RunEntry::Printed("é".repeat(2000)),
        RunEntry::Resumed { at_ms: 4 },
        ended(20, "3\n"),
    ];
    journal.begin(&run, begun(10, &source));
    for entry in &entries {
        journal.append(&run, entry.clone());
    }
    for durability in [Durability::Process, Durability::Machine] {
        block_on(journal.kept(&run, durability)).unwrap();
    }
    let kept = journal.read(&run).unwrap();
    assert_eq!(kept.begun, begun(10, &source));
    assert_eq!(kept.entries, entries);
    assert_eq!((kept.state, kept.is_complete), (RunState::Succeeded, true));
    assert!(journal.fault().is_none());
}

#[test]
fn runs_survive_the_end_of_their_process() {
    let directory = tempfile::tempdir().unwrap();
    let (ended_run, open_run) = {
        let journal = open(directory.path());
        let ended_run = keep_whole(&journal, 10, "print(1)");
        let open_run = new_id();
        journal.begin(&open_run, begun(20, "wait()"));
        journal.append(&open_run, call(1, "{}"));
        block_on(journal.kept(&open_run, Durability::Process)).unwrap();
        assert_eq!(journal.read(&open_run).unwrap().state, RunState::Running);
        (ended_run, open_run)
    };
    let journal = open(directory.path());
    assert_eq!(journal.read(&ended_run).unwrap().entries.len(), 3);
    assert_eq!(journal.read(&open_run).unwrap().state, RunState::Interrupted);
    assert!(matches!(journal.claim(&ended_run), Err(JournalError::Ended { .. })));
    journal.claim(&open_run).unwrap();
    journal.append(&open_run, RunEntry::Resumed { at_ms: 30 });
    block_on(journal.kept(&open_run, Durability::Process)).unwrap();
    let resumed = journal.read(&open_run).unwrap();
    assert_eq!((resumed.state, resumed.entries.len()), (RunState::Running, 2));
    assert!(matches!(journal.claim(&open_run), Err(JournalError::Running { .. })));
}

#[test]
fn a_run_that_waits_belongs_to_no_process() {
    let directory = tempfile::tempdir().unwrap();
    let (first, second) = (open(directory.path()), open(directory.path()));
    let run = new_id();
    first.begin(&run, begun(10, "ask()"));
    first.append(&run, RunEntry::Waiting { at_ms: 11 });
    block_on(first.kept(&run, Durability::Process)).unwrap();
    assert_eq!(second.read(&run).unwrap().state, RunState::Waiting);
    second.claim(&run).unwrap();
    assert!(matches!(first.claim(&run), Err(JournalError::Running { .. })));
    first.append(&run, RunEntry::Printed("not mine".to_owned()));
    assert!(block_on(first.kept(&run, Durability::Process)).is_err());
}

#[test]
fn lists_are_filtered_and_come_in_pages() {
    let directory = tempfile::tempdir().unwrap();
    let journal = open(directory.path());
    let mut runs: Vec<_> = (0..25).map(|at| keep_whole(&journal, at, "print(1)")).collect();
    runs.reverse();
    block_on(journal.kept(&runs[0], Durability::Process)).unwrap();
    let mut query = RunQuery { limit: 10, ..RunQuery::default() };
    let mut seen = Vec::new();
    loop {
        let page = journal.reader().list(&query).unwrap();
        seen.extend(page.runs.into_iter().map(|run| run.id));
        match page.next {
            Some(next) => query.after = Some(next),
            None => break,
        }
    }
    assert_eq!(seen, runs);
    let count = |query: RunQuery| journal.reader().list(&query).unwrap().runs.len();
    assert_eq!(count(RunQuery { since_ms: Some(20), ..all() }), 5);
    assert_eq!(count(RunQuery { tool: Some("list_orders".to_owned()), ..all() }), 25);
    assert_eq!(count(RunQuery { tool: Some("orders".to_owned()), ..all() }), 0);
    assert_eq!(count(RunQuery { state: Some(RunState::Failed), ..all() }), 0);
    assert_eq!(count(RunQuery { caller: Some("ann".to_owned()), ..all() }), 0);
}

#[test]
fn a_name_finds_one_run() {
    let directory = tempfile::tempdir().unwrap();
    let journal = open(directory.path());
    assert!(matches!(journal.find("last"), Err(JournalError::NoRun { .. })));
    let (old, new) = (keep_whole(&journal, 1, ""), keep_whole(&journal, 2, ""));
    block_on(journal.kept(&new, Durability::Process)).unwrap();
    assert_eq!(journal.find("last").unwrap(), new);
    assert_eq!(journal.find(&old.as_str()[..11]).unwrap(), old);
    assert!(matches!(journal.find("%"), Err(JournalError::NoRun { .. })));
    let third = keep_whole(&journal, 3, "");
    block_on(journal.kept(&third, Durability::Process)).unwrap();
}

#[test]
fn pruned_runs_take_their_values_with_them_unless_others_share_them() {
    let directory = tempfile::tempdir().unwrap();
    let journal = open(directory.path());
    let shared = "s".repeat(4000);
    let (old, new) = (keep_whole(&journal, 1, &shared), keep_whole(&journal, 2, &shared));
    let running = new_id();
    journal.begin(&running, begun(0, &"r".repeat(4000)));
    block_on(journal.kept(&running, Durability::Process)).unwrap();
    let rules = PruneRules { keep_newest: Some(1), ..PruneRules::default() };
    let preview = journal.reader().prune_preview(&rules).unwrap();
    assert_eq!(journal.reader().prune(&rules).unwrap(), preview);
    assert_eq!(preview.runs, 1);
    assert!(matches!(journal.read(&old), Err(JournalError::NoRun { .. })));
    assert_eq!(journal.read(&new).unwrap().begun.source, shared);
    assert_eq!(journal.reader().prune(&PruneRules::all()).unwrap().runs, 1);
    assert_eq!(journal.reader().list(&all()).unwrap().runs.len(), 1);
    assert_eq!(journal.read(&running).unwrap().begun.source.len(), 4000);
}

#[test]
fn an_emitted_null_is_not_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let journal = open(directory.path());
    let run = new_id();
    let RunEntry::Ended(end) = ended(3, "") else { panic!("it is an end") };
    let entries = vec![RunEntry::Ended(RunEnd { emitted: Some(raw("null")), ..end })];
    journal.begin(&run, begun(1, "emit(None)"));
    journal.append(&run, entries[0].clone());
    block_on(journal.kept(&run, Durability::Process)).unwrap();
    let kept = journal.read(&run).unwrap();
    assert_eq!(kept.entries, entries);
    assert_eq!(KeptRun::from_document(&kept.to_document().unwrap()).unwrap().entries, entries);
}
