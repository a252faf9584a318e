//! The types that a type names: `list[Row | None]` names `list`, `Row` and `None`.
//!
//! ty has no public way into the arguments of a generic class or into what a type excludes. But the string form of a
//! type comes with the type of each of its parts. Rules ask for those and never read the string.

use ruff_python_ast::Expr;
use ruff_text_size::TextRange;
use ty_python_semantic::types::{Type, TypeDetail};

use super::kinds::{Types, ValueKind};
use crate::stub::ObjectShape;

/// Levels of type aliases that are followed.
const ALIASES: usize = 4;
/// The classes whose instances have keys.
const MAPPINGS: [&str; 3] = ["dict", "Mapping", "MutableMapping"];

/// The string form of a type, and which type stands where in it.
pub(crate) struct NamedParts<'a> {
    pub(crate) label: String,
    pub(crate) parts: Vec<(TextRange, Type<'a>)>,
}

impl<'a> Types<'a> {
    /// The string form of a type with the types that it names; `None` where a part is a signature.
    pub(crate) fn named_parts(&self, found: Type<'a>) -> Option<NamedParts<'a>> {
        let details = found.display(self.database, &self.model.program_environment()).to_string_parts();
        let part = |(range, detail)| match detail {
            TypeDetail::Type(named) => Some((range, named)),
            _ => None,
        };
        let parts: Option<Vec<_>> = details.targets.into_iter().zip(details.details).map(part).collect();
        Some(NamedParts { label: details.label, parts: parts? })
    }

    /// The types that a type names, in the order of its string form.
    fn named(&self, found: Type<'a>) -> Vec<Type<'a>> {
        let details = found.display(self.database, &self.model.program_environment()).to_string_parts();
        let named = details.details.into_iter().filter_map(|detail| match detail {
            TypeDetail::Type(named) => Some(named),
            _ => None,
        });
        named.collect()
    }

    /// The name of a class that a type names.
    pub(crate) fn named_class(&self, named: Type<'a>) -> Option<String> {
        let Type::ClassLiteral(_) = named else { return None };
        let definition = named.definition(self.database, &self.model.program_environment())?;
        definition.definition()?.name(self.database)
    }

    /// The module and the shape of an object of a tool whose class a type names.
    pub(crate) fn named_object(&self, named: Type<'a>) -> Option<(&'a str, &'a ObjectShape)> {
        let Type::ClassLiteral(_) = named else { return None };
        let definition = named.definition(self.database, &self.model.program_environment())?;
        self.declared_object(*definition.definition()?)
    }

    /// The shapes of all objects of tools that a type names, also through aliases.
    fn named_shapes(&self, found: Type<'a>, aliases: usize) -> Vec<&'a ObjectShape> {
        let mut shapes = Vec::new();
        for named in self.named(found) {
            match named {
                Type::TypeAlias(alias) if aliases > 0 => {
                    shapes.extend(self.named_shapes(alias.value_type(self.database), aliases - 1));
                }
                named => shapes.extend(self.named_object(named).map(|(_, shape)| shape)),
            }
        }
        shapes
    }

    /// Whether a narrowed type is one that was tested to be true: ty writes that test last.
    pub(super) fn is_truthy(&self, narrowed: Type<'a>) -> bool {
        matches!(self.named(narrowed).last(), Some(Type::AlwaysFalsy))
    }

    /// Whether a narrowed type excludes dicts, as after `not isinstance(value, dict)`. It then names a class of mappings
    /// that is in none of its `parts`.
    pub(super) fn excludes_dicts(&self, narrowed: Type<'a>, parts: &[Type<'a>]) -> bool {
        let mappings = |found: Type<'a>| {
            let named = self.named(found).into_iter().filter_map(|named| self.named_class(named));
            named.filter(|class| MAPPINGS.contains(&class.as_str())).count()
        };
        mappings(narrowed) > parts.iter().map(|part| mappings(*part)).sum()
    }

    /// Whether an expression is a list, or the like, with objects of tools in it.
    pub(crate) fn holds_objects(&self, expression: &Expr) -> bool {
        let Some(found) = self.of(expression) else { return false };
        let is_object = |kind: &&ValueKind<'_>| matches!(kind, ValueKind::Shape(_));
        self.named_shapes(found, ALIASES).len() > self.kinds(expression).iter().filter(is_object).count()
    }

    /// The keys of all objects of tools that can be in a value.
    pub(crate) fn declared_keys(&self, value: &Expr) -> Vec<String> {
        let shapes = self.of(value).map(|found| self.named_shapes(found, ALIASES));
        shapes.into_iter().flatten().flat_map(|shape| shape.keys.iter().cloned()).collect()
    }

    /// Whether dicts that the program created can be in a value, as far as is known.
    pub(crate) fn may_be_dicts(&self, value: &Expr) -> bool {
        let Some(found) = self.of(value) else { return true };
        let is_dict = |class: String| matches!(class.as_str(), "dict" | "defaultdict");
        self.named(found)
            .into_iter()
            .any(|named| matches!(named, Type::Dynamic(_)) || self.named_class(named).is_some_and(is_dict))
    }

    /// The shape of each element of a list of objects of a tool.
    pub(crate) fn element_shape(&self, expression: &Expr) -> Option<&'a ObjectShape> {
        match self.named(self.of(expression)?).as_slice() {
            [list, element] if self.is_list(*list) => Some(self.named_object(*element)?.1),
            _ => None,
        }
    }

    /// Whether an expression is a list of coroutines.
    pub(crate) fn is_coroutine_list(&self, expression: &Expr) -> bool {
        let Some(found) = self.of(expression) else { return false };
        let is_coroutine = |class: String| matches!(class.as_str(), "Coroutine" | "CoroutineType");
        match self.named(found).as_slice() {
            [list, element, ..] => {
                self.is_list(*list) && self.named_class(*element).is_some_and(is_coroutine)
            }
            _ => false,
        }
    }

    fn is_list(&self, named: Type<'a>) -> bool {
        self.named_class(named).as_deref() == Some("list")
    }
}
