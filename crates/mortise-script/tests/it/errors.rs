//! What a program's failure looks like to whoever reads it.

use mortise_script::FailureKind;

use crate::hosts::{fails, prints, program, run};

#[test]
fn a_traceback_has_the_programs_lines_with_carets() {
    let before = fails(
        "print('step 1')\ndef f(row):\n    return row['revenu'] + 1\nf({'revenue': 1})",
        "Traceback (most recent call last):\n  File \"<program>\", line 4, in <module>\n    f({'revenue': 1})\n    ~^^^^^^^^^^^^^^^^\n  \
         File \"<program>\", line 3, in f\n    return row['revenu'] + 1\n           ~~~^^^^^^^^^^\nKeyError: 'revenu'",
    );
    assert_eq!(before, "step 1\n");
}

#[test]
fn the_parts_of_an_error_are_there() {
    let error = run(program("x = 1\ny = x / 0")).error.unwrap();
    assert_eq!(error.kind, FailureKind::Exception);
    assert_eq!(
        (error.exception.as_str(), error.message.as_str(), error.line),
        ("ZeroDivisionError", "division by zero", Some(2))
    );
}

#[test]
fn frames_of_the_library_and_of_ours_are_hidden() {
    fails(
        "import json, asyncio\nasync def main():\n    json.loads('{')\nasyncio.run(main())",
        "Traceback (most recent call last):\n  File \"<program>\", line 4, in <module>\n    asyncio.run(main())\n    ~~~~~~~~~~~^^^^^^^^\n  \
         File \"<program>\", line 3, in main\n    json.loads('{')\n    ~~~~~~~~~~^^^^^\n\
         json.decoder.JSONDecodeError: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
    );
}

#[test]
fn a_program_that_prints_its_traceback_does_not_see_ours() {
    prints(
        "import traceback, logging\ntry:\n    await fail()\nexcept ToolError:\n    traceback.print_exc()\n    logging.exception('x')",
        "Traceback (most recent call last):\n  File \"<program>\", line 3, in <module>\n    await fail()\n\
         ToolError: 'fail' returned an error: no such row\nERROR:root:x\n\
         Traceback (most recent call last):\n  File \"<program>\", line 3, in <module>\n    await fail()\n\
         ToolError: 'fail' returned an error: no such row\n",
    );
}

#[test]
fn causes_are_shown() {
    fails(
        "try:\n    {}['x']\nexcept KeyError as e:\n    raise ValueError('bad row') from e",
        "Traceback (most recent call last):\n  File \"<program>\", line 2, in <module>\n    {}['x']\n    ~~^^^^^\nKeyError: 'x'\n\n\
         The above exception was the direct cause of the following exception:\n\n\
         Traceback (most recent call last):\n  File \"<program>\", line 4, in <module>\n    raise ValueError('bad row') from e\nValueError: bad row",
    );
}

#[test]
fn groups_are_shown() {
    fails(
        "import asyncio\nasync def bad(n):\n    raise ValueError(n)\nasync with asyncio.TaskGroup() as g:\n    g.create_task(bad(1))\n    g.create_task(bad(2))",
        "  + Exception Group Traceback (most recent call last):\n  |   File \"<program>\", line 4, in <module>\n  |     async with asyncio.TaskGroup() as g:\n  |                ~~~~~~~~~~~~~~~~~^^\n  \
         | ExceptionGroup: unhandled errors in a TaskGroup (2 sub-exceptions)\n  +-+---------------- 1 ----------------\n    \
         | Traceback (most recent call last):\n    |   File \"<program>\", line 3, in bad\n    |     raise ValueError(n)\n    | ValueError: 1\n    \
         +---------------- 2 ----------------\n    | Traceback (most recent call last):\n    |   File \"<program>\", line 3, in bad\n    |     raise ValueError(n)\n    | ValueError: 2\n    \
         +------------------------------------",
    );
}

#[test]
fn a_syntax_error_names_its_line() {
    let report = run(program("x = 1\ndef f(:\n    pass"));
    let error = report.error.unwrap();
    assert_eq!((error.kind, error.line), (FailureKind::Syntax, Some(2)));
    assert_eq!(
        error.traceback,
        "  File \"<program>\", line 2\n    def f(:\n          ^\nSyntaxError: invalid syntax"
    );
    let error = run(program("def f(")).error.unwrap();
    assert_eq!(
        (error.kind, error.message.as_str()),
        (FailureKind::Syntax, "'(' was never closed (<program>, line 1)")
    );
    let error = run(program("x = 'a\0b'")).error.unwrap();
    assert_eq!(error.exception, "SyntaxError");
}

#[test]
fn a_syntax_error_at_run_time_is_an_exception() {
    let error = run(program("eval('1 +')")).error.unwrap();
    assert_eq!(
        (error.kind, error.exception.as_str(), error.line),
        (FailureKind::Exception, "SyntaxError", Some(1))
    );
}

#[test]
fn a_forgotten_await_gets_a_hint() {
    fails(
        "rows = mcp__s__t(x=1)\nprint(rows['x'])",
        "Traceback (most recent call last):\n  File \"<program>\", line 2, in <module>\n    print(rows['x'])\n          ~~~~^^^^^\n\
         TypeError: 'coroutine' object is not subscriptable\nhint: tools are async functions: write `await mcp__server__tool(...)`",
    );
}

#[test]
fn what_a_library_raised_on_its_way_shows_no_lines_of_its_own() {
    for source in [
        // `fromisoformat`, `UUID` and `Fraction` fail inside of the library, some after catching an error there.
        "import json\njson.loads('{')",
        "import statistics\nstatistics.mean([])",
        "import configparser\nconfigparser.ConfigParser()['missing']",
        "import asyncio\nasync def slow():\n    await asyncio.sleep(60)\nawait asyncio.wait_for(slow(), 0.01)",
        "import asyncio\nasync with asyncio.timeout(0.01):\n    await asyncio.sleep(60)",
        "import asyncio\nasync def one():\n    await fail()\nasync with asyncio.TaskGroup() as group:\n    group.create_task(one())",
        "try:\n    await fail()\nexcept ToolError as error:\n    raise RuntimeError('again') from error",
        "import enum\nclass C(enum.Enum):\n    A = 1\nC('B')",
    ] {
        let traceback = run(program(source)).error.unwrap().traceback;
        let lines: Vec<&str> = traceback.lines().filter(|line| line.contains("File \"")).collect();
        assert!(!lines.is_empty(), "{source}: {traceback}");
        assert!(lines.iter().all(|line| line.contains("File \"<program>\"")), "{source}: {traceback}");
    }
}

#[test]
fn what_a_library_raised_and_caught_itself_is_left_out() {
    for (source, last) in [
        ("from zoneinfo import ZoneInfo\nZoneInfo('Mars/Base')", "'No time zone found with key Mars/Base'"),
        (
            "import urllib.request\nurllib.request.urlopen('http://example.com')",
            "<urlopen error programs have no network: call a tool instead, for example `await mcp__server__tool(...)`>",
        ),
    ] {
        let error = run(program(source)).error.unwrap();
        assert_eq!(error.message, last);
        assert!(
            error.traceback.starts_with("Traceback (most recent call last):\n  File \"<program>\", line 2"),
            "{}",
            error.traceback
        );
    }
    // What the program was handling stays, whatever the library did in between.
    let handling =
        "from zoneinfo import ZoneInfo\ntry:\n    {}['a']\nexcept KeyError:\n    ZoneInfo('Mars/Base')";
    let traceback = run(program(handling)).error.unwrap().traceback;
    assert!(traceback.contains("KeyError: 'a'\n\nDuring handling of the above exception"), "{traceback}");
    assert!(!traceback.contains("tzdata"), "{traceback}");
    let caught = "try:\n    await fail()\nexcept ToolError:\n    raise ValueError('again')";
    let traceback = run(program(caught)).error.unwrap().traceback;
    assert!(traceback.contains("no such row\n\nDuring handling of the above exception"), "{traceback}");
}

#[test]
fn what_a_program_replaces_is_its_own_affair() {
    prints(
        "import json, functools, builtins, asyncio, math, re, dataclasses, decimal\n\
         json.dumps = json.loads = json.JSONEncoder = json.JSONDecoder = None\n\
         asyncio.get_running_loop = asyncio.wait = asyncio.all_tasks = math.isfinite = re.sub = dataclasses.fields = None\n\
         print(await echo(a=[1, 2.5, 10**30], d=decimal.Decimal('1.10')))",
        "{'a': [1, 2.5, 1000000000000000000000000000000], 'd': 1.1}\n",
    );
    for (source, exception) in [
        ("import json\njson.dumps = None\n1/0", "ZeroDivisionError"),
        ("import traceback\ntraceback.format_exception = None\n1/0", "ZeroDivisionError"),
        ("import builtins\nbuiltins.isinstance = lambda *a: False\n1/0", "ZeroDivisionError"),
        ("import builtins\nbuiltins.repr = builtins.sorted = None\n1/0", "ZeroDivisionError"),
        ("import builtins\ndel builtins.str, builtins.Exception\n1/0", "ZeroDivisionError"),
    ] {
        let report = run(program(source));
        let error = report.error.unwrap();
        assert_eq!(error.exception, exception, "{source}: {}", error.traceback);
        assert!(!error.traceback.contains("<mortise>"), "{source}: {}", error.traceback);
        assert!(!report.output.contains("<mortise>"), "{source}: {}", report.output);
        assert_eq!(error.line, Some(u32::try_from(source.lines().count()).unwrap()), "{source}");
    }
}

#[test]
fn a_program_that_takes_itself_apart_shows_nothing_of_ours() {
    for source in [
        "import gc\nfor o in gc.get_objects():\n    if isinstance(o, dict) and 'report_end' in o:\n        o.clear()\n1/0",
        "import sys\nsys._getframe(1).f_globals['report_end'] = None\n1/0",
        "import sys\nsys._getframe(1).f_globals['write_report'] = None\n1/0",
    ] {
        let report = run(program(source));
        let error = report.error.unwrap();
        assert!(!error.traceback.contains("mortise"), "{source}: {}", error.traceback);
        assert!(!report.output.contains("mortise"), "{source}: {}", report.output);
    }
}

#[test]
fn texts_are_bounded() {
    let error = run(program("raise ValueError('x' * 10_000_000)")).error.unwrap();
    assert!(error.message.len() < 9_000 && error.traceback.len() < 9_000);
    assert!(error.message.contains("characters cut"));
    let error = run(program(
        "e = None\nfor i in range(100_000):\n    n = ValueError(i)\n    n.__context__ = e\n    e = n\nraise e",
    ))
    .error
    .unwrap();
    assert!(error.traceback.len() < 9_000);
    assert!(error.traceback.ends_with("ValueError: 99999"), "{}", error.traceback);
    let error = run(program(
        "e = ValueError('x')\nfor _ in range(2000):\n    e = ExceptionGroup('g', [e, e])\nraise e",
    ))
    .error
    .unwrap();
    assert_eq!(error.exception, "ExceptionGroup");
    assert!(error.traceback.len() < 9_000);
}

#[test]
fn exceptions_with_bad_manners_are_reported() {
    for source in [
        "class E(Exception):\n    def __str__(self):\n        raise ValueError\nraise E",
        "class E(Exception):\n    def __str__(self):\n        return 5\nraise E",
        "class E(BaseException):\n    pass\nraise E('x')",
        "class E(Exception):\n    __traceback__ = property(lambda self: 1/0)\nraise E",
        "raise KeyboardInterrupt",
        "raise GeneratorExit",
        "import asyncio\nraise asyncio.CancelledError('mine')",
        "raise StopIteration",
        "class M(type):\n    __name__ = property(lambda s: 1/0)\nclass E(Exception, metaclass=M):\n    pass\nraise E",
    ] {
        let report = run(program(source));
        assert!(report.error.is_some_and(|error| error.kind == FailureKind::Exception), "{source}");
    }
}

#[test]
fn a_program_that_breaks_the_library_still_ends() {
    for source in [
        "import traceback\ntraceback.format_exception = None\n1/0",
        "import json\njson.dumps = None\n1/0",
        "import sys\nsys.stdout = None\nprint('x')\n1/0",
        "import sys\ndel sys.modules['asyncio']\n1/0",
        "import builtins\nfor name in list(vars(builtins)):\n    if name not in ('__build_class__', 'delattr', 'list'):\n        delattr(builtins, name)\n1/0",
        "import gc\nfor o in gc.get_objects():\n    if isinstance(o, dict) and 'report_end' in o:\n        o.clear()\n1/0",
    ] {
        let report = run(program(source));
        assert!(report.error.is_some(), "{source}");
    }
}
