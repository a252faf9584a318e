//! What the checker knows about a value, as the rules need it.

use ruff_python_ast::Expr;
use ty_python_core::definition::Definition;
use ty_python_semantic::types::Type;
use ty_python_semantic::{HasType as _, SemanticModel};

use crate::database::Database;
use crate::said::shown;
use crate::stub::{ObjectShape, Stub};

/// Levels of aliases and unions that are looked through.
const LEVELS: usize = 8;

/// Levels of objects in which a key is looked for.
const DEPTH: usize = 3;
/// Objects of one level in which it is looked for.
const FIELDS: usize = 50;

/// Whether a type names a class, and not one whose name only contains it.
fn names_class(kind: &str, class: &str) -> bool {
    kind.split(|c: char| c != '_' && !c.is_alphanumeric()).any(|word| word == class)
}

/// One of the things that a value can be.
#[derive(Clone, Copy)]
pub(crate) enum ValueKind<'a> {
    /// An object of a tool.
    Shape(&'a ObjectShape),
    Text,
    Integer,
    Float,
    Boolean,
    Nothing,
    /// A list or tuple.
    List,
    /// A dict without a shape of a tool.
    Dict,
    /// An exception, as `gather` returns them.
    Exception,
    /// What calling an async function gives.
    Coroutine,
    /// Of a class that no object of a tool has.
    Instance,
    /// A type that rules can't judge.
    Other,
}

/// Kinds that can stand for one another: they have the same operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum KindGroup {
    Object,
    Text,
    Number,
    List,
    Dict,
    Instance,
    Unknown,
}

impl KindGroup {
    /// The group of a kind; null has none.
    pub(crate) fn of(kind: &ValueKind<'_>) -> Option<Self> {
        Some(match kind {
            ValueKind::Shape(_) => Self::Object,
            ValueKind::Text => Self::Text,
            ValueKind::Integer | ValueKind::Float | ValueKind::Boolean => Self::Number,
            ValueKind::List => Self::List,
            ValueKind::Dict => Self::Dict,
            ValueKind::Exception | ValueKind::Coroutine | ValueKind::Instance => Self::Instance,
            ValueKind::Other => Self::Unknown,
            ValueKind::Nothing => return None,
        })
    }
}

/// Asks ty for types.
pub(crate) struct Types<'a> {
    pub(crate) database: &'a Database,
    pub(crate) model: SemanticModel<'a>,
    /// The stubs of the program's tools.
    pub(crate) stubs: &'a [&'a Stub],
}

impl<'a> Types<'a> {
    /// All that an expression can be; empty where nothing is known.
    pub(crate) fn kinds(&self, expression: &Expr) -> Vec<ValueKind<'a>> {
        let mut kinds = Vec::new();
        if let Some(found) = self.of(expression) {
            self.collect(found, LEVELS, &mut kinds);
        }
        kinds
    }

    fn collect(&self, found: Type<'a>, levels: usize, kinds: &mut Vec<ValueKind<'a>>) {
        let Some(levels) = levels.checked_sub(1) else {
            kinds.push(ValueKind::Other);
            return;
        };
        match found {
            Type::Union(union) => {
                for element in union.elements(self.database) {
                    self.collect(*element, levels, kinds);
                }
            }
            Type::TypeAlias(alias) => self.collect(alias.value_type(self.database), levels, kinds),
            Type::Intersection(intersection) => {
                let parts: Vec<Type<'a>> = intersection.iter_positive(self.database).collect();
                match parts.as_slice() {
                    // Tested to be true, and nothing else.
                    [part] if self.is_truthy(found) => self.collect(*part, levels, kinds),
                    parts => kinds.push(self.several(found, parts)),
                }
            }
            found => kinds.push(self.one(found)),
        }
    }

    /// What a value is that was tested to be several things. An object of a tool that is not a dict, or is also a string, or
    /// has attributes breaks its contract: a program that tests for that knows better than the contract.
    fn several(&self, found: Type<'a>, parts: &[Type<'a>]) -> ValueKind<'a> {
        let kinds: Vec<ValueKind<'a>> = parts.iter().map(|part| self.one(*part)).collect();
        let is_telling = |kind: &&ValueKind<'a>| matches!(kind, ValueKind::Shape(_) | ValueKind::Exception);
        let Some(telling) = kinds.iter().find(is_telling).copied() else { return ValueKind::Other };
        if matches!(telling, ValueKind::Exception) {
            return telling;
        }
        let has_attributes = parts.iter().any(|part| matches!(part, Type::ProtocolInstance(_)));
        let is_more =
            |kind: &ValueKind<'a>| !matches!(kind, ValueKind::Shape(_) | ValueKind::Dict | ValueKind::Other);
        match has_attributes || kinds.iter().any(is_more) || self.excludes_dicts(found, parts) {
            true => ValueKind::Other,
            false => telling,
        }
    }

    /// The type of an expression, if ty inferred one.
    pub(crate) fn of(&self, expression: &Expr) -> Option<Type<'a>> {
        expression.inferred_type(&self.model)
    }

    /// Whether a type is that of None.
    pub(crate) fn is_none(&self, found: Type<'a>) -> bool {
        found.is_none(self.database)
    }

    fn shows(&self, found: Type<'a>) -> String {
        found.display(self.database, &self.model.program_environment()).to_string()
    }

    fn one(&self, found: Type<'a>) -> ValueKind<'a> {
        let environment = self.model.program_environment();
        if let Type::TypedDict(object) = found {
            let declared = object.definition(self.database).and_then(|class| self.declared_object(class));
            return declared.map_or(ValueKind::Other, |(_, shape)| ValueKind::Shape(shape));
        }
        if found.is_none(self.database) {
            return ValueKind::Nothing;
        }
        let name = match found {
            Type::NominalInstance(instance) => {
                Some(instance.class_name(self.database, &environment).to_string())
            }
            Type::LiteralValue(_) => found
                .definition(self.database, &environment)
                .and_then(|definition| definition.definition().copied())
                .and_then(|definition| definition.name(self.database)),
            _ => None,
        };
        match name.as_deref() {
            Some("str") => ValueKind::Text,
            Some("int") => ValueKind::Integer,
            Some("float") => ValueKind::Float,
            Some("bool") => ValueKind::Boolean,
            Some("list" | "tuple") => ValueKind::List,
            Some("dict" | "defaultdict" | "OrderedDict" | "Counter") => ValueKind::Dict,
            Some("CoroutineType") => ValueKind::Coroutine,
            Some(name) if name.ends_with("Exception") || name.ends_with("Error") => ValueKind::Exception,
            None | Some("object" | "Mapping" | "MutableMapping") => ValueKind::Other,
            Some(_) => ValueKind::Instance,
        }
    }

    /// The object of a tool that a class of a stub declares: the stub's module and the shape.
    pub(super) fn declared_object(&self, class: Definition<'a>) -> Option<(&'a str, &'a ObjectShape)> {
        let module = self.database.stub_module(class.file(self.database))?;
        let stub: &'a Stub = self.stubs.iter().find(|stub| stub.module == module)?;
        Some((stub.module.as_str(), stub.shapes.get(&class.name(self.database)?)?))
    }

    /// The shapes that an expression can have, if it can be nothing else that has keys.
    pub(crate) fn shapes(&self, expression: &Expr) -> Vec<&'a ObjectShape> {
        let mut shapes = Vec::new();
        for kind in self.kinds(expression) {
            match kind {
                ValueKind::Shape(shape) => shapes.push(shape),
                // A key of these fails in any case.
                ValueKind::Text
                | ValueKind::Integer
                | ValueKind::Float
                | ValueKind::Boolean
                | ValueKind::Nothing => {}
                ValueKind::List | ValueKind::Exception => {}
                ValueKind::Dict | ValueKind::Coroutine | ValueKind::Instance | ValueKind::Other => {
                    return Vec::new();
                }
            }
        }
        shapes
    }

    /// Whether an expression is an object of a tool if it is anything.
    pub(crate) fn is_object(&self, expression: &Expr) -> bool {
        self.kinds(expression).iter().all(|kind| matches!(kind, ValueKind::Shape(_) | ValueKind::Nothing))
    }

    /// Whether an expression can be an object of a tool, as far as is known.
    pub(crate) fn may_be_object(&self, expression: &Expr) -> bool {
        let kinds = self.kinds(expression);
        kinds.is_empty() || kinds.iter().any(|kind| matches!(kind, ValueKind::Shape(_) | ValueKind::Other))
    }

    /// The string form of an expression's type.
    fn shown(&self, expression: &Expr) -> Option<String> {
        self.of(expression).map(|found| self.shows(found))
    }

    /// Whether what stands under a key of an object is an object of a tool too, or has such in it, as far as is known.
    pub(crate) fn field_holds_objects(&self, object: &Expr, key: &str) -> bool {
        let holds = |shape: &ObjectShape| {
            let field = shape.keys.iter().position(|known| known == key).and_then(|at| shape.kinds.get(at));
            field.is_some_and(|kind| self.names_object(kind))
        };
        let kinds = self.kinds(object);
        let is_known = !kinds.is_empty() && !kinds.iter().any(|kind| matches!(kind, ValueKind::Other));
        match is_known {
            true => kinds.iter().any(|kind| matches!(kind, ValueKind::Shape(shape) if holds(shape))),
            false => self.stubs.iter().flat_map(|stub| stub.shapes.values()).any(holds),
        }
    }

    /// Where a part of an object has a key, at most three levels down: `["customer"]["address"]["city"]`.
    pub(crate) fn below(&self, shape: &ObjectShape, key: &str) -> Option<String> {
        let shapes =
            self.stubs.iter().find(|stub| stub.shapes.values().any(|known| std::ptr::eq(known, shape)));
        let shapes = &shapes?.shapes;
        let mut level = vec![(String::new(), shape)];
        for _ in 0..DEPTH {
            let mut next = Vec::new();
            for (path, shape) in level {
                for (field, kind) in shape.keys.iter().zip(&shape.kinds) {
                    let index = if kind.contains("list[") { "[0]" } else { "" };
                    let inner =
                        shapes.iter().find(|(class, _)| names_class(kind, class)).map(|(_, inner)| inner);
                    next.extend(inner.map(|inner| (format!("{path}[{field:?}]{index}"), inner)));
                }
            }
            if let Some((path, _)) =
                next.iter().find(|(_, shape)| shape.keys.iter().any(|known| known == key))
            {
                return Some(format!("{path}[{key:?}]"));
            }
            level = next;
            level.truncate(FIELDS);
        }
        None
    }

    /// Whether the type of a field, as the stub spells it, names an object of a tool.
    fn names_object(&self, shown: &str) -> bool {
        self.stubs.iter().flat_map(|stub| stub.shapes.keys()).any(|class| shown.contains(class.as_str()))
    }

    /// The text that an expression surely is.
    pub(crate) fn text(&self, expression: &Expr) -> Option<String> {
        if let Expr::StringLiteral(text) = expression {
            return Some(text.value.to_str().to_owned());
        }
        let found = self.of(expression).filter(|_| expression.is_name_expr())?;
        let shown = matches!(found, Type::LiteralValue(_)).then(|| self.shows(found))?;
        let text = shown.strip_prefix(shown::LITERAL)?.strip_suffix("\"]")?;
        // With an escape in it, what is shown is not the text itself.
        (!text.contains(['\\', '"'])).then(|| text.to_owned())
    }

    /// Whether an expression is what `gather` and `create_task` return, and nothing else.
    pub(crate) fn is_future(&self, expression: &Expr) -> bool {
        self.class_name(expression).is_some_and(|name| matches!(name.as_str(), "Future" | "Task"))
    }

    /// The class of an expression that is of one class.
    pub(crate) fn class_name(&self, expression: &Expr) -> Option<String> {
        let Some(Type::NominalInstance(found)) = self.of(expression) else { return None };
        Some(found.class_name(self.database, &self.model.program_environment()).to_string())
    }

    /// Whether the types know one type for all elements of a list.
    pub(crate) fn has_one_element_type(&self, expression: &Expr) -> bool {
        let shown = self.shown(expression).unwrap_or_default();
        let elements = shown.split_once('[').and_then(|(_, rest)| rest.strip_suffix(']'));
        let is_coroutine =
            |elements: &str| elements.starts_with(shown::COROUTINE) && !elements.contains(shown::OR);
        let several = [shown::OR, shown::AND, ","];
        let is_one =
            |elements: &str| !several.iter().chain(&shown::ANYTHING).any(|mark| elements.contains(mark));
        elements.is_some_and(|elements| is_one(elements) || is_coroutine(elements))
    }

    /// Whether an expression is a form of `typing`, such as `Optional`.
    pub(crate) fn is_special_form(&self, expression: &Expr) -> bool {
        matches!(self.of(expression), Some(Type::SpecialForm(_)))
    }

    /// Whether an expression is None and nothing else.
    pub(crate) fn is_nothing(&self, expression: &Expr) -> bool {
        let kinds = self.kinds(expression);
        !kinds.is_empty() && kinds.iter().all(|kind| matches!(kind, ValueKind::Nothing))
    }

    /// Whether an expression is a number and nothing else.
    pub(crate) fn is_number(&self, expression: &Expr) -> bool {
        let kinds = self.kinds(expression);
        !kinds.is_empty() && kinds.iter().all(|kind| matches!(kind, ValueKind::Integer | ValueKind::Boolean))
    }

    /// Whether an expression is a coroutine and nothing else.
    pub(crate) fn is_coroutine(&self, expression: &Expr) -> bool {
        let kinds = self.kinds(expression);
        !kinds.is_empty() && kinds.iter().all(|kind| matches!(kind, ValueKind::Coroutine))
    }
}
