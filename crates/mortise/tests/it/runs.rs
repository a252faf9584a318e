//! What is shown of recorded runs.

use std::time::{SystemTime, UNIX_EPOCH};

use mortise_contract::{CheckMode, RawJson};
use mortise_executor::journal::{
    AnswerEntry, CallEntry, Journal as _, Repeatability, RunBegun, RunEnd, RunEntry, RunId, RunOrigin,
    RunState,
};
use mortise_executor::ledger::CallEffect;
use mortise_journal::{JournalOptions, SqliteJournal};
use mortise_script::{CallValue, Limits, Wanted};

use crate::program::World;

const FIRST: &str = "000000000001";
const SECOND: &str = "000000000002";
const OPEN: &str = "7k2m9q4x0abc";

fn raw(text: &str) -> RawJson {
    RawJson::parse(text).unwrap()
}

/// Two runs of one program with different answers, and one that was cut off.
fn recorded() -> World {
    let world = World::new();
    let journal = SqliteJournal::open(&JournalOptions::new(world.state().join("journal")));
    keep(&journal, FIRST, "[1.10]", Some("1\n"));
    keep(&journal, SECOND, "[1.10, 2]", Some("2\n"));
    keep(&journal, OPEN, "[]", None);
    drop(journal);
    world
}

fn keep(journal: &SqliteJournal, id: &str, json: &str, output: Option<&str>) {
    let run = RunId::parse(id).unwrap();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as u64;
    let tool = "mcp__shop__list_orders".to_owned();
    journal.begin(
        &run,
        RunBegun {
            at_ms: now,
            origin: RunOrigin::Shell,
            client: String::new(),
            caller: String::new(),
            name: "<program>".to_owned(),
            source: "orders = await mcp__shop__list_orders()\nprint(len(orders))\n".to_owned(),
            arguments: Vec::new(),
            files: Vec::new(),
            limits: Limits::default(),
            check: CheckMode::default(),
            contracts: Vec::new(),
        },
    );
    journal.append(
        &run,
        RunEntry::Call(CallEntry {
            id: 1,
            tool: tool.clone(),
            arguments: raw(r#"{"status":"open"}"#),
            is_hidden: false,
            wanted: Wanted::Value,
            repeatable: Repeatability::ReadOnly,
            at_ms: 1,
        }),
    );
    let Some(output) = output else { return };
    journal.append(
        &run,
        RunEntry::Answer(AnswerEntry {
            is_hidden: false,
            id: 1,
            tool,
            answer: Ok(CallValue::from(raw(json))),
            effect: CallEffect::Taken,
            verdict: Some("valid".to_owned()),
            notes: Vec::new(),
            elapsed_ms: 12,
            bytes: json.len(),
        }),
    );
    journal.append(
        &run,
        RunEntry::Ended(RunEnd {
            is_hidden: false,
            at_ms: now,
            state: RunState::Succeeded,
            output: output.to_owned(),
            truncated: false,
            emitted: None,
            media: Vec::new(),
            error: None,
            is_ended_by_host: false,
            fuel: 1,
            wall_ms: 40,
            calls: 1,
            failed_calls: 0,
        }),
    );
}

#[test]
fn without_runs_the_list_says_what_records_them() {
    let ran = World::new().run(&["runs"]).expect_exit(0);
    assert_eq!(ran.stdout, "");
    assert!(ran.stderr.contains("no run is recorded yet"), "{}", ran.stderr);
}

#[test]
fn the_list() {
    let world = recorded();
    let shown = world.run(&["runs"]).expect_exit(0).stdout;
    let mut lines = shown.lines();
    assert!(lines.next().unwrap().trim_start().starts_with("Run "), "{shown}");
    let row = lines.next().unwrap();
    assert!(row.starts_with("!  7k2m9q4x0abc  just now") && row.ends_with("· interrupted"), "{shown}");
    assert!(shown.contains("✓  000000000002  just now"), "{shown}");
    let listed = |arguments: &[&str]| {
        let listed = world.run(&[&["runs", "--json"], arguments].concat()).expect_exit(0).json();
        listed["runs"].as_array().unwrap().len()
    };
    assert_eq!(listed(&[]), 3);
    assert_eq!(listed(&["--state", "interrupted"]), 1);
    assert_eq!(listed(&["--tool", "list_orders", "--since", "1h"]), 3);
    assert_eq!(listed(&["--tool", "other"]), 0);
    assert_eq!(listed(&["--limit", "2"]), 2);
}

#[test]
fn one_run() {
    let world = recorded();
    let shown = world.run(&["runs", "show", FIRST]).expect_exit(0).stdout;
    for part in
        ["✓ 000000000001 succeeded · just now · 40 ms · 1 call\n", "  2  print(len(orders))\n", "Output\n1\n"]
    {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(shown.contains("✓  shop/list_orders  12 ms   6 B  {\"status\":\"open\"}"), "{shown}");
    let open = world.run(&["runs", "show", "7k"]).expect_exit(0).stdout;
    assert!(open.contains("no answer is recorded") && open.contains("mortise resume 7k2m9q4x0abc"), "{open}");
    let shown = world.run(&["runs", "show", FIRST, "--json"]).expect_exit(0);
    assert!(shown.stdout.contains("[1.10]"), "digits stay: {}", shown.stdout);
    assert_eq!(shown.json()["calls"][0]["effect"], "taken");
}

#[test]
fn two_runs_compared() {
    let world = recorded();
    let shown = world.run(&["runs", "diff", FIRST, SECOND]).expect_exit(0).stdout;
    for part in [
        "✓ the programs are the same\n",
        "✗ call 1 is the first that differs, by its result\n",
        "✗ the outputs differ from line 1 on\n    - 1\n    + 2\n",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let same = world.run(&["runs", "diff", FIRST, FIRST]).expect_exit(0);
    assert!(same.stdout.contains("both runs did the same"), "{}", same.stdout);
}

#[test]
fn names_that_mean_no_run_or_several() {
    let world = recorded();
    let several = world.run(&["runs", "show", "0000"]).expect_exit(1);
    assert!(several.stderr.contains("`0000` is the beginning of 2 runs"), "{}", several.stderr);
    let none = world.run(&["runs", "show", "zzz"]).expect_exit(1);
    assert!(none.stderr.contains("there is no run `zzz`"), "{}", none.stderr);
    assert!(none.stderr.contains("mortise runs"), "{}", none.stderr);
}

#[test]
fn an_exported_run_is_one_document() {
    let world = recorded();
    let printed = world.run(&["runs", "export", FIRST]).expect_exit(0);
    let run = mortise_executor::journal::KeptRun::from_document(&printed.stdout).unwrap();
    assert_eq!((run.id.as_str(), run.entries.len()), (FIRST, 3));
    world.run(&["runs", "export", FIRST, "--case", "case.json"]).expect_exit(0);
    let written = std::fs::read_to_string(world.project().join("case.json")).unwrap();
    assert_eq!(written, printed.stdout);
}

#[test]
fn runs_are_removed_when_asked() {
    let world = recorded();
    let dry = world.run(&["runs", "prune", "--keep", "1", "--dry-run"]).expect_exit(0);
    assert!(dry.stderr.contains("would remove 1 run"), "{}", dry.stderr);
    let nothing = world.run(&["runs", "prune"]).expect_exit(0);
    assert!(nothing.stderr.contains("removed 0 runs"), "{}", nothing.stderr);
    world.run(&["runs", "prune", "--keep", "1"]).expect_exit(0);
    world.run(&["runs", "show", FIRST]).expect_exit(1);
    let all = world.run(&["runs", "prune", "--all", "--json"]).expect_exit(0).json();
    assert_eq!(all["runs"], 2);
}

#[test]
fn a_journal_that_can_t_be_read_is_named() {
    let world = World::new();
    let folder = world.state().join("journal");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("journal.db"), "not a database, but long enough to be read as one").unwrap();
    let ran = world.run(&["runs"]).expect_exit(2);
    assert!(ran.stderr.contains("can't be read"), "{}", ran.stderr);
}
