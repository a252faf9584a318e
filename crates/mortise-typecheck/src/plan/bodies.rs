//! The bodies of a program, what each calls, and how often each runs.

use std::collections::HashMap;

use mortise_contract::name::NAME_LOOK_UPS;
use ruff_python_ast::visitor::source_order::{SourceOrderVisitor, walk_expr, walk_stmt};
use ruff_python_ast::{Alias, Comprehension, Expr, ExprCall, ExprContext, Stmt, StmtFunctionDef};
use ruff_text_size::{Ranged as _, TextSize};

use super::counts::{CallCount, iterations};
use super::facts::NameFacts;
use crate::names::NAMESPACE;

/// One place that calls a tool, and how often the whole program comes there.
pub(super) struct CallPlace<'a> {
    pub(super) tool: &'a str,
    pub(super) at: TextSize,
    pub(super) count: CallCount,
}

/// The module and every function of a program. The module is the first.
pub(super) struct ProgramBodies<'a> {
    bodies: Vec<FunctionBody<'a>>,
    functions: HashMap<&'a str, Vec<usize>>,
    lookups: Vec<TextSize>,
}

/// What one body does each time that it runs.
#[derive(Default)]
struct FunctionBody<'a> {
    tools: Vec<CallPlace<'a>>,
    functions: Vec<(&'a str, CallCount)>,
}

impl<'a> ProgramBodies<'a> {
    pub(super) fn of(program: &'a [Stmt], facts: &NameFacts<'a>) -> Self {
        let bodies =
            Self { bodies: vec![FunctionBody::default()], functions: HashMap::new(), lookups: Vec::new() };
        let mut reader = BodyReader { found: bodies, facts, body: 0, count: CallCount::ONCE };
        program.iter().for_each(|statement| reader.visit_stmt(statement));
        reader.found
    }

    /// All places that call a tool. Those in functions that are never called are left out.
    pub(super) fn calls(&self) -> impl Iterator<Item = CallPlace<'a>> {
        let runs = self.runs();
        let placed = self.bodies.iter().zip(runs).filter_map(|(body, runs)| Some((body, runs?)));
        placed.flat_map(|(body, runs)| {
            let place = move |call: &CallPlace<'a>| CallPlace { count: call.count.times(runs), ..*call };
            body.tools.iter().map(place)
        })
    }

    /// Places that look names up while the program runs.
    pub(super) fn lookups(&self) -> impl Iterator<Item = TextSize> {
        self.lookups.iter().copied()
    }

    /// How often each body runs; `None` if nothing calls it. A body that can call itself runs any number of times.
    fn runs(&self) -> Vec<Option<CallCount>> {
        let reached = self.reached();
        let mut waits_for = vec![0_usize; self.bodies.len()];
        for body in (0..self.bodies.len()).filter(|body| reached[*body]) {
            self.uses(body).for_each(|(used, _)| waits_for[used] += 1);
        }
        let mut runs = vec![CallCount::NEVER; self.bodies.len()];
        let mut is_known = vec![false; self.bodies.len()];
        runs[0] = CallCount::ONCE;
        let mut ready = if waits_for[0] == 0 { vec![0] } else { Vec::new() };
        while let Some(body) = ready.pop() {
            is_known[body] = true;
            for (used, count) in self.uses(body) {
                runs[used] = runs[used].plus(count.times(runs[body]));
                waits_for[used] -= 1;
                if waits_for[used] == 0 {
                    ready.push(used);
                }
            }
        }
        // What is left waits for itself, or for what waits for itself.
        let all = reached.into_iter().zip(runs.into_iter().zip(is_known));
        all.map(|(reached, (runs, known))| reached.then_some(if known { runs } else { CallCount::ANY }))
            .collect()
    }

    fn reached(&self) -> Vec<bool> {
        let mut reached = vec![false; self.bodies.len()];
        let mut open = vec![0];
        while let Some(body) = open.pop() {
            if !std::mem::replace(&mut reached[body], true) {
                open.extend(self.uses(body).map(|(used, _)| used));
            }
        }
        reached
    }

    /// The bodies that a body calls. A name that is defined twice stands for both.
    fn uses(&self, body: usize) -> impl Iterator<Item = (usize, CallCount)> {
        self.bodies[body].functions.iter().flat_map(|(name, count)| {
            let bodies = self.functions.get(name).map(Vec::as_slice).unwrap_or_default();
            bodies.iter().map(|body| (*body, *count))
        })
    }
}

struct BodyReader<'f, 'a> {
    found: ProgramBodies<'a>,
    facts: &'f NameFacts<'a>,
    body: usize,
    /// How often this place is reached each time that its body runs.
    count: CallCount,
}

impl<'a> BodyReader<'_, 'a> {
    /// Notes that this place calls a tool or a function, or passes it on.
    fn uses(&mut self, name: &'a str, at: TextSize, count: CallCount) {
        let body = &mut self.found.bodies[self.body];
        if name.starts_with(NAMESPACE) && name.len() > NAMESPACE.len() && !self.facts.is_function(name) {
            body.tools.push(CallPlace { tool: name, at, count });
        } else if self.facts.is_function(name) {
            body.functions.push((name, count));
        }
        if NAME_LOOK_UPS.contains(&name) {
            self.found.lookups.push(at);
        }
    }

    /// Visits what is repeated.
    fn repeated(&mut self, count: CallCount, visit: impl FnOnce(&mut Self)) {
        let outer = self.count;
        self.count = outer.times(count);
        visit(self);
        self.count = outer;
    }

    fn function(&mut self, function: &'a StmtFunctionDef) {
        function.decorator_list.iter().for_each(|decorator| self.visit_decorator(decorator));
        self.visit_parameters(&function.parameters);
        let name = function.name.as_str();
        // Python calls `__enter__` and the like, and a decorator may call what it decorates.
        if !function.decorator_list.is_empty() || name.starts_with("__") {
            self.uses(name, function.start(), CallCount::ANY);
        }
        let body = self.found.bodies.len();
        self.found.bodies.push(FunctionBody::default());
        self.found.functions.entry(name).or_default().push(body);
        let outer =
            (std::mem::replace(&mut self.body, body), std::mem::replace(&mut self.count, CallCount::ONCE));
        self.visit_body(&function.body);
        (self.body, self.count) = outer;
    }

    fn call(&mut self, call: &'a ExprCall) {
        match &*call.func {
            Expr::Name(name) => self.uses(name.id.as_str(), name.start(), self.count),
            Expr::Attribute(method) => {
                self.visit_expr(&method.value);
                self.uses(method.attr.as_str(), method.attr.start(), self.count);
            }
            other => self.visit_expr(other),
        }
        self.visit_arguments(&call.arguments);
    }

    fn comprehension(&mut self, parts: &'a [Comprehension], element: &mut dyn FnMut(&mut Self)) {
        let Some((first, rest)) = parts.split_first() else { return element(self) };
        self.visit_expr(&first.iter);
        self.repeated(iterations(&first.iter, self.facts), |reader| {
            first.ifs.iter().for_each(|condition| reader.visit_expr(condition));
            reader.comprehension(rest, element);
        });
    }
}

impl<'a> SourceOrderVisitor<'a> for BodyReader<'_, 'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::FunctionDef(function) => self.function(function),
            Stmt::For(each) => {
                self.visit_expr(&each.iter);
                self.repeated(iterations(&each.iter, self.facts), |reader| reader.visit_body(&each.body));
                self.visit_body(&each.orelse);
            }
            Stmt::While(repeat) => {
                self.repeated(CallCount::ANY, |reader| {
                    reader.visit_expr(&repeat.test);
                    reader.visit_body(&repeat.body);
                });
                self.visit_body(&repeat.orelse);
            }
            other => walk_stmt(self, other),
        }
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Call(call) => self.call(call),
            // What is passed on may be called by what gets it.
            Expr::Name(name) if name.ctx == ExprContext::Load => {
                self.uses(name.id.as_str(), name.start(), CallCount::ANY);
            }
            Expr::Attribute(attribute) => {
                self.visit_expr(&attribute.value);
                self.uses(attribute.attr.as_str(), attribute.attr.start(), CallCount::ANY);
            }
            Expr::Lambda(lambda) => {
                lambda.parameters.iter().for_each(|parameters| self.visit_parameters(parameters));
                self.repeated(CallCount::ANY, |reader| reader.visit_expr(&lambda.body));
            }
            Expr::ListComp(list) => {
                self.comprehension(&list.generators, &mut |reader| reader.visit_expr(&list.elt));
            }
            Expr::SetComp(set) => {
                self.comprehension(&set.generators, &mut |reader| reader.visit_expr(&set.elt));
            }
            Expr::Generator(lazy) => {
                self.comprehension(&lazy.generators, &mut |reader| reader.visit_expr(&lazy.elt));
            }
            Expr::DictComp(dict) => self.comprehension(&dict.generators, &mut |reader| {
                dict.key.iter().for_each(|key| reader.visit_expr(key));
                reader.visit_expr(&dict.value);
            }),
            other => walk_expr(self, other),
        }
    }

    fn visit_alias(&mut self, alias: &'a Alias) {
        if NAME_LOOK_UPS.contains(&alias.name.as_str()) || alias.name.as_str() == "__main__" {
            self.found.lookups.push(alias.start());
        }
    }
}
