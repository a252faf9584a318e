//! Format specifications that a value does not take: `f"{row['date']:.2f}"` where a tool declares a string.

use ruff_python_ast::{Expr, InterpolatedStringElement, InterpolatedStringElements};
use ruff_text_size::Ranged as _;

use crate::evidence::handlers::Raises;
use crate::evidence::kinds::KindGroup;
use crate::finding::TypecheckRule;
use crate::walk::{Remark, Scene};

/// What a specification for numbers ends with, and one for texts does not.
const NUMERIC: [char; 9] = ['d', 'e', 'f', 'g', 'n', 'x', 'b', 'o', '%'];

impl<'a> Scene<'a> {
    /// Judges what each part of an f-string is formatted with.
    pub(crate) fn judge_formats(&mut self, elements: impl Iterator<Item = &'a InterpolatedStringElement>) {
        for element in elements {
            let InterpolatedStringElement::Interpolation(part) = element else { continue };
            // `!r` makes a text of anything.
            let is_converted = !part.conversion.is_none();
            let specification = part.format_spec.as_deref().and_then(|spec| written(&spec.elements));
            let Some(specification) = specification.filter(|_| !is_converted) else { continue };
            self.judge_format(&part.expression, &specification);
        }
    }

    fn judge_format(&mut self, value: &'a Expr, specification: &str) {
        if specification.is_empty() || !self.evidence.is_exact(value) {
            return;
        }
        let class = self.evidence.types.class_name(value).unwrap_or_else(|| "dict".to_owned());
        let message = match self.evidence.group(value) {
            Some(KindGroup::Object | KindGroup::List | KindGroup::Dict) => {
                format!("TypeError: unsupported format string passed to {class}.__format__")
            }
            Some(KindGroup::Text) if specification.ends_with(NUMERIC) || specification.contains(',') => {
                format!("ValueError: the format `{specification}` is for numbers, and this is a string")
            }
            _ => return,
        };
        let declared = self.origin(value);
        self.remark(Remark {
            declared,
            ..Remark::sure(TypecheckRule::WrongType, Raises::Format, value.range(), message)
        });
    }
}

/// A specification that is written out.
fn written(elements: &InterpolatedStringElements) -> Option<String> {
    let parts = elements.iter().map(|element| match element {
        InterpolatedStringElement::Literal(literal) => Some(&*literal.value),
        InterpolatedStringElement::Interpolation(_) => None,
    });
    parts.collect()
}
