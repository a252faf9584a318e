//! `mortise wizards`: the guide's folder through every command, and the server as an assistant starts it.

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::program::World;

/// The folder of the guide.
fn messy() -> World {
    let world = World::new();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/wizards/make-data.sh");
    let made = Command::new("sh").arg(script).arg(world.project().join("messy")).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    world
}

#[test]
fn a_messy_folder_becomes_tables() {
    let world = messy();
    let scan = world.run(&["wizards", "scan", "messy"]).expect_exit(0);
    assert!(scan.stdout.contains("orders_2024_01.csv"), "{}", scan.stdout);
    let described =
        world.run(&["wizards", "describe", "messy/orders_2024_01.csv", "messy/readings.csv"]).expect_exit(0);
    for word in ["order_date", "%d/%m/%Y", "timestamp", "boolean"] {
        assert!(described.stdout.contains(word), "{word}: {}", described.stdout);
    }
    let parser = world.run(&["wizards", "parser", "messy/orders_2024_01.csv"]).expect_exit(0);
    assert!(parser.stdout.starts_with("\"\"\"Reads orders_2024_01"), "{}", parser.stdout);
    assert!(parser.stderr.contains("Reconciliation: passed, 5 rows expected, 5 read"), "{}", parser.stderr);
    world.write("orders.py", &parser.stdout);
    let months = ["messy/orders_2024_01.csv", "messy/orders_2024_02.csv", "messy/orders_2024_03.csv"];
    let with = |command: &'static str, more: &[&'static str]| {
        let mut words = vec!["wizards", command];
        words.extend(months);
        words.extend(["--parser", "orders.py"]);
        words.extend(more);
        world.run(&words)
    };
    let tested = with("backtest", &[]).expect_exit(0);
    assert!(
        tested.stdout.contains("3 of 3 files pass (100 %), 15 rows: pass rate reached"),
        "{}",
        tested.stdout
    );
    with("run", &["--dry-run"]).expect_exit(0);
    assert!(!world.project().join("mortise-out/orders_2024_01.parquet").exists());
    let written = with("run", &["--format", "parquet", "--json"]).expect_exit(0).json();
    assert_eq!((&written["total_rows"], &written["files_failed"]), (&json!(15), &json!(0)));
    assert!(world.project().join("mortise-out/orders_2024_01.parquet").is_file(), "{written:#}");
    let again = with("run", &[]).expect_exit(5);
    assert!(again.stdout.contains("exists already"), "{}", again.stdout);
    assert!(again.stdout.contains("hint: --overwrite replaces tables"), "{}", again.stdout);
    assert!(again.stdout.contains("\n0     messy/orders_2024_02.csv"), "{}", again.stdout);
}

#[test]
fn tables_of_several_folders_keep_the_folders_names() {
    let world = World::new();
    let parser = "TOPIC = \"t\"\nSINK = \"csv\"\n\n\ndef parse(file_path: str):\n    yield {'id': 1}\n";
    world.write("parser.py", parser);
    for folder in ["north", "south", "south/old"] {
        std::fs::create_dir(world.project().join(folder)).unwrap();
        world.write(&format!("{folder}/a.csv"), "id\n1\n");
    }
    let run = |named: &[&str]| {
        let mut words = vec!["wizards", "run"];
        words.extend(named);
        words.extend(["--parser", "parser.py", "--output", "tables", "--overwrite"]);
        let done = world.run(&words).expect_exit(0);
        let mut tables: Vec<String> = Vec::new();
        let mut folders = vec![world.project().join("tables")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let seen = path.strip_prefix(world.project()).unwrap().to_string_lossy().into_owned();
                match path.is_dir() {
                    true if seen == "tables/.state" => {}
                    true => folders.push(path),
                    false => tables.push(seen),
                }
            }
        }
        std::fs::remove_dir_all(world.project().join("tables")).unwrap();
        tables.sort();
        (tables, done.stdout)
    };
    let (tables, told) = run(&["north", "south"]);
    assert_eq!(tables, ["tables/north/a.csv", "tables/south/a.csv", "tables/south/old/a.csv"], "{told}");
    assert_eq!(run(&["south"]).0, ["tables/a.csv", "tables/old/a.csv"]);
    // A folder and a file in it.
    assert_eq!(run(&["north", "north/a.csv"]).0, ["tables/a.csv"]);
    assert_eq!(run(&["north/a.csv", "south/old"]).0, ["tables/north/a.csv", "tables/south/old/a.csv"]);
}

#[test]
fn files_are_told_as_they_are_named_here() {
    let world = messy();
    let scan = world.run(&["wizards", "scan", "messy"]).expect_exit(0);
    assert!(scan.stdout.contains("  messy/clients/CLIENT-ABC/2024/Q1/report.csv\n"), "{}", scan.stdout);
    let described = world.run(&["wizards", "describe", "messy", "messy/clients"]).expect_exit(0);
    for line in [
        "messy/orders_2024_01.csv: csv, 5 rows looked at, 90 % sure\n",
        "  \"Customer, No. 05\", \"Customer, No. 14\", \"Customer, No. 23\"\n",
        "· Same columns: messy/orders_2024_01.csv, messy/orders_2024_02.csv, messy/orders_2024_03.csv\n",
    ] {
        assert!(described.stdout.contains(line), "{line}: {}", described.stdout);
    }
    world.write(
        "one.py",
        "TOPIC = \"t\"\nSINK = \"csv\"\n\n\ndef parse(file_path: str):\n    yield {'id': 1}\n",
    );
    let words = ["wizards", "run", "messy/readings.csv", "messy/clients", "--parser", "one.py", "--dry-run"];
    let dry = world.run(&words).expect_exit(0);
    assert!(dry.stdout.contains("\n1     messy/clients/CLIENT-XYZ/2024/Q2/report.csv\n"), "{}", dry.stdout);
    assert!(dry.stdout.ends_with("\n✓ 3 rows of 3 files would be written as csv\n"), "{}", dry.stdout);
}

#[test]
fn an_empty_folder_and_one_without_data_say_so() {
    let world = World::new();
    std::fs::create_dir_all(world.project().join("empty")).unwrap();
    assert_eq!(world.run(&["wizards", "scan", "empty"]).expect_exit(0).stdout, "0 files, 0 B\n");
    let scanned = world.run(&["wizards", "scan", "empty", "--json"]).expect_exit(0).json();
    assert_eq!(scanned["workflow"]["next_actions"], json!([]));
    let refused = world.run(&["wizards", "describe", "empty"]).expect_exit(1);
    assert!(refused.stderr.contains("there are no data files there"), "{}", refused.stderr);
    let refused = world.run(&["wizards", "extract", "empty"]).expect_exit(1);
    assert!(refused.stderr.contains("there are no files there"), "{}", refused.stderr);
    // A rule is about paths, whatever the files are.
    for year in ["2023", "2024"] {
        std::fs::create_dir_all(world.project().join("archive").join(year)).unwrap();
        world.write(&format!("archive/{year}/report.pdf"), "%PDF-1.7");
    }
    let rule = world.run(&["wizards", "extract", "archive"]).expect_exit(0).stdout;
    assert!(rule.contains("year: {from: segment(-2)"), "{rule}");
}

#[test]
fn a_rule_alone_goes_to_a_file() {
    let world = messy();
    let hint = "Quarter folder should compute start/end month";
    let extracted = world.run(&["wizards", "extract", "messy/clients", "--hint", hint]).expect_exit(0);
    mortise_formats::rules::RuleDocument::parse(&extracted.stdout).unwrap();
    for word in ["def extract(path: str)", "COMPLETE", "Generated Rule with Code Fallback"] {
        assert!(extracted.stderr.contains(word), "{word}: {}", extracted.stderr);
    }
}

#[test]
fn a_question_says_how_it_is_answered() {
    let world = World::new();
    world.write("days.csv", "id,day\n1,05/06/2024\n2,06/07/2024\n");
    let asked = world.run(&["wizards", "parser", "days.csv"]).expect_exit(0);
    for line in [
        "  ? How are the dates of `day` written?",
        "      day, month, year: `05/06/2024` is ",
        "      answer with --date-order dmy, mdy or ymd; until then the column is text",
    ] {
        assert!(asked.stderr.contains(line), "{line}: {}", asked.stderr);
    }
    let answered = world.run(&["wizards", "parser", "days.csv", "--date-order", "dmy"]).expect_exit(0);
    assert!(!answered.stderr.contains('?'), "{}", answered.stderr);
    let limits = World::new().with("MORTISE_FORCE_GROUPS", "many");
    let refused = limits.run(&["wizards", "scan", "."]).expect_exit(1);
    assert!(refused.stderr.contains("`many` is no value for MORTISE_FORCE_GROUPS"), "{}", refused.stderr);
}

#[test]
fn files_set_what_needs_python_and_variables_go_over_them() {
    let world = World::new();
    let decision =
        "wizards:\n  decision: {force_regex_chars: 1}\n  sources: {clients: {force_regex_chars: 150}}\n";
    world.write("limits.yaml", decision);
    let has_python = |world: &World, more: &[&str]| {
        let mut words = vec!["wizards", "extract", "d/client_a/x.csv", "d/client_b/x.csv", "--json"];
        words.extend(more);
        world.run(&words).expect_exit(0).json()["python_code"].is_string()
    };
    assert!(!has_python(&world, &[]));
    assert!(has_python(&world, &["--config", "limits.yaml"]));
    assert!(!has_python(&world, &["--config", "limits.yaml", "--source", "clients"]));
    let world = world.with("MORTISE_FORCE_REGEX_CHARS", "2");
    assert!(has_python(&world, &["--config", "limits.yaml", "--source", "clients"]));
    world.write("wrong.yaml", "wizards: {decision: {force_grups: 1}}\n");
    let refused = world.run(&["wizards", "scan", ".", "--config", "wrong.yaml"]).expect_exit(2);
    assert!(refused.stderr.contains("force_groups"), "{}", refused.stderr);
}

#[test]
fn what_goes_wrong_says_what_to_do() {
    let world = World::new();
    let missing = world.run(&["wizards", "parser", "nothing.csv"]).expect_exit(1);
    assert!(missing.stderr.contains("there is no file or folder"), "{}", missing.stderr);
    world.run(&["wizards", "backtest", "x.csv"]).expect_exit(1);
    world.write("bad.py", "def parse(:\n");
    world.write("a.csv", "id\n1\n");
    let bad = world.run(&["wizards", "run", "a.csv", "--parser", "bad.py"]).expect_exit(5);
    assert!(bad.stderr.contains("ERR_PYTHON_SYNTAX"), "{}", bad.stderr);
    // Advice for an assistant is no help in a shell.
    for (words, hint) in [
        (
            &["wizards", "run", "a.csv", "--draft", "00000000"][..],
            "make a new one with `mortise data parser`",
        ),
        (&["wizards", "run", "a.csv", "--contract", "00000000"], "a contract is made with an assistant"),
    ] {
        let refused = world.run(words).expect_exit(5);
        assert!(refused.stderr.contains(hint), "{hint}: {}", refused.stderr);
    }
}

#[test]
fn results_are_told_in_words() {
    let world = World::new();
    std::fs::create_dir(world.project().join("data")).unwrap();
    world.write("data/bad.json", "[1]");
    let scan = world.run(&["wizards", "scan", "data"]).expect_exit(0);
    assert!(scan.stdout.contains("1 file, 3 B"), "{}", scan.stdout);
    let described = world.run(&["wizards", "describe", "data/bad.json"]).expect_exit(5);
    assert!(
        described.stdout.contains("data/bad.json: `bad.json` is no JSON with objects as rows"),
        "{}",
        described.stdout
    );
}

#[test]
fn the_home_folder_is_no_root() {
    let world = World::new();
    let home = world.project().to_string_lossy().into_owned();
    let world = world.with("HOME", &home);
    let refused = world.run_with_input(&["wizards"], "").expect_exit(1);
    assert!(refused.stderr.contains("--root"), "{}", refused.stderr);
}

#[cfg(unix)]
#[test]
fn an_output_folder_that_is_a_link_must_be_named() {
    let world = World::new();
    let (data, elsewhere) = (world.project().join("data"), world.project().join("elsewhere"));
    std::fs::create_dir(&data).unwrap();
    std::fs::create_dir(&elsewhere).unwrap();
    world.write("data/a.csv", "id\n1\n");
    for folder in [world.project(), data] {
        std::os::unix::fs::symlink(&elsewhere, folder.join("mortise-out")).unwrap();
    }
    for words in [&["wizards", "scan", "data"][..], &["wizards", "--root", "data"], &["wizards"]] {
        let refused = world.run_with_input(words, "").expect_exit(1);
        assert!(refused.stderr.contains("mortise-out` is a link"), "{}", refused.stderr);
        assert!(refused.stderr.contains("--output"), "{}", refused.stderr);
    }
    world.run(&["wizards", "scan", "data", "--output", "mortise-out"]).expect_exit(0);
}

#[test]
fn tables_are_not_read_as_new_files() {
    let world = World::new();
    world.write("a.csv", "id,name\n1,a\n2,b\n");
    let parser = world.run(&["wizards", "parser", "a.csv"]).expect_exit(0);
    world.write("p.py", &parser.stdout);
    let run = ["wizards", "run", ".", "--parser", "p.py", "--format", "csv", "--incremental"];
    world.run(&run).expect_exit(0);
    assert!(world.project().join("mortise-out/a.csv").is_file());
    let again = world.run(&run);
    assert!(!world.project().join("mortise-out/mortise-out").exists(), "{}", again.stdout);
}

#[test]
fn an_assistant_has_all_wizards() {
    let world = messy();
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "it", "version": "1"}});
    let scan = json!({"name": "quick_scan", "arguments": {"path": "."}});
    let messages = [
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": scan}),
    ];
    let mut command = world.command(&["wizards", "--root", "messy"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for message in messages {
        writeln!(stdin, "{message}").unwrap();
    }
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    // Answers come in any order.
    let mut answers: HashMap<u64, Value> = lines
        .map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap())
        .filter_map(|answer| Some((answer["id"].as_u64()?, answer)))
        .take(3)
        .collect();
    let listed = answers.remove(&1).unwrap();
    let tools = listed["result"]["tools"].as_array().unwrap();
    assert!(tools.iter().all(|tool| tool["outputSchema"]["type"] == "object"));
    assert!(tools.iter().any(|tool| tool["name"] == "generate_parser"));
    let scanned = answers.remove(&2).unwrap();
    assert_eq!(scanned["result"]["structuredContent"]["format"], "metadata", "{scanned:#}");
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
