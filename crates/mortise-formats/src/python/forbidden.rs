//! Imports, calls and names that checked code may not have.

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Alias, Expr, ExprAttribute, ExprCall, ExprContext, Stmt};
use ruff_text_size::Ranged;

use super::Module;
use crate::format::{ErrorBody, ErrorCode};

/// Modules for code that looks at paths.
const EXTRACTOR_MODULES: [&str; 18] = [
    "pathlib",
    "os.path",
    "re",
    "string",
    "fnmatch",
    "datetime",
    "time",
    "typing",
    "collections",
    "dataclasses",
    "enum",
    "json",
    "math",
    "uuid",
    "base64",
    "hashlib",
    "urllib.parse",
    "__future__",
];
/// Further ones for code that reads files.
const PARSER_MODULES: [&str; 7] = ["csv", "io", "gzip", "zipfile", "decimal", "sqlite3", "xml.etree"];
/// Further ones that an operator may have installed.
pub(super) const TABLE_MODULES: [&str; 4] = ["polars", "pandas", "pyarrow", "numpy"];

/// Further ones of Python's own that a caller may allow, and that an interpreter without a machine below it has:
/// nothing of processes, networks, threads or native libraries.
const STANDARD_MODULES: [&str; 46] = [
    "abc",
    "array",
    "binascii",
    "bisect",
    "calendar",
    "cmath",
    "codecs",
    "configparser",
    "contextlib",
    "copy",
    "difflib",
    "email",
    "fractions",
    "functools",
    "graphlib",
    "heapq",
    "hmac",
    "html",
    "ipaddress",
    "itertools",
    "keyword",
    "locale",
    "logging",
    "mimetypes",
    "numbers",
    "operator",
    "plistlib",
    "pprint",
    "quopri",
    "random",
    "reprlib",
    "secrets",
    "shlex",
    "statistics",
    "stringprep",
    "struct",
    "tarfile",
    "textwrap",
    "tomllib",
    "types",
    "unicodedata",
    "warnings",
    "weakref",
    "xml",
    "zlib",
    "zoneinfo",
];

const NAMES: [&str; 7] = ["exec", "eval", "compile", "__import__", "open", "input", "breakpoint"];
/// What `os` may be used for: taking paths apart.
const OS_MEMBERS: [&str; 8] = ["path", "sep", "altsep", "pathsep", "extsep", "linesep", "curdir", "pardir"];
/// Modules that others hold as attributes.
const HIDDEN_MODULES: [&str; 12] = [
    "os",
    "_os",
    "sys",
    "_sys",
    "builtins",
    "importlib",
    "subprocess",
    "posix",
    "nt",
    "socket",
    "shutil",
    "ctypes",
];

/// What a piece of code may use.
pub(super) struct Allowance<'a> {
    modules: Vec<&'a str>,
    /// Whether files may be opened for reading.
    reads: bool,
}

impl<'a> Allowance<'a> {
    pub(super) fn extractor() -> Self {
        Self { modules: EXTRACTOR_MODULES.to_vec(), reads: false }
    }

    pub(super) fn parser(extra: &'a [String]) -> Self {
        let mut modules = EXTRACTOR_MODULES.to_vec();
        modules.extend(PARSER_MODULES);
        modules.extend(TABLE_MODULES);
        modules.extend(extra.iter().map(String::as_str));
        Self { modules, reads: true }
    }

    /// Whether a dotted module is allowed, itself or as a part of one that is.
    fn module(&self, name: &str) -> bool {
        let within = |allowed: &&str| {
            name.strip_prefix(allowed).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        self.modules.iter().any(within)
    }
}

/// All of it, in the order of the code.
pub(super) fn find(module: &Module, allowance: &Allowance<'_>) -> Vec<ErrorBody> {
    let mut search = ForbiddenSearch { module, allowance, os: vec!["os".to_owned()], errors: Vec::new() };
    search.visit_body(module.body());
    search.errors
}

/// Top-level modules that are not Python's own, in the order of their first import.
pub(super) fn foreign_modules(module: &Module, extra: &[String]) -> Vec<String> {
    struct Imports(Vec<String>);
    impl<'a> Visitor<'a> for Imports {
        fn visit_stmt(&mut self, statement: &'a Stmt) {
            match statement {
                Stmt::Import(import) => {
                    self.0.extend(import.names.iter().map(|alias| alias.name.to_string()))
                }
                Stmt::ImportFrom(import) => self.0.extend(import.module.as_ref().map(ToString::to_string)),
                _ => walk_stmt(self, statement),
            }
        }
    }
    let mut imports = Imports(Vec::new());
    imports.visit_body(module.body());
    let mut foreign: Vec<String> = Vec::new();
    for name in imports.0 {
        let top = name.split('.').next().unwrap_or_default();
        let is_extra = extra.iter().any(|extra| extra.split('.').next() == Some(top));
        let is_foreign = TABLE_MODULES.contains(&top) || (is_extra && !is_pythons_own(top));
        if is_foreign && !foreign.iter().any(|known| known == top) {
            foreign.push(top.to_owned());
        }
    }
    foreign
}

/// Whether a top-level module comes with every interpreter.
fn is_pythons_own(top: &str) -> bool {
    // Of `os` only the paths are for programs.
    let is_it = |module: &&str| top != "os" && module.split('.').next() == Some(top);
    EXTRACTOR_MODULES.iter().chain(&PARSER_MODULES).chain(&STANDARD_MODULES).any(is_it)
}

struct ForbiddenSearch<'a> {
    module: &'a Module,
    allowance: &'a Allowance<'a>,
    /// Names that stand for the module `os`.
    os: Vec<String>,
    errors: Vec<ErrorBody>,
}

impl ForbiddenSearch<'_> {
    fn forbid(&mut self, node: impl Ranged, reason: String, suggestion: &str) {
        let error = ErrorBody::new(ErrorCode::PythonForbidden, reason, suggestion);
        self.errors.push(self.module.located(error, node));
    }

    fn import(&mut self, alias: &Alias) {
        let name = alias.name.as_str();
        if name == "os" {
            self.os.extend(alias.asname.as_ref().map(ToString::to_string));
        } else if !self.allowance.module(name) {
            self.forbid_import(alias, name);
        }
    }

    fn import_from(&mut self, module: &str, alias: &Alias) {
        let name = alias.name.as_str();
        let full = format!("{module}.{name}");
        let allowed = match module {
            "os" => OS_MEMBERS.contains(&name),
            _ => {
                (self.allowance.module(module) || self.allowance.module(&full))
                    && !HIDDEN_MODULES.contains(&name)
            }
        };
        if !allowed {
            self.forbid_import(alias, &full);
        }
    }

    fn forbid_import(&mut self, node: impl Ranged, name: &str) {
        let suggestion = match name.split('.').next() {
            Some("os" | "subprocess" | "shutil" | "sys") => {
                "use `pathlib` and `os.path`, which only take paths apart"
            }
            _ => "use the modules that are allowed: re, datetime, pathlib, json, math …",
        };
        self.forbid(node, format!("the import of `{name}` is not allowed"), suggestion);
    }

    fn attribute(&mut self, attribute: &ExprAttribute) {
        let name = attribute.attr.as_str();
        let of_os = matches!(attribute.value.as_ref(), Expr::Name(value) if self.os.iter().any(|os| os == value.id.as_str()));
        if of_os && !OS_MEMBERS.contains(&name) {
            self.forbid(
                attribute,
                format!("`os.{name}` is not allowed"),
                "use `os.path` and separators only",
            );
        } else if is_dunder(name) && name != "__name__" && !is_super_init(attribute) {
            self.forbid(attribute, format!("the attribute `{name}` is not allowed"), "leave it out");
        } else if HIDDEN_MODULES.contains(&name) {
            self.forbid(
                attribute,
                format!("the module `{name}` behind another is not allowed"),
                "leave it out",
            );
        }
    }

    fn call(&mut self, call: &ExprCall) {
        let Expr::Name(function) = call.func.as_ref() else { return };
        if matches!(function.id.as_str(), "getattr" | "setattr" | "delattr") {
            let plain = call.arguments.find_positional(1).and_then(Expr::as_string_literal_expr);
            if plain.is_none_or(|text| text.value.to_str().contains("__")) {
                let reason = format!("`{}` with anything but a plain name is not allowed", function.id);
                self.forbid(call, reason, "write the attribute out");
            }
        }
    }

    fn is_read(&self, call: &ExprCall) -> bool {
        let is_open = matches!(call.func.as_ref(), Expr::Name(name) if name.id.as_str() == "open");
        let mode = call.arguments.find_argument_value("mode", 1);
        let reads = mode.is_none_or(|mode| {
            mode.as_string_literal_expr()
                .is_some_and(|text| !text.value.to_str().contains(['w', 'a', 'x', '+']))
        });
        self.allowance.reads && is_open && reads
    }
}

impl<'a> Visitor<'a> for ForbiddenSearch<'_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::Import(import) => import.names.iter().for_each(|alias| self.import(alias)),
            Stmt::ImportFrom(import) => match (&import.module, import.level) {
                (Some(module), 0) => {
                    import.names.iter().for_each(|alias| self.import_from(module.as_str(), alias))
                }
                _ => self.forbid(
                    import,
                    "a relative import is not allowed".to_owned(),
                    "put all code in one module",
                ),
            },
            _ => {}
        }
        walk_stmt(self, statement);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Call(call) if self.is_read(call) => {
                // Everything but the name `open` itself.
                call.arguments.args.iter().for_each(|argument| self.visit_expr(argument));
                call.arguments.keywords.iter().for_each(|keyword| self.visit_keyword(keyword));
                return;
            }
            Expr::Call(call) => self.call(call),
            Expr::Attribute(attribute) => self.attribute(attribute),
            Expr::Name(name) if name.ctx == ExprContext::Load => {
                let text = name.id.as_str();
                let forbidden =
                    NAMES.contains(&text) || (is_dunder(text) && !matches!(text, "__name__" | "__doc__"));
                if forbidden {
                    let suggestion = match (text, self.allowance.reads) {
                        ("open", true) => "open files for reading only, with the mode written out",
                        _ => "leave it out",
                    };
                    self.forbid(name, format!("`{text}` is not allowed"), suggestion);
                }
            }
            _ => {}
        }
        walk_expr(self, expression);
    }
}

fn is_dunder(name: &str) -> bool {
    name.len() > 4 && name.starts_with("__") && name.ends_with("__")
}

/// `super().__init__`, as every exception class of one's own has it.
fn is_super_init(attribute: &ExprAttribute) -> bool {
    let of_super = matches!(attribute.value.as_ref(), Expr::Call(call)
        if matches!(call.func.as_ref(), Expr::Name(name) if name.id.as_str() == "super"));
    of_super && attribute.attr.as_str() == "__init__"
}
