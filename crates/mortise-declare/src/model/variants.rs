//! Long unions: every object in them gets a name, so that a file stays readable.

use serde_json::Value;

use super::{Definition, Doc, Model, ObjectType, Type};

/// Objects in one union from which on they are named.
const VARIANTS: usize = 4;

/// The model with the objects of long unions as definitions.
pub(crate) fn name_variants(mut model: Model) -> Model {
    let mut found: Vec<Definition> = Vec::new();
    let first = model.definitions.len();
    for definition in &mut model.definitions {
        let kind = std::mem::replace(&mut definition.kind, Type::Unknown);
        definition.kind = named(kind, first, &mut found);
    }
    model.root = named(model.root, first, &mut found);
    model.definitions.extend(found);
    model
}

fn named(kind: Type, first: usize, found: &mut Vec<Definition>) -> Type {
    let is_variant = |kind: &Type| matches!(kind, Type::Object(object) if !object.fields.is_empty());
    let is_long = matches!(&kind, Type::Union(members)
        if members.iter().filter(|member| is_variant(member)).count() >= VARIANTS);
    kind.map(&mut |part| {
        let variant = is_long && is_variant(&part);
        match named(part, first, found) {
            Type::Object(object) if variant => {
                let number = first + found.len();
                found.push(Definition {
                    wanted: Some(wish(&object)),
                    pointer: String::new(),
                    kind: Type::Object(object),
                    doc: Doc::default(),
                });
                Type::Named(number)
            }
            part => part,
        }
    })
}

/// The title, else the value that distinguishes the variant from the others.
fn wish(object: &ObjectType) -> String {
    let tag = || {
        object.fields.iter().filter(|field| field.required).find_map(|field| match &field.kind {
            Type::Literal(Value::String(tag)) if !tag.is_empty() => Some(tag.clone()),
            _ => None,
        })
    };
    object.title.clone().or_else(tag).unwrap_or_else(|| "Variant".to_owned())
}

#[cfg(test)]
mod tests;
