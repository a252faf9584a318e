//! What each keyword does with the subschemas in it.

/// The part that a keyword plays in the graph. Keywords of all dialects together: where a dialect does not know one,
/// the graph has an edge too many, which is safe.
#[derive(Clone, Copy)]
pub(super) enum Role {
    /// One subschema for the same value.
    InPlace,
    /// A list of subschemas for the same value.
    InPlaceList,
    /// A map of subschemas for the same value.
    InPlaceMap,
    /// A list of alternatives for the same value.
    Branches,
    /// Subschemas for the members of an object.
    Object(Object),
    /// Subschemas for the elements of an array.
    Array(Array),
    /// Subschemas that apply only where they are referred to.
    Definitions,
    /// A reference.
    Reference,
    /// A list of values.
    Enum,
    /// One value.
    Const,
    /// Names of members.
    Required,
    /// A regular expression.
    Pattern,
    /// All elements are compared.
    Unique,
}

/// What a keyword says about an object.
#[derive(Clone, Copy)]
pub(super) enum Object {
    Properties,
    Patterns,
    Additional,
    Unevaluated,
    Names,
}

/// What a keyword says about an array.
#[derive(Clone, Copy)]
pub(super) enum Array {
    Prefix,
    Items,
    Additional,
    Contains,
    Unevaluated,
}

/// The role of a keyword; none for annotations and keywords nobody knows.
pub(super) fn role(keyword: &str) -> Option<Role> {
    Some(match keyword {
        "not" | "if" | "then" | "else" => Role::InPlace,
        "allOf" => Role::InPlaceList,
        "anyOf" | "oneOf" => Role::Branches,
        "dependentSchemas" | "dependencies" => Role::InPlaceMap,
        "properties" => Role::Object(Object::Properties),
        "patternProperties" => Role::Object(Object::Patterns),
        "additionalProperties" => Role::Object(Object::Additional),
        "unevaluatedProperties" => Role::Object(Object::Unevaluated),
        "propertyNames" => Role::Object(Object::Names),
        "prefixItems" => Role::Array(Array::Prefix),
        "items" => Role::Array(Array::Items),
        "additionalItems" => Role::Array(Array::Additional),
        "contains" => Role::Array(Array::Contains),
        "unevaluatedItems" => Role::Array(Array::Unevaluated),
        "$defs" | "definitions" => Role::Definitions,
        "$ref" | "$dynamicRef" | "$recursiveRef" => Role::Reference,
        "enum" => Role::Enum,
        "const" => Role::Const,
        "required" | "dependentRequired" => Role::Required,
        "pattern" => Role::Pattern,
        "uniqueItems" => Role::Unique,
        _ => return None,
    })
}
