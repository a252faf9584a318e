use crate::format::ErrorCode;

use super::*;

const EXTRACT: &str = "def extract(path: str) -> dict:\n    return {'a': path}\n";

#[track_caller]
fn check_extractor_error(source: &str, code: ErrorCode, line: u32, reason: &str) {
    let error = check_extractor(source).expect_err("must be refused");
    assert_eq!((error.error_code, error.line, error.reason.as_str()), (code, Some(line), reason), "{source}");
}

#[track_caller]
fn check_forbidden(line: &str, expected: Option<&str>) {
    let module = Module::parse(&format!("{line}\n{EXTRACT}")).expect("parses");
    let found = module.forbidden_in_extractor();
    assert_eq!(found.first().map(|error| error.reason.as_str()), expected, "{line}");
    assert!(
        found.iter().all(|error| error.line == Some(1) && error.error_code == ErrorCode::PythonForbidden)
    );
}

fn bridge(source: &str) -> BridgeReport {
    Module::parse(source).expect("parses").check_bridge(&BridgeOptions::default())
}

#[track_caller]
fn check_bridge_error(source: &str, field: &str, line: u32, reason: &str) {
    let report = bridge(source);
    let error = report.errors.first().expect("must be refused");
    assert_eq!(
        (error.error_code, error.field.as_deref(), error.line, error.reason.as_str()),
        (ErrorCode::BridgeProtocol, Some(field), Some(line), reason),
        "{source}"
    );
}

#[test]
fn each_fault_of_an_extractor_has_its_own_code_and_line() {
    use ErrorCode::{PythonForbidden, PythonSignature, PythonSyntax};
    check_extractor_error(
        &format!("import re\nimport subprocess\n{EXTRACT}"),
        PythonForbidden,
        2,
        "the import of `subprocess` is not allowed",
    );
    check_extractor_error(
        "def extract(path):\n    return eval(path)\n",
        PythonForbidden,
        2,
        "`eval` is not allowed",
    );
    let error = check_extractor("def extract(path):\n    return dict(a=(1, 2\n").expect_err("unclosed");
    assert_eq!(error.error_code, PythonSyntax);
    assert!(error.line.is_some() && error.column.is_some());
    check_extractor_error("x = 1\n", PythonSignature, 1, "there is no function `extract`");
    check_extractor_error(
        "def extract(path, root):\n    return {}\n",
        PythonSignature,
        1,
        "`extract` takes 2 required parameters; expected 1",
    );
    check_extractor_error(
        "def extract(path):\n    x = {}\n",
        PythonSignature,
        1,
        "`extract` never returns a value",
    );
    check_extractor_error(
        "def outer():\n    def extract(path):\n        return {}\n",
        PythonSignature,
        2,
        "`extract` on line 2 is not at the top of the module",
    );
    check_extractor_error(
        "async def extract(path):\n    return {}\n",
        PythonSignature,
        1,
        "`extract` is async",
    );
    check_extractor_error(
        "def extract(path):\n    yield {}\n",
        PythonSignature,
        1,
        "`extract` yields; expected a returned value",
    );
    check_extractor_error(
        "def extract(path, *, root):\n    return {}\n",
        PythonSignature,
        1,
        "`extract` requires the keyword `root`",
    );
}

#[test]
fn only_values_that_are_reached_count() {
    let fails = [
        "raise ValueError\n    return {}",
        "return None",
        "return",
        "if False:\n        return {}",
        "def f():\n        return 1",
    ];
    for body in fails {
        let module = Module::parse(&format!("def extract(path):\n    {body}\n")).expect("parses");
        assert!(module.check_extract().is_err(), "{body}");
    }
    let passes = [
        "if path:\n        return {}",
        "try:\n        pass\n    except ValueError:\n        return {}",
        "with path:\n        return {}",
        "match path:\n        case _:\n            return {}",
        "for x in path:\n        continue\n    return {}",
    ];
    for body in passes {
        let module = Module::parse(&format!("def extract(path, root=None, *rest, **more):\n    {body}\n"))
            .expect("parses");
        assert!(module.check_extract().is_ok(), "{body}");
    }
}

#[test]
fn what_only_takes_paths_apart_is_allowed() {
    for line in [
        "import re; x = re.compile('a')",
        "import os; x = os.path.join(os.sep, 'a')",
        "from os import path",
        "import os.path",
        "from urllib import parse",
        "from urllib.parse import unquote",
        "from collections.abc import Mapping",
        "from __future__ import annotations",
        "x = __name__",
        "x = getattr(x, 'name')",
        "compile = 1",
        "x = 'eval(os.system)'",
        "# import subprocess",
    ] {
        check_forbidden(line, None);
    }
}

#[test]
fn what_reaches_further_is_forbidden() {
    let os = |name: &str| format!("`os.{name}` is not allowed");
    check_forbidden("import os; os.system('x')", Some(&os("system")));
    check_forbidden("import os as o; o.remove('x')", Some(&os("remove")));
    for (line, reason) in [
        ("from os import system", "the import of `os.system` is not allowed"),
        ("import urllib.request", "the import of `urllib.request` is not allowed"),
        ("import urllib", "the import of `urllib` is not allowed"),
        ("import ossified", "the import of `ossified` is not allowed"),
        ("from . import x", "a relative import is not allowed"),
        ("from pathlib import os", "the import of `pathlib.os` is not allowed"),
        ("import pathlib; pathlib.os.system('x')", "the module `os` behind another is not allowed"),
        ("x = open('a')", "`open` is not allowed"),
        ("f = exec", "`exec` is not allowed"),
        ("__import__('os')", "`__import__` is not allowed"),
        ("x = ().__class__", "the attribute `__class__` is not allowed"),
        ("x = __builtins__", "`__builtins__` is not allowed"),
        ("getattr(x, '__class__')", "`getattr` with anything but a plain name is not allowed"),
        ("getattr(x, y)", "`getattr` with anything but a plain name is not allowed"),
        ("x = f'{().__class__}'", "the attribute `__class__` is not allowed"),
        ("if 0: import socket", "the import of `socket` is not allowed"),
    ] {
        check_forbidden(line, Some(reason));
    }
}

const PARSER: &str = "import csv\nTOPIC = \"orders\"\nSINK: str = \"parquet\"\ndef parse(file_path: str):\n    with open(file_path, newline='') as file:\n        yield from csv.DictReader(file)\n";

#[test]
fn a_parser_that_keeps_the_protocol_is_found_whole() {
    let report = bridge(PARSER);
    assert_eq!(report.error(), None);
    assert_eq!((report.topic.as_deref(), report.sink.as_deref()), (Some("orders"), Some("parquet")));
    assert_eq!((report.warnings, report.foreign_modules), (Vec::new(), Vec::<String>::new()));
}

#[test]
fn only_real_assignments_at_the_top_count() {
    let parser = |topic: &str| PARSER.replace("TOPIC = \"orders\"", topic);
    check_bridge_error(
        &parser("# TOPIC = \"orders\""),
        "TOPIC",
        1,
        "`TOPIC` is not set at the top of the module",
    );
    check_bridge_error(
        &parser("x = 'TOPIC = \"orders\"'"),
        "TOPIC",
        1,
        "`TOPIC` is not set at the top of the module",
    );
    check_bridge_error(
        &parser("if 1: TOPIC = \"orders\""),
        "TOPIC",
        1,
        "`TOPIC` is not set at the top of the module",
    );
    check_bridge_error(&parser("TOPIC = TOPIC = 'a'; TOPIC = 'b'"), "TOPIC", 2, "`TOPIC` is set 2 times");
    check_bridge_error(&parser("TOPIC = 'a' + 'b'"), "TOPIC", 2, "`TOPIC` is not a plain text");
    check_bridge_error(&parser("TOPIC, x = 'a', 'b'"), "TOPIC", 2, "`TOPIC` is not a plain text");
    check_bridge_error(
        &parser("TOPIC = 'My Orders'"),
        "TOPIC",
        2,
        "`TOPIC` is `My Orders`; expected lower-case letters, digits and `_`, a letter first",
    );
    let sink = PARSER.replace("\"parquet\"", "\"xml\"");
    check_bridge_error(&sink, "SINK", 3, "`SINK` is `xml`; expected `parquet`, `sqlite` or `csv`");
}

#[test]
fn parse_stands_at_the_top_and_is_plain() {
    let head = "TOPIC = 'a'\nSINK = 'csv'\n";
    let check = |parse: &str, line: u32, reason: &str| {
        check_bridge_error(&format!("{head}{parse}"), "parse", line, reason)
    };
    check(
        "def f():\n    def parse(file_path: str):\n        return []\n",
        4,
        "`parse` on line 4 is not at the top of the module",
    );
    check("async def parse(file_path: str):\n    return []\n", 3, "`parse` is async");
    check("def parse():\n    return []\n", 3, "`parse` takes 0 required parameters; expected 1");
    check("def parse(file_path: str):\n    pass\n", 3, "`parse` never returns a value");
    check("x = 1\n", 1, "there is no function `parse`");
    let report = bridge(&format!("{head}def parse(p):\n    return []\n"));
    assert_eq!(report.warnings[0].message, "`parse` takes `p`; the usual name is `file_path`");
    let report = bridge(&format!("{head}def parse(file_path):\n    return []\n"));
    assert_eq!(report.warnings[0].message, "`parse` takes `file_path` without `: str`");
}

#[test]
fn the_older_class_is_accepted_with_a_warning() {
    let report = bridge(
        "class Handler:\n    TOPIC = 'a'\n    SINK = 'csv'\n    def parse(self, file_path):\n        return []\n",
    );
    assert!(report.is_valid());
    assert_eq!(report.warnings[0].code, "WARN_HANDLER_CLASS");
}

#[test]
fn parsers_open_files_for_reading_only() {
    let with = |line: &str| bridge(&format!("{PARSER}{line}\n")).forbidden;
    assert_eq!(with("def f(p): return open(p, 'rb')"), []);
    assert_eq!(with("class E(ValueError):\n    def __init__(self):\n        super().__init__('x')"), []);
    for line in [
        "def f(p): return open(p, 'w')",
        "def f(p): return open(p, mode='a')",
        "f = open",
        "def f(p, m): return open(p, m)",
        "import socket",
    ] {
        assert_eq!(with(line).len(), 1, "{line}");
    }
    let polars = bridge(&format!("import polars as pl\nfrom numpy.typing import X\n{PARSER}"));
    assert_eq!(polars.forbidden, []);
    assert_eq!(polars.foreign_modules, ["polars", "numpy"]);
    let options = BridgeOptions { extra_imports: vec!["lxml".to_owned()] };
    let module = Module::parse(&format!("import lxml.etree\n{PARSER}")).expect("parses");
    assert_eq!(module.check_bridge(&options).forbidden, []);
    assert_eq!(module.check_bridge(&options).foreign_modules, ["lxml"]);
    let names = ["zoneinfo", "json.decoder", "subprocess", "os"].map(str::to_owned).to_vec();
    let options = BridgeOptions { extra_imports: names };
    let code = format!("import zoneinfo\nimport json.decoder\nimport subprocess\nimport os\n{PARSER}");
    let report = Module::parse(&code).expect("parses").check_bridge(&options);
    assert_eq!(report.forbidden, []);
    assert_eq!(report.foreign_modules, ["subprocess", "os"]);
}

#[test]
fn the_version_follows_from_the_syntax() {
    let version = |source: &str| Module::parse(source).expect("parses").min_version();
    assert_eq!(version("x = 1\n"), Version(3, 10));
    assert_eq!(version("match x:\n    case 1: pass\n"), Version(3, 10));
    assert_eq!(version("try:\n    pass\nexcept* ValueError:\n    pass\n"), Version(3, 11));
    assert_eq!(version("type X = int\n"), Version(3, 12));
    assert_eq!(version("x = t'{1}'\n"), Version(3, 14));
}

#[test]
fn fences_marks_and_carriage_returns_are_taken_away() {
    let module = Module::parse("\u{feff}```python\r\nx = 1\r\n```\r\n").expect("parses");
    assert_eq!(module.text(), "x = 1\n");
}

#[test]
fn columns_count_characters() {
    let error = Module::parse("x = 'ä'; y = = 1\n").expect_err("syntax");
    assert_eq!((error.line, error.column), (Some(1), Some(14)));
}

#[test]
fn towers_are_refused_and_what_people_write_is_not() {
    for (source, expected) in [
        ("x = [1, 2, 3]\n".repeat(1000), true),
        (format!("x = [{}]\n", "{'a': 1, 'b': [2, 3]}, ".repeat(1000)), true),
        (format!("x = {}\n", vec!["y"; 100].join(" + ")), true),
        (format!("x = {}\n", vec!["y"; 10_000].join(" + ")), false),
        (format!("x = {}1{}\n", "(".repeat(10_000), ")".repeat(10_000)), false),
        (format!("x = y{}\n", ".z()".repeat(10_000)), false),
        (format!("x = {}y\n", "not ".repeat(10_000)), false),
        (format!("x = {}y\n", "lambda: ".repeat(10_000)), false),
        (format!("x = {}y\n", "-".repeat(10_000)), false),
    ] {
        assert_eq!(Module::parse(&source).is_ok(), expected, "{}", &source[..40.min(source.len())]);
    }
    // The assignment is a level too.
    let nested = |levels: usize| format!("x = {}1{}\n", "(".repeat(levels), ")".repeat(levels));
    assert!(Module::parse(&nested(MAX_LEVELS - 1)).is_ok());
    assert!(Module::parse(&nested(MAX_LEVELS)).is_err());
    assert!(Module::parse(&"x\n".repeat(MAX_SOURCE_BYTES / 2)).is_ok());
    assert!(Module::parse(&"x\n".repeat(MAX_SOURCE_BYTES / 2 + 1)).is_err());
}

#[test]
fn edits_are_made_in_place_and_refused_where_they_overlap() {
    let source = "\"\"\"Doc.\"\"\"\nimport csv\n\nCOLUMNS = {\n    \"a\": (int, False),\n    'b\\n': str,\n}\n\n\ndef to_x(v):\n    return v\n";
    let module = Module::parse(source).expect("parses");
    let table = module.table("COLUMNS").expect("a table");
    let keys: Vec<(&str, u32)> = table.iter().map(|entry| (entry.key.as_str(), entry.line)).collect();
    assert_eq!(keys, [("a", 5), ("b\n", 6)]);
    assert_eq!(&source[table[1].value.clone()], "str");
    assert!(table[1].items.is_empty());
    assert_eq!(&source[module.functions()[0].range.clone()], "def to_x(v):\n    return v");
    let end = module.imports_end();
    let edits = vec![
        SourceEdit { range: table[0].items[1].clone(), text: "True".to_owned() },
        SourceEdit { range: end..end, text: "import re\n".to_owned() },
    ];
    let edited = module.edited(edits).expect("no overlap");
    assert!(edited.contains("import csv\nimport re\n") && edited.contains("\"a\": (int, True)"));
    let twice = vec![
        SourceEdit { range: 0..5, text: String::new() },
        SourceEdit { range: 3..6, text: String::new() },
    ];
    assert_eq!(module.edited(twice), None);
    assert_eq!(module.edited(vec![SourceEdit { range: 0..10_000, text: String::new() }]), None);
    assert_eq!(Module::parse("COLUMNS = {**x}\n").expect("parses").table("COLUMNS"), None);
}
