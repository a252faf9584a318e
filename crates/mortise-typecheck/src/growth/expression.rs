//! How many parts the type of an expression has.

use ruff_python_ast::{Comprehension, Expr, ExprCall, Number, Operator};

use super::{Size, Sizes};

/// Functions of which the result is made of all that they are given.
const GATHERING: [&str; 8] =
    ["zip", "zip_longest", "gather", "product", "partial", "wait", "combinations", "permutations"];

impl<'a> Sizes<'a> {
    /// How often a type that is given comes back in what functions of a name return.
    fn factor(&self, name: &str) -> u64 {
        let functions = self.functions.get(name).into_iter().flatten();
        let counts = functions.filter_map(|function| function.returns.as_deref()).map(|returns| {
            let mut names = Vec::new();
            self.mentioned(returns, &mut names);
            names.len() as u64
        });
        counts.max().unwrap_or(1).max(1)
    }

    fn mentioned(&self, annotation: &'a Expr, found: &mut Vec<&'a str>) {
        match annotation {
            Expr::Name(name) if self.variables.contains(name.id.as_str()) => found.push(name.id.as_str()),
            // Written as a text: whatever it names may be in it as often as the text is long.
            Expr::StringLiteral(text) => {
                let words = text.value.to_str().split(|c: char| !c.is_alphanumeric() && c != '_');
                let known = words.filter_map(|word| self.variables.get(word).copied());
                found.extend(known);
            }
            Expr::Subscript(subscript) => {
                self.mentioned(&subscript.value, found);
                self.mentioned(&subscript.slice, found);
            }
            Expr::Tuple(tuple) => tuple.elts.iter().for_each(|part| self.mentioned(part, found)),
            Expr::List(list) => list.elts.iter().for_each(|part| self.mentioned(part, found)),
            Expr::BinOp(operation) => {
                self.mentioned(&operation.left, found);
                self.mentioned(&operation.right, found);
            }
            _ => {}
        }
    }

    fn largest_of(&mut self, expressions: impl IntoIterator<Item = &'a Expr>) -> Size {
        expressions.into_iter().fold(Size::default(), |size, expression| size.max(self.size(expression)))
    }

    /// What a list, set or dict of these is: unpacked ones add nothing of their own.
    fn container(&mut self, items: impl IntoIterator<Item = &'a Expr>) -> Size {
        let mut size = Size::ONE;
        for item in items {
            let found = match item {
                Expr::Starred(starred) => self.size(&starred.value),
                item => self.size(item).within(),
            };
            size = size.max(Size { is_tuple: false, ..found });
        }
        size
    }

    pub(super) fn operation(&mut self, left: &'a Expr, operator: Operator, right: &'a Expr) -> Size {
        self.places += 1;
        let (first, second) = (self.size(left), self.size(right));
        let is_tuple = first.is_tuple || second.is_tuple;
        match operator {
            Operator::Add if is_tuple => first.and(second),
            Operator::Mult if is_tuple => {
                let number = |side: &Expr| match side.as_number_literal_expr().map(|literal| &literal.value) {
                    Some(Number::Int(int)) => Some(int.as_u64().unwrap_or(u64::MAX)),
                    _ => None,
                };
                first.max(second).times(number(left).or_else(|| number(right)).unwrap_or(1).max(1))
            }
            Operator::BitOr => first.or(second),
            _ => first.max(second),
        }
    }

    pub(super) fn size(&mut self, expression: &'a Expr) -> Size {
        let size = self.found(expression);
        self.largest = self.largest.max(size.parts);
        size
    }

    fn found(&mut self, expression: &'a Expr) -> Size {
        match expression {
            Expr::Name(name) => self.names.get(name.id.as_str()).copied().unwrap_or(Size::ONE),
            Expr::Tuple(tuple) => {
                let mut size = Size { parts: 1, is_tuple: true };
                for item in &tuple.elts {
                    size = size.and(self.size(item));
                }
                size
            }
            Expr::Starred(starred) => self.size(&starred.value),
            Expr::List(list) => self.container(&list.elts),
            Expr::Set(set) => self.container(&set.elts),
            Expr::Dict(dict) => {
                let keys = self.container(dict.items.iter().filter_map(|item| item.key.as_ref()));
                let mut values = Size::ONE;
                for item in &dict.items {
                    let size = self.size(&item.value);
                    values = values.max(if item.key.is_some() { size.within() } else { size });
                }
                Size { is_tuple: false, ..keys.max(values) }
            }
            Expr::ListComp(comprehension) => {
                self.comprehension(&comprehension.generators, [&*comprehension.elt])
            }
            Expr::SetComp(comprehension) => {
                self.comprehension(&comprehension.generators, [&*comprehension.elt])
            }
            Expr::Generator(generator) => self.comprehension(&generator.generators, [&*generator.elt]),
            Expr::DictComp(comprehension) => {
                let parts = comprehension.key.as_deref().into_iter().chain([&*comprehension.value]);
                self.comprehension(&comprehension.generators, parts)
            }
            Expr::Lambda(lambda) => self.size(&lambda.body),
            Expr::Call(call) => self.call(call),
            Expr::Attribute(attribute) => {
                self.places += 1;
                self.size(&attribute.value)
            }
            Expr::Subscript(subscript) => {
                self.places += 1;
                self.size(&subscript.value).max(self.size(&subscript.slice))
            }
            Expr::BinOp(operation) => self.operation(&operation.left, operation.op, &operation.right),
            Expr::BoolOp(operation) => {
                let mut size = Size::default();
                for value in &operation.values {
                    size = size.or(self.size(value));
                }
                size
            }
            Expr::If(choice) => {
                self.size(&choice.test);
                self.size(&choice.body).or(self.size(&choice.orelse))
            }
            Expr::Named(named) => {
                let size = self.size(&named.value);
                self.assign(&named.target, size);
                size
            }
            Expr::Await(inner) => self.size(&inner.value),
            Expr::UnaryOp(operation) => {
                self.size(&operation.operand);
                Size::default()
            }
            Expr::Compare(compare) => {
                self.places += 1;
                self.size(&compare.left);
                self.largest_of(&compare.comparators);
                Size::default()
            }
            Expr::Yield(inner) => {
                let size = inner.value.as_deref().map_or(Size::default(), |value| self.size(value));
                self.returns = self.returns.or(size);
                Size::ONE
            }
            Expr::YieldFrom(inner) => {
                let size = self.size(&inner.value);
                self.returns = self.returns.or(size);
                size
            }
            _ => Size::default(),
        }
    }

    fn comprehension(
        &mut self,
        generators: &'a [Comprehension],
        parts: impl IntoIterator<Item = &'a Expr>,
    ) -> Size {
        for generator in generators {
            let size = self.size(&generator.iter);
            self.assign(&generator.target, size);
            self.largest_of(&generator.ifs);
        }
        self.largest_of(parts).within()
    }

    fn call(&mut self, call: &'a ExprCall) -> Size {
        self.places += 1;
        let (name, receiver) = match &*call.func {
            Expr::Name(name) => (Some(name.id.as_str()), Size::default()),
            Expr::Attribute(method) => (Some(method.attr.as_str()), self.size(&method.value)),
            other => (None, self.size(other)),
        };
        let values =
            call.arguments.args.iter().chain(call.arguments.keywords.iter().map(|keyword| &keyword.value));
        let values: Vec<&'a Expr> = values.collect();
        let (lambdas, others): (Vec<_>, Vec<_>) =
            values.into_iter().partition(|value| value.is_lambda_expr());
        let gathers = name.is_some_and(|name| GATHERING.contains(&name));
        let mut given = receiver;
        for value in others {
            let size = self.size(value);
            given = if gathers { given.and(size) } else { given.max(size) };
        }
        for lambda in lambdas.into_iter().filter_map(Expr::as_lambda_expr) {
            if let Some(parameters) = &lambda.parameters {
                self.parameters(parameters, given);
            }
            let size = self.size(&lambda.body);
            given = given.max(size);
        }
        let returned = name.map_or(Size::default(), |name| self.function(name));
        let factor = name.map_or(1, |name| self.factor(name));
        let is_tuple = gathers || name == Some("tuple") || returned.is_tuple;
        let size = given.times(factor).max(returned).max(Size::ONE);
        Size { is_tuple, ..if gathers { size.within() } else { size } }
    }
}
