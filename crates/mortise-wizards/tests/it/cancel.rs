//! Long work that a client cancels while it runs.

use std::path::{Path, PathBuf};
use std::time::Duration;

use mortise_testkit::RawPeer;
use mortise_wizards::server;
use serde_json::{Value, json};

use crate::bench::Bench;

/// Longer than any of this takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// Never ends on a file with that name, after a first row.
const ENDLESS: &str = "TOPIC = \"t\"\nSINK = \"csv\"\n\n\ndef parse(file_path: str):\n    yield {'id': 1}\n    while 'endless' in file_path:\n        pass\n";
/// The same where it ends.
const QUICK: &str = "TOPIC = \"t\"\nSINK = \"csv\"\n\n\ndef parse(file_path: str):\n    yield {'id': 1}\n";

fn bench() -> Bench {
    let bench = Bench::new();
    bench.file("a.csv", "id\n1\n");
    bench.file("b_endless.csv", "id\n1\n");
    bench
}

fn connect(bench: &Bench) -> RawPeer {
    let server = server::server(&bench.wizards).unwrap();
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let (reader, writer) = tokio::io::split(theirs);
    tokio::spawn(async move { server.serve(reader, writer, std::future::pending()).await });
    RawPeer::over(ours).waiting(PATIENCE)
}

/// Calls a tool on both files, and cancels once one of them is done.
async fn cancel_after_the_first_file(peer: &mut RawPeer, tool: &str, arguments: Value) {
    peer.initialize().await.unwrap();
    let params = json!({"name": tool, "arguments": arguments, "_meta": {"progressToken": "files"}});
    let id = peer.start("tools/call", params).await.unwrap();
    let told = peer.called("notifications/progress").await.unwrap();
    assert_eq!((&told["params"]["progress"], &told["params"]["total"]), (&json!(1.0), &json!(2.0)), "{told}");
    peer.notify("notifications/cancelled", json!({"requestId": id})).await.unwrap();
    assert_eq!(peer.request("ping", json!({})).await.unwrap()["result"], json!({}));
    assert!(!peer.kept().any(|frame| frame.answers(&json!(id))), "a canceled call is not answered");
}

/// Waits until nothing in this process has a file below the folder open: neither the parser, which holds its file as
/// long as it runs, nor the writer of its table.
async fn until_nothing_runs(folder: &Path) {
    let folder = folder.canonicalize().unwrap();
    let is_open = || {
        let handles = std::fs::read_dir("/proc/self/fd").unwrap();
        handles.flatten().any(|handle| {
            std::fs::read_link(handle.path()).is_ok_and(|file| file.starts_with(&folder) && !file.is_dir())
        })
    };
    let ended = async {
        while is_open() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, ended).await.expect("the work ends");
}

/// What is below the output folder, without the state.
fn written(bench: &Bench) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(bench.path("mortise-out")).unwrap();
    let mut names: Vec<PathBuf> = entries.map(|entry| entry.unwrap().file_name().into()).collect();
    names.retain(|name| name != Path::new(".state"));
    names.sort();
    names
}

async fn answer(peer: &mut RawPeer, tool: &str, arguments: Value) -> Value {
    let answered = peer.request("tools/call", json!({"name": tool, "arguments": arguments})).await.unwrap();
    assert_ne!(answered["result"]["isError"], true, "{answered:#}");
    answered["result"]["structuredContent"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_canceled_pipeline_stops_and_keeps_what_it_wrote() {
    let bench = bench();
    let mut peer = connect(&bench);
    let run = |code: &str, mode: &str| json!({"files": ["a.csv", "b_endless.csv"], "parser_code": code, "config": {"mode": mode}});
    cancel_after_the_first_file(&mut peer, "execute_pipeline", run(ENDLESS, "full")).await;
    until_nothing_runs(bench.path("").as_path()).await;
    assert_eq!(written(&bench), [Path::new("a.csv")]);
    assert_eq!(std::fs::read_to_string(bench.path("mortise-out/a.csv")).unwrap(), "id\n1\n");
    // The first table is known as its file's own, so only the second is written.
    let again = answer(&mut peer, "execute_pipeline", run(QUICK, "incremental")).await;
    let counts =
        ["files_skipped", "files_succeeded", "files_failed"].map(|name| again[name].as_u64().unwrap());
    assert_eq!(counts, [1, 1, 0], "{again:#}");
    assert_eq!(written(&bench), [Path::new("a.csv"), Path::new("b_endless.csv")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_canceled_backtest_stops_and_is_not_remembered() {
    let bench = bench();
    let mut peer = connect(&bench);
    let run = |code: &str| json!({"files": ["a.csv", "b_endless.csv"], "parser_code": code});
    cancel_after_the_first_file(&mut peer, "run_backtest", run(ENDLESS)).await;
    until_nothing_runs(bench.path("").as_path()).await;
    let again = answer(&mut peer, "run_backtest", run(QUICK)).await;
    assert_eq!((&again["files_passed"], &again["success"]), (&json!(2), &json!(true)), "{again:#}");
}
