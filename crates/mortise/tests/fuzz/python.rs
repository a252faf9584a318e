//! Makes a program of a list of numbers, each of which chooses one way through the grammar.
//!
//! The grammar leans towards what type checkers find hard: aliases, attributes, patterns that bind special names,
//! classes that refer to themselves, overloads, generics, unions.

/// The program that these numbers choose. Without numbers left, every choice is the simplest.
pub(crate) fn program(choices: &[u16]) -> String {
    let mut maker = Maker { choices: choices.iter(), text: String::new(), indent: 0 };
    maker.text.push_str(
        "import asyncio, functools, typing\nfrom typing import *\nfrom dataclasses import dataclass\n",
    );
    while !maker.choices.as_slice().is_empty() && maker.text.len() < 20_000 {
        maker.statement(4);
    }
    maker.text
}

const NAMES: [&str; 10] = ["A", "B", "C", "X", "f", "g", "a", "b", "T", "self"];
const SPECIAL: [&str; 22] = [
    "__call__",
    "__init__",
    "__new__",
    "__get__",
    "__set__",
    "__getattr__",
    "__getattribute__",
    "__iter__",
    "__next__",
    "__enter__",
    "__exit__",
    "__await__",
    "__class__",
    "__getitem__",
    "__class_getitem__",
    "__add__",
    "__eq__",
    "__bool__",
    "__match_args__",
    "__slots__",
    "__set_name__",
    "__mro__",
];
const SIMPLE: [&str; 8] = ["int", "str", "None", "object", "Any", "Self", "bool", "type"];
const GENERIC: [&str; 14] = [
    "list",
    "dict",
    "tuple",
    "type",
    "Callable",
    "Union",
    "Optional",
    "Annotated",
    "Literal",
    "Awaitable",
    "Iterator",
    "ClassVar",
    "TypeGuard",
    "Unpack",
];
const OPERATORS: [&str; 9] = [" + ", " | ", " * ", " and ", " or ", " == ", " in ", " @ ", " if a else "];
const DECORATORS: [&str; 9] = [
    "@overload",
    "@property",
    "@staticmethod",
    "@classmethod",
    "@dataclass",
    "@functools.cache",
    "@final",
    "@f",
    "@A",
];

struct Maker<'a> {
    choices: std::slice::Iter<'a, u16>,
    text: String,
    indent: usize,
}

impl Maker<'_> {
    fn choose(&mut self, ways: usize) -> usize {
        self.choices.next().map_or(0, |choice| usize::from(*choice) % ways)
    }

    fn one_of<'t>(&mut self, words: &[&'t str]) -> &'t str {
        words[self.choose(words.len())]
    }

    fn name(&mut self) -> &'static str {
        if self.choose(5) == 4 { self.one_of(&SPECIAL) } else { self.one_of(&NAMES) }
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(&"    ".repeat(self.indent));
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn block(&mut self, head: &str, depth: usize) {
        self.line(head);
        self.indent += 1;
        for _ in 0..=self.choose(4) {
            self.statement(depth);
        }
        self.indent -= 1;
    }

    fn statement(&mut self, depth: usize) {
        let ways = if depth == 0 { 7 } else { 17 };
        match self.choose(ways) {
            0 => {
                let line = self.expression(3);
                self.line(&line);
            }
            1 => {
                let line = format!("{} = {}", self.target(), self.expression(3));
                self.line(&line);
            }
            2 => {
                let line =
                    format!("type {}{} = {}", self.name(), self.parameters_of_type(), self.annotation(4));
                self.line(&line);
            }
            3 => {
                let line = format!("{}: {} = {}", self.target(), self.annotation(3), self.expression(2));
                self.line(&line);
            }
            4 => {
                let line = format!("{}: {}", self.target(), self.annotation(3));
                self.line(&line);
            }
            5 => {
                let line = format!("{} += {}", self.target(), self.expression(2));
                self.line(&line);
            }
            6 => {
                let word = self.one_of(&["return ", "yield ", "raise ", "assert ", "await "]);
                let line = format!("{word}{}", self.expression(2));
                self.line(&line);
            }
            7..=9 => {
                let bases = match self.choose(3) {
                    0 => String::new(),
                    1 => format!("({})", self.annotation(2)),
                    _ => format!("({}, metaclass={})", self.annotation(2), self.name()),
                };
                self.decorators();
                let head = format!("class {}{}{bases}:", self.name(), self.parameters_of_type());
                self.block(&head, depth - 1);
            }
            10..=12 => {
                self.decorators();
                let prefix = self.one_of(&["", "async "]);
                let head = format!(
                    "{prefix}def {}{}({}) -> {}:",
                    self.name(),
                    self.parameters_of_type(),
                    self.parameters(),
                    self.annotation(3)
                );
                self.block(&head, depth - 1);
            }
            13 => {
                let head = format!("match {}:", self.expression(2));
                self.line(&head);
                self.indent += 1;
                for _ in 0..=self.choose(3) {
                    let head = format!("case {}:", self.pattern(3));
                    self.block(&head, depth - 1);
                }
                self.indent -= 1;
            }
            14 => {
                let head = match self.choose(3) {
                    0 => format!("for {} in {}:", self.target(), self.expression(2)),
                    1 => format!("while {}:", self.expression(2)),
                    _ => format!("with {} as {}:", self.expression(2), self.target()),
                };
                self.block(&head, depth - 1);
            }
            15 => {
                let head = format!("if {}:", self.expression(2));
                self.block(&head, depth - 1);
                self.block("else:", depth - 1);
            }
            _ => {
                self.block("try:", depth - 1);
                let head = format!("except {} as {}:", self.expression(1), self.name());
                self.block(&head, depth - 1);
            }
        }
    }

    fn decorators(&mut self) {
        for _ in 0..self.choose(3) {
            let line = self.one_of(&DECORATORS).to_owned();
            self.line(&line);
        }
    }

    fn target(&mut self) -> String {
        match self.choose(4) {
            0 | 1 => self.name().to_owned(),
            2 => format!("{}.{}", self.name(), self.name()),
            _ => format!("{}[{}]", self.name(), self.expression(1)),
        }
    }

    fn parameters_of_type(&mut self) -> String {
        match self.choose(5) {
            0..=2 => String::new(),
            3 => format!("[T: {}]", self.annotation(2)),
            _ => format!("[T, *Ts, **P, U = {}]", self.annotation(2)),
        }
    }

    fn parameters(&mut self) -> String {
        let some: Vec<String> = (0..self.choose(4))
            .map(|at| match self.choose(3) {
                0 => format!("p{at}"),
                1 => format!("p{at}: {}", self.annotation(3)),
                _ => format!("p{at}: {} = {}", self.annotation(2), self.expression(1)),
            })
            .collect();
        // By name alone, so that those without a default may follow others.
        if some.is_empty() { String::new() } else { format!("*, {}", some.join(", ")) }
    }

    fn annotation(&mut self, depth: usize) -> String {
        let ways = if depth == 0 { 3 } else { 9 };
        match self.choose(ways) {
            0 => self.one_of(&SIMPLE).to_owned(),
            1 => self.name().to_owned(),
            2 => format!("{}.{}", self.name(), self.name()),
            3 | 4 => format!("{} | {}", self.annotation(depth - 1), self.annotation(depth - 1)),
            5 => format!("{}[{}]", self.name(), self.annotation(depth - 1)),
            6 => {
                let parts: Vec<String> = (0..=self.choose(3)).map(|_| self.annotation(depth - 1)).collect();
                format!("{}[{}]", self.one_of(&GENERIC), parts.join(", "))
            }
            7 => format!("'{}'", self.annotation(depth - 1).replace('\'', "")),
            _ => {
                let parts: Vec<String> = (0..=self.choose(60)).map(|at| format!("Literal[{at}]")).collect();
                parts.join(" | ")
            }
        }
    }

    fn expression(&mut self, depth: usize) -> String {
        let ways = if depth == 0 { 3 } else { 14 };
        match self.choose(ways) {
            0 => self.name().to_owned(),
            1 => self.one_of(&["1", "''", "None", "...", "[]", "{}", "()", "b''", "1.5"]).to_owned(),
            2 => format!("{}.{}", self.name(), self.name()),
            3 => format!("{}({})", self.expression(depth - 1), self.expression(depth - 1)),
            4 => format!("{}()", self.name()),
            5 => format!("({}, {})", self.expression(depth - 1), self.expression(depth - 1)),
            6 => format!(
                "[{} for {} in {}]",
                self.expression(depth - 1),
                self.name(),
                self.expression(depth - 1)
            ),
            7 => format!("(lambda {}: {})", self.name(), self.expression(depth - 1)),
            8 => {
                let (left, right) = (self.expression(depth - 1), self.expression(depth - 1));
                let operator = self.one_of(&OPERATORS);
                let end = if operator.contains("if") { " else b" } else { "" };
                format!("({left}{}{right}{end})", operator.trim_end_matches("else ").trim_end_matches("a "))
            }
            9 => format!("{}[{}]", self.expression(depth - 1), self.expression(depth - 1)),
            10 => format!("{{'{}': {}, **{}}}", self.name(), self.expression(depth - 1), self.name()),
            11 => format!("(await {})", self.expression(depth - 1)),
            12 => format!("({} := {})", self.name(), self.expression(depth - 1)),
            _ => format!("{}.{}", self.expression(depth - 1), self.name()),
        }
    }

    fn pattern(&mut self, depth: usize) -> String {
        let ways = if depth == 0 { 3 } else { 8 };
        match self.choose(ways) {
            0 => self.name().to_owned(),
            1 => "_".to_owned(),
            2 => format!("{}.{}", self.name(), self.name()),
            3 => format!("{}({})", self.name(), self.pattern(depth - 1)),
            4 => format!("[{}, *{}]", self.pattern(depth - 1), self.name()),
            5 => format!("{{'k': {}, **{}}}", self.pattern(depth - 1), self.name()),
            6 => format!("{}(x={}) | {}", self.name(), self.pattern(depth - 1), self.pattern(depth - 1)),
            _ => format!("({}) as {}", self.pattern(depth - 1), self.name()),
        }
    }
}
