//! Files that end anywhere.

use std::fs;
use std::path::Path;

use futures::executor::block_on;
use mortise_executor::journal::{Durability, Journal, RunId};
use mortise_journal::JournalReader;

use crate::samples::{answer, begun, call, keep_whole, new_id, open};

/// How much of a run was acknowledged when the log had this length.
struct Acknowledged {
    log: usize,
    run: RunId,
    entries: usize,
}

fn log_path(directory: &Path) -> std::path::PathBuf {
    directory.join("journal.db-wal")
}

fn write_some(directory: &Path) -> Vec<Acknowledged> {
    let journal = open(directory);
    let mut acknowledged = Vec::new();
    for at in 0..4 {
        let run = new_id();
        journal.begin(&run, begun(at, "print(1)"));
        for id in 1..=3 {
            journal.append(&run, call(id, "{}"));
            journal.append(&run, answer(id, &format!("[\"{}\"]", "x".repeat(1500 + id as usize))));
            block_on(journal.kept(&run, Durability::Process)).unwrap();
            let log = fs::metadata(log_path(directory)).unwrap().len() as usize;
            acknowledged.push(Acknowledged { log, run: run.clone(), entries: 2 * id as usize });
        }
    }
    acknowledged
}

#[test]
fn a_log_cut_at_any_byte_has_what_was_acknowledged_before() {
    let directory = tempfile::tempdir().unwrap();
    let acknowledged = write_some(directory.path());
    let log = fs::read(log_path(directory.path())).unwrap();
    let from = acknowledged[acknowledged.len() - 3].log;
    let reader = JournalReader::new(directory.path().to_path_buf());
    // Every byte around the places where a transaction ends, and some between them.
    let is_cut =
        |cut: usize| cut.is_multiple_of(61) || acknowledged.iter().any(|known| known.log.abs_diff(cut) < 30);
    for cut in (from..=log.len()).filter(|cut| is_cut(*cut)) {
        fs::write(log_path(directory.path()), &log[..cut]).unwrap();
        let _ = fs::remove_file(directory.path().join("journal.db-shm"));
        for known in acknowledged.iter().rev().filter(|known| known.log <= cut).take(2) {
            let kept = reader.read(&known.run).unwrap();
            assert!(kept.entries.len() >= known.entries, "cut at {cut} of {}", log.len());
        }
    }
}

#[test]
fn a_database_cut_anywhere_is_read_or_set_aside() {
    let directory = tempfile::tempdir().unwrap();
    write_some(directory.path());
    // Without its log, all is in the database.
    let database = directory.path().join("journal.db");
    rusqlite::Connection::open(&database)
        .unwrap()
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .unwrap();
    let whole = fs::read(&database).unwrap();
    for cut in [0, 1, 50, 99, 100, 4095, 4096, 5000, whole.len() / 2, whole.len() - 4096, whole.len() - 1] {
        let other = tempfile::tempdir().unwrap();
        fs::write(other.path().join("journal.db"), &whole[..cut]).unwrap();
        let journal = open(other.path());
        // The first run may find the damage; the next one has a new database.
        let runs: Vec<RunId> = (0..2)
            .map(|at| {
                let run = keep_whole(&journal, at, "print(1)");
                let _ = block_on(journal.kept(&run, Durability::Machine));
                run
            })
            .collect();
        assert_eq!(journal.read(&runs[1]).unwrap().entries.len(), 3, "cut at {cut}: {:?}", journal.fault());
    }
}
