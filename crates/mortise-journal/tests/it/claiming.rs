//! Several processes, one journal.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::process::Child;

use futures::executor::block_on;
use mortise_executor::journal::{Durability, Journal, RunState};

use crate::child;
use crate::samples::{all, begun, new_id, open};

const RUNS: usize = 30;
const PROCESSES: usize = 4;

#[test]
fn of_several_processes_one_gets_a_run() {
    let directory = tempfile::tempdir().unwrap();
    {
        let journal = open(directory.path());
        for at in 0..RUNS {
            let run = new_id();
            journal.begin(&run, begun(at as u64, "wait()"));
            block_on(journal.kept(&run, Durability::Process)).unwrap();
        }
    }
    let mut children: Vec<Child> = (0..PROCESSES)
        .map(|_| child::command("claiming::child_that_claims", directory.path(), "").spawn().unwrap())
        .collect();
    let mut claimed: BTreeMap<String, usize> = BTreeMap::new();
    for child in &mut children {
        let lines = BufReader::new(child.stdout.as_mut().unwrap()).lines().map(Result::unwrap);
        for line in lines.take_while(|line| line != "done") {
            if let Some(run) = line.strip_prefix("claimed ") {
                *claimed.entry(run.to_owned()).or_default() += 1;
            }
        }
    }
    assert_eq!(claimed.len(), RUNS, "every run was claimed");
    assert!(claimed.values().all(|count| *count == 1), "{claimed:?}");
    let states = |state: RunState| {
        let runs = open(directory.path()).reader().list(&all()).unwrap().runs;
        runs.iter().filter(|run| run.state == state).count()
    };
    assert_eq!(states(RunState::Running), RUNS, "their processes live");
    for mut child in children {
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert_eq!(states(RunState::Interrupted), RUNS, "their processes were killed");
}

/// Claims what it can, says so, and lives until it is killed.
#[test]
fn child_that_claims() {
    let Some(directory) = child::directory() else { return };
    let journal = open(&directory);
    println!();
    for run in journal.reader().list(&all()).unwrap().runs {
        if journal.claim(&run.id).is_ok() {
            println!("claimed {}", run.id);
        }
    }
    println!("done");
    let _ = std::io::stdin().read(&mut [0]);
}
