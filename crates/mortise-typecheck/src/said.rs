//! The texts of ty that rules match: names of its lints, parts of its messages, parts of types in their string form.
//!
//! Rules ask ty's API wherever that is public: [`kinds`](crate::evidence::kinds) and [`named`](crate::evidence::named)
//! have all questions about types, and findings are classified by lint and by the expression at their place. These
//! facts are private in ty 0.0.10, so their text is matched:
//!
//! * which of its many syntax errors one is: [`sentence::OUTSIDE`], [`sentence::FUTURE`];
//! * what an unresolved import lacks, the module or a name in it: [`sentence::NO_MODULE`], [`sentence::NO_MEMBER`];
//! * the declared and the given type of an argument: [`sentence::EXPECTED`], [`sentence::FOUND`];
//! * which type ty found fault with: [`sentence::IDIOMS`], [`sentence::PUTS`];
//! * the value of a literal string: [`shown::LITERAL`];
//! * where one argument of a generic class ends: [`shown::OR`], [`shown::AND`].
//!
//! Each text stands here and nowhere else. The tests provoke it from the real ty, so an upgrade that changes one fails.
//! The words of the parser stand in [`syntax`](crate::syntax), with a test of the same kind.

/// Names of ty's lints.
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

/// Parts of ty's messages.
pub(crate) mod sentence {
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
    /// Types that right programs use in ways that ty finds fault with: matches that are sure to be there, exceptions
    /// among gathered results, rows put together with rows that the program created.
    pub(crate) const IDIOMS: [&str; 6] =
        ["type `None`", "on `None`", "Exception", "TypedDict", "list[", "`object`"];
}

/// Parts of types as ty shows them.
pub(crate) mod shown {
    /// Between the parts of what was tested to be several things.
    pub(crate) const AND: &str = " & ";
    /// Between the things that a value can be.
    pub(crate) const OR: &str = " | ";
    /// Types of which ty knows nothing.
    pub(crate) const ANYTHING: [&str; 2] = ["Any", "Unknown"];
    pub(crate) const DICT: &str = "dict[";
    pub(crate) const MAPPING: &str = "Mapping[";
    pub(crate) const COROUTINE: &str = "CoroutineType[";
    /// A text that is known: `Literal["eur"]`.
    pub(crate) const LITERAL: &str = "Literal[\"";
}

#[cfg(test)]
mod tests;
