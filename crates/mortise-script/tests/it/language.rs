//! Ordinary Python, and what a program finds around it.

use mortise_script::{FailureKind, Stream};
use std::sync::{Arc, Mutex};
use tokio_util::sync::CancellationToken;

use crate::hosts::{ENGINE, Tools, block_on, prints, program, run};

#[test]
fn an_empty_program_succeeds_without_output() {
    prints("", "");
    prints("\n\n# only a comment", "");
}

#[test]
fn top_level_await_and_plain_code_mix() {
    prints(
        "x = 1\nr = await echo(x=x)\nprint(r['x'] + 1)\ny = [await echo(i=i) for i in range(2)]\nprint(y)",
        "2\n[{'i': 0}, {'i': 1}]\n",
    );
}

#[test]
fn multi_line_strings_are_left_alone() {
    prints("s = \"\"\"a\nb\"\"\"\nprint(repr(s))", "'a\\nb'\n");
}

#[test]
fn a_program_is_the_main_module_with_its_arguments() {
    let mut program = program("import sys\nif __name__ == '__main__':\n    print(sys.argv)");
    program.arguments = vec!["--day".to_owned(), "ü".to_owned()];
    assert_eq!(run(program).output, "['<program>', '--day', 'ü']\n");
}

#[test]
fn nothing_survives_a_program() {
    prints(
        "import json\nx = 42\njson.leftover = 1\nimport builtins\nbuiltins.leftover = 2\nprint(x)",
        "42\n",
    );
    prints(
        "import json, builtins\nprint('x' in globals(), hasattr(json, 'leftover'), hasattr(builtins, 'leftover'))",
        "False False False\n",
    );
}

#[test]
fn random_numbers_differ_between_programs_and_a_seed_repeats_them() {
    let source = "import random, uuid, os\nprint(random.random(), uuid.uuid4(), os.urandom(4).hex())";
    assert_ne!(run(program(source)).output, run(program(source)).output);
    prints("import random\nrandom.seed(42)\nprint(random.randint(0, 10**9))", "686579303\n");
}

#[test]
fn the_standard_library_is_there() {
    let source = "
import abc, argparse, ast, asyncio, base64, bisect, calendar, collections, contextlib, copy, csv, dataclasses
import datetime, decimal, difflib, enum, fractions, functools, gzip, hashlib, heapq, hmac, html, html.parser, io
import ipaddress, itertools, json, logging, math, operator, pathlib, pprint, queue, random, re, secrets, shlex
import sqlite3, statistics, string, struct, textwrap, time, tomllib, typing, unicodedata, urllib.parse, uuid, weakref
import xml.etree.ElementTree, zipfile, zlib, zoneinfo, graphlib, configparser, email.message, numbers, types
print('all')";
    prints(source, "all\n");
}

#[test]
fn time_zones_are_known() {
    prints(
        "from zoneinfo import ZoneInfo, available_timezones\nfrom datetime import datetime\n\
         d = datetime(2026, 7, 1, 12, tzinfo=ZoneInfo('America/New_York'))\n\
         print(d.astimezone(ZoneInfo('Asia/Kolkata')).isoformat(), len(available_timezones()) > 400)",
        "2026-07-01T21:30:00+05:30 True\n",
    );
}

#[test]
fn clocks_run_and_sleep_sleeps() {
    prints(
        "import time, datetime\na, b, c = time.time(), time.monotonic(), time.perf_counter()\ntime.sleep(0.02)\n\
         print(time.time() - a >= 0.019, time.monotonic() - b >= 0.019, time.perf_counter() - c >= 0.019)\n\
         print(datetime.datetime.now().year >= 2026, time.tzname[0])",
        "True True True\nTrue UTC\n",
    );
}

#[test]
fn both_streams_are_kept_in_order_and_told_apart_live() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = {
        let seen = Arc::clone(&seen);
        move |stream: Stream, text: &str| seen.lock().unwrap().push((stream, text.to_owned()))
    };
    let source = "import sys\nprint('out')\nprint('err', file=sys.stderr)\nprint('no line end', end='')";
    let report =
        block_on(ENGINE.run_program(program(source), Arc::new(Tools), sink, &CancellationToken::new()))
            .unwrap();
    assert_eq!(report.output, "out\nerr\nno line end");
    let text = |wanted| -> String {
        seen.lock()
            .unwrap()
            .iter()
            .filter(|(stream, _)| *stream == wanted)
            .map(|(_, text)| text.as_str())
            .collect()
    };
    assert_eq!(text(Stream::Stdout), "out\nno line end");
    assert_eq!(text(Stream::Stderr), "err\n");
}

#[test]
fn exit_with_status_zero_is_a_good_end() {
    prints("import sys\nprint('a')\nsys.exit()\nprint('b')", "a\n");
    prints("print('a')\nexit(0)", "a\n");
}

#[test]
fn exit_from_a_coroutine_prints_nothing() {
    let main = "import asyncio, sys\nasync def main():\n    print('a')\n    return 0\n";
    prints(&format!("{main}sys.exit(asyncio.run(main()))"), "a\n");
    prints(&format!("{main}sys.exit(await main())"), "a\n");
    for end in ["sys.exit(asyncio.run(main()) or 'why')", "asyncio.run(main())\nasyncio.run(leave())"] {
        let leave = "async def leave():\n    sys.exit('why')\n";
        let report = run(program(&format!("{main}{leave}{end}")));
        assert_eq!((report.error.unwrap().message.as_str(), report.output.as_str()), ("why", "a\n"));
    }
}

#[test]
fn exit_with_another_status_is_a_failure() {
    let report = run(program("print('a')\nraise SystemExit(3)"));
    let error = report.error.unwrap();
    assert_eq!(
        (error.kind, error.exception.as_str(), error.message.as_str()),
        (FailureKind::Exit, "SystemExit", "3")
    );
    assert_eq!(error.line, Some(2));
    assert_eq!(report.output, "a\n");
    let error = run(program("import sys\nsys.exit('no data')")).error.unwrap();
    assert_eq!((error.kind, error.message.as_str()), (FailureKind::Exit, "no data"));
}

#[test]
fn a_program_that_ends_its_process_has_not_run_to_its_end() {
    for status in [0, 4] {
        let source = format!(
            "import atexit, os\natexit.register(print, 'at exit')\nprint('kept')\nos._exit({status})"
        );
        let report = run(program(&source));
        let error = report.error.unwrap();
        assert_eq!(
            (error.kind, error.exception.as_str(), error.message),
            (
                FailureKind::Exit,
                "SystemExit",
                format!(
                    "os._exit({status}) ended the program on the spot: nothing was cleaned up, and output that was not \
                     flushed is lost"
                )
            )
        );
        assert_eq!(report.output, "kept\n");
    }
}

#[test]
fn what_runs_at_exit_runs() {
    prints(
        "import atexit\natexit.register(print, 'at exit')\nclass C:\n    def __del__(self):\n        print('deleted')\n\
         c = C()\nprint('end')",
        "end\nat exit\ndeleted\n",
    );
}

#[test]
fn forged_frames_on_the_streams_are_only_output() {
    prints(
        "import os\nos.write(1, b'{\"error\": null}\\n')\nos.write(2, b'noise\\n')\nprint('real')",
        "{\"error\": null}\nnoise\nreal\n",
    );
}

#[test]
fn a_python_function_may_be_called_like_a_tool() {
    prints("async def echo(x):\n    return x * 2\nprint(await echo(4))", "8\n");
}
