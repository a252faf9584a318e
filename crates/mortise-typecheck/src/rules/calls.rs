//! Arguments of tools.

use mortise_contract::shape::Shape;
use mortise_contract::text::nearest;
use ruff_python_ast::{DictItem, Expr, ExprCall, Keyword, Number, UnaryOp};
use ruff_text_size::{Ranged as _, TextRange};
use serde_json::Value;

use crate::evidence::facts::literal;
use crate::evidence::handlers::Raises;
use crate::evidence::kinds::ValueKind;
use crate::finding::TypecheckRule;
use crate::rules::bounds::resolved;
use crate::stub::Stub;
use crate::walk::{Remark, Scene};

/// Texts that servers take for a boolean, beside `true` and `false`.
const BOOLEANS: [&str; 8] = ["yes", "no", "on", "off", "y", "n", "t", "f"];
/// Characters of a declared argument that are shown.
const SHOWN: usize = 120;

impl<'a> Scene<'a> {
    /// A call of a tool: arguments by position, unknown ones, missing ones, values of the wrong kind.
    pub(crate) fn judge_call(&mut self, call: &ExprCall) {
        let Some((name, stub)) = self.evidence.tool(call) else { return };
        self.tool_calls.insert(call.range(), name.to_owned());
        if let Some(first) = call.arguments.args.first() {
            let message = format!("`{name}` takes keyword arguments only");
            self.argument(TypecheckRule::PositionalArgument, first.range(), message, stub, None);
            return;
        }
        let is_unpacked =
            call.arguments.keywords.iter().any(|keyword| keyword.arg.is_none() && written(keyword).is_none());
        let known = || stub.signature.parameters.iter().map(|parameter| parameter.name.as_str());
        let given = given(call);
        for (argument, range, value) in &given {
            if !stub.signature.takes_others && !known().any(|known| known == *argument) {
                let message = format!("`{name}` has no argument `{argument}`");
                let free = known().filter(|known| !given.iter().any(|(given, ..)| given == known));
                let nearest = nearest(argument, free).map(str::to_owned);
                self.argument(TypecheckRule::UnknownArgument, *range, message, stub, nearest);
            } else if let Some(shape) = stub.properties.get(*argument) {
                let schema =
                    stub.input_schema.get("properties").and_then(|properties| properties.get(*argument));
                let schema = schema.and_then(|schema| resolved(schema, &stub.input_schema));
                let place = ArgumentPlace { tool: name, argument: (*argument).to_owned(), stub, schema };
                self.judge_value(&place, value, shape);
            }
        }
        let missing: Vec<String> = stub
            .signature
            .parameters
            .iter()
            .filter(|parameter| {
                parameter.is_required && !given.iter().any(|(given, ..)| *given == parameter.name)
            })
            .map(|parameter| format!("`{}`", parameter.name))
            .collect();
        if !missing.is_empty() && !is_unpacked {
            let word = if missing.len() == 1 { "argument" } else { "arguments" };
            let message = format!("`{name}` needs the {word} {}", missing.join(", "));
            self.argument(TypecheckRule::MissingArgument, call.func.range(), message, stub, None);
        }
    }

    /// A value and all that is written out within it.
    fn judge_value(&mut self, place: &ArgumentPlace<'a>, value: &Expr, shape: &Shape) {
        if let Some(wrong) = self.wrong_value(value, shape) {
            let ArgumentPlace { tool, argument, stub, .. } = place;
            let declared = shape.one_line(SHOWN);
            let message = match &wrong {
                Wrong::Kind(kind) => format!("`{tool}` takes {declared} as `{argument}`, not {kind}"),
                Wrong::Literal(..) => format!("`{tool}` takes {declared} as `{argument}`"),
            };
            let nearest = match wrong {
                Wrong::Literal(nearest) => nearest,
                Wrong::Kind(_) => None,
            };
            return self.argument(TypecheckRule::WrongArgument, value.range(), message, stub, nearest);
        }
        if let Some(bound) = place.schema.and_then(|schema| self.out_of_bounds(value, schema)) {
            let message = format!("`{}` takes {bound} as `{}`", place.tool, place.argument);
            return self.argument(TypecheckRule::WrongArgument, value.range(), message, place.stub, None);
        }
        match value {
            Expr::List(list) => self.judge_items(place, &list.elts, shape),
            Expr::Tuple(tuple) => self.judge_items(place, &tuple.elts, shape),
            Expr::Dict(dict) => self.judge_fields(place, &dict.items, shape),
            _ => {}
        }
    }

    fn judge_items(&mut self, place: &ArgumentPlace<'a>, items: &[Expr], shape: &Shape) {
        let Some(Shape::Array(item)) = the_only(shape, |shape| matches!(shape, Shape::Array(_))) else {
            return;
        };
        // After an unpacked element, positions are unknown.
        for (at, value) in items.iter().enumerate().take_while(|(_, value)| !value.is_starred_expr()) {
            self.judge_value(&place.within(&format!("[{at}]"), |schema| schema.get("items")), value, item);
        }
    }

    fn judge_fields(&mut self, place: &ArgumentPlace<'a>, items: &[DictItem], shape: &Shape) {
        let Some(Shape::Object { fields, .. }) =
            the_only(shape, |shape| matches!(shape, Shape::Object { .. }))
        else {
            return;
        };
        for (at, item) in items.iter().enumerate() {
            let Some(key) = item.key.as_ref().and_then(literal) else { continue };
            // What comes later in a dict counts: the same key, or anything that is unpacked.
            let is_other =
                |later: &DictItem| later.key.as_ref().and_then(literal).is_some_and(|other| other != key);
            if !items[at + 1..].iter().all(is_other) {
                continue;
            }
            if let Some(field) = fields.iter().find(|field| field.name == key) {
                let field_schema = |schema: &'a Value| schema.get("properties")?.get(key);
                self.judge_value(
                    &place.within(&format!("[{key:?}]"), field_schema),
                    &item.value,
                    &field.shape,
                );
            }
        }
    }

    fn argument(
        &mut self,
        rule: TypecheckRule,
        range: TextRange,
        message: String,
        stub: &Stub,
        nearest: Option<String>,
    ) {
        self.remark(Remark {
            declared: Some(stub.signature.text.clone()),
            nearest,
            ..Remark::sure(rule, Raises::Type, range, message)
        });
    }

    /// What is wrong with a value, if no server could take it.
    fn wrong_value(&self, value: &Expr, shape: &Shape) -> Option<Wrong> {
        let takes = Takes::of(shape)?;
        if !takes.literals.is_empty()
            && let Some(text) = self.evidence.types.text(value)
        {
            let is_listed = takes.literals.contains(&text);
            return (!is_listed && !takes.text).then(|| {
                Wrong::Literal(nearest(&text, takes.literals.iter().map(String::as_str)).map(str::to_owned))
            });
        }
        let kinds = match value {
            // The checker knows the kind of a literal in the light of what is wanted; only the literal counts here.
            Expr::List(_) | Expr::ListComp(_) | Expr::Tuple(_) => vec![ValueKind::List],
            Expr::Dict(_) | Expr::DictComp(_) => vec![ValueKind::Dict],
            value => self.evidence.types.kinds(value),
        };
        let mut words = Vec::new();
        for kind in &kinds {
            words.push(takes.refuses(kind, value)?);
        }
        words.dedup();
        (!words.is_empty()).then(|| Wrong::Kind(words.join(" or ")))
    }
}

/// The argument, or the part of one, that a value is passed as.
struct ArgumentPlace<'a> {
    tool: &'a str,
    /// The argument, or a part of it: `items[0]["sku"]`.
    argument: String,
    stub: &'a Stub,
    /// What the schema says of it, behind references.
    schema: Option<&'a Value>,
}

impl<'a> ArgumentPlace<'a> {
    fn within(&self, part: &str, below: impl FnOnce(&'a Value) -> Option<&'a Value>) -> Self {
        let schema = self.schema.and_then(below).and_then(|schema| resolved(schema, &self.stub.input_schema));
        Self { argument: format!("{}{part}", self.argument), schema, ..*self }
    }
}

/// The shape itself or, of a union, its only branch of a kind; none if it may be anything.
fn the_only(shape: &Shape, is_it: impl Fn(&Shape) -> bool) -> Option<&Shape> {
    let branches = match shape {
        Shape::Union(branches) => branches.as_slice(),
        shape => std::slice::from_ref(shape),
    };
    let is_plain =
        |branch: &Shape| is_it(branch) || matches!(branch, Shape::Scalar { .. } | Shape::Literals(_));
    let mut those = branches.iter().filter(|branch| is_it(branch));
    let only = those.next().filter(|_| branches.iter().all(is_plain))?;
    those.next().is_none().then_some(only)
}

/// Arguments by name, those of `**{"name": …}` included, with their places and values.
fn given(call: &ExprCall) -> Vec<(&str, TextRange, &Expr)> {
    let mut given = Vec::new();
    for keyword in &call.arguments.keywords {
        match &keyword.arg {
            Some(argument) => given.push((argument.as_str(), argument.range(), &keyword.value)),
            None => given.extend(written(keyword).into_iter().flatten()),
        }
    }
    given
}

/// What `**{"name": …}` gives, if all of it is written out.
fn written(keyword: &Keyword) -> Option<Vec<(&str, TextRange, &Expr)>> {
    let items = &keyword.value.as_dict_expr()?.items;
    let item = |item: &'_ DictItem| item.key.as_ref().and_then(literal).is_some();
    items.iter().all(item).then(|| {
        let items = items.iter().filter_map(|item| Some((item.key.as_ref()?, &item.value)));
        items.filter_map(|(key, value)| Some((literal(key)?, key.range(), value))).collect()
    })
}

enum Wrong {
    /// A value of another kind, in words.
    Kind(String),
    /// None of the values that are listed, with the nearest of them.
    Literal(Option<String>),
}

#[derive(Default)]
struct Takes {
    text: bool,
    number: bool,
    boolean: bool,
    list: bool,
    object: bool,
    literals: Vec<String>,
}

impl Takes {
    /// What the shape says, if it excludes anything.
    fn of(shape: &Shape) -> Option<Self> {
        let mut takes = Self::default();
        takes.add(shape)?;
        Some(takes)
    }

    fn add(&mut self, shape: &Shape) -> Option<()> {
        match shape {
            Shape::Scalar { kind, .. } => match kind.as_str() {
                "string" => self.text = true,
                "integer" | "number" => self.number = true,
                "boolean" => self.boolean = true,
                "null" => {}
                _ => return None,
            },
            Shape::Literals(literals) => {
                for literal in literals {
                    match serde_json::from_str(literal) {
                        Ok(Value::String(text)) => self.literals.push(text),
                        Ok(Value::Number(_)) => self.number = true,
                        Ok(Value::Bool(_)) => self.boolean = true,
                        Ok(Value::Null) => {}
                        _ => return None,
                    }
                }
            }
            Shape::Array(_) | Shape::Tuple { .. } => self.list = true,
            Shape::Object { .. } => self.object = true,
            Shape::Union(shapes) => {
                for shape in shapes {
                    self.add(shape)?;
                }
            }
            Shape::Any | Shape::Never | Shape::Intersection(_) | Shape::Recursive(_) | Shape::Cut => {
                return None;
            }
        }
        Some(())
    }

    fn takes_text(&self) -> bool {
        self.text || !self.literals.is_empty()
    }

    /// The name of a kind that is surely refused. Servers are lenient: they read numbers in texts, JSON in texts,
    /// and take one kind of number for another.
    fn refuses(&self, kind: &ValueKind<'_>, value: &Expr) -> Option<&'static str> {
        let (is_taken, word) = match kind {
            ValueKind::Text => {
                let reads = match value {
                    Expr::StringLiteral(text) => {
                        let text = text.value.to_str().trim();
                        let is_json = text.starts_with(['[', '{', '"']);
                        is_json || text.is_empty() || is_scalar(&text.to_lowercase())
                    }
                    _ => true,
                };
                (self.takes_text() || reads, "a string")
            }
            ValueKind::Integer => (self.number || (self.boolean && is_bit(value)), "a number"),
            ValueKind::Float => (self.number, "a number"),
            ValueKind::Boolean => (self.boolean || self.number, "a boolean"),
            ValueKind::List => (self.list, "a list"),
            ValueKind::Dict | ValueKind::Shape(_) => (self.object, "a dict"),
            ValueKind::Nothing
            | ValueKind::Exception
            | ValueKind::Coroutine
            | ValueKind::Instance
            | ValueKind::Other => return None,
        };
        (!is_taken).then_some(word)
    }
}

/// Whether a lenient server reads the text as a number or a boolean.
fn is_scalar(text: &str) -> bool {
    let is_number = || text.replace('_', "").parse::<f64>().is_ok();
    BOOLEANS.contains(&text) || is_number() || serde_json::from_str::<Value>(text).is_ok()
}

/// Whether a value is not surely another number than 0 and 1.
fn is_bit(value: &Expr) -> bool {
    match value {
        Expr::NumberLiteral(number) => {
            matches!(&number.value, Number::Int(int) if matches!(int.as_u8(), Some(0 | 1)))
        }
        Expr::UnaryOp(operation) => operation.op != UnaryOp::USub,
        _ => true,
    }
}
