//! What the journal costs: one line of JSON for each figure. `cargo xtask bench journal` runs it.
//!
//! `bench_journal DIRECTORY CALLS RUNS KEPT`: the time that `CALLS` calls take to be recorded, the memory after `RUNS`
//! runs, and the time to list the newest of `KEPT` runs.

use std::error::Error;
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use futures::executor::block_on;
use mortise_contract::{CheckMode, RawJson};
use mortise_executor::journal::{
    AnswerEntry, CallEntry, ContractUse, Durability, Journal, Repeatability, RunBegun, RunEnd, RunEntry,
    RunId, RunOrigin, RunState,
};
use mortise_executor::ledger::CallEffect;
use mortise_journal::{JournalOptions, RunQuery, SqliteJournal};
use mortise_script::{CallValue, Limits, Wanted};

const TOOL: &str = "mcp__shop__list_orders";
/// Times that a list is made.
const LISTS: usize = 20;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let directory = PathBuf::from(arguments.next().ok_or("no directory is given")?);
    let mut number =
        || arguments.next().ok_or("a number is missing")?.parse::<usize>().map_err(Box::<dyn Error>::from);
    let (calls, runs, kept) = (number()?, number()?, number()?);
    let journal = SqliteJournal::open(&JournalOptions {
        keep_days: u64::MAX,
        keep_bytes: u64::MAX,
        ..JournalOptions::new(directory)
    });
    let mut out = std::io::stdout();
    let mut say = |name: &str, value: f64| writeln!(out, "{{\"name\":\"{name}\",\"value\":{value}}}");
    for microseconds in recorded_calls(&journal, calls)? {
        say("call_us", microseconds)?;
    }
    keep_runs(&journal, 1_000)?;
    say("resident_kib_before", resident_kib()?)?;
    keep_runs(&journal, runs)?;
    say("resident_kib_after", resident_kib()?)?;
    keep_runs(&journal, kept.saturating_sub(runs + 1_000))?;
    let tool = Some("list_orders".to_owned());
    let newest = RunQuery { limit: 50, ..RunQuery::default() };
    let filtered = RunQuery { tool, state: Some(RunState::Succeeded), ..newest.clone() };
    let nothing = RunQuery { state: Some(RunState::Interrupted), ..newest.clone() };
    for (name, query) in [("list_ms", newest), ("list_filtered_ms", filtered), ("list_nothing_ms", nothing)] {
        for _ in 0..LISTS {
            let started = Instant::now();
            journal.reader().list(&query)?;
            say(name, started.elapsed().as_secs_f64() * 1e3)?;
        }
    }
    Ok(())
}

/// What each call waits for the journal, in microseconds.
fn recorded_calls(journal: &SqliteJournal, calls: usize) -> Result<Vec<f64>, Box<dyn Error>> {
    let run = RunId::random().ok_or("no randomness")?;
    journal.begin(&run, begun(0)?);
    let mut times = Vec::new();
    for id in 0..calls as u64 {
        let (call, answer) = (call(id)?, answer(id)?);
        let started = Instant::now();
        journal.append(&run, call);
        block_on(journal.kept(&run, Durability::Process))?;
        journal.append(&run, answer);
        times.push(started.elapsed().as_secs_f64() * 1e6);
    }
    block_on(journal.kept(&run, Durability::Process))?;
    Ok(times)
}

fn keep_runs(journal: &SqliteJournal, count: usize) -> Result<(), Box<dyn Error>> {
    for at in 0..count as u64 {
        let run = RunId::random().ok_or("no randomness")?;
        journal.begin(&run, begun(at)?);
        journal.append(&run, call(1)?);
        journal.append(&run, answer(1)?);
        journal.append(&run, ended(at));
        if at % 64 == 0 {
            block_on(journal.kept(&run, Durability::Process))?;
        }
    }
    Ok(())
}

fn begun(at_ms: u64) -> Result<RunBegun, Box<dyn Error>> {
    let contract = ContractUse { tool: TOOL.to_owned(), server: "shop".to_owned(), digest: "0".repeat(64) };
    Ok(RunBegun {
        at_ms,
        origin: RunOrigin::Client,
        client: String::new(),
        caller: String::new(),
        name: "<program>".to_owned(),
        source: format!("print(len(await {TOOL}(status='open')))\n"),
        arguments: Vec::new(),
        files: Vec::new(),
        limits: Limits::default(),
        check: CheckMode::default(),
        contracts: vec![contract],
    })
}

fn call(id: u64) -> Result<RunEntry, Box<dyn Error>> {
    Ok(RunEntry::Call(CallEntry {
        id,
        tool: TOOL.to_owned(),
        arguments: RawJson::parse("{\"status\":\"open\"}")?,
        is_hidden: false,
        wanted: Wanted::Value,
        repeatable: Repeatability::ReadOnly,
        at_ms: id,
    }))
}

fn answer(id: u64) -> Result<RunEntry, Box<dyn Error>> {
    let json = format!("{{\"orders\":[{{\"id\":{id},\"total\":1.10,\"note\":\"{}\"}}]}}", "x".repeat(300));
    Ok(RunEntry::Answer(AnswerEntry {
        is_hidden: false,
        id,
        tool: TOOL.to_owned(),
        bytes: json.len(),
        answer: Ok(CallValue::from(RawJson::parse(&json)?)),
        effect: CallEffect::Taken,
        verdict: Some("valid".to_owned()),
        notes: Vec::new(),
        elapsed_ms: 3,
    }))
}

fn ended(at_ms: u64) -> RunEntry {
    RunEntry::Ended(RunEnd {
        is_hidden: false,
        at_ms,
        state: RunState::Succeeded,
        output: "1\n".to_owned(),
        truncated: false,
        emitted: None,
        media: Vec::new(),
        error: None,
        is_ended_by_host: false,
        fuel: 1,
        wall_ms: 5,
        calls: 1,
        failed_calls: 0,
    })
}

/// Resident memory of this process.
fn resident_kib() -> Result<f64, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}
