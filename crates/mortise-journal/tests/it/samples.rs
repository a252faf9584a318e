//! Runs for the tests.

use std::path::Path;

use futures::executor::block_on;
use mortise_contract::{CheckMode, RawJson};
use mortise_executor::journal::{
    AnswerEntry, CallEntry, ContractUse, Durability, Journal, Repeatability, RunBegun, RunEnd, RunEntry,
    RunId, RunOrigin, RunState,
};
use mortise_executor::ledger::CallEffect;
use mortise_journal::{JournalOptions, RunQuery, SqliteJournal};
use mortise_script::{CallValue, Limits, Wanted};

pub(crate) fn open(directory: &Path) -> SqliteJournal {
    // The runs of the tests began in 1970.
    let journal = SqliteJournal::open(&JournalOptions {
        keep_days: u64::MAX,
        ..JournalOptions::new(directory.to_path_buf())
    });
    // It is opened in the background; an answer comes when that is done.
    let _ = block_on(journal.kept(&new_id(), Durability::Process));
    journal
}

pub(crate) fn raw(text: &str) -> RawJson {
    RawJson::parse(text).unwrap()
}

pub(crate) fn new_id() -> RunId {
    RunId::random().unwrap()
}

pub(crate) fn begun(at_ms: u64, source: &str) -> RunBegun {
    RunBegun {
        at_ms,
        origin: RunOrigin::Shell,
        client: String::new(),
        caller: String::new(),
        name: "<program>".to_owned(),
        source: source.to_owned(),
        arguments: Vec::new(),
        files: Vec::new(),
        limits: Limits::default(),
        check: CheckMode::default(),
        contracts: vec![ContractUse {
            tool: "mcp__shop__list_orders".to_owned(),
            server: "shop".to_owned(),
            digest: "00".to_owned(),
        }],
    }
}

pub(crate) fn call(id: u64, arguments: &str) -> RunEntry {
    RunEntry::Call(CallEntry {
        id,
        tool: "mcp__shop__list_orders".to_owned(),
        arguments: raw(arguments),
        is_hidden: false,
        wanted: Wanted::Value,
        repeatable: Repeatability::Unsafe,
        at_ms: 3,
    })
}

pub(crate) fn answer(id: u64, json: &str) -> RunEntry {
    RunEntry::Answer(AnswerEntry {
        is_hidden: false,
        id,
        tool: "mcp__shop__list_orders".to_owned(),
        answer: Ok(CallValue::from(raw(json))),
        effect: CallEffect::Taken,
        verdict: Some("valid".to_owned()),
        notes: Vec::new(),
        elapsed_ms: 7,
        bytes: json.len(),
    })
}

pub(crate) fn ended(at_ms: u64, output: &str) -> RunEntry {
    RunEntry::Ended(RunEnd {
        is_hidden: false,
        at_ms,
        state: RunState::Succeeded,
        output: output.to_owned(),
        truncated: false,
        emitted: None,
        media: Vec::new(),
        error: None,
        is_ended_by_host: false,
        fuel: 5,
        wall_ms: 9,
        calls: 1,
        failed_calls: 0,
    })
}

/// A run that has ended, with one call.
pub(crate) fn keep_whole(journal: &SqliteJournal, at_ms: u64, source: &str) -> RunId {
    let run = new_id();
    journal.begin(&run, begun(at_ms, source));
    journal.append(&run, call(1, "{}"));
    journal.append(&run, answer(1, "[1.10]"));
    journal.append(&run, ended(at_ms + 9, "3\n"));
    run
}

pub(crate) fn all() -> RunQuery {
    RunQuery { limit: 1000, ..RunQuery::default() }
}
