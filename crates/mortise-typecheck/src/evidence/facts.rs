//! What a program does as a whole, read before its parts are judged.

use std::collections::{HashMap, HashSet};

use ruff_python_ast::visitor::source_order::{SourceOrderVisitor, walk_annotation, walk_expr, walk_stmt};
use ruff_python_ast::{Alias, CmpOp, ExceptHandler, Expr, ExprContext, Operator, Parameter, Pattern, Stmt};
use ruff_text_size::{Ranged as _, TextRange, TextSize};

use crate::evidence::handlers::{Caught, last_name};
use crate::evidence::kinds::Types;
use crate::evidence::origins::captured;
use crate::evidence::own::Own;

/// Functions that make a list of what they are given.
const COPIES: [&str; 2] = ["list", "sorted"];
/// Methods that put values into a list.
const PUTS: [&str; 5] = ["append", "appendleft", "insert", "extend", "extendleft"];
/// Functions that put a value into a list.
const PUSHES: [&str; 6] = ["heappush", "heappushpop", "heapreplace", "insort", "insort_left", "insort_right"];

/// What a program does anywhere.
#[derive(Default)]
pub(crate) struct SourceFacts {
    /// Keys that the program itself puts into objects.
    pub(crate) stored: HashSet<String>,
    /// Whether it puts keys into objects that are not written out.
    pub(crate) stores_any: bool,
    /// Whether it puts numbers as keys into what may be objects of tools.
    pub(crate) stores_positions: bool,
    /// Whether it puts values where others stood that the types take for something else.
    pub(crate) replaces: bool,
    /// Fields of objects of tools that it gives values of which the types know nothing.
    pub(crate) remade: HashSet<String>,
    /// Keys whose presence it tests.
    pub(crate) tested: HashSet<String>,
    /// Names that it defines anywhere, and how often.
    pub(crate) bound: HashMap<String, usize>,
    /// Names that are given to `type`: what they are, the program decides itself.
    pub(crate) typed: HashSet<String>,
    /// Names with the value of a tool: `rows = await mcp__s__t(…)`.
    pub(crate) results: HashMap<String, String>,
    /// Other names of tools: `get = mcp__s__t`.
    pub(crate) aliases: HashMap<String, String>,
    /// How often it reads a name or an attribute.
    pub(crate) reads: HashMap<String, usize>,
    /// Whether the program can define names that its source does not show, for example with `exec`.
    pub(crate) is_dynamic: bool,
    /// What it catches anywhere.
    pub(crate) caught: Vec<Caught>,
    pub(crate) calls: Vec<TextRange>,
    /// Dicts with all their keys written out.
    pub(crate) plain_dicts: HashSet<TextRange>,
    /// Operations with two operands.
    operations: Vec<TextRange>,
    /// Annotations, which Python does not evaluate.
    pub(crate) annotations: Vec<TextRange>,
    /// Functions and lambdas, with whether they are async.
    pub(crate) functions: Vec<(TextRange, bool)>,
}

impl SourceFacts {
    /// Reads a program; `clashes` are places where the types do not take what is put into an object or a list.
    pub(crate) fn of(program: &[Stmt], types: &Types<'_>, prefix: TextSize, clashes: &[TextRange]) -> Self {
        let own = Own::of(program);
        let mut reader = FactReader {
            facts: Self::default(),
            parameters: HashSet::new(),
            types,
            own,
            clashes,
            written: HashSet::new(),
        };
        for statement in program.iter().filter(|statement| statement.start() >= prefix) {
            reader.visit_stmt(statement);
        }
        let mut facts = reader.facts;
        if !facts.remade.is_empty() {
            facts.stores_any = true;
            facts.stored.extend(reader.written);
        }
        facts
    }

    /// Whether a place is within a function that is not async, looking at the innermost one.
    pub(crate) fn is_in_plain_function(&self, range: TextRange) -> bool {
        self.functions
            .iter()
            .filter(|(function, _)| function.contains_range(range))
            .min_by_key(|(function, _)| function.len())
            .is_some_and(|(_, is_async)| !is_async)
    }

    /// Whether a place is a dict that shows all its keys: nothing is unpacked into it or put together with it.
    pub(crate) fn is_complete_dict(&self, range: TextRange) -> bool {
        let is_operand = |operation: &TextRange| {
            let call = self.call_around(range);
            operation.contains_range(range) && call.is_none_or(|call| call.contains_range(*operation))
        };
        self.plain_dicts.contains(&range) && !self.operations.iter().any(is_operand)
    }

    /// Whether a place is part of an annotation.
    pub(crate) fn is_in_annotation(&self, range: TextRange) -> bool {
        self.annotations.iter().any(|annotation| annotation.contains_range(range))
    }

    /// The smallest call around a place.
    pub(crate) fn call_around(&self, range: TextRange) -> Option<TextRange> {
        self.calls.iter().filter(|call| call.contains_range(range)).min_by_key(|call| call.len()).copied()
    }
}

struct FactReader<'a, 'types> {
    facts: SourceFacts,
    /// Parameters of functions so far: whatever their annotations say, callers may give them objects of tools.
    parameters: HashSet<String>,
    types: &'a Types<'types>,
    own: Own<'a>,
    clashes: &'a [TextRange],
    /// Keys of all dicts that are written out.
    written: HashSet<String>,
}

impl FactReader<'_, '_> {
    fn bind(&mut self, name: &str) {
        *self.facts.bound.entry(name.to_owned()).or_default() += 1;
    }

    /// Notes `rows = await mcp__s__t(…)` and `get = mcp__s__t`.
    fn assign(&mut self, assignment: &ruff_python_ast::StmtAssign) {
        let [Expr::Name(name)] = &*assignment.targets else { return };
        if let Some(tool) = awaited(&assignment.value) {
            self.facts.results.insert(name.id.to_string(), tool.to_owned());
        } else if let Expr::Name(other) = &*assignment.value {
            self.facts.aliases.insert(name.id.to_string(), other.id.to_string());
        } else if let Expr::Attribute(method) = &*assignment.value {
            // An aliased method (`add = rows.append`) may insert values that we don't see.
            let puts = PUTS.contains(&method.attr.as_str());
            self.facts.stores_any |= puts && self.types.holds_objects(&method.value);
        }
    }

    /// Notes that the program stores a key, unless the object is a dict that it created.
    fn store(&mut self, object: &Expr, key: &Expr) {
        if !self.may_be_object(object) {
            return;
        }
        if self.types.is_number(key) || key.is_slice_expr() {
            self.facts.stores_positions = true;
            return;
        }
        match literal(key) {
            Some(key) => _ = self.facts.stored.insert(key.to_owned()),
            None => self.facts.stores_any = true,
        }
    }

    /// Notes that the program stores all keys of another object.
    fn store_all(&mut self, object: &Expr, from: &Expr) {
        if !self.may_be_object(object) {
            return;
        }
        match from {
            Expr::Dict(dict) => {
                for item in &dict.items {
                    match &item.key {
                        Some(key) => {
                            self.store(object, key);
                            self.put(object, key, &item.value);
                        }
                        None => self.store_all(object, &item.value),
                    }
                }
            }
            Expr::Call(call) if call.func.as_name_expr().is_some_and(|name| name.id == "dict") => {
                self.store_arguments(object, call);
            }
            _ => self.facts.stores_any = true,
        }
    }

    /// Notes that the program stores what `dict(…)` or `update(…)` is given.
    fn store_arguments(&mut self, object: &Expr, call: &ruff_python_ast::ExprCall) {
        if !self.may_be_object(object) {
            return;
        }
        for keyword in &call.arguments.keywords {
            match &keyword.arg {
                Some(name) => {
                    self.facts.stored.insert(name.to_string());
                    self.put_under(object, name, &keyword.value);
                }
                None => self.store_all(object, &keyword.value),
            }
        }
        for argument in &call.arguments.args {
            self.store_all(object, argument);
        }
    }

    fn may_be_object(&self, object: &Expr) -> bool {
        let is_given = object.as_name_expr().is_some_and(|name| self.parameters.contains(name.id.as_str()));
        is_given || self.own.may_be_given(object) || self.types.may_be_object(object)
    }

    /// Notes the keys of dicts that stand where objects of tools stood, `rows[0] = {"name": …}`; where they are not
    /// written out, any key may be there.
    fn replace(&mut self, place: TextRange, object: &Expr, value: &Expr) {
        let is_clash = self.clashes.iter().any(|clash| place.contains_range(*clash));
        let may_mix = || self.types.holds_objects(object) && self.types.may_be_dicts(value);
        if !is_clash && !may_mix() {
            return;
        }
        let mut keys = Keys { found: HashSet::new(), is_complete: true };
        keys.visit_expr(value);
        self.facts.stores_any |= keys.found.is_empty() || !keys.is_complete;
        self.facts.stored.extend(keys.found);
    }

    /// Notes what a field of an object holds from now on, `row["owner"] = …`: where objects of a tool stood, there may
    /// be dicts of the program, and the types take them for the former.
    fn put(&mut self, object: &Expr, key: &Expr, value: &Expr) {
        if let Some(key) = literal(key) {
            self.put_under(object, key, value);
        }
    }

    fn put_under(&mut self, object: &Expr, key: &str, value: &Expr) {
        if !self.types.field_holds_objects(object, key) {
            return;
        }
        // An object of another tool brings its keys along.
        self.facts.stored.extend(self.types.declared_keys(value));
        let mut keys = Keys { found: HashSet::new(), is_complete: true };
        keys.visit_expr(value);
        if keys.found.is_empty() && parts(value).iter().all(|part| !self.types.may_be_dicts(part)) {
            return;
        }
        if keys.found.is_empty() || !keys.is_complete {
            self.facts.remade.insert(key.to_owned());
        }
        self.facts.stored.extend(keys.found);
    }

    /// Notes what an assignment to a place within something changes.
    fn assign_within(&mut self, place: TextRange, target: &Expr, value: &Expr) {
        let (targets, values) = match (target, value) {
            (Expr::Subscript(target), value) => {
                self.facts.replaces |= self.clashes.iter().any(|clash| place.contains_range(*clash));
                self.replace(place, &target.value, value);
                return self.put(&target.value, &target.slice, value);
            }
            (Expr::Tuple(targets), Expr::Tuple(values)) => (&targets.elts, Some(&values.elts)),
            (Expr::Tuple(targets), _) => (&targets.elts, None),
            _ => return,
        };
        let is_starred = |parts: &[Expr]| parts.iter().any(Expr::is_starred_expr);
        let values = values
            .filter(|values| values.len() == targets.len() && !is_starred(values) && !is_starred(targets));
        for (at, target) in targets.iter().enumerate() {
            self.assign_within(place, target, values.map_or(value, |values| &values[at]));
        }
    }

    /// Notes the keys of dicts that a method is given to store.
    fn replace_by_arguments(&mut self, object: &Expr, call: &ruff_python_ast::ExprCall) {
        for argument in &call.arguments.args {
            self.replace(call.range(), object, argument);
        }
    }

    /// Notes keys whose presence a comparison tests: `"a" in row`, `{"a", "b"} <= row.keys()`.
    fn test(&mut self, compare: &ruff_python_ast::ExprCompare) {
        if compare.ops.iter().any(|op| matches!(op, CmpOp::In | CmpOp::NotIn))
            && let Some(key) = literal(&compare.left)
        {
            self.facts.tested.insert(key.to_owned());
        }
        for side in std::iter::once(&*compare.left).chain(&compare.comparators) {
            if let Expr::Set(set) = side {
                self.facts.tested.extend(set.elts.iter().filter_map(literal).map(str::to_owned));
            }
        }
    }

    fn call(&mut self, call: &ruff_python_ast::ExprCall) {
        self.facts.calls.push(call.range());
        if last_name(&call.func).is_some_and(|name| PUSHES.contains(&name))
            && let [object, values @ ..] = &*call.arguments.args
        {
            values.iter().for_each(|value| self.replace(call.range(), object, value));
        }
        match &*call.func {
            Expr::Attribute(method) => match method.attr.as_str() {
                "setdefault" | "__setitem__" => {
                    if let [key, values @ ..] = &*call.arguments.args {
                        self.store(&method.value, key);
                        values.iter().for_each(|value| self.put(&method.value, key, value));
                    }
                    self.replace_by_arguments(&method.value, call);
                }
                "setitem" => {
                    if let [object, key, values @ ..] = &*call.arguments.args {
                        self.store(object, key);
                        values.iter().for_each(|value| self.put(object, key, value));
                    }
                }
                name if PUTS.contains(&name) => self.replace_by_arguments(&method.value, call),
                "update" => {
                    self.store_arguments(&method.value, call);
                    self.replace_by_arguments(&method.value, call);
                }
                "get" | "pop" | "__contains__" => {
                    let key = call.arguments.args.first().and_then(literal).map(str::to_owned);
                    self.facts.tested.extend(key);
                }
                _ => {}
            },
            Expr::Name(name) if matches!(name.id.as_str(), "exec" | "globals" | "vars" | "locals") => {
                self.facts.is_dynamic = true;
            }
            Expr::Name(name) if name.id == "type" => {
                let tested = call.arguments.args.first().and_then(Expr::as_name_expr);
                self.facts.typed.extend(tested.map(|name| name.id.to_string()));
            }
            _ => {}
        }
    }
}

/// Collects the keys of all dicts within a value.
struct Keys {
    found: HashSet<String>,
    /// Whether every dict shows all its keys.
    is_complete: bool,
}

impl<'ast> SourceOrderVisitor<'ast> for Keys {
    fn visit_expr(&mut self, expression: &'ast Expr) {
        match expression {
            Expr::Dict(dict) => {
                let keys: Vec<Option<&str>> =
                    dict.items.iter().map(|item| item.key.as_ref().and_then(literal)).collect();
                self.is_complete &= keys.iter().all(Option::is_some);
                self.found.extend(keys.into_iter().flatten().map(str::to_owned));
            }
            Expr::Call(call) if call.func.as_name_expr().is_some_and(|name| name.id == "dict") => {
                let keys = call.arguments.keywords.iter().filter_map(|keyword| keyword.arg.as_ref());
                self.found.extend(keys.map(ToString::to_string));
            }
            _ => {}
        }
        walk_expr(self, expression);
    }
}

/// The parts of a value whose types don't come from the place that it is put into: the elements of a list, what a
/// list is made from, or the value itself.
fn parts(value: &Expr) -> &[Expr] {
    match value {
        Expr::ListComp(list) => std::slice::from_ref(&*list.elt),
        Expr::List(list) => &list.elts,
        Expr::Call(call) if last_name(&call.func).is_some_and(|name| COPIES.contains(&name)) => {
            &call.arguments.args
        }
        _ => std::slice::from_ref(value),
    }
}

/// The function of which an expression awaits a call.
pub(crate) fn awaited(expression: &Expr) -> Option<&str> {
    let call = expression.as_await_expr()?.value.as_call_expr()?;
    Some(call.func.as_name_expr()?.id.as_str())
}

/// The text of a literal key.
pub(crate) fn literal(expression: &Expr) -> Option<&str> {
    expression.as_string_literal_expr().map(|literal| literal.value.to_str())
}

fn is_literal(expression: &Expr) -> bool {
    literal(expression).is_some()
}

impl<'ast> SourceOrderVisitor<'ast> for FactReader<'_, '_> {
    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        match statement {
            Stmt::FunctionDef(function) => {
                self.bind(&function.name);
                self.facts.functions.push((function.range(), function.is_async));
            }
            Stmt::ClassDef(class) => self.bind(&class.name),
            Stmt::Try(statement) => self.facts.caught.push(Caught::of_try(statement)),
            Stmt::With(statement) => {
                let caught = Caught::of_with(statement);
                if !caught.is_empty() {
                    self.facts.caught.push(caught);
                }
            }
            Stmt::Assign(assignment) => {
                self.assign(assignment);
                for target in &assignment.targets {
                    self.assign_within(assignment.range(), target, &assignment.value);
                }
            }
            Stmt::AugAssign(assignment) => {
                if assignment.op == Operator::BitOr {
                    self.store_all(&assignment.target, &assignment.value);
                }
                self.replace(assignment.range(), &assignment.target, &assignment.value);
                // A key that is read first must be there already.
                if let Expr::Subscript(target) = &*assignment.target {
                    self.visit_expr(&target.value);
                    self.visit_expr(&target.slice);
                    return self.visit_expr(&assignment.value);
                }
            }
            _ => {}
        }
        walk_stmt(self, statement);
    }

    fn visit_expr(&mut self, expression: &'ast Expr) {
        match expression {
            Expr::Name(name) => match name.ctx {
                ExprContext::Load => *self.facts.reads.entry(name.id.to_string()).or_default() += 1,
                _ => self.bind(&name.id),
            },
            Expr::Attribute(attribute) if attribute.ctx == ExprContext::Load => {
                *self.facts.reads.entry(attribute.attr.to_string()).or_default() += 1;
            }
            Expr::Subscript(subscript) if subscript.ctx == ExprContext::Store => {
                self.store(&subscript.value, &subscript.slice);
            }
            Expr::Compare(compare) => self.test(compare),
            Expr::Dict(dict) if dict.items.iter().all(|item| item.key.as_ref().is_some_and(is_literal)) => {
                self.facts.plain_dicts.insert(dict.range());
                let keys = dict.items.iter().filter_map(|item| item.key.as_ref().and_then(literal));
                self.written.extend(keys.map(str::to_owned));
            }
            Expr::BinOp(operation) => self.facts.operations.push(operation.range()),
            Expr::Call(call) => self.call(call),
            Expr::Lambda(lambda) => self.facts.functions.push((lambda.range(), false)),
            _ => {}
        }
        walk_expr(self, expression);
    }

    fn visit_annotation(&mut self, annotation: &'ast Expr) {
        self.facts.annotations.push(annotation.range());
        walk_annotation(self, annotation);
    }

    fn visit_parameter(&mut self, parameter: &'ast Parameter) {
        self.bind(&parameter.name);
        self.parameters.insert(parameter.name.to_string());
        ruff_python_ast::visitor::source_order::walk_parameter(self, parameter);
    }

    fn visit_alias(&mut self, alias: &'ast Alias) {
        // A program that imports `builtins` can add names to it.
        if matches!(alias.name.as_str(), "*" | "builtins") {
            self.facts.is_dynamic = true;
        }
        let name = alias.asname.as_ref().unwrap_or(&alias.name);
        let first = name.split('.').next().unwrap_or_default().to_owned();
        self.bind(&first);
    }

    fn visit_except_handler(&mut self, handler: &'ast ExceptHandler) {
        let ExceptHandler::ExceptHandler(inner) = handler;
        if let Some(name) = &inner.name {
            self.bind(name);
        }
        ruff_python_ast::visitor::source_order::walk_except_handler(self, handler);
    }

    fn visit_pattern(&mut self, pattern: &'ast Pattern) {
        captured(pattern).into_iter().for_each(|name| self.bind(name));
        if let Pattern::MatchMapping(mapping) = pattern {
            self.facts.tested.extend(mapping.keys.iter().filter_map(literal).map(str::to_owned));
        }
        ruff_python_ast::visitor::source_order::walk_pattern(self, pattern);
    }
}
