//! `asyncio.gather(*calls)`, read so that one signature fits.
//!
//! The standard library declares `gather` fourteen times, once for each number of calls. Where the number is not
//! known, the checker tries seven of them, and for each it infers again what is unpacked. That took half the time of a
//! usual program. So a mark is written behind what is unpacked, and two more signatures take it.

use std::collections::HashMap;

use ruff_db::vendored::{DirectoryEntry, VendoredFileSystem};
use ruff_python_ast::visitor::source_order::{
    SourceOrderVisitor, walk_except_handler, walk_expr, walk_parameter, walk_pattern, walk_stmt,
};
use ruff_python_ast::{Alias, ExceptHandler, Expr, ExprCall, ExprContext, Parameter, Pattern, Stmt};
use ruff_text_size::{Ranged as _, TextSize};

use crate::evidence::origins::captured;

pub(crate) const MODULE: &str = "asyncio";
const FUNCTION: &str = "gather";
const STUB: &str = "tasks.pyi";

/// What is written into the program.
pub(crate) const MARK: &str = ", _each=None";

/// What is written below the stub.
const SIGNATURES: &str = "
@overload
def gather(*coros_or_futures: _FutureLike[_T], return_exceptions: Literal[False] = False, _each: None) -> Future[list[_T]]: ...
@overload
def gather(*coros_or_futures: _FutureLike[_T], return_exceptions: bool, _each: None) -> Future[list[_T | BaseException]]: ...
";

/// The files of the module, with the signatures that take the mark.
pub(crate) fn stubs(library: &VendoredFileSystem) -> Vec<(String, String)> {
    let files = library.read_directory(format!("stdlib/{MODULE}"));
    let stub = |file: DirectoryEntry| {
        let name = file.path().file_name()?.to_owned();
        let signatures = if name == STUB { SIGNATURES } else { "" };
        let text = library.read_to_string(file.path()).ok()?;
        Some((name, format!("{text}{signatures}")))
    };
    files.into_iter().filter_map(stub).collect()
}

/// Where marks go in a program, in order.
pub(crate) fn marks(program: &[Stmt]) -> Vec<TextSize> {
    let mut calls = Calls::default();
    program.iter().for_each(|statement| calls.visit_stmt(statement));
    let mut marks: Vec<TextSize> = calls.found.iter().filter_map(|call| calls.mark(call)).collect();
    marks.sort_unstable();
    marks
}

/// How often the program assigns a name.
#[derive(Default)]
struct Bindings {
    all: usize,
    /// How often it gets a list.
    lists: usize,
    /// How often an import gives it what it stands for here.
    imports: usize,
}

#[derive(Default)]
struct Calls<'a> {
    found: Vec<&'a ExprCall>,
    names: HashMap<&'a str, Bindings>,
    /// Whether this place is in `from asyncio import …`.
    is_of_module: bool,
}

impl<'a> Calls<'a> {
    fn bind(&mut self, name: &'a str) {
        self.names.entry(name).or_default().all += 1;
    }

    /// Where the mark of a call goes: behind its last argument, if it unpacks values whose number is not known.
    fn mark(&self, call: &ExprCall) -> Option<TextSize> {
        let [Expr::Starred(unpacked)] = &*call.arguments.args else { return None };
        let is_named = call.arguments.keywords.iter().all(|keyword| keyword.arg.is_some());
        if !is_named || !self.is_gather(&call.func) || !self.is_any_number(&unpacked.value) {
            return None;
        }
        let last = call.arguments.keywords.last().map(|keyword| keyword.end());
        Some(last.unwrap_or_default().max(unpacked.end()))
    }

    /// Whether a function is that of the standard library, and surely nothing else.
    fn is_gather(&self, function: &Expr) -> bool {
        let name = match function {
            Expr::Name(name) if name.id == FUNCTION => FUNCTION,
            Expr::Attribute(function) if function.attr.as_str() == FUNCTION => MODULE,
            _ => return false,
        };
        let is_module = |of: &Expr| of.as_name_expr().is_some_and(|of| of.id == MODULE);
        let is_expected = function.as_attribute_expr().is_none_or(|function| is_module(&function.value));
        is_expected && self.names.get(name).is_some_and(|known| known.all == known.imports)
    }

    /// Whether the types can't know how many values there are: of a tuple they can.
    fn is_any_number(&self, unpacked: &Expr) -> bool {
        match unpacked {
            Expr::Name(name) => {
                self.names.get(name.id.as_str()).is_some_and(|known| known.all == known.lists)
            }
            unpacked => is_list(unpacked),
        }
    }
}

fn is_list(value: &Expr) -> bool {
    matches!(value, Expr::Generator(_) | Expr::ListComp(_) | Expr::List(_))
}

impl<'a> SourceOrderVisitor<'a> for Calls<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::FunctionDef(function) => self.bind(&function.name),
            Stmt::ClassDef(class) => self.bind(&class.name),
            Stmt::ImportFrom(import) => {
                self.is_of_module = import.level == 0 && import.module.as_deref() == Some(MODULE);
            }
            Stmt::Assign(assignment) => {
                if let [Expr::Name(name)] = &*assignment.targets {
                    let lists = &mut self.names.entry(name.id.as_str()).or_default().lists;
                    *lists += usize::from(is_list(&assignment.value));
                }
            }
            _ => {}
        }
        walk_stmt(self, statement);
        self.is_of_module = false;
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Name(name) if name.ctx != ExprContext::Load => self.bind(name.id.as_str()),
            Expr::Call(call) => self.found.push(call),
            _ => {}
        }
        walk_expr(self, expression);
    }

    fn visit_alias(&mut self, alias: &'a Alias) {
        let expected = if self.is_of_module { FUNCTION } else { MODULE };
        let is_expected = alias.asname.is_none() && alias.name.as_str() == expected;
        let name = alias.asname.as_ref().unwrap_or(&alias.name).as_str();
        let name = name.split('.').next().unwrap_or_default();
        self.bind(name);
        self.names.entry(name).or_default().imports += usize::from(is_expected);
    }

    fn visit_parameter(&mut self, parameter: &'a Parameter) {
        self.bind(&parameter.name);
        walk_parameter(self, parameter);
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(inner) = handler;
        inner.name.iter().for_each(|name| self.bind(name));
        walk_except_handler(self, handler);
    }

    fn visit_pattern(&mut self, pattern: &'a Pattern) {
        captured(pattern).into_iter().for_each(|name| self.bind(name));
        walk_pattern(self, pattern);
    }
}

#[cfg(test)]
mod tests {
    use ruff_python_parser::parse_module;

    use super::{MARK, STUB, marks, stubs};

    fn marked(source: &str) -> String {
        let parsed = parse_module(source).unwrap();
        let mut text = source.to_owned();
        marks(parsed.suite()).into_iter().rev().for_each(|at| text.insert_str(usize::from(at), MARK));
        text
    }

    #[test]
    fn calls_that_unpack_a_list_are_marked() {
        for (source, expected) in [
            ("gather(*(f(i) for i in x))", "gather(*(f(i) for i in x), _each=None)"),
            ("gather(*[f(1)], )", "gather(*[f(1)], _each=None, )"),
            (
                "gather(*[f(i) for i in x], return_exceptions=(True))",
                "gather(*[f(i) for i in x], return_exceptions=(True), _each=None)",
            ),
            ("calls = [f(1)]\ngather(*calls)", "calls = [f(1)]\ngather(*calls, _each=None)"),
        ] {
            let from = "from asyncio import gather\n";
            assert_eq!(marked(&format!("{from}{source}")), format!("{from}{expected}"));
            let [source, expected] = [source, expected].map(|text| text.replace("gather", "asyncio.gather"));
            assert_eq!(marked(&format!("import asyncio\n{source}")), format!("import asyncio\n{expected}"));
        }
    }

    #[test]
    fn other_calls_are_not() {
        for source in [
            "import asyncio\nasyncio.gather(f(1), f(2))",
            "import asyncio\nasyncio.gather(f(1), *[f(2)])",
            // Of a tuple the types know how many values there are.
            "import asyncio\ncalls = (f(1), f(2))\nasyncio.gather(*calls)",
            "import asyncio\ncalls = [f(1)]\ncalls = tuple(calls)\nasyncio.gather(*calls)",
            "import asyncio\nasyncio.gather(*[f(1)], **options)",
            "import asyncio as other\nasyncio.gather(*[f(1)])",
            "import asyncio\nasyncio = pool\nasyncio.gather(*[f(1)])",
            "from pool import gather\ngather(*[f(1)])",
            "async def gather(*calls): pass\ngather(*[f(1)])",
            "import asyncio\npool.gather(*[f(1)])",
        ] {
            assert_eq!(marked(source), source);
        }
    }

    /// What the signatures below the stub are written with, so that a library without it is noticed.
    #[test]
    fn the_stub_has_what_the_signatures_name() {
        let stubs = stubs(ty_vendored::file_system());
        let (_, text) = stubs.iter().find(|(name, _)| name == STUB).unwrap();
        for part in ["_T = TypeVar(\"_T\")", "_FutureLike: TypeAlias = Future[_T] | Awaitable[_T]"] {
            assert!(text.contains(part), "{part}");
        }
        assert_eq!(text.matches("def gather(").count(), 16);
    }
}
