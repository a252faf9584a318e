//! A tool as one line: `get_weather(city: string, units?: "C" | "F") → { city, temperature }`.

use mortise_contract::observed::ObservedShape;
use mortise_contract::{Contract, Shape};
use unicode_width::UnicodeWidthStr as _;

use crate::terminal::layout::fit;
use crate::terminal::{Terminal, Tint, escape};

/// Characters of a type, from the most that is shown to the least, for a parameter and for what is returned. What is
/// returned gives way first: names of parameters are what a caller needs.
const DETAIL: [(usize, usize); 8] =
    [(40, 80), (32, 60), (32, 40), (24, 28), (16, 20), (0, 28), (0, 16), (0, 8)];

/// What a line can show of a tool.
#[derive(Debug)]
pub(crate) struct Signature {
    name: String,
    parameters: Vec<Parameter>,
    returns: Returned,
}

#[derive(Debug)]
struct Parameter {
    /// With `?` if it is optional.
    name: String,
    is_required: bool,
    shape: Shape,
}

#[derive(Debug)]
enum Returned {
    Declared(Shape),
    Unreadable,
    /// The server declares nothing; results so far were of this shape.
    Observed(Shape),
    Undeclared,
}

/// A signature that fits, in coloured pieces.
#[derive(Debug)]
pub(crate) struct SignatureLine(Vec<(Option<Tint>, String)>);

impl Signature {
    /// Reads what a tool declares, or was observed to return where it declares nothing.
    pub(crate) fn of(contract: &Contract, observed: Option<&ObservedShape>) -> Self {
        let parameters = match contract.input_schema().map(Shape::of) {
            Some(Shape::Object { fields, .. }) => fields
                .into_iter()
                .map(|field| Parameter {
                    name: escape::line(&field.name) + if field.required { "" } else { "?" },
                    is_required: field.required,
                    shape: field.shape,
                })
                .collect(),
            _ => Vec::new(),
        };
        let returns = match contract.output_schema() {
            Some(schema) => Returned::Declared(Shape::of(schema)),
            None if contract.declares_output() => Returned::Unreadable,
            None => observed.map_or(Returned::Undeclared, |observed| {
                Returned::Observed(Shape::of(&observed.schema().value))
            }),
        };
        Self { name: escape::line(contract.name.as_str()), parameters, returns }
    }

    /// The most that fits into `width` columns.
    pub(crate) fn fitting(&self, width: usize) -> SignatureLine {
        let lines = DETAIL
            .iter()
            .map(|(of_parameter, of_result)| self.line(*of_parameter, *of_result, self.parameters.len()));
        // Then parameters go, optional ones first, then what is returned.
        let fewer = (0..self.parameters.len()).rev().map(|count| self.line(0, 8, count));
        let bare = SignatureLine(vec![(Some(Tint::Name), self.name.clone()), (None, "(…)".to_owned())]);
        lines
            .chain(fewer)
            .chain([bare])
            .find(|line| line.width() <= width)
            .unwrap_or_else(|| SignatureLine(vec![(Some(Tint::Name), fit(&self.name, width))]))
    }

    fn line(&self, of_parameter: usize, of_result: usize, count: usize) -> SignatureLine {
        let mut pieces = vec![(Some(Tint::Name), self.name.clone()), (None, "(".to_owned())];
        let mut shown: Vec<usize> = (0..self.parameters.len()).collect();
        shown.sort_by_key(|at| !self.parameters[*at].is_required);
        shown.truncate(count);
        shown.sort_unstable();
        for (index, at) in shown.iter().enumerate() {
            if index > 0 {
                pieces.push((None, ", ".to_owned()));
            }
            let parameter = &self.parameters[*at];
            pieces.push((None, parameter.name.clone()));
            if of_parameter > 0 {
                let shape = escape::line(&parameter.shape.one_line(of_parameter));
                pieces.extend([(None, ": ".to_owned()), (Some(Tint::Type), shape)]);
            }
        }
        if count < self.parameters.len() {
            pieces.push((None, if count == 0 { "…" } else { ", …" }.to_owned()));
        }
        pieces.extend([(None, ")".to_owned()), (Some(Tint::Dim), " → ".to_owned())]);
        if matches!(self.returns, Returned::Observed(_)) {
            pieces.push((Some(Tint::Dim), "observed ".to_owned()));
        }
        pieces.push(match &self.returns {
            Returned::Declared(shape) | Returned::Observed(shape) => {
                (Some(Tint::Type), escape::line(&shape.one_line(of_result)))
            }
            Returned::Unreadable => (Some(Tint::Warn), "unreadable".to_owned()),
            Returned::Undeclared => (Some(Tint::Dim), "undeclared".to_owned()),
        });
        SignatureLine(pieces)
    }
}

impl SignatureLine {
    /// Columns that it takes.
    pub(crate) fn width(&self) -> usize {
        self.0.iter().map(|(_, text)| text.width()).sum()
    }

    /// In colour, where there is any.
    pub(crate) fn painted(&self, terminal: &Terminal) -> String {
        let pieces: Vec<_> = self.0.iter().map(|(tint, text)| (*tint, text.as_str())).collect();
        terminal.pieces(&pieces)
    }
}

#[cfg(test)]
mod tests;
