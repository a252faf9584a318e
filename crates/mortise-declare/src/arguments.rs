//! What a program can pass to a tool by keyword, however the input schema is put together.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use serde_json::Value;

use super::model::{Doc, Model, ObjectField, ObjectType, Rest, Type, intersection, union};

/// Levels of alternatives and names that are looked through; deeper parts say nothing.
const DEPTH: usize = 32;
/// Keys put together altogether; parts beyond say nothing.
const KEYS: usize = 20_000;

/// The arguments of a tool as one object, which no arguments that the schema allows are outside of.
#[derive(Debug)]
pub(super) struct Arguments {
    /// A key is required if every alternative requires it. Other keys are welcome where there are alternatives.
    pub(super) object: ObjectType,
    /// Keys that one of the alternatives leaves open: their type is what the others say.
    pub(super) open: BTreeSet<String>,
    /// Whether the schema is more than one object, and says more than this.
    pub(super) is_joined: bool,
}

impl Arguments {
    pub(super) fn of(input: &Model) -> Self {
        let root = resolved(input);
        if let Some(Type::Object(object)) = root {
            return Self { object: object.clone(), open: BTreeSet::new(), is_joined: false };
        }
        let is_joined = matches!(root, Some(Type::Union(_) | Type::Intersection(_)));
        let mut reader = ArgumentReader { model: input, known: HashMap::new(), left: KEYS };
        let part = root.and_then(|root| reader.part(root, 0)).unwrap_or_default();
        let is_open = |(name, key): (&&str, &ArgumentKey)| key.is_open.then(|| (*name).to_owned());
        let open = part.keys.iter().filter_map(is_open).collect();
        let field = |(name, key): (&str, ArgumentKey)| ObjectField {
            key: name.to_owned(),
            required: key.required,
            kind: (*key.kind).clone(),
            doc: (*key.doc).clone(),
        };
        let fields = part.keys.into_iter().map(field).collect();
        Self { object: ObjectType { fields, rest: Rest::Welcome, title: None }, open, is_joined }
    }
}

/// The root, or what it names.
fn resolved(input: &Model) -> Option<&Type> {
    let mut kind = &input.root;
    for _ in 0..DEPTH {
        match kind {
            Type::Named(name) => kind = &input.definitions.get(*name)?.kind,
            kind => return Some(kind),
        }
    }
    None
}

/// What a part of the schema says about arguments; nothing, by default.
#[derive(Clone, Debug, Default)]
struct Part<'a> {
    keys: BTreeMap<&'a str, ArgumentKey>,
    others: Others,
}

/// Shared, since many alternatives may have a part in common.
#[derive(Clone, Debug)]
struct ArgumentKey {
    required: bool,
    kind: Rc<Type>,
    doc: Rc<Doc>,
    /// Whether other values are allowed too.
    is_open: bool,
}

/// Keys that a part does not name.
#[derive(Clone, Debug, Default)]
enum Others {
    #[default]
    Any,
    None,
    Of(Rc<Type>),
}

struct ArgumentReader<'a> {
    model: &'a Model,
    known: HashMap<usize, Option<Part<'a>>>,
    /// Keys that may still be put together.
    left: usize,
}

impl<'a> ArgumentReader<'a> {
    /// `None` for a type that is not an object: arguments always are.
    fn part(&mut self, kind: &'a Type, depth: usize) -> Option<Part<'a>> {
        if depth > DEPTH {
            return Some(Part::default());
        }
        match kind {
            Type::Unknown | Type::Cut | Type::Literal(Value::Object(_)) => Some(Part::default()),
            Type::Object(object) if self.has_room(object.fields.len()) => Some(Part::of(object)),
            Type::Object(_) => Some(Part::default()),
            Type::Named(name) => self.named(*name, depth),
            Type::Intersection(members) => {
                let parts: Option<Vec<Part<'a>>> =
                    members.iter().map(|member| self.part(member, depth + 1)).collect();
                parts.map(all)
            }
            Type::Union(members) => any(members.iter().map(|member| self.part(member, depth + 1)).collect()),
            _ => None,
        }
    }

    fn named(&mut self, name: usize, depth: usize) -> Option<Part<'a>> {
        if let Some(known) = self.known.get(&name) {
            let keys = known.as_ref().map_or(0, |part| part.keys.len());
            let room = self.has_room(keys);
            return if room { self.known.get(&name).cloned().flatten() } else { Some(Part::default()) };
        }
        // As a part of itself it says nothing new.
        self.known.insert(name, Some(Part::default()));
        let model = self.model;
        let part = self.part(&model.definitions.get(name)?.kind, depth + 1);
        self.known.insert(name, part.clone());
        part
    }

    fn has_room(&mut self, keys: usize) -> bool {
        match self.left.checked_sub(keys) {
            Some(left) => {
                self.left = left;
                true
            }
            None => false,
        }
    }
}

impl<'a> Part<'a> {
    fn of(object: &'a ObjectType) -> Self {
        let key = |field: &'a ObjectField| {
            let (kind, doc) = (Rc::new(field.kind.clone()), Rc::new(field.doc.clone()));
            (field.key.as_str(), ArgumentKey { required: field.required, kind, doc, is_open: false })
        };
        let others = match &object.rest {
            Rest::Open | Rest::Welcome | Rest::LeftOut(_) => Others::Any,
            Rest::Closed => Others::None,
            Rest::Of(kind) => Others::Of(Rc::new((**kind).clone())),
        };
        Self { keys: object.fields.iter().map(key).collect(), others }
    }
}

/// All parts at once.
fn all(parts: Vec<Part<'_>>) -> Part<'_> {
    let mut whole = Part::default();
    for part in parts {
        for (name, key) in part.keys {
            match whole.keys.entry(name) {
                Entry::Vacant(free) => drop(free.insert(key)),
                Entry::Occupied(mut known) => {
                    let both = known.get().and(&key);
                    known.insert(both);
                }
            }
        }
        whole.others = match (whole.others, part.others) {
            (Others::None, _) | (_, Others::None) => Others::None,
            (Others::Any, others) | (others, _) => others,
        };
    }
    whole
}

impl ArgumentKey {
    fn and(&self, other: &Self) -> Self {
        let both = || vec![(*self.kind).clone(), (*other.kind).clone()];
        let kind = match (self.is_open, other.is_open) {
            (false, true) => self.kind.clone(),
            (true, false) => other.kind.clone(),
            _ if is_same(&self.kind, &other.kind) => self.kind.clone(),
            (false, false) => Rc::new(intersection(both())),
            (true, true) => Rc::new(union(both())),
        };
        Self {
            required: self.required || other.required,
            kind,
            doc: Rc::new((*self.doc).clone().or((*other.doc).clone())),
            is_open: self.is_open && other.is_open,
        }
    }
}

/// One key in all the alternatives that name it.
#[derive(Default)]
struct Gathered {
    required: usize,
    kinds: Vec<Rc<Type>>,
    doc: Option<Rc<Doc>>,
    is_open: bool,
    /// How many of them take any other key, and how many those of a type.
    any: usize,
    of: usize,
}

/// One of the parts; those that are not objects require no key.
fn any(parts: Vec<Option<Part<'_>>>) -> Option<Part<'_>> {
    let alternatives = parts.len();
    let parts: Vec<Part<'_>> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        return None;
    }
    let takes_any = parts.iter().filter(|part| matches!(part.others, Others::Any)).count();
    let mut of: Vec<Rc<Type>> = Vec::new();
    let mut takes_of = 0;
    for part in &parts {
        if let Others::Of(kind) = &part.others {
            takes_of += 1;
            add(&mut of, kind);
        }
    }
    let mut gathered: BTreeMap<&str, Gathered> = BTreeMap::new();
    for part in parts {
        let (any, of) = (matches!(part.others, Others::Any), matches!(part.others, Others::Of(_)));
        for (name, key) in part.keys {
            let known = gathered.entry(name).or_default();
            known.required += usize::from(key.required);
            add(&mut known.kinds, &key.kind);
            known.doc = Some(match known.doc.take() {
                Some(doc) => shared(&doc, key.doc),
                None => key.doc,
            });
            known.is_open |= key.is_open;
            known.any += usize::from(any);
            known.of += usize::from(of);
        }
    }
    let key = |(name, mut found): (_, Gathered)| {
        if found.of < takes_of {
            of.iter().for_each(|kind| add(&mut found.kinds, kind));
        }
        let key = ArgumentKey {
            required: found.required == alternatives,
            kind: one_of(found.kinds),
            doc: found.doc.unwrap_or_default(),
            is_open: found.is_open || found.any < takes_any,
        };
        (name, key)
    };
    let keys = gathered.into_iter().map(key).collect();
    let others = match (takes_any, takes_of) {
        (0, 0) => Others::None,
        (0, _) => Others::Of(one_of(of)),
        _ => Others::Any,
    };
    Some(Part { keys, others })
}

fn is_same(a: &Rc<Type>, b: &Rc<Type>) -> bool {
    Rc::ptr_eq(a, b) || a == b
}

fn add(kinds: &mut Vec<Rc<Type>>, kind: &Rc<Type>) {
    if !kinds.iter().any(|known| is_same(known, kind)) {
        kinds.push(kind.clone());
    }
}

fn one_of(mut kinds: Vec<Rc<Type>>) -> Rc<Type> {
    match kinds.len() {
        1 => kinds.remove(0),
        _ => Rc::new(union(kinds.iter().map(|kind| (**kind).clone()).collect())),
    }
}

/// What is said in both: a bound of one alternative is none of the other.
fn shared(one: &Rc<Doc>, other: Rc<Doc>) -> Rc<Doc> {
    if **one == *other {
        return other;
    }
    let description = one.description.clone().or_else(|| other.description.clone());
    let tags = one.tags.iter().filter(|tag| other.tags.contains(tag)).cloned().collect();
    Rc::new(Doc { description, tags })
}

#[cfg(test)]
mod tests;
