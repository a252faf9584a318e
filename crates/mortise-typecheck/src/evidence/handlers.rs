//! Which exceptions a program catches around a place.

use ruff_python_ast::{ExceptHandler, Expr, ExprCall, Stmt, StmtTry, StmtWith};

/// A group of exceptions that a finding would raise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Raises {
    Key,
    Attribute,
    Tool,
    Name,
    Import,
    Type,
    /// What Python raises for an operand that an operation does not take.
    Operand,
    /// What Python raises for a value that can't be formatted or unpacked.
    Format,
}

impl Raises {
    fn names(self) -> &'static [&'static str] {
        match self {
            Self::Key => &["KeyError", "LookupError"],
            Self::Attribute => &["AttributeError"],
            Self::Tool => &["ToolError"],
            Self::Name => &["NameError"],
            Self::Import => &["ImportError", "ModuleNotFoundError"],
            Self::Type => &["TypeError", "ToolError"],
            Self::Operand => &["TypeError"],
            Self::Format => &["TypeError", "ValueError"],
        }
    }
}

/// What one `try` or `with suppress(…)` catches.
#[derive(Clone, Debug, Default)]
pub(crate) struct Caught {
    /// By name, the last part of a dotted one.
    names: Vec<String>,
    /// Whether anything is caught and dealt with.
    everything: bool,
    /// Whether something is caught that has no class's name: `except ERRORS`.
    unnamed: bool,
}

impl Caught {
    pub(crate) fn of_try(statement: &StmtTry) -> Self {
        let mut caught = Self::default();
        for ExceptHandler::ExceptHandler(handler) in &statement.handlers {
            match &handler.type_ {
                None => caught.everything |= !only_reports(&handler.body),
                Some(kind) => {
                    let names = caught.read(kind);
                    let is_general = names.iter().any(|name| name == "Exception" || name == "BaseException");
                    caught.everything |= is_general && !only_reports(&handler.body);
                    caught.names.extend(names);
                }
            }
        }
        caught
    }

    pub(crate) fn of_with(statement: &StmtWith) -> Self {
        let mut caught = Self::default();
        for item in &statement.items {
            let Expr::Call(call) = &item.context_expr else { continue };
            if last_name(&call.func) != Some("suppress") {
                continue;
            }
            for argument in &call.arguments.args {
                let names = caught.read(argument);
                caught.names.extend(names);
            }
            caught.everything |=
                caught.names.iter().any(|name| name == "Exception" || name == "BaseException");
        }
        caught
    }

    /// The names of the classes in what follows `except`.
    fn read(&mut self, kind: &Expr) -> Vec<String> {
        match kind {
            Expr::Tuple(tuple) => tuple.elts.iter().flat_map(|kind| self.read(kind)).collect(),
            kind => {
                let name = last_name(kind).filter(|name| is_class(name));
                self.unnamed |= name.is_none();
                name.map(str::to_owned).into_iter().collect()
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.names.is_empty() && !self.everything && !self.unnamed
    }

    /// Whether it deals with these exceptions.
    pub(crate) fn catches(&self, raises: Raises) -> bool {
        self.everything || self.names_one_of(raises)
    }

    /// Whether it names one of these exceptions.
    pub(crate) fn names_one_of(&self, raises: Raises) -> bool {
        self.unnamed || self.names.iter().any(|name| raises.names().contains(&name.as_str()))
    }
}

/// Whether what follows `except` takes in a key that is not there.
pub(crate) fn catches_keys(kind: &Expr) -> bool {
    match kind {
        Expr::Tuple(tuple) => tuple.elts.iter().any(catches_keys),
        kind => last_name(kind).is_some_and(|name| {
            Raises::Key.names().contains(&name) || matches!(name, "Exception" | "BaseException")
        }),
    }
}

/// Whether a name is plainly that of one class of exceptions.
fn is_class(name: &str) -> bool {
    let endings = ["Error", "Exception", "Group", "Warning", "Interrupt", "Exit", "Iteration"];
    name.starts_with(char::is_uppercase) && endings.iter().any(|ending| name.ends_with(ending))
}

/// What a call calls: `defaultdict` of `defaultdict(list)` and of `defaultdict[str, list[int]](list)`.
pub(crate) fn callee(call: &ExprCall) -> &Expr {
    match &*call.func {
        Expr::Subscript(class) if last_name(&class.value) == Some("defaultdict") => &class.value,
        function => function,
    }
}

/// `suppress` of `suppress` and of `contextlib.suppress`.
pub(crate) fn last_name(expression: &Expr) -> Option<&str> {
    match expression {
        Expr::Name(name) => Some(name.id.as_str()),
        Expr::Attribute(attribute) => Some(attribute.attr.as_str()),
        _ => None,
    }
}

/// A handler that prints the error or raises another does not make up for it.
fn only_reports(body: &[Stmt]) -> bool {
    let reports = |statement: &Stmt| match statement {
        Stmt::Raise(_) => true,
        Stmt::Expr(expression) => match &*expression.value {
            Expr::Call(call) => matches!(
                last_name(&call.func),
                Some("print" | "print_exc" | "exit" | "quit" | "error" | "exception" | "warning")
            ),
            _ => false,
        },
        _ => false,
    };
    !body.is_empty() && body.iter().all(reports)
}
