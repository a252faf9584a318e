//! Random entries and damaged files against the laws of the journal: nothing panics, and what is kept reads back.
//!
//! Under `cargo test` every target runs a fixed number of cases; `cargo xtask fuzz` runs each for a time.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use std::fs;

use futures::executor::block_on;
use mortise_contract::{CheckMode, RawJson};
use mortise_executor::journal::{
    AnswerEntry, CallEntry, Durability, Journal, KeptFile, KeptRun, Repeatability, RunBegun, RunEntry, RunId,
    RunOrigin,
};
use mortise_executor::ledger::CallEffect;
use mortise_journal::{JournalOptions, JournalReader, RunQuery, SqliteJournal};
use mortise_script::{CallValue, HostError, HostErrorKind, Limits, Wanted};
use mortise_testkit::fuzz_some;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;

fn open(directory: &std::path::Path) -> SqliteJournal {
    SqliteJournal::open(&JournalOptions {
        keep_days: u64::MAX,
        ..JournalOptions::new(directory.to_path_buf())
    })
}

/// Short ones, and some that are kept by their digest.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![".{0,40}", "[a-zé\n\"\\\\]{0,60}".prop_map(|piece| piece.repeat(40))]
}

/// JSON as a server may write it.
fn json() -> impl Strategy<Value = RawJson> {
    prop_oneof![
        Just("1.10".to_owned()),
        Just("{\"a\": 1e400, \"a\":-0}".to_owned()),
        text().prop_map(|text| serde_json::to_string(&text).unwrap()),
        vec(text(), 0..4).prop_map(|texts| serde_json::to_string(&texts).unwrap()),
    ]
    .prop_map(|text| RawJson::parse(&text).unwrap())
}

fn entry() -> impl Strategy<Value = RunEntry> {
    let call = (any::<u64>(), text(), json(), any::<bool>()).prop_map(|(id, tool, arguments, is_hidden)| {
        RunEntry::Call(CallEntry {
            id,
            tool,
            arguments,
            is_hidden,
            wanted: Wanted::Value,
            repeatable: Repeatability::Idempotent,
            at_ms: id,
        })
    });
    let error = (text(), proptest::option::of(text()), proptest::option::of(json())).prop_map(
        |(message, said, structured)| HostError {
            said,
            content: structured.clone().map(Box::new),
            structured,
            ..HostError::new(HostErrorKind::Tool, message)
        },
    );
    let given = prop_oneof![json().prop_map(|json| Ok(CallValue::from(json))), error.prop_map(Err)];
    let answer = (any::<u64>(), given, vec(text(), 0..3)).prop_map(|(id, answer, notes)| {
        RunEntry::Answer(AnswerEntry {
            is_hidden: false,
            id,
            tool: "mcp__a__b".to_owned(),
            answer,
            effect: CallEffect::Unknown,
            verdict: None,
            notes,
            elapsed_ms: 1,
            bytes: 2,
        })
    });
    prop_oneof![
        call,
        answer,
        text().prop_map(RunEntry::Printed),
        json().prop_map(RunEntry::Asked),
        json().prop_map(RunEntry::Decided),
        any::<u64>().prop_map(|at_ms| RunEntry::Resumed { at_ms }),
    ]
}

fn begun() -> impl Strategy<Value = RunBegun> {
    let file = (text(), proptest::option::of(text())).prop_map(|(path, content)| KeptFile { path, content });
    (0..1u64 << 40, text(), text(), vec(text(), 0..3), vec(file, 0..3)).prop_map(
        |(at_ms, caller, source, arguments, files)| RunBegun {
            at_ms,
            origin: RunOrigin::Client,
            client: String::new(),
            caller,
            name: "<program>".to_owned(),
            source,
            arguments,
            files,
            limits: Limits::default(),
            check: CheckMode::default(),
            contracts: Vec::new(),
        },
    )
}

#[test]
fn what_is_kept_reads_back() {
    let directory = tempfile::tempdir().unwrap();
    let journal = open(directory.path());
    fuzz_some(60, &(begun(), vec(entry(), 0..12)), |(begun, entries)| {
        let run = RunId::random().unwrap();
        journal.begin(&run, begun.clone());
        for entry in &entries {
            journal.append(&run, entry.clone());
        }
        block_on(journal.kept(&run, Durability::Process)).unwrap();
        let kept = journal.read(&run).unwrap();
        assert!(kept.is_complete);
        assert_eq!(kept.begun, begun);
        assert_eq!(kept.entries, entries);
        let document = kept.to_document().unwrap();
        assert_eq!(KeptRun::from_document(&document).unwrap(), kept);
    });
}

#[test]
fn a_damaged_database_is_read_or_refused() {
    let directory = tempfile::tempdir().unwrap();
    let journal = open(directory.path());
    let run = RunId::random().unwrap();
    let source = "x".repeat(3000);
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut begun = begun().new_tree(&mut runner).unwrap().current();
    begun.source = source;
    journal.begin(&run, begun);
    for at in 0..20 {
        journal.append(&run, RunEntry::Printed(format!("{at}").repeat(600)));
    }
    block_on(journal.kept(&run, Durability::Process)).unwrap();
    drop(journal);
    let files = ["journal.db", "journal.db-wal"].map(|name| fs::read(directory.path().join(name)).unwrap());
    let change = (any::<bool>(), any::<prop::sample::Index>(), any::<u8>());
    fuzz_some(60, &vec(change, 1..8), |changes| {
        let mut damaged = files.clone();
        for (is_log, at, byte) in changes {
            let file = &mut damaged[usize::from(is_log)];
            let at = at.index(file.len());
            file[at] = byte;
        }
        let other = tempfile::tempdir().unwrap();
        for (name, bytes) in ["journal.db", "journal.db-wal"].into_iter().zip(&damaged) {
            fs::write(other.path().join(name), bytes).unwrap();
        }
        let reader = JournalReader::new(other.path().to_path_buf());
        let _ = reader.list(&RunQuery { limit: 10, ..RunQuery::default() });
        let _ = reader.find("last");
        let _ = reader.read(&run);
    });
}

#[test]
fn a_changed_document_is_read_or_refused() {
    let pieces = vec(
        prop_oneof![
            Just("{\"mortise_run\":1,\"entry_format\":1,".to_owned()),
            Just("\"entries\":[".to_owned()),
            Just("{\"printed\":\"x\"}".to_owned()),
            Just("\"id\":\"0123456789ab\",".to_owned()),
            Just("]}".to_owned()),
            text(),
        ],
        0..10,
    );
    fuzz_some(200, &pieces, |pieces| {
        let _ = KeptRun::from_document(&pieces.concat());
    });
}
