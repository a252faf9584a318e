//! Where the values of names and attributes come from.
//!
//! The types follow a name from line to line, but not through what a function changes elsewhere: after `total = ""` and a
//! call that sets the global `total` to a number, they still say text. A rule that refuses asks here first whether all
//! that a name ever gets is in plain sight.

use std::collections::{HashMap, HashSet};

use ruff_python_ast::visitor::source_order::{
    SourceOrderVisitor, walk_comprehension, walk_except_handler, walk_expr, walk_pattern, walk_stmt,
};
use ruff_python_ast::{
    Alias, Comprehension, ExceptHandler, Expr, ExprCall, ExprContext, Parameters, Pattern, Stmt,
};
use ruff_text_size::{Ranged as _, TextRange, TextSize};

use crate::evidence::handlers::last_name;

/// Methods that change what a list, a set or a dict holds.
const CHANGES: [&str; 13] = [
    "append",
    "appendleft",
    "add",
    "clear",
    "extend",
    "extendleft",
    "insert",
    "pop",
    "popleft",
    "remove",
    "setdefault",
    "sort",
    "update",
];

/// Functions of modules that change the list that they are given.
const CHANGERS: [&str; 9] = [
    "heapify",
    "heappop",
    "heappush",
    "heappushpop",
    "heapreplace",
    "insort",
    "insort_left",
    "insort_right",
    "shuffle",
];

/// What a name gets in one place.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ValueOrigin<'a> {
    Value(&'a Expr),
    /// What it had before, with this added.
    Added(&'a Expr),
    /// Each element of this value.
    Element(&'a Expr),
    /// A part of this value, or of each of what it holds.
    Part(&'a Expr),
    /// What the function with this range returns.
    Function(TextRange),
    /// A module, or a name of one.
    Import,
    /// What a lambda is given.
    Lambda,
    /// What callers pass: the checker knows from the calls what that is.
    Passed,
    /// This value, whose type an annotation of the program promises.
    Promised(&'a Expr),
    /// What callers pass: an annotation of the program claims what that is, and not all calls are in plain sight.
    Claimed,
    /// Anything: a global that a function sets, a `with`, a pattern.
    Hidden,
}

/// All that names and attributes get, program-wide by name: two functions' variables of one name count as one.
#[derive(Debug, Default)]
pub(crate) struct Origins<'a> {
    names: HashMap<&'a str, Vec<ValueOrigin<'a>>>,
    attributes: HashMap<&'a str, Vec<ValueOrigin<'a>>>,
    /// Attributes that a class body declares.
    fields: HashSet<&'a str>,
    /// Names whose contents the program may change after it gave them.
    changed: HashSet<&'a str>,
    returns: HashMap<TextRange, Vec<&'a Expr>>,
    /// Calls by the name of their function.
    calls: HashMap<&'a str, Vec<&'a ExprCall>>,
    /// How often each name is read.
    reads: HashMap<&'a str, usize>,
}

impl<'a> Origins<'a> {
    /// Reads the program behind `prefix`; `is_written` says whether an annotation stands in the program itself.
    pub(crate) fn of(
        program: &'a [Stmt],
        prefix: TextSize,
        is_written: impl Fn(TextRange) -> bool + 'a,
    ) -> Self {
        let mut collector = Collector {
            origins: Self::default(),
            is_written: Box::new(is_written),
            function: None,
            is_class: false,
            given: Vec::new(),
        };
        for statement in program.iter().filter(|statement| statement.start() >= prefix) {
            collector.visit_stmt(statement);
        }
        // Methods that the program defines may change what they are given too.
        for (name, call) in std::mem::take(&mut collector.given) {
            if collector.origins.names.contains_key(name) {
                collector.change_all(call);
            }
        }
        collector.origins.keep_promises(program);
        collector.origins
    }

    /// Where all calls of a function are in plain sight, what an annotated parameter gets is what they pass.
    fn keep_promises(&mut self, program: &'a [Stmt]) {
        for function in program.iter().filter_map(Stmt::as_function_def_stmt) {
            let name = function.name.as_str();
            let calls = self.calls.get(name).map_or(&[][..], Vec::as_slice);
            let is_only_called = self.reads.get(name) == Some(&calls.len()) && self.name(name).len() == 1;
            let parameters = function.parameters.posonlyargs.iter().chain(&function.parameters.args);
            for (at, parameter) in parameters.enumerate() {
                let name = parameter.parameter.name.as_str();
                let given = calls.iter().map(|call| {
                    let by_name = || call.arguments.find_keyword(name).map(|keyword| &keyword.value);
                    call.arguments.args.get(at).or_else(by_name).or(parameter.default.as_deref())
                });
                let given: Option<Vec<&Expr>> = given.collect();
                let Some(given) = given.filter(|given| is_only_called && !given.is_empty()) else { continue };
                let Some([claim @ ValueOrigin::Claimed]) = self.names.get_mut(name).map(Vec::as_mut_slice)
                else {
                    continue;
                };
                *claim = ValueOrigin::Promised(given[0]);
                let others = given[1..].iter().map(|value| ValueOrigin::Promised(value));
                self.names.entry(name).or_default().extend(others);
            }
        }
    }

    /// All that a name gets; empty for built-in names and tools.
    pub(crate) fn name(&self, name: &str) -> &[ValueOrigin<'a>] {
        self.names.get(name).map_or(&[], Vec::as_slice)
    }

    /// All that attributes of this name get.
    pub(crate) fn attribute(&self, name: &str) -> &[ValueOrigin<'a>] {
        self.attributes.get(name).map_or(&[], Vec::as_slice)
    }

    /// Whether a class of the program declares an attribute of this name.
    pub(crate) fn is_field(&self, name: &str) -> bool {
        self.fields.contains(name)
    }

    /// Whether what a name holds may change after the name got it.
    pub(crate) fn is_changed(&self, name: &str) -> bool {
        self.changed.contains(name)
    }

    pub(crate) fn returned(&self, function: TextRange) -> &[&'a Expr] {
        self.returns.get(&function).map_or(&[], Vec::as_slice)
    }
}

struct Collector<'a> {
    origins: Origins<'a>,
    is_written: Box<dyn Fn(TextRange) -> bool + 'a>,
    /// The function around this place.
    function: Option<TextRange>,
    /// Whether this place is directly in a class.
    is_class: bool,
    /// Calls of methods, with their names.
    given: Vec<(&'a str, &'a ExprCall)>,
}

impl<'a> Collector<'a> {
    fn bind(&mut self, name: &'a str, origin: ValueOrigin<'a>) {
        self.origins.names.entry(name).or_default().push(origin);
        if self.is_class {
            self.origins.fields.insert(name);
        }
    }

    fn target(&mut self, target: &'a Expr, origin: ValueOrigin<'a>) {
        match target {
            Expr::Name(name) => self.bind(name.id.as_str(), origin),
            Expr::Attribute(attribute) => {
                self.origins.attributes.entry(attribute.attr.as_str()).or_default().push(origin);
            }
            Expr::Subscript(subscript) => self.change(&subscript.value),
            Expr::Tuple(tuple) => self.unpack(&tuple.elts, origin),
            Expr::List(list) => self.unpack(&list.elts, origin),
            Expr::Starred(starred) => self.target(&starred.value, ValueOrigin::Hidden),
            _ => {}
        }
    }

    fn unpack(&mut self, targets: &'a [Expr], origin: ValueOrigin<'a>) {
        let values = match origin {
            ValueOrigin::Value(Expr::Tuple(values)) if values.elts.len() == targets.len() => {
                values.elts.as_slice()
            }
            ValueOrigin::Value(Expr::List(values)) if values.elts.len() == targets.len() => {
                values.elts.as_slice()
            }
            _ => &[],
        };
        let is_starred = |parts: &[Expr]| parts.iter().any(Expr::is_starred_expr);
        let is_pairwise = !values.is_empty() && !is_starred(values) && !is_starred(targets);
        for (at, target) in targets.iter().enumerate() {
            let part = match origin {
                _ if is_pairwise => ValueOrigin::Value(&values[at]),
                ValueOrigin::Value(value) | ValueOrigin::Element(value) | ValueOrigin::Part(value) => {
                    ValueOrigin::Part(value)
                }
                other => other,
            };
            self.target(target, part);
        }
    }

    /// Notes that the contents of what this expression names change.
    fn change(&mut self, object: &'a Expr) {
        match object {
            Expr::Name(name) => _ = self.origins.changed.insert(name.id.as_str()),
            Expr::Attribute(attribute) => _ = self.origins.changed.insert(attribute.attr.as_str()),
            Expr::Subscript(subscript) => self.change(&subscript.value),
            Expr::Call(call) => {
                if let Expr::Attribute(method) = &*call.func {
                    self.change(&method.value);
                }
            }
            _ => {}
        }
    }

    fn parameters(&mut self, parameters: &'a Parameters, is_lambda: bool) {
        for parameter in parameters {
            let annotation = parameter.annotation();
            let origin = match annotation {
                _ if is_lambda => ValueOrigin::Lambda,
                _ if parameter.is_variadic() => ValueOrigin::Hidden,
                Some(annotation) if (self.is_written)(annotation.range()) => ValueOrigin::Claimed,
                _ => ValueOrigin::Passed,
            };
            self.origins.names.entry(parameter.name().as_str()).or_default().push(origin);
        }
    }

    fn call(&mut self, call: &'a ExprCall) {
        if let Expr::Name(name) = &*call.func {
            self.origins.calls.entry(name.id.as_str()).or_default().push(call);
        }
        if let Expr::Attribute(method) = &*call.func
            && CHANGES.contains(&method.attr.as_str())
        {
            self.change(&method.value);
        }
        // A function of the program may change what it is given; built-in functions, methods and tools do not.
        let is_method = call.func.is_attribute_expr();
        let Some(name) = last_name(&call.func) else { return };
        if is_method && !CHANGERS.contains(&name) {
            return self.given.push((name, call));
        }
        if is_method || !is_known(name) {
            self.change_all(call);
        }
    }

    fn change_all(&mut self, call: &'a ExprCall) {
        call.arguments.args.iter().for_each(|argument| self.change_given(argument));
        call.arguments.keywords.iter().for_each(|keyword| self.change_given(&keyword.value));
    }

    fn change_given(&mut self, argument: &'a Expr) {
        if let Expr::Name(_) | Expr::Attribute(_) = argument {
            self.change(argument);
        }
    }
}

/// Whether a function of this name is built in or a tool, and changes nothing that it is given.
fn is_known(name: &str) -> bool {
    const KNOWN: [&str; 24] = [
        "abs",
        "all",
        "any",
        "bool",
        "dict",
        "emit",
        "enumerate",
        "float",
        "int",
        "isinstance",
        "len",
        "list",
        "max",
        "min",
        "print",
        "range",
        "repr",
        "reversed",
        "round",
        "set",
        "sorted",
        "str",
        "sum",
        "tuple",
    ];
    KNOWN.contains(&name) || name == "zip" || name.starts_with(crate::names::NAMESPACE)
}

/// The name that a pattern gives a value to.
pub(crate) fn captured(pattern: &Pattern) -> Option<&str> {
    let name = match pattern {
        Pattern::MatchAs(capture) => capture.name.as_ref(),
        Pattern::MatchStar(star) => star.name.as_ref(),
        Pattern::MatchMapping(mapping) => mapping.rest.as_ref(),
        _ => None,
    };
    name.map(|name| name.as_str())
}

impl<'a> SourceOrderVisitor<'a> for Collector<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::FunctionDef(function) => {
                self.bind(function.name.as_str(), ValueOrigin::Function(function.range()));
                self.parameters(&function.parameters, false);
                let outer = (self.function.replace(function.range()), std::mem::take(&mut self.is_class));
                self.origins.returns.entry(function.range()).or_default();
                walk_stmt(self, statement);
                (self.function, self.is_class) = outer;
                return;
            }
            Stmt::ClassDef(class) => {
                self.bind(class.name.as_str(), ValueOrigin::Hidden);
                let outer = std::mem::replace(&mut self.is_class, true);
                walk_stmt(self, statement);
                self.is_class = outer;
                return;
            }
            Stmt::Return(inner) => {
                if let (Some(function), Some(value)) = (self.function, &inner.value) {
                    self.origins.returns.entry(function).or_default().push(value);
                }
            }
            Stmt::Assign(inner) => {
                inner.targets.iter().for_each(|target| self.target(target, ValueOrigin::Value(&inner.value)));
            }
            Stmt::AnnAssign(inner) => {
                let origin = inner.value.as_deref().map_or(ValueOrigin::Claimed, ValueOrigin::Promised);
                self.target(&inner.target, origin);
            }
            Stmt::AugAssign(inner) => {
                self.target(&inner.target, ValueOrigin::Added(&inner.value));
                self.change(&inner.target);
            }
            Stmt::For(inner) => self.target(&inner.target, ValueOrigin::Element(&inner.iter)),
            Stmt::With(inner) => {
                let targets = inner.items.iter().filter_map(|item| item.optional_vars.as_deref());
                targets.for_each(|target| self.target(target, ValueOrigin::Hidden));
            }
            Stmt::Global(inner) => inner.names.iter().for_each(|name| self.bind(name, ValueOrigin::Hidden)),
            Stmt::Nonlocal(inner) => inner.names.iter().for_each(|name| self.bind(name, ValueOrigin::Hidden)),
            Stmt::Delete(inner) => {
                inner.targets.iter().for_each(|target| self.target(target, ValueOrigin::Hidden))
            }
            _ => {}
        }
        walk_stmt(self, statement);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Named(named) => self.target(&named.target, ValueOrigin::Value(&named.value)),
            Expr::Lambda(lambda) => {
                if let Some(parameters) = &lambda.parameters {
                    self.parameters(parameters, true);
                }
            }
            Expr::Name(name) if name.ctx == ExprContext::Load => {
                *self.origins.reads.entry(name.id.as_str()).or_default() += 1;
            }
            Expr::Call(call) => self.call(call),
            Expr::Subscript(subscript) if subscript.ctx != ExprContext::Load => self.change(&subscript.value),
            _ => {}
        }
        walk_expr(self, expression);
    }

    fn visit_comprehension(&mut self, comprehension: &'a Comprehension) {
        self.target(&comprehension.target, ValueOrigin::Element(&comprehension.iter));
        walk_comprehension(self, comprehension);
    }

    fn visit_alias(&mut self, alias: &'a Alias) {
        let name = alias.asname.as_ref().unwrap_or(&alias.name);
        self.bind(name.split('.').next().unwrap_or_default(), ValueOrigin::Import);
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(inner) = handler;
        if let Some(name) = &inner.name {
            self.bind(name, ValueOrigin::Hidden);
        }
        walk_except_handler(self, handler);
    }

    fn visit_pattern(&mut self, pattern: &'a Pattern) {
        if let Some(name) = captured(pattern) {
            self.bind(name, ValueOrigin::Hidden);
        }
        walk_pattern(self, pattern);
    }
}
