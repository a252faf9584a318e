//! `mortise run`: programs from a shell, and every example.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::PathBuf;
use std::process::Stdio;

use rustix::process::Signal;

use crate::ending::{Hanging, signal};
use crate::program::{Ran, World, binary};
use crate::pty::OnTerminal;

fn example(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

/// Runs code with the samples.
fn run(code: &str) -> Ran {
    World::new().run(&["run", "--samples", "-c", code])
}

/// One test per example: what it prints.
macro_rules! examples {
    ($($name:ident: $printed:expr,)*) => {
        mod examples {
            $(
                #[test]
                fn $name() {
                    let program = super::example(concat!(stringify!($name), ".py"));
                    let ran = super::World::new().run(&["run", "--samples", program.to_str().unwrap()]).expect_exit(0);
                    assert_eq!(ran.stdout, $printed);
                }
            )*
        }

        const EXAMPLES: &[&str] = &[$(concat!(stringify!($name), ".py"),)*];
    };
}

examples! {
    revenue: "AMZN: $170.0B → $165.3B → $161.8B → $158.4B\n\
              MSFT: $72.4B → $70.1B → $68.6B → $65.6B\n\
              GOOG: $96.5B → $94.2B → $90.2B → $88.3B\n",
    careful: "MSFT: 276.7B\n\
              NOPE: tool error: no figures for `NOPE`; list_tickers names the tickers that have some\n\
              GOOG: 369.2B\n",
    handbook: "list ['content', 'doc_id', 'score', 'title']\n\
               hb-03  Security incidents  (37 words)\n\
               hb-04  Laptop and software  (31 words)\n\
               hb-11  Customer support  (32 words)\n",
    orders_by_country: "\
ES               6 orders    1,335.60
FR               6 orders      982.40
NG               5 orders      980.50
NO               3 orders      639.60
US               2 orders      583.50
JP               2 orders      456.60
GB               2 orders      443.00
DE               4 orders      328.20
",
    price_moves: "\
AAPL    250 days  best +2.1% on 2025-10-15  worst -2.0% on 2025-05-30
AMZN    250 days  best +2.1% on 2025-03-17  worst -2.0% on 2025-04-30
GOOG    250 days  best +2.1% on 2025-04-21  worst -2.0% on 2025-12-12
META    250 days  best +2.1% on 2025-04-22  worst -2.0% on 2025-10-10
MSFT    250 days  best +2.1% on 2025-07-29  worst -2.0% on 2025-08-28
NFLX    250 days  best +2.1% on 2025-08-26  worst -2.0% on 2025-04-24
NVDA    250 days  best +2.1% on 2025-12-12  worst -2.0% on 2025-04-07
TSLA    250 days  best +2.1% on 2025-05-15  worst -2.0% on 2025-01-08
",
    restock: r#"restocked 3 of 12 products
[
  {
    "id": "P-03",
    "before": 14,
    "after": 34
  },
  {
    "id": "P-10",
    "before": 8,
    "after": 28
  },
  {
    "id": "P-11",
    "before": 11,
    "after": 31
  }
]
"#,
    ticket_triage: "dora       █████ 5\nbo         ████ 4\nchen       ████ 4\nnobody     ██ 2\nana        ██ 2\n\
                    without an owner: T-113, T-121\n",
    weather_report: "Cairo         31.8 °C  hot\nLima          18.9 °C  mild\nWellington    14.3 °C  mild\n\
                     Berlin        11.2 °C  mild\nOslo          -3.4 °C  cold\n",
}

#[test]
fn every_example_has_a_test() {
    let mut files: Vec<String> = std::fs::read_dir(example(""))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".py"))
        .collect();
    files.sort();
    let mut tested = EXAMPLES.to_vec();
    tested.sort_unstable();
    assert_eq!(files, tested);
}

#[test]
fn a_program_comes_from_a_file_stdin_or_the_command_line() {
    let world = World::new();
    world.write("program.py", "print('from a file')");
    assert_eq!(world.run(&["run", "program.py"]).expect_exit(0).stdout, "from a file\n");
    assert_eq!(
        world.run_with_input(&["run", "-"], "print('from stdin')").expect_exit(0).stdout,
        "from stdin\n"
    );
    assert_eq!(
        world.run(&["run", "-c", "print('from the command line')"]).expect_exit(0).stdout,
        "from the command line\n"
    );
}

#[test]
fn a_program_that_can_not_be_read_is_a_usage_error() {
    let world = World::new();
    let ran = world.run(&["run", "missing.py"]).expect_exit(1);
    assert!(ran.stderr.starts_with("error: there is no file or folder `missing.py`\n"), "{}", ran.stderr);
    world.run(&["run"]).expect_exit(1);
    world.run(&["run", "a.py", "-c", "1"]).expect_exit(1);
    let ran = world.run(&["run", "--file", "missing.txt", "-c", "1"]).expect_exit(1);
    assert!(ran.stderr.contains("there is no file or folder `missing.txt`"), "{}", ran.stderr);
}

#[test]
fn a_program_that_surely_fails_is_refused_before_it_runs() {
    let world = World::new();
    let code = "print('before')\nprint(await mcp__weather__get_weather(town='Oslo'))";
    let refused = world.run(&["run", "--samples", "-c", code]).expect_exit(1);
    assert_eq!(refused.stdout, "");
    for said in [
        "✗ 2 problems found before the run; no tool was called\n",
        "  ✗ `mcp__weather__get_weather` has no argument `town`\n  <program>:2:39\n",
        "declared: mcp__weather__get_weather(*, city: str",
        "--check off",
    ] {
        assert!(refused.stderr.contains(said), "{said}: {}", refused.stderr);
    }
    let ran = world.run(&["run", "--samples", "--check", "off", "-c", code]).expect_exit(5);
    assert_eq!(ran.stdout, "before\n");
    assert!(!ran.stderr.contains("CheckError"), "{}", ran.stderr);
}

#[test]
fn a_program_can_be_checked_without_being_run() {
    let world = World::new();
    let right = "print((await mcp__weather__get_weather(city='Oslo'))['city'])";
    let ran = world.run(&["run", "--samples", "--check-only", "-c", right]).expect_exit(0);
    assert_eq!(ran.stdout, "✓ No problems found\n");
    let wrong = "print(await mcp__weather__get_wether(city='Oslo'))";
    let ran = world.run(&["run", "--samples", "--check-only", "-c", wrong]).expect_exit(1);
    assert!(ran.stdout.contains("did you mean `mcp__weather__get_weather`?"), "{}", ran.stdout);
    let ran = world.run(&["run", "--samples", "--check-only", "--json", "-c", wrong]).expect_exit(1);
    let shown: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&shown["ok"], &shown["mode"]), (&serde_json::json!(false), &serde_json::json!("guard")));
    assert_eq!(shown["refusals"][0]["rule"], "unknown_tool");
}

#[test]
fn the_log_says_that_a_program_was_refused_and_not_what_it_is() {
    let ran = World::new().run(&["run", "-v", "-c", "print(len(secret_name))"]).expect_exit(1);
    let line = ran.stderr.lines().find(|line| line.contains("mortise.check.rejected")).unwrap_or_default();
    for said in ["INFO", "rules=\"unknown_name\"", "refusals=1", "checked_total=1", "refused_total=1"] {
        assert!(line.contains(said), "{said}: {}", ran.stderr);
    }
    assert!(!line.contains("secret_name"), "{line}");
}

#[test]
fn modules_given_as_files_are_known_to_the_check_and_to_the_run() {
    let world = World::new();
    world.write("rates.py", "EUR = 1.1\n");
    let code = "import rates\nprint(rates.EUR)";
    let ran = world.run(&["run", "--check-only", "-c", code]).expect_exit(1);
    assert!(ran.stdout.contains("rates"), "{}", ran.stdout);
    let ran = world.run(&["run", "--check-only", "--file", "rates.py", "-c", code]).expect_exit(0);
    assert_eq!(ran.stdout, "✓ No problems found\n");
    assert_eq!(world.run(&["run", "--file", "rates.py", "-c", code]).expect_exit(0).stdout, "1.1\n");
}

#[test]
fn arguments_after_the_dashes_are_the_programs() {
    let world = World::new();
    let code = "import sys; print(sys.argv[1:])";
    let ran = world.run(&["run", "-c", code, "--", "a", "-b", "--json", "two words"]).expect_exit(0);
    assert_eq!(ran.stdout, "['a', '-b', '--json', 'two words']\n");
}

#[test]
fn a_file_is_readable_under_its_own_name_only() {
    let world = World::new();
    world.write("note.txt", "hello\n");
    world.write("secret.txt", "not this\n");
    let code = "print(open('note.txt').read(), end='')\ntry:\n    open('secret.txt')\nexcept OSError as e:\n    print(type(e).__name__)";
    let ran = world.run(&["run", "--file", "note.txt", "-c", code]).expect_exit(0);
    assert_eq!(ran.stdout, "hello\nFileNotFoundError\n");
}

#[test]
fn files_of_the_same_name_are_refused() {
    let world = World::new();
    std::fs::create_dir(world.project().join("other")).unwrap();
    world.write("note.txt", "one\n");
    world.write("other/note.txt", "two\n");
    let ran = world.run(&["run", "--file", "note.txt", "--file", "other/note.txt", "-c", "1"]).expect_exit(1);
    assert!(
        ran.stderr.contains("can't tell `note.txt` and `other/note.txt` apart: both are called `note.txt`"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_time_beyond_what_a_program_may_take_is_refused() {
    let ran = World::new().run(&["run", "--timeout", "700", "-c", "print(1)"]).expect_exit(1);
    assert!(ran.stderr.contains("--timeout 700 is too long: a program may run for 600 s"), "{}", ran.stderr);
    let ran = World::new().run(&["run", "--timeout", "600", "-c", "print(1)"]).expect_exit(0);
    assert_eq!(ran.stdout, "1\n");
}

#[test]
fn a_program_that_looks_tools_up_has_them_all() {
    let code =
        "import sys\nmain = sys.modules[__name__]\nprint(await getattr(main, 'mc' + 'p__m__add')(a=1, b=2))";
    let server = format!("m={} mock ok", binary().display());
    let ran = World::new().run(&["run", "--server", &server, "-c", code]).expect_exit(0);
    assert_eq!(ran.stdout, "{'sum': 3}\n");
}

#[test]
fn a_server_that_did_not_start_is_named_by_its_tools() {
    let code = "try:\n    await mcp__gone__thing()\nexcept ToolError as e:\n    print(e.kind, e)";
    let ran = World::new().run(&["run", "--server", "gone=/nowhere/at-all", "-c", code]).expect_exit(0);
    assert!(
        ran.stdout.starts_with(
            "unreachable 'mcp__gone__thing' unavailable: server 'gone' is not connected (cannot start `/nowhere/at-all`"
        ),
        "{}",
        ran.stdout
    );
}

/// What a person sees of a program that waits for a slow server.
fn on_terminal(code: &str) -> (String, Option<i32>) {
    let server = format!("m={} mock slow=1500", binary().display());
    OnTerminal::start(&World::new(), 100, &["run", "--server", &server, "-c", code]).finish()
}

#[test]
fn a_person_sees_the_calls_in_flight_and_whole_lines_of_output() {
    let code = "import asyncio\nprint('first line')\n\
                await asyncio.gather(mcp__m__echo(text='a'), mcp__m__echo(text='b'))\nprint('last line')";
    let (shown, exit) = on_terminal(code);
    assert_eq!(exit, Some(0), "{shown}");
    assert!(shown.contains("0 calls done, 2 in flight: mcp__m__echo ×2"), "{shown:?}");
    assert!(shown.contains("1 s, "), "the seconds count: {shown:?}");
    let screen = screen(&shown);
    assert!(screen.ends_with("first line\nlast line\n"), "{screen:?} of {shown:?}");
}

#[test]
fn half_a_line_of_output_is_not_written_over() {
    let code = "print('half', end='', flush=True)\nawait mcp__m__echo(text='x')\nprint(' and half')";
    let (shown, exit) = on_terminal(code);
    assert_eq!(exit, Some(0), "{shown}");
    assert!(screen(&shown).ends_with("half and half\n"), "{shown:?}");
}

/// What is left on the screen: lines that were cleared are gone.
fn screen(shown: &str) -> String {
    let mut left = String::new();
    for line in shown.split_inclusive('\n') {
        let drawn = line.rsplit(['\r']).next().unwrap_or_default();
        let mut text = String::new();
        let mut rest = drawn;
        while let Some((before, after)) = rest.split_once('\u{1b}') {
            text.push_str(before);
            let end = after.find(|letter: char| letter.is_ascii_alphabetic()).unwrap_or(after.len() - 1);
            if after[..=end].ends_with('K') {
                text.clear();
            }
            rest = &after[end + 1..];
        }
        left.push_str(&text);
        left.push_str(rest);
    }
    left
}

#[test]
fn stdout_and_stderr_stay_apart() {
    let ran = run("import sys\nprint('out')\nprint('err', file=sys.stderr)").expect_exit(0);
    assert_eq!(ran.stdout, "out\n");
    assert!(ran.stderr.ends_with("err\n"), "{}", ran.stderr);
}

#[test]
fn a_failed_program_is_5_and_a_refused_one_1() {
    let ran = run("print('before')\n1 / 0").expect_exit(5);
    assert_eq!(ran.stdout, "before\n");
    assert!(
        ran.stderr
            .ends_with("✗ ZeroDivisionError: division by zero\n  <program>:2\n  2 │ 1 / 0\n    │ ~~^~~\n"),
        "{}",
        ran.stderr
    );
    run("this is no Python").expect_exit(1);
}

#[test]
fn a_program_that_leaves_by_itself_says_why_and_no_more() {
    run("import sys\nsys.exit(0)").expect_exit(0);
    let ran = run("import sys\nsys.exit(3)").expect_exit(5);
    assert!(ran.stderr.ends_with("✗ The program left with status 3\n"), "{}", ran.stderr);
    let ran = run("import sys\nsys.exit('no data for 2025')").expect_exit(5);
    assert!(ran.stderr.ends_with("✗ no data for 2025\n"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("Traceback"), "{}", ran.stderr);
}

#[test]
fn a_failed_program_names_the_calls_that_took_effect() {
    let ran = run("await mcp__inventory__restock(product_id='P-01', quantity=1)\n1 / 0").expect_exit(5);
    assert!(
        ran.stderr.ends_with("~~^~~\n! Calls that had already succeeded: mcp__inventory__restock\n"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_program_out_of_time_is_8() {
    let ran = World::new()
        .run(&["run", "--timeout", "3s", "-c", "print('x')\nwhile True:\n    pass"])
        .expect_exit(8);
    assert_eq!(ran.stdout, "x\n");
    assert!(ran.stderr.ends_with(
            "✗ TimeoutError: Execution exceeded 3s limit\nhint: `--timeout 5m` gives the program more time; 10 minutes is the most\n"
        ), "{}", ran.stderr);
}

#[test]
fn a_value_that_a_later_one_replaced_is_said_to_be_gone() {
    let code = "emit(1)\nemit(2)";
    let gone = "emit() was called 2 times: the last value is the result, 1 earlier value is gone.";
    let ran = World::new().run(&["run", "-c", code]).expect_exit(0);
    assert_eq!(ran.stdout, "2\n");
    assert!(ran.stderr.contains(gone), "{}", ran.stderr);
    let ran = World::new().run(&["run", "--json", "-c", code]).expect_exit(0);
    assert_eq!(ran.json()["cuts"], serde_json::json!([gone]));
}

#[test]
fn json_has_everything_in_one_object() {
    let code = "print('x')\nemit({'b': 12345678901234567890123, 'a': 1.5})\nemit_image(b'\\0\\1\\2', 'image/png')\nawait mcp__weather__get_weather(city='Oslo')";
    let ran = World::new().run(&["run", "--samples", "--json", "-c", code]).expect_exit(0);
    assert!(ran.stdout.contains(r#""result":{"b": 12345678901234567890123, "a": 1.5}"#), "{}", ran.stdout);
    let json = ran.json();
    let keys: Vec<&String> = json.as_object().unwrap().keys().collect();
    let expected = [
        "ok",
        "run",
        "output",
        "truncated",
        "result",
        "media",
        "error",
        "ledger",
        "calls",
        "calls_omitted",
        "wall_ms",
    ];
    assert_eq!(keys, expected);
    let image = serde_json::json!([{ "type": "image", "mimeType": "image/png", "data": "AAEC" }]);
    assert_eq!(json["media"], image);
    assert_eq!(
        (&json["ok"], &json["output"], &json["error"]),
        (&true.into(), &"x\n".into(), &serde_json::Value::Null)
    );
    assert_eq!(json["calls"][0]["tool"], "mcp__weather__get_weather");
    assert_eq!(json["calls"][0]["verdict"], "valid");
    let failed =
        World::new().run(&["run", "--json", "-c", "print(1)\nraise ValueError('no')"]).expect_exit(5).json();
    assert_eq!((&failed["error"]["type"], &failed["error"]["line"]), (&"ValueError".into(), &2.into()));
    assert_eq!(failed["output"], "1\n");
}

#[test]
fn json_has_every_call_however_many() {
    let server = format!("m={} mock ok", binary().display());
    let code =
        "import asyncio\nawait asyncio.gather(*(mcp__m__echo(text=f'{n} ' + 'x' * 300) for n in range(400)))";
    let ran = World::new().run(&["run", "--json", "--server", &server, "-c", code]).expect_exit(0);
    let json = ran.json();
    let calls = json["calls"].as_array().unwrap();
    assert!(json["calls"].to_string().len() > 64 * 1024);
    assert_eq!((calls.len(), &json["calls_omitted"]), (400, &0.into()));
    let last = calls.last().unwrap()["args"].as_str().unwrap();
    assert!(last.starts_with(r#"{"text":"399 xxx"#), "{last}");
}

#[test]
fn a_trace_shows_the_calls_on_stderr() {
    let code = "await mcp__weather__get_weather(city='Oslo')\ntry:\n    await mcp__weather__get_weather(city='Atlantis')\nexcept ToolError:\n    pass\nprint('done')";
    let ran = World::new().run(&["run", "--samples", "--trace", "-c", code]).expect_exit(0);
    assert_eq!(ran.stdout, "done\n");
    assert!(ran.stderr.contains("Tool "), "{}", ran.stderr);
    assert!(
        ran.stderr.contains(r#"✓  weather/get_weather "#) && ran.stderr.contains(r#"  city: "Oslo""#),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains(r#"  city: "Atlantis" → failed"#), "{}", ran.stderr);
    assert!(ran.stderr.contains("✗ 2 calls, 1 failed · "), "{}", ran.stderr);
    assert!(ran.stderr.contains("  ✗ 'mcp__weather__get_weather' returned an error: "), "{}", ran.stderr);
}

#[test]
fn a_server_on_the_command_line_is_split_as_a_shell_would_and_run_by_none() {
    let world = World::new();
    let server = format!("m='{}' mock ok", binary().display());
    let ran =
        world.run(&["run", "--server", &server, "-c", "print(await mcp__m__add(a=1, b=2))"]).expect_exit(0);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("{'sum': 3}\n", ""));
    let server = format!("m={} mock ok; touch made", binary().display());
    world.run(&["run", "--server", &server, "-c", "await mcp__m__add(a=1, b=2)"]);
    assert!(!world.project().join("made").exists());
}

#[test]
fn a_server_that_fails_is_named_and_the_program_runs() {
    let code = "print((await server_status())['gone']['connected'])";
    let ran = World::new().run(&["run", "--server", "gone=/nowhere/at-all", "-c", code]).expect_exit(0);
    assert_eq!(ran.stdout, "False\n");
    assert!(
        ran.stderr.starts_with("warning: server `gone` can't be used: there is no program `/nowhere/at-all`"),
        "{}",
        ran.stderr
    );
}

#[test]
fn output_comes_while_the_program_runs() {
    let world = World::new();
    let mut running = Hanging::start(
        &world,
        &["run", "--server", "m=sh server.sh", "-c", "print('live')\nawait mcp__m__echo(text='x')"],
    );
    let mut line = String::new();
    BufReader::new(running.child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "live\n");
    assert_eq!(running.child.try_wait().unwrap(), None, "the program still runs");
    signal(&running.child, Signal::INT);
    assert_eq!(running.child.wait().unwrap().code(), Some(130));
    running.assert_server_ends();
}

#[test]
fn ctrl_c_ends_an_endless_program_and_its_servers() {
    for wanted in [Signal::INT, Signal::TERM] {
        let world = World::new();
        let code = "print(await server_status() != {})\nwhile True:\n    pass";
        let mut running = Hanging::start(&world, &["run", "--server", "m=sh server.sh", "-c", code]);
        let mut line = String::new();
        BufReader::new(running.child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "True\n");
        signal(&running.child, wanted);
        assert_eq!(running.child.wait().unwrap().code(), Some(130));
        let mut stderr = String::new();
        running.child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        assert_eq!(stderr, "error: interrupted\n");
        running.assert_server_ends();
    }
}

#[test]
fn a_closed_pipe_ends_the_program_quietly() {
    let world = World::new();
    let server = format!("m={} mock ok", binary().display());
    let mut child = world
        .command(&[
            "run",
            "--server",
            &server,
            "-c",
            "await mcp__m__add(a=1, b=1)\nwhile True:\n    print('y')",
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "y\n");
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!((child.wait().unwrap().code(), stderr.as_str()), (Some(0), ""));
}

#[test]
fn a_failed_program_is_shown_with_its_line_and_the_way_out() {
    let world = World::new();
    world.write("rates.csv", "1\n");
    world.write("report.py", "def load():\n    return open('rates.csv').read()\n\nprint(load())\n");
    let ran = world.run(&["run", "report.py"]).expect_exit(5);
    insta::assert_snapshot!(ran.stderr);
    world.write("wrong.py", "print(await mcp__weather__get_wether(city='Oslo'))\n");
    insta::assert_snapshot!(world.run(&["run", "--samples", "wrong.py"]).expect_exit(1).stderr);
    world.write("odd.py", "print('x'\n");
    insta::assert_snapshot!(world.run(&["run", "odd.py"]).expect_exit(1).stderr);
}

#[test]
fn a_timeline_is_a_page_with_every_call() {
    let world = World::new();
    let code = "await mcp__weather__get_weather(city='Oslo')\nawait mcp__weather__get_weather(city='Rome')";
    world.run(&["run", "--samples", "--timeline", "calls.html", "-c", code]);
    let page = std::fs::read_to_string(world.project().join("calls.html")).unwrap();
    assert_eq!(page.matches("class=\"bar ").count(), 2, "{page}");
    assert!(page.contains("\\\"city\\\":\\\"Oslo\\\"") && page.contains("celsius"), "{page}");
    let ran = world.run(&["run", "--timeline", "nowhere/calls.html", "-c", "1"]).expect_exit(1);
    assert!(
        ran.stderr.starts_with("error: cannot write the timeline to `nowhere/calls.html`"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_watched_program_runs_again_when_it_changes_and_ends_with_ctrl_c() {
    let world = World::new();
    world.write("program.py", "print('one')\n");
    let mut child = world
        .command(&["run", "--watch", "program.py"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert_eq!(lines.next().unwrap(), "one");
    let mut said = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert!(said.next().unwrap().contains("waiting for a change"));
    world.write("program.py", "1 / 0  # a mistake\n");
    assert!(said.next().unwrap().contains("program.py changed"));
    assert_eq!(said.next().unwrap(), "✗ ZeroDivisionError: division by zero");
    assert!(said.any(|line| line.contains("waiting for a change")));
    world.write("program.py", "print('three times')\n");
    assert_eq!(lines.next().unwrap(), "three times");
    signal(&child, Signal::INT);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let ran = World::new().run_with_input(&["run", "--watch", "-"], "print(1)").expect_exit(1);
    assert!(ran.stderr.starts_with("error: --watch needs a program in a file"), "{}", ran.stderr);
}

#[test]
fn a_watched_program_keeps_its_servers_until_it_needs_others() {
    let world = World::new();
    let server = format!("echo x >> started; exec '{}' sample weather", binary().display());
    let other = server.replace("started", "other").replace("sample weather", "sample tickets");
    let entry =
        |name: &str, server: &str| format!("  {name}:\n    command: sh\n    args: [\"-c\", {server:?}]\n");
    world.write("c.yaml", &format!("servers:\n{}{}", entry("one", &server), entry("two", &other)));
    let starts =
        |name: &str| std::fs::read_to_string(world.project().join(name)).unwrap_or_default().lines().count();
    let call = |city: &str| format!("print((await mcp__one__get_weather(city='{city}'))['city'])\n");
    world.write("program.py", &call("Oslo"));
    let mut child = world
        .command(&["run", "--config", "c.yaml", "--watch", "program.py"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut said = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert_eq!(lines.next().unwrap(), "Oslo");
    assert!(said.any(|line| line.contains("waiting for a change")));
    world.write("program.py", &format!("{}# again\n", call("Cairo")));
    assert_eq!(lines.next().unwrap(), "Cairo");
    assert_eq!((starts("started"), starts("other")), (1, 0));
    assert!(said.any(|line| line.contains("waiting for a change")));
    world.write("program.py", &format!("await mcp__two__list_tickets()\n{}", call("Berlin")));
    assert_eq!(lines.next().unwrap(), "Berlin");
    assert_eq!((starts("started"), starts("other")), (2, 1));
    signal(&child, Signal::INT);
    assert_eq!(child.wait().unwrap().code(), Some(130));
}
