//! What the checker knows about a value, as the rules need it.

use ruff_python_ast::Expr;
use ty_python_semantic::types::Type;
use ty_python_semantic::{HasType as _, SemanticModel};

use crate::database::Database;
use crate::said::shown;
use crate::stub::{Shape, Stub};

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
pub(crate) enum Kind<'a> {
    /// An object of a tool.
    Shape(&'a Shape),
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
    /// Anything.
    Other,
}

/// Kinds that can stand for one another: they have the same operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Group {
    Object,
    Text,
    Number,
    List,
    Dict,
    Instance,
    Unknown,
}

impl Group {
    /// The group of a kind; null has none.
    pub(crate) fn of(kind: &Kind<'_>) -> Option<Self> {
        Some(match kind {
            Kind::Shape(_) => Self::Object,
            Kind::Text => Self::Text,
            Kind::Integer | Kind::Float | Kind::Boolean => Self::Number,
            Kind::List => Self::List,
            Kind::Dict => Self::Dict,
            Kind::Exception | Kind::Coroutine | Kind::Instance => Self::Instance,
            Kind::Other => Self::Unknown,
            Kind::Nothing => return None,
        })
    }
}

/// Looks up types.
pub(crate) struct Types<'a> {
    pub(crate) database: &'a Database,
    pub(crate) model: SemanticModel<'a>,
    /// The stubs of the program's tools.
    pub(crate) stubs: &'a [&'a Stub],
}

impl<'a> Types<'a> {
    /// All that an expression can be; empty where nothing is known.
    pub(crate) fn kinds(&self, expression: &Expr) -> Vec<Kind<'a>> {
        let mut kinds = Vec::new();
        if let Some(found) = expression.inferred_type(&self.model) {
            self.collect(found, LEVELS, &mut kinds);
        }
        kinds
    }

    fn collect(&self, found: Type<'a>, levels: usize, kinds: &mut Vec<Kind<'a>>) {
        let Some(levels) = levels.checked_sub(1) else {
            kinds.push(Kind::Other);
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
                    [part] if self.shows(found).ends_with(shown::TRUTHY) => {
                        self.collect(*part, levels, kinds)
                    }
                    parts => kinds.push(self.several(found, parts)),
                }
            }
            found => kinds.push(self.one(found)),
        }
    }

    /// What a value is that was tested to be several things. An object of a tool that is no dict, or is a text too, or
    /// has attributes breaks its contract: whoever tests for that knows better than the contract.
    fn several(&self, found: Type<'a>, parts: &[Type<'a>]) -> Kind<'a> {
        let kinds: Vec<Kind<'a>> = parts.iter().map(|part| self.one(*part)).collect();
        let is_telling = |kind: &&Kind<'a>| matches!(kind, Kind::Shape(_) | Kind::Exception);
        let Some(telling) = kinds.iter().find(is_telling).copied() else { return Kind::Other };
        if matches!(telling, Kind::Exception) {
            return telling;
        }
        let has_attributes = parts.iter().any(|part| matches!(part, Type::ProtocolInstance(_)));
        let is_more = |kind: &Kind<'a>| !matches!(kind, Kind::Shape(_) | Kind::Dict | Kind::Other);
        match has_attributes || kinds.iter().any(is_more) || self.is_no_dict(found) {
            true => Kind::Other,
            false => telling,
        }
    }

    /// Whether a type excludes dicts, as after `not isinstance(value, dict)`.
    fn is_no_dict(&self, found: Type<'a>) -> bool {
        // What is excluded can only be seen in the type as it is shown.
        let shown = self.shows(found);
        shown::NO_DICT.iter().any(|dict| shown.contains(dict))
    }

    fn shows(&self, found: Type<'a>) -> String {
        found.display(self.database, &self.model.program_environment()).to_string()
    }

    fn one(&self, found: Type<'a>) -> Kind<'a> {
        let environment = self.model.program_environment();
        if let Type::TypedDict(object) = found {
            let shape = object.definition(self.database).and_then(|definition| {
                let module = self.database.stub_module(definition.file(self.database))?;
                let stub = self.stubs.iter().find(|stub| stub.module == module)?;
                stub.shapes.get(&definition.name(self.database)?)
            });
            return shape.map_or(Kind::Other, Kind::Shape);
        }
        if found.is_none(self.database) {
            return Kind::Nothing;
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
            Some("str") => Kind::Text,
            Some("int") => Kind::Integer,
            Some("float") => Kind::Float,
            Some("bool") => Kind::Boolean,
            Some("list" | "tuple") => Kind::List,
            Some("dict" | "defaultdict" | "OrderedDict" | "Counter") => Kind::Dict,
            Some("CoroutineType") => Kind::Coroutine,
            Some(name) if name.ends_with("Exception") || name.ends_with("Error") => Kind::Exception,
            None | Some("object" | "Mapping" | "MutableMapping") => Kind::Other,
            Some(_) => Kind::Instance,
        }
    }

    /// The shapes that an expression can have, if it can be nothing else that has keys.
    pub(crate) fn shapes(&self, expression: &Expr) -> Vec<&'a Shape> {
        let mut shapes = Vec::new();
        for kind in self.kinds(expression) {
            match kind {
                Kind::Shape(shape) => shapes.push(shape),
                // A key of these fails in any case.
                Kind::Text | Kind::Integer | Kind::Float | Kind::Boolean | Kind::Nothing => {}
                Kind::List | Kind::Exception => {}
                Kind::Dict | Kind::Coroutine | Kind::Instance | Kind::Other => return Vec::new(),
            }
        }
        shapes
    }

    /// Whether an expression is an object of a tool if it is anything.
    pub(crate) fn is_object(&self, expression: &Expr) -> bool {
        self.kinds(expression).iter().all(|kind| matches!(kind, Kind::Shape(_) | Kind::Nothing))
    }

    /// Whether an expression can be an object of a tool, as far as is known.
    pub(crate) fn may_be_object(&self, expression: &Expr) -> bool {
        let kinds = self.kinds(expression);
        kinds.is_empty() || kinds.iter().any(|kind| matches!(kind, Kind::Shape(_) | Kind::Other))
    }

    /// The type of an expression as it is shown.
    pub(crate) fn shown(&self, expression: &Expr) -> Option<String> {
        expression.inferred_type(&self.model).map(|found| self.shows(found))
    }

    /// Whether an expression is a list, or the like, with objects of tools in it.
    pub(crate) fn holds_objects(&self, expression: &Expr) -> bool {
        self.shown(expression)
            .filter(|shown| shown.contains('['))
            .is_some_and(|shown| self.names_object(&shown))
    }

    /// Whether what stands under a key of an object is an object of a tool too, or has such in it, as far as is known.
    pub(crate) fn field_holds_objects(&self, object: &Expr, key: &str) -> bool {
        let holds = |shape: &Shape| {
            let field = shape.keys.iter().position(|known| known == key).and_then(|at| shape.kinds.get(at));
            field.is_some_and(|kind| self.names_object(kind))
        };
        let kinds = self.kinds(object);
        let is_known = !kinds.is_empty() && !kinds.iter().any(|kind| matches!(kind, Kind::Other));
        match is_known {
            true => kinds.iter().any(|kind| matches!(kind, Kind::Shape(shape) if holds(shape))),
            false => self.stubs.iter().flat_map(|stub| stub.shapes.values()).any(holds),
        }
    }

    /// Where a part of an object has a key, at most three levels down: `["customer"]["address"]["city"]`.
    pub(crate) fn below(&self, shape: &Shape, key: &str) -> Option<String> {
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

    /// The keys of all objects of tools that can be in a value.
    pub(crate) fn declared_keys(&self, value: &Expr) -> Vec<String> {
        let shown = self.shown(value).unwrap_or_default();
        let shapes = self.stubs.iter().flat_map(|stub| &stub.shapes);
        let named = shapes.filter(|(class, _)| shown.contains(class.as_str()));
        named.flat_map(|(_, shape)| shape.keys.iter().cloned()).collect()
    }

    /// Whether a class of a tool is in a type as it is shown.
    fn names_object(&self, shown: &str) -> bool {
        self.stubs.iter().flat_map(|stub| stub.shapes.keys()).any(|class| shown.contains(class.as_str()))
    }

    /// Whether dicts of the program's own making can be in a value, as far as is known.
    pub(crate) fn may_be_dicts(&self, value: &Expr) -> bool {
        let mut marks = shown::ANYTHING.into_iter().chain([shown::DICT]);
        self.shown(value).is_none_or(|shown| marks.any(|mark| shown.contains(mark)))
    }

    /// The text that an expression surely is.
    pub(crate) fn text(&self, expression: &Expr) -> Option<String> {
        if let Expr::StringLiteral(text) = expression {
            return Some(text.value.to_str().to_owned());
        }
        let found = expression.as_name_expr()?.inferred_type(&self.model)?;
        let shown = self.shown(expression).filter(|_| matches!(found, Type::LiteralValue(_)))?;
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
        let Some(Type::NominalInstance(found)) = expression.inferred_type(&self.model) else { return None };
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

    /// The shape of each element of a list of objects of a tool.
    pub(crate) fn element_shape(&self, expression: &Expr) -> Option<&'a Shape> {
        let shown = self.shown(expression)?;
        let class = shown.strip_prefix(shown::LIST)?.strip_suffix(']')?;
        let mut named = self.stubs.iter().filter_map(|stub| stub.shapes.get(class));
        named.next().filter(|_| named.next().is_none())
    }

    /// Whether an expression is None and nothing else.
    pub(crate) fn is_nothing(&self, expression: &Expr) -> bool {
        let kinds = self.kinds(expression);
        !kinds.is_empty() && kinds.iter().all(|kind| matches!(kind, Kind::Nothing))
    }

    /// Whether an expression is a number and nothing else.
    pub(crate) fn is_number(&self, expression: &Expr) -> bool {
        let kinds = self.kinds(expression);
        !kinds.is_empty() && kinds.iter().all(|kind| matches!(kind, Kind::Integer | Kind::Boolean))
    }

    /// Whether an expression is a coroutine and nothing else.
    pub(crate) fn is_coroutine(&self, expression: &Expr) -> bool {
        let kinds = self.kinds(expression);
        !kinds.is_empty() && kinds.iter().all(|kind| matches!(kind, Kind::Coroutine))
    }
}
