//! Annotations that hide what a value is: `rows: list[dict]`, where a tool declares what its rows are.

use ruff_python_ast::Expr;

/// Words of annotations that say nothing of a program's own classes.
const WORDS: [&str; 23] = [
    "Any",
    "Dict",
    "Iterable",
    "List",
    "Mapping",
    "MutableMapping",
    "None",
    "Optional",
    "Sequence",
    "Set",
    "Tuple",
    "Union",
    "bool",
    "dict",
    "float",
    "int",
    "list",
    "object",
    "set",
    "str",
    "t",
    "tuple",
    "typing",
];
/// Those that an object of a tool can hide behind.
const HIDING: [&str; 6] = ["Any", "Dict", "Mapping", "MutableMapping", "dict", "object"];
/// Those that it can hide behind where they do not say what they hold.
const BARE: [&str; 5] = ["Iterable", "List", "Sequence", "list", "tuple"];

/// Whether an annotation may hide an object of a tool, and names no class of the program.
pub(crate) fn hides(annotation: &Expr) -> bool {
    let mut words = Vec::new();
    read(annotation, &mut words) && words.iter().any(|word| HIDING.contains(word)) || is_bare(annotation)
}

/// `list` without what it holds.
fn is_bare(annotation: &Expr) -> bool {
    annotation.as_name_expr().is_some_and(|name| BARE.contains(&name.id.as_str()))
}

/// Collects the words of an annotation; false where one of them is another, or something else is in it.
fn read<'a>(annotation: &'a Expr, words: &mut Vec<&'a str>) -> bool {
    let mut is_word = |word: &'a str| {
        words.push(word);
        WORDS.contains(&word)
    };
    match annotation {
        Expr::Name(name) => is_word(name.id.as_str()),
        Expr::Attribute(attribute) => is_word(attribute.attr.as_str()) && read(&attribute.value, words),
        Expr::StringLiteral(text) => {
            let mut parts = text.value.to_str().split(|c: char| c != '_' && !c.is_alphanumeric());
            parts.all(|part| part.is_empty() || is_word(part))
        }
        Expr::Subscript(subscript) => read(&subscript.value, words) && read(&subscript.slice, words),
        Expr::BinOp(operation) => read(&operation.left, words) && read(&operation.right, words),
        Expr::Tuple(tuple) => tuple.elts.iter().all(|part| read(part, words)),
        Expr::List(list) => list.elts.iter().all(|part| read(part, words)),
        Expr::NoneLiteral(_) | Expr::EllipsisLiteral(_) => true,
        _ => false,
    }
}
