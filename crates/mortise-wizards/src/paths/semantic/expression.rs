//! A semantic expression: steps from the left to the file.

use std::fmt;

use mortise_formats::format::ErrorBody;

use super::grammar::{self, RawStep};
use super::primitive::Primitive;

/// What the folders of a path mean, from the left, and the file at the end.
///
/// Invariant: [`Primitive::Files`] is last and nowhere else, at least one step is before it or it stands
/// alone, and `**` is neither last nor doubled.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Expression {
    steps: Vec<ExpressionStep>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ExpressionStep {
    /// `**`: any number of folders.
    AnyDepth,
    /// One to three folders, or the file.
    Is(Primitive),
}

impl Expression {
    /// Reads an expression.
    pub(crate) fn parse(text: &str) -> Result<Self, ErrorBody> {
        let raw = grammar::parse(text)?;
        let last = raw.len().saturating_sub(1);
        let mut steps = Vec::with_capacity(raw.len());
        for (index, (step, column)) in raw.into_iter().enumerate() {
            let step = match step {
                RawStep::AnyDepth => ExpressionStep::AnyDepth,
                RawStep::Named(call) => ExpressionStep::Is(Primitive::parse(&call)?),
            };
            let wrong = |reason: &str, suggestion: &str| Err(grammar::failure(column, reason, suggestion));
            match (&step, index == last) {
                (ExpressionStep::Is(Primitive::Files { .. }), false) => {
                    return wrong("`files` stands before another step", "put `files` at the end");
                }
                (ExpressionStep::AnyDepth, true) => {
                    return wrong("`**` is last", "end the expression with `files`");
                }
                (ExpressionStep::AnyDepth, false) if steps.last() == Some(&ExpressionStep::AnyDepth) => {
                    return wrong("`**` follows `**`", "keep one of them");
                }
                (ExpressionStep::Is(primitive), true) if !matches!(primitive, Primitive::Files { .. }) => {
                    return wrong("the last step is a folder", "end the expression with `> files`");
                }
                _ => steps.push(step),
            }
        }
        Ok(Self { steps }.without_leading_depth())
    }

    /// An expression of these folders with the file at the end.
    pub(crate) fn of(folders: impl IntoIterator<Item = ExpressionStep>, extension: Option<String>) -> Self {
        let mut steps: Vec<ExpressionStep> = folders.into_iter().collect();
        steps.push(ExpressionStep::Is(Primitive::Files { extension }));
        Self { steps }.without_leading_depth()
    }

    /// The steps, the file last.
    pub(crate) fn steps(&self) -> &[ExpressionStep] {
        &self.steps
    }

    /// The same without the extension of the files.
    #[must_use]
    pub(crate) fn without_extension(&self) -> Self {
        let mut steps = self.steps.clone();
        if let Some(ExpressionStep::Is(Primitive::Files { extension })) = steps.last_mut() {
            *extension = None;
        }
        Self { steps }
    }

    /// Any depth at the start is what every expression begins with.
    fn without_leading_depth(mut self) -> Self {
        if self.steps.first() == Some(&ExpressionStep::AnyDepth) {
            self.steps.remove(0);
        }
        self
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.steps.iter().enumerate() {
            if index > 0 {
                formatter.write_str(" > ")?;
            }
            match step {
                ExpressionStep::AnyDepth => formatter.write_str("**")?,
                ExpressionStep::Is(primitive) => write!(formatter, "{primitive}")?,
            }
        }
        Ok(())
    }
}
