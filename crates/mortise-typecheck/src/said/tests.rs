//! Each part is provoked from the real ty.

use ruff_db::parsed::parsed_module;
use ty_python_semantic::types::Type;
use ty_python_semantic::{Db as _, HasType as _, SemanticModel, check_file_unwrap, default_lint_registry};

use super::{lint, sentence, shown};
use crate::database::Database;

/// What ty says of a program: the name of the rule and the sentence.
fn said(source: &str) -> Vec<(String, String)> {
    let mut database = Database::new();
    let file = database.write_program(source);
    let diagnostics = check_file_unwrap(&database, database.program_file(file));
    let said = diagnostics
        .iter()
        .map(|diagnostic| (diagnostic.id().as_str().to_owned(), diagnostic.concise_message().to_string()));
    said.collect()
}

/// Where ty finds fault: the name of the rule and the text of the place.
fn places(source: &str) -> Vec<(String, String)> {
    let mut database = Database::new();
    let file = database.write_program(source);
    let diagnostics = check_file_unwrap(&database, database.program_file(file));
    let place = |diagnostic: &ruff_db::diagnostic::Diagnostic| {
        let range = diagnostic.range().unwrap();
        (diagnostic.id().as_str().to_owned(), source[range].to_owned())
    };
    diagnostics.iter().map(place).collect()
}

/// How ty shows the type of the expression that ends a program, or the function that ends it.
fn shows(source: &str) -> String {
    let mut database = Database::new();
    let file = database.write_program(source);
    let program = database.program_file(file);
    let parsed = parsed_module(&database, program.python_file(&database)).load(&database);
    let model = SemanticModel::new(&database, program);
    let mut statement = parsed.suite().last().unwrap();
    while let Some(inner) = statement
        .as_function_def_stmt()
        .map(|function| &function.body)
        .or(statement.as_if_stmt().map(|choice| &choice.body))
    {
        statement = inner.last().unwrap();
    }
    let value = &statement.as_expr_stmt().unwrap().value;
    let found: Type<'_> = value.inferred_type(&model).unwrap();
    found.display(&database, &model.program_environment()).to_string()
}

#[track_caller]
fn check(source: &str, rule: &str, parts: &[&str]) {
    let said = said(source);
    let has =
        |(id, sentence): &(String, String)| id == rule && parts.iter().all(|part| sentence.contains(part));
    assert!(said.iter().any(has), "{source}\nwanted {rule} {parts:?}\nfound {said:#?}");
}

#[test]
fn ty_has_the_rules_that_are_named() {
    for rule in [
        lint::CALL_NON_CALLABLE,
        lint::INDEX_OUT_OF_BOUNDS,
        lint::INVALID_ARGUMENT_TYPE,
        lint::INVALID_ASSIGNMENT,
        lint::INVALID_AWAIT,
        lint::INVALID_CONTEXT_MANAGER,
        lint::INVALID_KEY,
        lint::INVALID_PARAMETER_DEFAULT,
        lint::INVALID_RETURN_TYPE,
        lint::MISSING_ARGUMENT,
        lint::MISSING_TYPED_DICT_KEY,
        lint::NOT_ITERABLE,
        lint::NOT_SUBSCRIPTABLE,
        lint::NO_MATCHING_OVERLOAD,
        lint::PARAMETER_ALREADY_ASSIGNED,
        lint::POSSIBLY_MISSING_ATTRIBUTE,
        lint::POSSIBLY_UNRESOLVED_REFERENCE,
        lint::TOO_MANY_POSITIONAL_ARGUMENTS,
        lint::UNKNOWN_ARGUMENT,
        lint::UNRESOLVED_ATTRIBUTE,
        lint::UNRESOLVED_IMPORT,
        lint::UNRESOLVED_REFERENCE,
        lint::UNSUPPORTED_OPERATOR,
        lint::UNUSED_AWAITABLE,
    ] {
        assert!(default_lint_registry().get(rule).is_ok(), "{rule}");
    }
}

#[test]
fn ty_says_what_rules_match() {
    use sentence::{EXPECTED, FOUND, FUTURE, MODULE, NO_MEMBER, NO_MODULE, OUTSIDE};
    let rows = [
        ("import nope\n", lint::UNRESOLVED_IMPORT, vec![NO_MODULE]),
        ("from typing import nope\n", lint::UNRESOLVED_IMPORT, vec![MODULE, NO_MEMBER]),
        ("import math\nmath.nope\n", lint::UNRESOLVED_ATTRIBUTE, vec![MODULE, NO_MEMBER]),
        ("def f(x: int): ...\nf('a')\n", lint::INVALID_ARGUMENT_TYPE, vec![EXPECTED, FOUND]),
        ("def f():\n    await x\n", lint::INVALID_SYNTAX, vec![OUTSIDE, "await"]),
        ("def f():\n    async with x: ...\n", lint::INVALID_SYNTAX, vec![OUTSIDE, "async"]),
        ("x = 1\nfrom __future__ import annotations\n", lint::INVALID_SYNTAX, vec![FUTURE]),
    ];
    for (source, rule, parts) in rows {
        check(source, rule, &parts);
    }
    let puts = [
        "def f(rows: list[int]): rows.append('a')\n",
        "from collections import deque\ndef f(rows: deque[int]): rows.append('a')\n",
    ];
    for (source, part) in puts.into_iter().zip(sentence::PUTS) {
        check(source, lint::INVALID_ARGUMENT_TYPE, &[part]);
    }
}

#[test]
fn ty_says_of_right_programs_what_is_dropped() {
    let rows = [
        ("import re\nre.match('a', 'b')[0]\n", lint::NOT_SUBSCRIPTABLE),
        ("import re\nre.match('a', 'b').group()\n", lint::UNRESOLVED_ATTRIBUTE),
        ("def f(x: int | Exception): x + 1\n", lint::UNSUPPORTED_OPERATOR),
        (
            "from typing import TypedDict\nclass A(TypedDict):\n    a: int\ndef f(x: A): x['b']\n",
            lint::INVALID_KEY,
        ),
        ("def f(x: list[int]): x + 1\n", lint::UNSUPPORTED_OPERATOR),
        ("def f(x: object): x + 1\n", lint::UNSUPPORTED_OPERATOR),
    ];
    for ((source, rule), part) in rows.into_iter().zip(sentence::IDIOMS) {
        check(source, rule, &[part]);
    }
}

#[test]
fn ty_puts_findings_where_rules_look() {
    let rows = [
        ("[1]['a']\n", lint::INVALID_ARGUMENT_TYPE, "[1]"),
        ("def f(): ...\nf.count = 1\n", lint::UNRESOLVED_ATTRIBUTE, "f.count"),
        ("def f(x: tuple[int, int]):\n    del x[0]\n", lint::NOT_SUBSCRIPTABLE, "x[0]"),
        ("def f(): ...\nf(x=1)\n", lint::UNKNOWN_ARGUMENT, "x=1"),
        ("from typing import Optional\nOptional()\n", lint::CALL_NON_CALLABLE, "Optional()"),
    ];
    for (source, rule, place) in rows {
        let found = places(source);
        assert!(found.contains(&(rule.to_owned(), place.to_owned())), "{source}\nfound {found:#?}");
    }
}

#[test]
fn ty_shows_types_as_rules_match_them() {
    let rows = [
        ("class A: ...\nclass B: ...\ndef f(x: A):\n    if isinstance(x, B):\n        x\n", shown::AND),
        ("def f(x: int | None): x\n", shown::OR),
        ("from typing import Any\ndef f(x: Any): x\n", shown::ANYTHING[0]),
        ("def f(x): x\n", shown::ANYTHING[1]),
        ("def f(x: dict[str, int]): x\n", shown::DICT),
        ("from collections.abc import Mapping\ndef f(x: Mapping[str, int]): x\n", shown::MAPPING),
        ("async def f(): ...\nf()\n", shown::COROUTINE),
        ("x = 'eur'\nx\n", shown::LITERAL),
    ];
    for (source, part) in rows {
        let shown = shows(source);
        assert!(shown.contains(part), "{source}\nwanted {part}\nfound {shown}");
    }
}
