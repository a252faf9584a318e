//! Unions and intersections in their simplest form.

use serde_json::Value;

use super::{ObjectField, ObjectType, Rest, Type};

/// One of `kinds`: flat, without repetition and without what can't be.
pub(crate) fn union(kinds: Vec<Type>) -> Type {
    let mut members: Vec<Type> = Vec::new();
    for kind in kinds {
        let flat = match kind {
            Type::Union(inner) => inner,
            kind => vec![kind],
        };
        for kind in flat {
            if kind != Type::Never && !members.contains(&kind) {
                members.push(kind);
            }
        }
    }
    if members.contains(&Type::Number) {
        members.retain(|kind| *kind != Type::Integer);
    }
    match members.len() {
        0 => Type::Never,
        1 => members.remove(0),
        _ if members.contains(&Type::Unknown) => Type::Unknown,
        _ if members.contains(&Type::Cut) => Type::Cut,
        _ => Type::Union(members),
    }
}

/// All of `kinds` at once.
pub(crate) fn intersection(kinds: Vec<Type>) -> Type {
    let mut members: Vec<Type> = Vec::new();
    let mut open: Vec<Type> = kinds.into_iter().rev().collect();
    while let Some(kind) = open.pop() {
        if let Type::Intersection(inner) = kind {
            open.extend(inner.into_iter().rev());
            continue;
        }
        let met = members.iter().enumerate().find_map(|(at, known)| Some((at, meet(known, &kind)?)));
        match met {
            // What came of it may meet the others in turn.
            Some((at, kind)) => {
                members.remove(at);
                open.push(kind);
            }
            None => members.push(kind),
        }
    }
    match members.len() {
        0 => Type::Unknown,
        1 => members.remove(0),
        _ => Type::Intersection(members),
    }
}

/// Both at once as one simpler type; `None` if only an intersection says it.
fn meet(a: &Type, b: &Type) -> Option<Type> {
    match (a, b) {
        (Type::Unknown | Type::Cut, other) | (other, Type::Unknown | Type::Cut) => Some(other.clone()),
        (Type::Never, _) | (_, Type::Never) => Some(Type::Never),
        _ if a == b => Some(a.clone()),
        (Type::Named(_), _) | (_, Type::Named(_)) => None,
        (Type::Union(members), other) | (other, Type::Union(members)) => meet_union(members, other),
        (Type::Intersection(parts), other) | (other, Type::Intersection(parts)) => {
            meet_intersection(parts, other)
        }
        (Type::Integer, Type::Number) | (Type::Number, Type::Integer) => Some(Type::Integer),
        (Type::Literal(a), Type::Literal(b)) if same_literal(a, b) => Some(Type::Literal(a.clone())),
        (Type::Literal(_), Type::Literal(_)) => Some(Type::Never),
        (Type::Literal(value), other) | (other, Type::Literal(value)) => {
            Some(if has_kind(value, other) { Type::Literal(value.clone()) } else { Type::Never })
        }
        (Type::Object(a), Type::Object(b)) => Some(Type::Object(merge(a, b))),
        (Type::Array(a), Type::Array(b)) => {
            Some(Type::Array(Box::new(intersection(vec![(**a).clone(), (**b).clone()]))))
        }
        _ if family(a) == family(b) => None,
        _ => Some(Type::Never),
    }
}

/// A union with something else: members that can't be both go; a union of objects stays beside an object with fields.
fn meet_union(members: &[Type], other: &Type) -> Option<Type> {
    let possible: Vec<Type> =
        members.iter().filter(|member| meet(member, other) != Some(Type::Never)).cloned().collect();
    let adds_nothing = |other: &Type| matches!(other, Type::Object(object) if is_any_object(object));
    let is_structured = |kind: &Type| matches!(kind, Type::Object(_) | Type::Union(_) | Type::Tuple { .. });
    if adds_nothing(other) && possible.iter().all(is_object) {
        return Some(union(possible));
    }
    if !is_structured(other) || possible.len() < 2 {
        let met: Option<Vec<Type>> = possible.iter().map(|member| meet(member, other)).collect();
        if let Some(met) = met {
            return Some(union(met));
        }
    } else if let Type::Union(others) = other {
        let is_simple =
            |kind: &Type| !is_structured(kind) && !matches!(kind, Type::Named(_) | Type::Intersection(_));
        if possible.iter().chain(others).all(is_simple) {
            let pairs = possible.iter().flat_map(|a| others.iter().filter_map(move |b| meet(a, b)));
            return Some(union(pairs.collect()));
        }
    }
    // Fewer members are simpler, and the next meeting finds nothing more to drop.
    (possible.len() < members.len()).then(|| Type::Intersection(vec![other.clone(), union(possible)]))
}

/// Several at once with something else: nothing if it can't be one of them, the same if one of them says it already.
fn meet_intersection(parts: &[Type], other: &Type) -> Option<Type> {
    let met: Vec<Option<Type>> = parts.iter().map(|part| meet(part, other)).collect();
    if met.contains(&Some(Type::Never)) {
        return Some(Type::Never);
    }
    let says_it = parts.iter().zip(&met).any(|(part, met)| met.as_ref() == Some(part));
    says_it.then(|| Type::Intersection(parts.to_vec()))
}

/// Whether every value is surely an object. Named types are not looked up.
fn is_object(kind: &Type) -> bool {
    match kind {
        Type::Object(_) => true,
        Type::Union(members) => members.iter().all(is_object),
        Type::Intersection(parts) => parts.iter().any(is_object),
        _ => false,
    }
}

fn is_any_object(object: &ObjectType) -> bool {
    object.fields.is_empty() && matches!(object.rest, Rest::Open | Rest::Welcome)
}

/// The fields of both, each as the other allows it. One that is closed to the fields of the other keeps them all
/// the same: [`is_closed_to_others`] finds these.
fn merge(a: &ObjectType, b: &ObjectType) -> ObjectType {
    let mut fields: Vec<ObjectField> = Vec::new();
    for (own, other) in [(a, b), (b, a)] {
        for field in &own.fields {
            let Some(twin) = other.field(&field.key) else {
                fields.push(ObjectField { kind: allowed(&field.kind, &other.rest), ..field.clone() });
                continue;
            };
            if fields.iter().all(|known| known.key != field.key) {
                fields.push(ObjectField {
                    key: field.key.clone(),
                    required: field.required || twin.required,
                    kind: intersection(vec![field.kind.clone(), twin.kind.clone()]),
                    doc: field.doc.clone().or(twin.doc.clone()),
                });
            }
        }
    }
    fields.sort_by(|a, b| a.key.cmp(&b.key));
    ObjectType {
        fields,
        rest: merge_rest(&a.rest, &b.rest),
        title: a.title.clone().or_else(|| b.title.clone()),
    }
}

fn allowed(kind: &Type, rest: &Rest) -> Type {
    match rest {
        Rest::Of(rest) => intersection(vec![kind.clone(), (**rest).clone()]),
        _ => kind.clone(),
    }
}

fn merge_rest(a: &Rest, b: &Rest) -> Rest {
    match (a, b) {
        (Rest::Closed, _) | (_, Rest::Closed) => Rest::Closed,
        (Rest::Of(a), Rest::Of(b)) => match intersection(vec![(**a).clone(), (**b).clone()]) {
            Type::Never => Rest::Closed,
            kind => Rest::Of(Box::new(kind)),
        },
        (Rest::Of(kind), _) | (_, Rest::Of(kind)) => Rest::Of(kind.clone()),
        (Rest::Welcome, _) | (_, Rest::Welcome) => Rest::Welcome,
        _ => Rest::Open,
    }
}

/// Whether one of several objects allows no keys but its own while another names more.
pub(super) fn is_closed_to_others(kinds: &[&Type]) -> bool {
    let objects: Vec<&ObjectType> = kinds
        .iter()
        .filter_map(|kind| match kind {
            Type::Object(object) => Some(object),
            _ => None,
        })
        .collect();
    let names_more = |closed: &ObjectType, other: &ObjectType| {
        other.fields.iter().any(|field| closed.field(&field.key).is_none())
    };
    objects
        .iter()
        .filter(|closed| closed.rest == Rest::Closed)
        .any(|closed| objects.iter().any(|other| names_more(closed, other)))
}

/// Types that can have values in common at all.
#[derive(PartialEq)]
enum Family {
    String,
    Number,
    Boolean,
    Null,
    Array,
    Object,
    Other,
}

fn family(kind: &Type) -> Family {
    match kind {
        Type::String => Family::String,
        Type::Integer | Type::Number => Family::Number,
        Type::Boolean => Family::Boolean,
        Type::Null => Family::Null,
        Type::Array(_) | Type::Tuple { .. } => Family::Array,
        Type::Object(_) => Family::Object,
        _ => Family::Other,
    }
}

fn same_literal(a: &Value, b: &Value) -> bool {
    mortise_contract::json::is_same_value(a, b)
}

/// Whether a value can be of a type, judged by its outermost level.
pub(super) fn has_kind(value: &Value, kind: &Type) -> bool {
    match value {
        Value::Null => *kind == Type::Null,
        Value::Bool(_) => *kind == Type::Boolean,
        Value::String(_) => *kind == Type::String,
        Value::Number(number) => match kind {
            Type::Number => true,
            Type::Integer => !number.is_f64() || number.as_f64().is_some_and(|number| number.fract() == 0.0),
            _ => false,
        },
        Value::Array(_) => family(kind) == Family::Array,
        Value::Object(_) => family(kind) == Family::Object,
    }
}

/// Whether one value can be of both types; "yes" where it is not plain.
pub(super) fn may_overlap(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (Type::Literal(a), Type::Literal(b)) => same_literal(a, b),
        (Type::Literal(value), other) | (other, Type::Literal(value)) => match other {
            Type::Named(_) | Type::Union(_) | Type::Intersection(_) => true,
            other => has_kind(value, other),
        },
        (Type::Object(a), Type::Object(b)) => !a.fields.iter().any(|field| {
            field.required
                && b.fields.iter().any(|other| {
                    other.required && other.key == field.key && !may_overlap(&field.kind, &other.kind)
                })
        }),
        (Type::Unknown | Type::Named(_) | Type::Union(_) | Type::Intersection(_), _)
        | (_, Type::Unknown | Type::Named(_) | Type::Union(_) | Type::Intersection(_)) => true,
        _ => family(a) == family(b),
    }
}
