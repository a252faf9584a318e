//! The types of a file: one class or alias for each object and each definition.

use std::collections::BTreeMap;

use super::super::loss::{Action, Losses, Severity};
use super::super::model::{Doc, Model, ObjectField, ObjectType, Rest, Type, union};
use super::super::naming::{TakenNames, pascal};
use super::comment::{comments, doc_lines};
use super::place::PythonPlace;
use super::write::{docstring, is_class_key, literal};
use crate::text::python_string;

/// Levels of definitions that are looked through to merge an intersection.
const MERGE_DEPTH: usize = 8;
/// Intersections written inside one another, and in one file; beyond, an object is any object.
const MERGES_NESTED: usize = 16;
const MERGES: usize = 1_000;

/// The classes and aliases of one file.
pub(super) struct Classes {
    pub(super) names: TakenNames,
    extra_items: bool,
    /// Source text by name.
    texts: BTreeMap<String, String>,
    /// Intersections that are being written, each with the name of its class if it has become one.
    merging: Vec<(Type, Option<String>)>,
    /// Intersections written so far.
    merges: usize,
}

impl Classes {
    pub(super) fn new(names: TakenNames, extra_items: bool) -> Self {
        Self { names, extra_items, texts: BTreeMap::new(), merging: Vec::new(), merges: 0 }
    }

    /// All definitions of a model, under their names.
    pub(super) fn define(&mut self, place: &PythonPlace<'_>, losses: &mut Losses) {
        for (definition, name) in place.model.definitions.iter().zip(place.named) {
            if self.texts.contains_key(name) {
                continue;
            }
            // Held before it is written: it may be part of itself.
            self.texts.insert(name.clone(), String::new());
            let inner = PythonPlace { pointer: definition.pointer.clone(), ..place.called(name.clone()) };
            let text = match self.merged(&definition.kind, place.model, 0) {
                Some(object) if !object.fields.is_empty() => {
                    self.class(name, &object, &definition.doc, &inner, losses)
                }
                _ => {
                    let kind = self.expression(&definition.kind, &inner, losses);
                    format!(
                        "{}type {name} = {kind}\n",
                        comments(&definition.doc, &definition.kind, place.shown)
                    )
                }
            };
            self.texts.insert(name.clone(), text);
        }
    }

    /// The type as an expression; objects get classes of their own.
    pub(super) fn expression(&mut self, kind: &Type, place: &PythonPlace<'_>, losses: &mut Losses) -> String {
        match kind {
            Type::Unknown | Type::Cut => "Any".to_owned(),
            Type::Never => "Never".to_owned(),
            Type::String => "str".to_owned(),
            Type::Integer => "int".to_owned(),
            Type::Number => "int | float".to_owned(),
            Type::Boolean => "bool".to_owned(),
            Type::Null => "None".to_owned(),
            Type::Literal(value) => literal(value).unwrap_or_else(|base| {
                let reason = "Python's Literal takes texts, integers, booleans and None";
                losses
                    .add(&place.pointer, "const", (Action::Widened, Severity::Warn), reason)
                    .before(value)
                    .after(base);
                base.to_owned()
            }),
            Type::Named(name) => place.named.get(*name).cloned().unwrap_or_else(|| "Any".to_owned()),
            Type::Array(item) => {
                format!("list[{}]", self.expression(item, &place.inside("item", &["items"]), losses))
            }
            Type::Tuple { items, required, rest } => {
                self.tuple(items, *required, rest.as_deref(), place, losses)
            }
            Type::Object(object) => self.object(object, place, losses),
            Type::Union(members) => self.union(members, place, losses),
            Type::Intersection(members) => self.intersection(kind, members, place, losses),
        }
    }

    fn tuple(
        &mut self,
        items: &[Type],
        required: usize,
        rest: Option<&Type>,
        place: &PythonPlace<'_>,
        losses: &mut Losses,
    ) -> String {
        if rest.is_none() && required == items.len() {
            let items: Vec<String> = items
                .iter()
                .enumerate()
                .map(|(at, item)| {
                    let inner = place.inside(&format!("item {}", at + 1), &["prefixItems", &at.to_string()]);
                    self.expression(item, &inner, losses)
                })
                .collect();
            return if items.is_empty() {
                "tuple[()]".to_owned()
            } else {
                format!("tuple[{}]", items.join(", "))
            };
        }
        let reason = "a tuple whose length is open is a list of any of its items";
        losses.add(&place.pointer, "prefixItems", (Action::Widened, Severity::Warn), reason);
        let any = union(items.iter().chain(rest).cloned().collect());
        format!("list[{}]", self.expression(&any, &place.inside("item", &[]), losses))
    }

    fn object(&mut self, object: &ObjectType, place: &PythonPlace<'_>, losses: &mut Losses) -> String {
        if object.fields.is_empty() {
            return match &object.rest {
                Rest::Open | Rest::Welcome | Rest::LeftOut(_) => "dict[str, Any]".to_owned(),
                Rest::Closed => "dict[str, Never]".to_owned(),
                Rest::Of(rest) => {
                    format!(
                        "dict[str, {}]",
                        self.expression(rest, &place.inside("value", &["additionalProperties"]), losses)
                    )
                }
            };
        }
        let wanted = match &object.title {
            Some(title) if !place.name.ends_with(&pascal(title)) => {
                format!("{}{}", place.name, pascal(title))
            }
            _ => place.name.clone(),
        };
        let name = self.names.take(&wanted);
        self.texts.insert(name.clone(), String::new());
        self.name_merged(object, &name, place.model);
        let inner = place.called(name.clone());
        let text = self.class(&name, object, &Doc::default(), &inner, losses);
        self.texts.insert(name.clone(), text);
        name
    }

    /// If this is the intersection that is being written, others may refer to it by its name.
    fn name_merged(&mut self, object: &ObjectType, name: &str, model: &Model) {
        let Some((whole, None)) = self.merging.last() else { return };
        if self.merged(whole, model, 0).as_ref() == Some(object)
            && let Some((_, named)) = self.merging.last_mut()
        {
            *named = Some(name.to_owned());
        }
    }

    fn union(&mut self, members: &[Type], place: &PythonPlace<'_>, losses: &mut Losses) -> String {
        let literals: Vec<String> = members
            .iter()
            .filter_map(|member| match member {
                Type::Literal(value) => literal(value).ok(),
                _ => None,
            })
            .map(|text| text.trim_start_matches("Literal[").trim_end_matches(']').to_owned())
            .collect();
        let mut parts: Vec<String> = Vec::new();
        if !literals.is_empty() {
            parts.push(format!("Literal[{}]", literals.join(", ")));
        }
        let several = members.iter().filter(|member| matches!(member, Type::Object(_))).count() > 1;
        for (at, member) in members.iter().enumerate() {
            if matches!(member, Type::Literal(value) if literal(value).is_ok()) {
                continue;
            }
            let inner = match several {
                true => place.inside(&format!("option {}", at + 1), &[]),
                false => place.called(place.name.clone()),
            };
            let part = self.expression(member, &inner, losses);
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
        parts.join(" | ")
    }

    /// Objects are merged; of anything else the first object stands for the whole.
    fn intersection(
        &mut self,
        whole: &Type,
        members: &[Type],
        place: &PythonPlace<'_>,
        losses: &mut Losses,
    ) -> String {
        if let Some((_, Some(name))) = self.merging.iter().find(|(known, _)| known == whole) {
            return name.clone();
        }
        let within_itself = self.merging.iter().any(|(known, _)| known == whole);
        if within_itself || self.merging.len() >= MERGES_NESTED || self.merges >= MERGES {
            let reason = "the objects contain one another without end";
            losses.add(&place.pointer, "allOf", (Action::Widened, Severity::Warn), reason);
            return "dict[str, Any]".to_owned();
        }
        self.merging.push((whole.clone(), None));
        self.merges += 1;
        let written = self.written(whole, members, place, losses);
        self.merging.pop();
        written
    }

    fn written(
        &mut self,
        whole: &Type,
        members: &[Type],
        place: &PythonPlace<'_>,
        losses: &mut Losses,
    ) -> String {
        if let Some(object) = self.merged(whole, place.model, 0) {
            return self.object(&object, place, losses);
        }
        if let Some(options) = self.distributed(members, place.model) {
            return self.union(&options, place, losses);
        }
        let reason = "Python has no type that is several at once; one of them stands for all";
        losses.add(&place.pointer, "allOf", (Action::Widened, Severity::Warn), reason);
        let first = members.iter().find(|member| matches!(member, Type::Union(_) | Type::Named(_)));
        match first.or(members.first()) {
            Some(member) => self.expression(member, place, losses),
            None => "Any".to_owned(),
        }
    }

    /// Objects beside one union of objects: every option with the fields of all the others.
    fn distributed(&self, members: &[Type], model: &Model) -> Option<Vec<Type>> {
        let resolved = |member: &Type| match member {
            Type::Named(name) => {
                model.definitions.get(*name).map_or(Type::Unknown, |known| known.kind.clone())
            }
            member => member.clone(),
        };
        let (unions, rest): (Vec<Type>, Vec<Type>) =
            members.iter().map(resolved).partition(|member| matches!(member, Type::Union(_)));
        let [Type::Union(options)] = unions.as_slice() else { return None };
        let with_rest = |option: &Type| {
            let all = rest.iter().cloned().chain([option.clone()]).collect();
            self.merged(&Type::Intersection(all), model, 0).map(Type::Object)
        };
        options.iter().map(with_rest).collect()
    }

    /// One object with all fields, if the type is nothing but objects at once.
    fn merged(&self, kind: &Type, model: &Model, depth: usize) -> Option<ObjectType> {
        match kind {
            Type::Object(object) => Some(object.clone()),
            Type::Named(name) if depth < MERGE_DEPTH && depth > 0 => {
                self.merged(&model.definitions.get(*name)?.kind, model, depth + 1)
            }
            Type::Intersection(members) if depth < MERGE_DEPTH => {
                let mut all: Vec<Type> = Vec::new();
                for member in members {
                    all.push(Type::Object(self.merged(member, model, depth + 1)?));
                }
                match Type::Intersection(all).map(&mut |part| part) {
                    Type::Object(object) => Some(object),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn class(
        &mut self,
        name: &str,
        object: &ObjectType,
        doc: &Doc,
        place: &PythonPlace<'_>,
        losses: &mut Losses,
    ) -> String {
        if object.fields.iter().any(|field| field.key.is_empty()) {
            let reason = "a TypedDict has no key without a name";
            losses.add(&place.pointer, "properties", (Action::Dropped, Severity::Warn), reason);
        }
        let fields: Vec<(&ObjectField, String)> = object
            .fields
            .iter()
            .filter(|field| !field.key.is_empty())
            .map(|field| {
                let kind = self.expression(&field.kind, &place.field(&field.key), losses);
                let kind = if field.required { kind } else { format!("NotRequired[{kind}]") };
                (field, kind)
            })
            .collect();
        let rest = self.rest(object, place, losses);
        let note = rest.note.map(|note| format!("# {note}\n")).unwrap_or_default();
        if fields.iter().all(|(field, _)| is_class_key(&field.key)) {
            let mut body = String::new();
            let lines = doc_lines(doc, place.shown, &object.fields);
            body.push_str(&docstring(&lines, "    "));
            for (field, kind) in &fields {
                body.push_str(&format!("    {}: {kind}\n", field.key));
            }
            if body.is_empty() {
                body.push_str("    pass\n");
            }
            return format!("{note}class {name}(TypedDict{}):\n{body}", rest.argument);
        }
        let members: String = fields
            .iter()
            .map(|(field, kind)| format!("    {}: {kind},\n", python_string(&field.key)))
            .collect();
        let comments: String =
            doc_lines(doc, place.shown, &object.fields).iter().map(|line| format!("# {line}\n")).collect();
        format!(
            "{note}{comments}{name} = TypedDict({}, {{\n{members}}}{})\n",
            python_string(name),
            rest.argument
        )
    }

    /// What is said about keys that have no name.
    fn rest(&mut self, object: &ObjectType, place: &PythonPlace<'_>, losses: &mut Losses) -> RestText {
        let argument = match &object.rest {
            Rest::Open | Rest::Welcome | Rest::LeftOut(_) => {
                return RestText { argument: String::new(), note: None };
            }
            Rest::Closed => ", closed=True".to_owned(),
            Rest::Of(rest) => {
                format!(
                    ", extra_items={}",
                    self.expression(rest, &place.inside("value", &["additionalProperties"]), losses)
                )
            }
        };
        if self.extra_items {
            return RestText { argument, note: None };
        }
        let note = match &object.rest {
            Rest::Closed => "No other keys.".to_owned(),
            _ => format!("Other keys: {}", argument.trim_start_matches(", extra_items=")),
        };
        let reason = "said in a comment: TypedDict has no word for it before Python 3.15";
        losses.add(&place.pointer, "additionalProperties", (Action::Widened, Severity::Info), reason);
        RestText { argument: String::new(), note: Some(note) }
    }

    /// The whole file.
    pub(super) fn file(&self, functions: &[String]) -> String {
        let source = if self.extra_items { "typing_extensions" } else { "typing" };
        let mut out = format!("from {source} import Any, Literal, Never, NotRequired, TypedDict\n");
        for text in self.texts.values().map(String::as_str).chain(functions.iter().map(String::as_str)) {
            out.push('\n');
            out.push_str(text);
        }
        out
    }
}

struct RestText {
    argument: String,
    note: Option<String>,
}
