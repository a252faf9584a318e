//! What programs do not have says what to do instead.

use crate::hosts::{prints, program, run};

#[track_caller]
fn fails_with(source: &str, exception: &str, message: &str) {
    let error = run(program(source)).error.expect("it fails");
    assert_eq!((error.exception.as_str(), error.message.as_str()), (exception, message), "{source}");
}

const NETWORK: &str =
    "programs have no network: call a tool instead, for example `await mcp__server__tool(...)`";
const PROCESS: &str =
    "programs can't start processes: call a tool instead, for example `await mcp__server__tool(...)`";
const FILES: &str =
    "programs have no files: keep data in variables, get it from tools, print or emit results";

#[test]
fn packages_have_a_way_around_them() {
    let tables = "use lists and dicts with sum(), sorted(), collections and statistics";
    for (source, module, instead) in [
        ("import numpy as np", "numpy", tables),
        ("import pandas as pd", "pandas", tables),
        ("from pandas import DataFrame", "pandas", tables),
        ("import requests", "requests", NETWORK),
        ("import httpx", "httpx", NETWORK),
        ("import ssl", "ssl", NETWORK),
        ("import yaml", "yaml", "use json or tomllib"),
        ("import multiprocessing", "multiprocessing", "use asyncio.gather for tool calls"),
        ("import ctypes", "ctypes", "programs see no machine"),
        ("import left_pad", "left_pad", "programs have the standard library and their tools, no packages"),
        ("import dbm", "dbm", "this part of the standard library is not included"),
        (
            "import mcp__s__t",
            "mcp__s__t",
            "tools need no import: they are functions of the program, `await mcp__server__tool(...)`",
        ),
    ] {
        fails_with(source, "ModuleNotFoundError", &format!("No module named '{module}': {instead}"));
    }
}

#[test]
fn optional_imports_work_as_usual() {
    prints(
        "try:\n    import numpy as np\nexcept ImportError:\n    np = None\nimport importlib.util\n\
         print(np, importlib.util.find_spec('pandas'), importlib.util.find_spec('json').name)",
        "None None json\n",
    );
}

#[test]
fn a_missing_name_in_a_module_keeps_its_own_error() {
    let error = run(program("from json import nothing")).error.unwrap();
    assert_eq!(error.exception, "ImportError");
    fails_with("import json.nothing", "ModuleNotFoundError", "No module named 'json.nothing'");
}

#[test]
fn there_is_no_network() {
    fails_with("import socket\nsocket.socket()", "ConnectionError", NETWORK);
    fails_with("import socket\nsocket.create_connection(('1.1.1.1', 443))", "ConnectionError", NETWORK);
    fails_with("import socket\nsocket.getaddrinfo('example.com', 443)", "ConnectionError", NETWORK);
    fails_with(
        "import asyncio\nawait asyncio.open_connection('example.com', 80)",
        "ConnectionError",
        NETWORK,
    );
    fails_with(
        "import urllib.request\nurllib.request.urlopen('https://example.com')",
        "URLError",
        &format!("<urlopen error {NETWORK}>"),
    );
    fails_with(
        "import http.client\nhttp.client.HTTPSConnection('example.com').request('GET', '/')",
        "ConnectionError",
        NETWORK,
    );
}

#[test]
fn there_are_no_processes() {
    fails_with("import subprocess\nsubprocess.run(['ls'])", "OSError", PROCESS);
    fails_with("import os\nos.system('ls')", "OSError", PROCESS);
    fails_with("import os\nos.fork()", "OSError", PROCESS);
    fails_with("import asyncio\nawait asyncio.create_subprocess_exec('ls')", "OSError", PROCESS);
}

#[test]
fn there_are_no_files() {
    fails_with(
        "open('a.csv')",
        "FileNotFoundError",
        &format!("[Errno 44] No such file or directory ({FILES}): 'a.csv'"),
    );
    fails_with(
        "import pathlib\npathlib.Path('a').read_text()",
        "FileNotFoundError",
        &format!("[Errno 44] No such file or directory ({FILES}): 'a'"),
    );
    fails_with(
        "open('a.csv', 'w')",
        "OSError",
        &format!("[Errno 69] Read-only file system ({FILES}): 'a.csv'"),
    );
    fails_with(
        "import tempfile\ntempfile.TemporaryFile()",
        "FileNotFoundError",
        &format!("[Errno 2] No usable temporary directory ({FILES})"),
    );
    fails_with(
        "import sqlite3\nsqlite3.connect('x.db')",
        "OperationalError",
        &format!("unable to open database file ({FILES}; ':memory:' works)"),
    );
    prints("import sqlite3\nprint(sqlite3.connect(':memory:').execute('select 1 + 1').fetchone())", "(2,)\n");
}

#[test]
fn nobody_answers_input() {
    fails_with(
        "x = input('how many? ')",
        "EOFError",
        "input() has nothing to read: nobody is there to answer. Put the values into the program.",
    );
    prints("import sys\nprint(repr(sys.stdin.read()), list(sys.stdin))", "'' []\n");
    fails_with(
        "breakpoint()",
        "RuntimeError",
        "breakpoint() is not available: nobody is there to debug. Use print.",
    );
}
