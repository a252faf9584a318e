//! Functions that others call: `extract` and `parse`.

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, Stmt, StmtFunctionDef};

use super::Module;
use crate::format::{ErrorBody, ErrorCode};

/// What a function gives back.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Gives {
    /// A value by `return`.
    Returned,
    /// A value by `return`, or values by `yield`.
    ReturnedOrYielded,
}

pub(super) fn extract(module: &Module) -> Result<(), ErrorBody> {
    function(module, "extract", Gives::Returned, ErrorCode::PythonSignature).map(|_| ())
}

/// The function of this name at the top of the module, if it can be called with one value and gives something.
pub(super) fn function<'a>(
    module: &'a Module,
    name: &str,
    gives: Gives,
    code: ErrorCode,
) -> Result<&'a StmtFunctionDef, ErrorBody> {
    let Some(function) = top_level(module, name) else {
        let reason = match nested(module, name) {
            Some(line) => format!("`{name}` on line {line} is not at the top of the module"),
            None => format!("there is no function `{name}`"),
        };
        let error = ErrorBody::new(code, reason, format!("define `{name}` at the top of the module"));
        return Err(error.at_field(name).at_line(nested(module, name).unwrap_or(1)));
    };
    let refuse = |reason: String, suggestion: &str| {
        let error = ErrorBody::new(code, reason, suggestion).at_field(name);
        Err(module.located(error, &function.name))
    };
    if function.is_async {
        return refuse(format!("`{name}` is async"), "write a plain `def`");
    }
    let parameters = &function.parameters;
    let positional = parameters.posonlyargs.iter().chain(&parameters.args);
    let required = positional.filter(|parameter| parameter.default.is_none()).count();
    if required != 1 {
        let reason = format!("`{name}` takes {required} required parameters; expected 1");
        return refuse(reason, "take the path as the one parameter");
    }
    if let Some(keyword) = parameters.kwonlyargs.iter().find(|parameter| parameter.default.is_none()) {
        let reason = format!("`{name}` requires the keyword `{}`", keyword.parameter.name);
        return refuse(reason, "give it a default");
    }
    let yields = yields(&function.body);
    let gives_something = match gives {
        Gives::Returned => !yields && returns_value(&function.body),
        Gives::ReturnedOrYielded => yields || returns_value(&function.body),
    };
    match gives_something {
        true => Ok(function),
        false if yields => refuse(format!("`{name}` yields; expected a returned value"), "return a value"),
        false => refuse(format!("`{name}` never returns a value"), "return a value"),
    }
}

/// The last definition wins, as in Python.
fn top_level<'a>(module: &'a Module, name: &str) -> Option<&'a StmtFunctionDef> {
    let functions = module.body().iter().filter_map(Stmt::as_function_def_stmt);
    functions.filter(|function| function.name.as_str() == name).last()
}

/// The line of a definition that is not at the top.
fn nested(module: &Module, name: &str) -> Option<u32> {
    struct FindNested<'a> {
        name: &'a str,
        module: &'a Module,
        line: Option<u32>,
    }
    impl<'a> Visitor<'a> for FindNested<'_> {
        fn visit_stmt(&mut self, statement: &'a Stmt) {
            if let Stmt::FunctionDef(function) = statement
                && function.name.as_str() == self.name
            {
                self.line.get_or_insert(self.module.line(function));
            }
            walk_stmt(self, statement);
        }
    }
    let mut find = FindNested { name, module, line: None };
    find.visit_body(module.body());
    find.line
}

/// Whether a block can reach a `return` with a value.
fn returns_value(body: &[Stmt]) -> bool {
    for statement in body {
        let found = match statement {
            Stmt::Return(statement) => {
                return statement.value.as_deref().is_some_and(|value| !value.is_none_literal_expr());
            }
            Stmt::Raise(_) | Stmt::Break(_) | Stmt::Continue(_) => return false,
            Stmt::If(statement) => {
                let clauses = statement.elif_else_clauses.iter().any(|clause| returns_value(&clause.body));
                clauses || (!is_false(&statement.test) && returns_value(&statement.body))
            }
            Stmt::While(statement) => {
                let body = !is_false(&statement.test) && returns_value(&statement.body);
                body || returns_value(&statement.orelse)
            }
            Stmt::For(statement) => returns_value(&statement.body) || returns_value(&statement.orelse),
            Stmt::With(statement) => returns_value(&statement.body),
            Stmt::Match(statement) => statement.cases.iter().any(|case| returns_value(&case.body)),
            Stmt::Try(statement) => {
                let handlers = statement.handlers.iter().filter_map(|handler| handler.as_except_handler());
                [&statement.body, &statement.orelse, &statement.finalbody]
                    .into_iter()
                    .any(|body| returns_value(body))
                    || handlers.into_iter().any(|handler| returns_value(&handler.body))
            }
            _ => false,
        };
        if found {
            return true;
        }
    }
    false
}

fn is_false(test: &Expr) -> bool {
    matches!(test, Expr::BooleanLiteral(literal) if !literal.value)
}

/// Whether a function's own body yields.
fn yields(body: &[Stmt]) -> bool {
    struct FindYield(bool);
    impl<'a> Visitor<'a> for FindYield {
        fn visit_stmt(&mut self, statement: &'a Stmt) {
            // What is defined inside yields for itself.
            if !matches!(statement, Stmt::FunctionDef(_) | Stmt::ClassDef(_)) {
                walk_stmt(self, statement);
            }
        }

        fn visit_expr(&mut self, expression: &'a Expr) {
            self.0 |= matches!(expression, Expr::Yield(_) | Expr::YieldFrom(_));
            if !matches!(expression, Expr::Lambda(_)) {
                walk_expr(self, expression);
            }
        }
    }
    let mut find = FindYield(false);
    find.visit_body(body);
    find.0
}
