//! What ty says, as far as rules must match it: names of its rules, parts of its sentences, parts of types as it shows
//! them.
//!
//! ty writes for people, and another version may write otherwise. So whatever has to be matched stands here and nowhere
//! else, and the tests provoke each of it from the real ty. An upgrade that says it in other words fails them. The words
//! of the parser stand in [`syntax`](crate::syntax), with a test of the same kind.

/// Names of ty's rules.
pub(crate) mod lint {
    pub(crate) const CALL_NON_CALLABLE: &str = "call-non-callable";
    pub(crate) const INDEX_OUT_OF_BOUNDS: &str = "index-out-of-bounds";
    pub(crate) const INVALID_ARGUMENT_TYPE: &str = "invalid-argument-type";
    pub(crate) const INVALID_ASSIGNMENT: &str = "invalid-assignment";
    pub(crate) const INVALID_AWAIT: &str = "invalid-await";
    pub(crate) const INVALID_CONTEXT_MANAGER: &str = "invalid-context-manager";
    pub(crate) const INVALID_KEY: &str = "invalid-key";
    pub(crate) const INVALID_PARAMETER_DEFAULT: &str = "invalid-parameter-default";
    pub(crate) const INVALID_RETURN_TYPE: &str = "invalid-return-type";
    pub(crate) const MISSING_ARGUMENT: &str = "missing-argument";
    pub(crate) const MISSING_TYPED_DICT_KEY: &str = "missing-typed-dict-key";
    pub(crate) const NOT_ITERABLE: &str = "not-iterable";
    pub(crate) const NOT_SUBSCRIPTABLE: &str = "not-subscriptable";
    pub(crate) const NO_MATCHING_OVERLOAD: &str = "no-matching-overload";
    pub(crate) const PARAMETER_ALREADY_ASSIGNED: &str = "parameter-already-assigned";
    pub(crate) const POSSIBLY_MISSING_ATTRIBUTE: &str = "possibly-missing-attribute";
    pub(crate) const POSSIBLY_UNRESOLVED_REFERENCE: &str = "possibly-unresolved-reference";
    pub(crate) const TOO_MANY_POSITIONAL_ARGUMENTS: &str = "too-many-positional-arguments";
    pub(crate) const UNKNOWN_ARGUMENT: &str = "unknown-argument";
    pub(crate) const UNRESOLVED_ATTRIBUTE: &str = "unresolved-attribute";
    pub(crate) const UNRESOLVED_IMPORT: &str = "unresolved-import";
    pub(crate) const UNRESOLVED_REFERENCE: &str = "unresolved-reference";
    pub(crate) const UNSUPPORTED_OPERATOR: &str = "unsupported-operator";
    pub(crate) const UNUSED_AWAITABLE: &str = "unused-awaitable";
    /// What the parser says has this name, and is not a rule.
    pub(crate) const INVALID_SYNTAX: &str = "invalid-syntax";
}

/// Parts of ty's sentences.
pub(crate) mod sentence {
    /// A key that a list, a text or an object does not take.
    pub(crate) const GET_ITEM: &str = "Method `__getitem__`";
    /// A module that is not there.
    pub(crate) const NO_MODULE: &str = "Cannot resolve imported module";
    /// A name that a module lacks: "Module `typing` has no member `x`".
    pub(crate) const MODULE: &str = "Module `";
    pub(crate) const NO_MEMBER: &str = " has no member `";
    /// An argument: "Expected `int`, found `str`".
    pub(crate) const EXPECTED: &str = "Expected `";
    pub(crate) const FOUND: &str = "`, found `";
    /// `await` and `async` where only async functions have them.
    pub(crate) const OUTSIDE: &str = "outside";
    /// An import of the future that is not the first statement.
    pub(crate) const FUTURE: &str = "__future__";
    /// Methods that put a value among others.
    pub(crate) const PUTS: [&str; 2] = ["bound method `list.", "bound method `deque."];
    /// What good programs do all the time: matches that are sure to be there, exceptions among gathered results,
    /// attributes given to functions, rows put together with rows of their own making.
    pub(crate) const IDIOMS: [&str; 10] = [
        "type `None`",
        "on `None`",
        "Exception",
        "Unresolved attribute",
        "TypedDict",
        "list[",
        "`object`",
        "__delitem__",
        "any known parameter",
        "<special-form",
    ];
}

/// Parts of types as ty shows them.
pub(crate) mod shown {
    /// Between the parts of what was tested to be several things.
    pub(crate) const AND: &str = " & ";
    /// Between the things that a value can be.
    pub(crate) const OR: &str = " | ";
    /// What was tested to be true, and nothing else.
    pub(crate) const TRUTHY: &str = " & ~AlwaysFalsy";
    /// What was tested not to be a dict.
    pub(crate) const NO_DICT: [&str; 3] = ["~Top[dict[", "~Top[Mapping[", "~Top[MutableMapping["];
    /// Types that say nothing.
    pub(crate) const ANYTHING: [&str; 2] = ["Any", UNKNOWN];
    pub(crate) const UNKNOWN: &str = "Unknown";
    pub(crate) const DICT: &str = "dict[";
    pub(crate) const MAPPING: &str = "Mapping[";
    pub(crate) const LIST: &str = "list[";
    pub(crate) const COROUTINE: &str = "CoroutineType[";
    pub(crate) const COROUTINES: &str = "list[Coroutine";
    /// A text that is known: `Literal["eur"]`.
    pub(crate) const LITERAL: &str = "Literal[\"";
}

#[cfg(test)]
mod tests;
