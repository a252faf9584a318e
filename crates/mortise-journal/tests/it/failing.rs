//! Disks that are full, folders that can't be written, files that are not ours.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use futures::executor::block_on;
use mortise_executor::journal::{Durability, Journal, JournalError, RunEntry, RunId};
use mortise_journal::SqliteJournal;

use crate::child;
use crate::samples::{begun, keep_whole, new_id, open};

/// Keeps small runs until one is kept: the journal waits a moment before it tries again.
fn keep_when_possible(journal: &SqliteJournal) -> RunId {
    let end = Instant::now() + Duration::from_secs(20);
    loop {
        let run = keep_whole(journal, 1, "print(1)");
        match block_on(journal.kept(&run, Durability::Machine)) {
            Ok(()) => return run,
            Err(error) => assert!(Instant::now() < end, "{error}"),
        }
    }
}

#[test]
fn a_full_disk_costs_the_run_that_filled_it() {
    let directory = tempfile::tempdir().unwrap();
    // A file can't grow beyond some hundred kilobytes, and the signal that says so is ignored.
    let limits = "trap '' XFSZ; ulimit -f 1000;";
    let ran = child::command("failing::child_on_a_full_disk", directory.path(), limits).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success() && said.contains("all is as expected"), "{said}");
}

/// Fills what the parent allows.
#[test]
fn child_on_a_full_disk() {
    let Some(directory) = child::directory() else { return };
    let journal = open(&directory);
    let small = keep_when_possible(&journal);
    let large = new_id();
    journal.begin(&large, begun(2, "print('x' * 9_000_000)"));
    block_on(journal.kept(&large, Durability::Process)).unwrap();
    journal.append(&large, RunEntry::Printed("x".repeat(9_000_000)));
    let refused = block_on(journal.kept(&large, Durability::Process));
    assert!(matches!(refused, Err(JournalError::Unwritable { .. })), "{refused:?}");
    assert!(journal.fault().is_some());
    let next = keep_when_possible(&journal);
    assert!(journal.fault().is_none());
    for run in [small, next] {
        assert!(journal.read(&run).unwrap().is_complete);
    }
    journal.append(&large, RunEntry::Printed("more".to_owned()));
    let refused = block_on(journal.kept(&large, Durability::Process));
    assert!(matches!(refused, Err(JournalError::Unwritable { .. })), "{refused:?}");
    drop(journal);
    let journal = open(&directory);
    assert!(!journal.read(&large).unwrap().is_complete);
    assert!(matches!(journal.claim(&large), Err(JournalError::Incomplete { .. })));
    println!("all is as expected");
}

#[test]
fn losses_survive_a_process_that_could_not_write_them_down() {
    let directory = tempfile::tempdir().unwrap();
    let limits = "trap '' XFSZ; ulimit -f 1000;";
    let ran =
        child::command("failing::child_that_ends_on_a_full_disk", directory.path(), limits).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
    let journal = open(directory.path());
    let run = journal.find("last").unwrap();
    assert!(!journal.read(&run).unwrap().is_complete);
    assert!(matches!(journal.claim(&run), Err(JournalError::Incomplete { .. })));
}

/// Loses an entry and writes nothing more.
#[test]
fn child_that_ends_on_a_full_disk() {
    let Some(directory) = child::directory() else { return };
    let journal = open(&directory);
    let run = new_id();
    journal.begin(&run, begun(2, "print('x' * 9_000_000)"));
    block_on(journal.kept(&run, Durability::Machine)).unwrap();
    journal.append(&run, RunEntry::Printed("x".repeat(9_000_000)));
    assert!(block_on(journal.kept(&run, Durability::Machine)).is_err());
}

#[test]
fn a_folder_that_can_be_written_again_takes_new_runs() {
    let directory = tempfile::tempdir().unwrap();
    let obstacle = directory.path().join("state");
    fs::write(&obstacle, "a file in the way").unwrap();
    let journal = open(&obstacle.join("journal"));
    let fault = journal.fault().unwrap().to_string();
    assert!(fault.contains("can't be written") && fault.contains("state/journal"), "{fault}");
    let run = keep_whole(&journal, 1, "print(1)");
    assert!(block_on(journal.kept(&run, Durability::Process)).is_err());
    assert!(journal.claim(&run).is_err());
    fs::remove_file(&obstacle).unwrap();
    let next = keep_when_possible(&journal);
    assert!(journal.fault().is_none());
    assert!(journal.read(&next).unwrap().is_complete);
    assert!(matches!(journal.read(&run), Err(JournalError::NoRun { .. })));
}

#[test]
fn a_journal_that_is_removed_begins_anew() {
    let directory = tempfile::tempdir().unwrap();
    let journal = open(&directory.path().join("journal"));
    let cut_off = new_id();
    journal.begin(&cut_off, begun(1, "wait()"));
    block_on(journal.kept(&cut_off, Durability::Machine)).unwrap();
    fs::remove_dir_all(directory.path().join("journal")).unwrap();
    journal.append(&cut_off, RunEntry::Printed("lost".to_owned()));
    assert!(block_on(journal.kept(&cut_off, Durability::Process)).is_err());
    let next = keep_when_possible(&journal);
    assert!(journal.read(&next).unwrap().is_complete);
}

#[test]
fn a_file_that_is_not_a_database_is_set_aside() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("journal.db"), "garbage".repeat(1000)).unwrap();
    let journal = open(directory.path());
    assert!(journal.fault().is_none());
    let run = keep_when_possible(&journal);
    assert!(journal.read(&run).unwrap().is_complete);
    let aside = fs::read_to_string(directory.path().join("journal.db.damaged-1")).unwrap();
    assert!(aside.starts_with("garbage"));
}

#[test]
fn databases_of_others_are_refused_and_not_changed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("journal.db");
    let database = rusqlite::Connection::open(&path).unwrap();
    database.execute_batch("CREATE TABLE songs (title TEXT)").unwrap();
    drop(database);
    let before = fs::read(&path).unwrap();
    let fault = open(directory.path()).fault().unwrap().to_string();
    assert!(fault.contains("a database of another program; move it away"), "{fault}");
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn another_version_is_named() {
    let directory = tempfile::tempdir().unwrap();
    drop(open(directory.path()));
    let database = rusqlite::Connection::open(directory.path().join("journal.db")).unwrap();
    database.pragma_update(None, "user_version", 9001).unwrap();
    drop(database);
    let journal = open(directory.path());
    let fault = journal.fault().unwrap().to_string();
    assert!(fault.contains("another version of mortise wrote it (format 9001"), "{fault}");
    let unreadable = journal.find("last").unwrap_err();
    assert!(matches!(unreadable, JournalError::Unreadable { .. }), "{unreadable}");
}

#[test]
fn only_the_user_can_read_it_and_an_open_folder_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path().join("journal");
    drop(open(&folder));
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    for name in ["journal.db", "journal.db-wal"] {
        assert_eq!(mode(&folder.join(name)), 0o600, "{name}");
    }
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
    let journal = open(&folder);
    let fault = journal.fault().unwrap().to_string();
    assert!(fault.contains("can be written by other users") && fault.contains("chmod go-w"), "{fault}");
    assert!(journal.find("last").unwrap_err().to_string().contains("chmod go-w"));
}
