//! Arguments as the tool wants them, after a strict mode made every key required.

use std::collections::HashMap;
use std::rc::Rc;

use serde_json::{Map, Value};

use crate::loss::SchemaSide;
use crate::model::{Model, ObjectField, ObjectType, Rest, Type};

/// Alternatives of one place that are compared; those beyond are not looked at.
const ALTERNATIVES: usize = 1_000;
/// Levels of names, unions and intersections within one place.
const LEVELS: usize = 32;
/// Comparisons altogether; after those the first alternative is taken.
const COMPARISONS: usize = 200_000;
/// The cost of another fixed value: fixed values distinguish alternatives.
const OTHER_LITERAL: usize = 3;

/// Takes out every null that stands for a key left out: where the tool's own schema neither requires the key nor
/// allows null.
///
/// Of several alternatives the one counts that the arguments fit best when such nulls are passed over; of those that
/// they fit alike, the one that keeps most.
///
/// ```
/// use mortise_declare::without_added_nulls;
/// use serde_json::json;
///
/// let schema = json!({"type": "object", "properties": {"q": {"type": "string"}, "limit": {"type": "integer"}}});
/// let arguments = without_added_nulls(&schema, json!({"q": "rust", "limit": null}));
/// assert_eq!(arguments, json!({"q": "rust"}));
/// ```
pub fn without_added_nulls(input_schema: &Value, arguments: Value) -> Value {
    let model = Model::of(input_schema, "", SchemaSide::Input);
    let mut reader = NullRemover {
        model: &model,
        places: HashMap::new(),
        named: HashMap::new(),
        known: HashMap::new(),
        left: COMPARISONS,
    };
    reader.cleaned(&arguments, &[&model.root])
}

/// What must hold all at once: objects, arrays, scalars.
type Shape<'a> = Vec<&'a Type>;

/// How badly a value fits, and then how many of its nulls would go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct MisfitCost {
    misfits: usize,
    removed: usize,
}

/// What becomes of a null under a key.
#[derive(PartialEq, Eq)]
enum Fate {
    Kept,
    Removed,
    /// Neither is right.
    Wrong,
}

/// Types that hold in one place, by their addresses.
type PlaceTypes = Vec<*const Type>;

struct NullRemover<'a> {
    model: &'a Model,
    /// The alternatives of places.
    places: HashMap<PlaceTypes, Rc<[Shape<'a>]>>,
    /// Those of definitions; none while they are looked for, so that a type that is part of itself adds none.
    named: HashMap<usize, Rc<[Shape<'a>]>>,
    /// Which alternative of a place a value fits best, and how well.
    known: HashMap<(*const Value, PlaceTypes), (MisfitCost, usize)>,
    /// Comparisons that may still be made.
    left: usize,
}

impl<'a> NullRemover<'a> {
    /// The value without added nulls, in a place where all of these types hold.
    fn cleaned(&mut self, value: &Value, kinds: &[&'a Type]) -> Value {
        if !matches!(value, Value::Object(_) | Value::Array(_)) {
            return value.clone();
        }
        let alternatives = self.alternatives(kinds);
        let best = if alternatives.len() > 1 { self.best(value, kinds, &alternatives).1 } else { 0 };
        let Some(shape) = alternatives.get(best) else { return value.clone() };
        match value {
            Value::Array(values) => {
                let cleaned =
                    values.iter().enumerate().map(|(at, value)| self.cleaned(value, &items(shape, at)));
                cleaned.collect()
            }
            Value::Object(members) => {
                let mut kept = Map::new();
                for (key, value) in members {
                    let is_gone = value.is_null() && self.fate(key, shape, &alternatives) == Fate::Removed;
                    if !is_gone {
                        kept.insert(key.clone(), self.cleaned(value, &values_of(shape, key)));
                    }
                }
                kept.into()
            }
            value => value.clone(),
        }
    }

    /// The alternative that a value fits best, and how well.
    fn best(&mut self, value: &Value, kinds: &[&'a Type], alternatives: &[Shape<'a>]) -> (MisfitCost, usize) {
        let key = (std::ptr::from_ref(value), place(kinds));
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let mut best = None;
        for (at, shape) in alternatives.iter().enumerate() {
            let Some(left) = self.left.checked_sub(1) else { break };
            self.left = left;
            let found = (self.cost(value, shape, alternatives), at);
            best = best.min(Some(found)).or(Some(found));
        }
        let best = best.unwrap_or_default();
        self.known.insert(key, best);
        best
    }

    fn cost(&mut self, value: &Value, shape: &Shape<'a>, alternatives: &[Shape<'a>]) -> MisfitCost {
        let misfits = shape.iter().map(|kind| misfit(value, kind)).sum();
        let mut cost = MisfitCost { misfits, removed: 0 };
        match value {
            Value::Array(values) => {
                for (at, value) in values.iter().enumerate() {
                    cost.add(self.cost_of(value, &items(shape, at)));
                }
            }
            Value::Object(members) => {
                for (key, value) in members.iter().filter(|(_, value)| !value.is_null()) {
                    cost.add(self.cost_of(value, &values_of(shape, key)));
                    let is_named = objects(shape).any(|object| field(object, key).is_some());
                    cost.misfits += usize::from(is_closed(shape) && !is_named);
                }
                for (key, _) in members.iter().filter(|(_, value)| value.is_null()) {
                    match self.fate(key, shape, alternatives) {
                        Fate::Kept => {}
                        Fate::Removed => cost.removed += 1,
                        Fate::Wrong => cost.misfits += 1,
                    }
                }
                let missing = |field: &&ObjectField| field.required && !members.contains_key(&field.key);
                cost.misfits += objects(shape).flat_map(|object| &object.fields).filter(missing).count();
            }
            _ => {}
        }
        cost
    }

    fn cost_of(&mut self, value: &Value, kinds: &[&'a Type]) -> MisfitCost {
        let alternatives = self.alternatives(kinds);
        self.best(value, kinds, &alternatives).0
    }

    /// Whether a null under a key was added: it may be one that only other alternatives name, here or further out.
    fn fate(&self, key: &str, shape: &Shape<'a>, alternatives: &[Shape<'a>]) -> Fate {
        let named: Vec<&ObjectField> = objects(shape).filter_map(|object| field(object, key)).collect();
        let is_named = |shape: &Shape<'a>| objects(shape).any(|object| field(object, key).is_some());
        match named.as_slice() {
            [] if is_closed(shape) || alternatives.iter().any(is_named) => Fate::Removed,
            named if named.iter().all(|field| admits_null(&field.kind, self.model, 0)) => Fate::Kept,
            named if named.iter().all(|field| !field.required) => Fate::Removed,
            _ => Fate::Wrong,
        }
    }

    /// All ways in which these types hold at once, with names, unions and intersections resolved.
    fn alternatives(&mut self, kinds: &[&'a Type]) -> Rc<[Shape<'a>]> {
        let place = place(kinds);
        if let Some(known) = self.places.get(&place) {
            return known.clone();
        }
        let alternatives: Rc<[Shape<'a>]> = self.all_of(kinds.iter().copied(), 0).into();
        self.places.insert(place, alternatives.clone());
        alternatives
    }

    fn all_of(&mut self, kinds: impl Iterator<Item = &'a Type>, level: usize) -> Vec<Shape<'a>> {
        let mut shapes: Vec<Shape<'a>> = vec![Vec::new()];
        for kind in kinds {
            let more = self.shapes(kind, level);
            let joined = shapes.iter().flat_map(|shape| {
                more.iter().map(|more| shape.iter().chain(more).copied().collect::<Shape<'a>>())
            });
            shapes = joined.take(ALTERNATIVES).collect();
        }
        shapes
    }

    fn shapes(&mut self, kind: &'a Type, level: usize) -> Vec<Shape<'a>> {
        match kind {
            _ if level > LEVELS => Vec::new(),
            Type::Named(name) => {
                if let Some(known) = self.named.get(name) {
                    return known.to_vec();
                }
                let Some(definition) = self.model.definitions.get(*name) else { return Vec::new() };
                self.named.insert(*name, Rc::default());
                let shapes = self.shapes(&definition.kind, level + 1);
                self.named.insert(*name, shapes.as_slice().into());
                shapes
            }
            Type::Union(members) => {
                let mut shapes = Vec::new();
                for member in members {
                    shapes.extend(self.shapes(member, level + 1));
                }
                shapes.truncate(ALTERNATIVES);
                shapes
            }
            Type::Intersection(members) => self.all_of(members.iter(), level + 1),
            kind => vec![vec![kind]],
        }
    }
}

fn place(kinds: &[&Type]) -> PlaceTypes {
    kinds.iter().map(|kind| std::ptr::from_ref(*kind)).collect()
}

impl MisfitCost {
    fn add(&mut self, other: Self) {
        self.misfits += other.misfits;
        self.removed += other.removed;
    }
}

/// Whether the value is something else altogether.
fn misfit(value: &Value, kind: &Type) -> usize {
    let fits = match kind {
        Type::Unknown | Type::Cut => true,
        Type::Literal(literal) => return if literal == value { 0 } else { OTHER_LITERAL },
        Type::String => value.is_string(),
        Type::Integer => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        Type::Number => value.is_number(),
        Type::Boolean => value.is_boolean(),
        Type::Null => value.is_null(),
        Type::Array(_) | Type::Tuple { .. } => value.is_array(),
        Type::Object(_) => value.is_object(),
        Type::Never | Type::Named(_) | Type::Union(_) | Type::Intersection(_) => false,
    };
    usize::from(!fits)
}

fn objects<'a>(shape: &[&'a Type]) -> impl Iterator<Item = &'a ObjectType> {
    shape.iter().filter_map(|kind| match kind {
        Type::Object(object) => Some(object),
        _ => None,
    })
}

fn is_closed(shape: &[&Type]) -> bool {
    objects(shape).any(|object| object.rest == Rest::Closed)
}

fn field<'a>(object: &'a ObjectType, key: &str) -> Option<&'a ObjectField> {
    let at = object.fields.binary_search_by(|field| field.key.as_str().cmp(key)).ok()?;
    object.fields.get(at)
}

/// What holds for the value under a key.
fn values_of<'a>(shape: &[&'a Type], key: &str) -> Vec<&'a Type> {
    let of_object = |object: &'a ObjectType| match (field(object, key), &object.rest) {
        (Some(field), _) => Some(&field.kind),
        (None, Rest::Of(rest)) => Some(&**rest),
        (None, _) => None,
    };
    objects(shape).filter_map(of_object).collect()
}

/// What holds for an item.
fn items<'a>(shape: &[&'a Type], at: usize) -> Vec<&'a Type> {
    let item = |kind: &&'a Type| match kind {
        Type::Array(item) => Some(&**item),
        Type::Tuple { items, rest, .. } => items.get(at).or(rest.as_deref()),
        _ => None,
    };
    shape.iter().filter_map(item).collect()
}

fn admits_null(kind: &Type, model: &Model, depth: usize) -> bool {
    const DEPTH: usize = 16;
    let inner = |kind: &Type| depth < DEPTH && admits_null(kind, model, depth + 1);
    match kind {
        Type::Null | Type::Unknown | Type::Cut | Type::Literal(Value::Null) => true,
        Type::Named(name) => model.definitions.get(*name).is_some_and(|definition| inner(&definition.kind)),
        Type::Union(members) => members.iter().any(inner),
        Type::Intersection(members) => members.iter().all(inner),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
