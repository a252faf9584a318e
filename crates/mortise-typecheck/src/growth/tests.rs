//! Types that double with every line are seen, and programs of people are not taken for such.

use ruff_python_parser::parse_module;

use super::{PARTS, excess};

fn is_excess(source: &str) -> bool {
    excess(parse_module(source).unwrap().suite()).is_some()
}

#[test]
fn what_doubles_is_seen() {
    let rows = [
        format!("a = (1,)\n{}", "a = (a, a)\n".repeat(40)),
        format!("a = (1,)\n{}", "a += a\n".repeat(40)),
        format!("a = (1,) * {}\n", PARTS * 10),
        format!("a = 1\n{}", "b = a, a\na = b, b\n".repeat(20)),
        format!("a = [1]\n{}", "a = list(zip(a, a))\n".repeat(40)),
        format!("a = [1]\n{}", "a = [(b, c) for b in a for c in a]\n".repeat(40)),
        format!("a = [1]\n{}", "a = list(map(lambda b: (b, b), a))\n".repeat(40)),
        format!("a = 1\n{}", "a = (a,) if a else [a]\n".repeat(40)),
        format!("a = 1\n{}", "if a:\n    a = (a,)\nelse:\n    a = [a]\n".repeat(40)),
        format!("a = 1\n{}", "try:\n    a = (a,)\nexcept ValueError:\n    a = [a]\n".repeat(40)),
        format!("a = 1\nprint({})\n", "(a := (a, a)), ".repeat(40)),
        format!("a = int\n{}", "a = tuple[a, a]\n".repeat(40)),
        format!("a = x\n{}", "a.b = (a.b, a.b)\n".repeat(40)),
        format!("def d[T](x: T) -> tuple[T, T]: ...\na = 1\n{}", "a = d(a)\n".repeat(40)),
        (0..40)
            .rev()
            .fold(String::new(), |text, n| format!("{text}def f{}(): return f{n}(), f{n}()\n", n + 1))
            + "print(f40().x)\n",
    ];
    for source in rows {
        assert!(is_excess(&source), "{}", &source[..source.len().min(80)]);
    }
}

#[test]
fn what_people_write_is_not() {
    let rows = [
        format!("n = 0\n{}", "if input():\n    n += 1\n".repeat(100)),
        format!("x = {{}}\n{}", "if input():\n    x = {**x, 'k': 1}\n".repeat(100)),
        format!("x = input()\n{}", "if x:\n    x = x.strip()\n".repeat(100)),
        format!("x = []\n{}", "x = x + [1]\nx = [y for y in x if y and x.index(y)]\n".repeat(100)),
        format!("a, b = 0, 1\n{}", "a, b = b, a + b\n".repeat(5)),
        "def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\n".to_owned(),
        "while input():\n    a, b = (b, a), (a, b)\n".to_owned(),
        "x = print(1)\n".repeat(2_000),
    ];
    for source in rows {
        assert!(!is_excess(&source), "{}", &source[..source.len().min(80)]);
    }
}
