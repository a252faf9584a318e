//! What the type checker itself says, sorted by what surely fails.

use mortise_contract::CheckMode;
use mortise_contract::missing_modules::{NO_PACKAGES, NO_PYTHON_PART, no_module};
use mortise_contract::text::nearest;
use ruff_db::diagnostic::{Diagnostic, Severity};
use ruff_python_ast::token::Token;
use ruff_python_parser::ParseError;
use ruff_text_size::{Ranged as _, TextRange};

use crate::absent::is_left_out;
use crate::beyond;
use crate::evidence::handlers::Raises;
use crate::finding::TypecheckRule;
use crate::names::NAMESPACE;
use crate::request::CheckRequest;
use crate::said::{lint, sentence};
use crate::syntax::{brackets, in_words, lower_first, unterminated};
use crate::walk::{Remark, Scene};

/// What is worth a warning: mistakes at run time. The rest is about annotations, which a program of one page can do
/// without.
const TOLD: [&str; 14] = [
    lint::CALL_NON_CALLABLE,
    lint::INDEX_OUT_OF_BOUNDS,
    lint::INVALID_ARGUMENT_TYPE,
    lint::INVALID_AWAIT,
    lint::INVALID_CONTEXT_MANAGER,
    lint::MISSING_ARGUMENT,
    lint::NOT_ITERABLE,
    lint::NOT_SUBSCRIPTABLE,
    lint::PARAMETER_ALREADY_ASSIGNED,
    lint::TOO_MANY_POSITIONAL_ARGUMENTS,
    lint::UNKNOWN_ARGUMENT,
    lint::UNRESOLVED_ATTRIBUTE,
    lint::UNSUPPORTED_OPERATOR,
    lint::UNUSED_AWAITABLE,
];

/// What is judged by rules of our own, or is fine in a program: objects of tools are dicts that may be changed.
const DROPPED: [&str; 6] = [
    lint::INVALID_KEY,
    lint::INVALID_ASSIGNMENT,
    lint::INVALID_RETURN_TYPE,
    lint::INVALID_PARAMETER_DEFAULT,
    lint::POSSIBLY_MISSING_ATTRIBUTE,
    lint::POSSIBLY_UNRESOLVED_REFERENCE,
];

/// Modules that the checker has stubs of and Python does not have, with the one that was probably meant.
const STUBS_ONLY: [(&str, &str); 2] = [("typing_extensions", "typing"), ("_typeshed", "typing")];

/// Names that are one import away.
const IMPORTS: [(&str, &[&str]); 10] = [
    ("asyncio", &["gather", "sleep", "create_task", "TaskGroup", "Semaphore", "as_completed", "wait_for"]),
    ("collections", &["defaultdict", "Counter", "OrderedDict", "deque", "namedtuple"]),
    ("dataclasses", &["dataclass", "field", "asdict"]),
    ("datetime", &["timedelta", "timezone"]),
    ("decimal", &["Decimal"]),
    ("functools", &["reduce", "partial", "lru_cache", "cmp_to_key", "wraps"]),
    ("itertools", &["chain", "groupby", "islice", "combinations", "product", "accumulate"]),
    ("pathlib", &["Path"]),
    ("statistics", &["mean", "median", "stdev"]),
    ("typing", &["Any", "List", "Dict", "Optional", "Tuple", "Union", "Callable", "TypedDict"]),
];

/// Modules that are used without import by mistake.
const MODULES: [&str; 34] = [
    "asyncio",
    "base64",
    "bisect",
    "calendar",
    "collections",
    "contextlib",
    "copy",
    "csv",
    "dataclasses",
    "datetime",
    "decimal",
    "difflib",
    "enum",
    "fractions",
    "functools",
    "hashlib",
    "heapq",
    "html",
    "io",
    "itertools",
    "json",
    "math",
    "operator",
    "os",
    "pprint",
    "random",
    "re",
    "statistics",
    "string",
    "sys",
    "textwrap",
    "time",
    "traceback",
    "uuid",
];

/// What the class `datetime` has and its module lacks.
const OF_DATETIME: [&str; 7] =
    ["combine", "fromisoformat", "fromtimestamp", "now", "strptime", "today", "utcnow"];

/// Built-in names and what programs are given, as far as they are likely to be meant.
const GIVEN: [&str; 41] = [
    "print",
    "len",
    "range",
    "sorted",
    "enumerate",
    "reversed",
    "isinstance",
    "filter",
    "round",
    "input",
    "float",
    "tuple",
    "False",
    "True",
    "None",
    "string",
    "Exception",
    "ValueError",
    "KeyError",
    "TypeError",
    "emit",
    "emit_image",
    "emit_audio",
    "keep",
    "load",
    "ToolError",
    "with_content",
    "inspect_tool",
    "list_resources",
    "read_resource",
    "list_prompts",
    "get_prompt",
    "list_callable_tools",
    "server_status",
    "format",
    "getattr",
    "zip",
    "sum",
    "abs",
    "min",
    "max",
];

impl Scene<'_> {
    /// Takes in what the type checker says.
    pub(crate) fn judge_diagnostics(&mut self, diagnostics: &[Diagnostic], request: &CheckRequest) {
        self.judge_imports(request);
        for diagnostic in diagnostics {
            let Some(range) = diagnostic.range() else { continue };
            let Some(inner) = self.lines.within(range) else { continue };
            let text = self.lines.text(inner);
            match diagnostic.id().as_str() {
                lint::INVALID_SYNTAX => self.syntax(diagnostic, range),
                lint::UNRESOLVED_REFERENCE if text.starts_with(NAMESPACE) => {
                    self.unknown_tool(text, range, request)
                }
                lint::UNRESOLVED_REFERENCE => self.unknown_name(text, range),
                lint::UNRESOLVED_IMPORT => self.unknown_module(diagnostic, text, range, request),
                id => self.other(id, diagnostic, range),
            }
        }
    }

    /// Modules that only type checkers know, or that are not included.
    fn judge_imports(&mut self, request: &CheckRequest) {
        for (module, range) in self.imports.clone() {
            let meant = STUBS_ONLY.into_iter().find(|(name, _)| *name == module).map(|(_, meant)| meant);
            if (meant.is_none() && !is_left_out(module)) || self.is_no_import(module, range, request) {
                continue;
            }
            let message = match meant {
                Some(_) => no_module(module, NO_PACKAGES),
                None => no_module(module, NO_PYTHON_PART),
            };
            let message = format!("ModuleNotFoundError: {message}");
            let is_sure = !self.may_be_skipped(range);
            self.remark_at(Remark {
                nearest: meant.map(str::to_owned),
                is_sure,
                ..Remark::sure(TypecheckRule::UnknownModule, Raises::Import, range, message)
            });
        }
    }

    /// Whether importing a missing module is right: its absence is caught, the caller provides the module, or only
    /// type checkers read that line.
    fn is_no_import(&self, module: &str, range: TextRange, request: &CheckRequest) -> bool {
        let top = module.split('.').next().unwrap_or_default();
        self.is_caught_at(range, Raises::Import)
            || self.is_for_checkers(range)
            || request.modules.iter().any(|known| known == top)
    }

    fn syntax(&mut self, diagnostic: &Diagnostic, range: TextRange) {
        let message = diagnostic.concise_message().to_string();
        let is_about_await =
            message.contains(sentence::OUTSIDE) && (message.contains("await") || message.contains("async"));
        // Programs may wait at the top level; only plain functions may not.
        if is_about_await && !self.evidence.facts.is_in_plain_function(range) {
            return;
        }
        // Ours stands before it.
        if self.prefix > 0 && message.contains(sentence::FUTURE) {
            return;
        }
        if self.is_torn {
            return;
        }
        let range = self.lines.on_text(range);
        let at = self.lines.within(range).unwrap_or_default();
        let message = in_words(&message, self.lines.line(at.start()));
        self.remark_at(Remark::sure(TypecheckRule::Syntax, Raises::Name, range, message));
    }

    /// Brackets that do not match and strings without an end: what else the parser says follows from that.
    pub(crate) fn judge_tokens(&mut self, tokens: &[Token], errors: &[ParseError]) {
        let literal = unterminated(errors);
        let start = literal.as_ref().map(|(range, _)| range.start());
        let found = match (brackets(tokens, start), literal) {
            (Some((range, message)), _) => (range, format!("SyntaxError: {message}")),
            (None, Some((range, said))) => {
                let at = self.lines.within(range).unwrap_or_default();
                (range, in_words(&said, self.lines.line(at.start())))
            }
            (None, None) => return,
        };
        self.is_torn = true;
        self.remark_at(Remark::sure(TypecheckRule::Syntax, Raises::Name, found.0, found.1));
    }

    fn unknown_tool(&mut self, name: &str, range: TextRange, request: &CheckRequest) {
        // A name that the request does not list belongs to a server that is not running.
        let Some(unknown) = request.unknown.iter().find(|unknown| unknown.name == name) else { return };
        let why = if unknown.is_blocked { ": the configuration blocks it" } else { "" };
        let message = format!("ToolError: '{name}' is not available in execute_program{why}");
        let nearest = unknown.similar.first().cloned();
        self.remark_at(Remark {
            nearest,
            ..Remark::sure(TypecheckRule::UnknownTool, Raises::Tool, range, message)
        });
    }

    fn unknown_name(&mut self, name: &str, range: TextRange) {
        // Python evaluates annotations only when a program asks for them.
        if self.mode == CheckMode::Guard && self.evidence.facts.is_in_annotation(range) {
            return;
        }
        let is_sure = !self.evidence.facts.is_dynamic;
        let import = IMPORTS.iter().find(|(_, names)| names.contains(&name));
        let is_import = import.is_some() || MODULES.contains(&name);
        let known = self.evidence.facts.bound.keys().map(String::as_str).chain(GIVEN);
        let nearest = (!is_import).then(|| nearest(name, known)).flatten().map(str::to_owned);
        let advice = match import {
            _ if MODULES.contains(&name) => format!(": add `import {name}`"),
            Some((module, _)) => format!(": add `from {module} import {name}`"),
            None if nearest.is_none() && self.is_awaited_call(range) => {
                ": tools are called `mcp__server__tool(...)`".to_owned()
            }
            None => String::new(),
        };
        let message = format!("NameError: `{name}` is not defined{advice}");
        self.remark_at(Remark {
            nearest,
            is_sure,
            ..Remark::sure(TypecheckRule::UnknownName, Raises::Name, range, message)
        });
    }

    /// Whether a name is that of a function whose call is awaited.
    fn is_awaited_call(&self, name: TextRange) -> bool {
        let awaits = self.expressions.iter().filter_map(|expression| expression.as_await_expr());
        let mut calls = awaits.filter_map(|awaited| awaited.value.as_call_expr());
        calls.any(|call| call.func.range() == name)
    }

    fn unknown_module(
        &mut self,
        diagnostic: &Diagnostic,
        module: &str,
        range: TextRange,
        request: &CheckRequest,
    ) {
        let module = module.split_whitespace().next().unwrap_or_default();
        let top = module.split('.').next().unwrap_or_default();
        if self.is_no_import(module, range, request) {
            return;
        }
        let said = diagnostic.concise_message().to_string();
        if beyond::lacking(&said).is_some_and(|(module, name)| beyond::has(module, name)) {
            return;
        }
        let is_absent = said.starts_with(sentence::NO_MODULE) && !module.starts_with('.');
        // A name that a module of the standard library lacks; those that begin with `_` need not be in its stub.
        let lacks = said.contains(sentence::NO_MEMBER) && !module.starts_with('_');
        let is_sure = (is_absent || lacks) && !self.may_be_skipped(range);
        let message = match is_absent {
            true if top.starts_with(NAMESPACE) => {
                "tools need no import: they are functions of the program, `await mcp__server__tool(...)`"
                    .to_owned()
            }
            true => format!("ModuleNotFoundError: {}", no_module(module, NO_PACKAGES)),
            false => format!("ImportError: {}", lower_first(&said)),
        };
        let known = MODULES.into_iter();
        let nearest = nearest(module, known).map(str::to_owned);
        self.remark_at(Remark {
            nearest,
            is_sure,
            ..Remark::sure(TypecheckRule::UnknownModule, Raises::Import, range, message)
        });
    }

    /// `datetime.fromisoformat` where `datetime` is the module.
    fn unknown_member(&mut self, module: &str, name: &str, range: TextRange) {
        if beyond::has(module, name) {
            return;
        }
        let is_sure = MODULES.contains(&module) && !name.starts_with('_');
        let is_of_class = module == "datetime" && OF_DATETIME.contains(&name);
        let nearest = is_of_class.then(|| format!("datetime.datetime.{name}"));
        let message = format!("AttributeError: module '{module}' has no attribute '{name}'");
        let rule = if is_sure { TypecheckRule::WrongType } else { TypecheckRule::Types };
        self.remark_at(Remark { nearest, is_sure, ..Remark::sure(rule, Raises::Attribute, range, message) });
    }

    fn other(&mut self, id: &str, diagnostic: &Diagnostic, range: TextRange) {
        let tool =
            self.evidence.facts.call_around(range).and_then(|call| self.tool_calls.get(&call)).cloned();
        let is_told = match self.mode {
            CheckMode::Strict => diagnostic.severity() >= Severity::Error || TOLD.contains(&id),
            CheckMode::Guard | CheckMode::Off => {
                TOLD.contains(&id) || (tool.is_some() && id == lint::MISSING_TYPED_DICT_KEY)
            }
        };
        let message = diagnostic.concise_message().to_string();
        if let Some((module, name)) = beyond::lacking(&message) {
            return self.unknown_member(module, name, range);
        }
        if let Some(call) = self.surely_nothing(id, range) {
            return self.remark_nothing(call, range);
        }
        if let Some(raises) = self.surely_raises(id, range) {
            return self.remark_wrong_type(raises, id, range, &message);
        }
        if let Some(value) = self.may_be_null(id, range) {
            return self.remark_null(value, range);
        }
        if !is_told || DROPPED.contains(&id) {
            return;
        }
        let Some(tool) = tool else {
            if self.mode == CheckMode::Strict || !self.is_doubtful(id, &message, range) {
                self.remark_at(Remark::possible(TypecheckRule::Types, Raises::Type, range, message));
            }
            return;
        };
        match id {
            // Counted from the declaration itself.
            lint::MISSING_ARGUMENT | lint::UNKNOWN_ARGUMENT | lint::TOO_MANY_POSITIONAL_ARGUMENTS => {}
            _ if self.is_unpacked(range) => {}
            // Types do not follow what is unpacked or put together.
            lint::MISSING_TYPED_DICT_KEY if !self.evidence.facts.is_complete_dict(range) => {}
            lint::MISSING_TYPED_DICT_KEY => {
                let declared = self.evidence.tools.get(tool.as_str()).map(|stub| stub.signature.text.clone());
                let remark = Remark::sure(TypecheckRule::WrongArgument, Raises::Type, range, message);
                self.remark_at(Remark { declared, ..remark });
            }
            _ if self.mode == CheckMode::Guard && self.is_doubtful_argument(&message, range) => {}
            _ => self.remark_at(Remark::possible(TypecheckRule::Types, Raises::Type, range, message)),
        }
    }
}
