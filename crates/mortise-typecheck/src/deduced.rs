//! What the functions of a program take and return, where it does not say so itself.
//!
//! The checker takes a parameter or a result without annotation for anything, and one that says `dict` for any dict.
//! But a helper that gets rows of a tool wherever it is called takes such rows, and one that returns a part of a result
//! returns that. Where the types of one pass say so, they are written into the program for the next.

mod ahead;
mod calls;
mod claims;
mod groups;
mod returns;
mod writer;

use ruff_python_ast::Stmt;
use ruff_python_ast::visitor::source_order::SourceOrderVisitor as _;
use ruff_text_size::{TextRange, TextSize};

use crate::evidence::kinds::Types;

pub(crate) use claims::hides;

use ahead::Foresight;
use calls::Uses;
use writer::{ANYTHING, AnnotationWriter, PLAIN};

/// Annotations in one program; the rest is left alone.
const ADDED: usize = 100;
/// Functions by which a program can call functions that it does not name.
const DYNAMIC: [&str; 5] = ["eval", "exec", "globals", "locals", "vars"];

/// What is added to a program.
#[derive(Debug, Default)]
pub(crate) struct Deduced {
    /// Annotations and where they go, in order.
    pub(crate) annotations: Vec<(TextSize, String)>,
    /// Annotations of the program that they stand for, with colon or arrow.
    pub(crate) replaced: Vec<TextRange>,
    /// Classes that they name by their number here: module and name.
    classes: Vec<(String, String)>,
    /// Those of the annotations that the last pass foresaw.
    foreseen: Vec<(TextSize, String)>,
}

pub(crate) enum Further {
    Nothing,
    More(Deduced),
    /// What the pass before it foresaw is not so.
    Mistaken,
}

pub(crate) struct Addition {
    pub(crate) at: TextSize,
    pub(crate) annotation: String,
    /// The annotation of the program in its place.
    pub(crate) replaced: Option<TextRange>,
    /// Whether it follows from another addition of the same pass.
    pub(crate) is_foreseen: bool,
}

impl Deduced {
    /// What a program with the annotations imports for them.
    pub(crate) fn imports(&self) -> impl Iterator<Item = String> {
        let anything = format!("from typing import Any as {ANYTHING}");
        let alias = |(at, (module, class)): (usize, &(String, String))| {
            format!("from {module} import {class} as _declared_{at}")
        };
        let anything = (!self.annotations.is_empty()).then_some(anything);
        anything.into_iter().chain(self.classes.iter().enumerate().map(alias))
    }

    /// Reads off the types what can be added to a program in which all this stands already. `origin` maps a range to
    /// where it was before that. With foresight it also adds what follows from that.
    pub(crate) fn and_further<'a>(
        &self,
        program: &'a [Stmt],
        types: &Types<'a>,
        origin: impl Fn(TextRange) -> Option<TextRange>,
        is_allowed: bool,
    ) -> Further {
        let mut uses = Uses::default();
        program.iter().for_each(|statement| uses.visit_stmt(statement));
        // Words that the program gives another meaning can't be written, and calls that it hides pass anything.
        let is_odd = PLAIN.iter().any(|word| uses.bound.contains_key(word))
            || DYNAMIC.iter().any(|word| uses.reads.contains_key(word));
        if types.stubs.is_empty() || is_odd {
            return Further::Nothing;
        }
        let place = |at: TextSize| origin(TextRange::empty(at)).map(|range| range.start());
        let foreseen =
            |at: TextSize| place(at).is_some_and(|at| self.foreseen.iter().any(|(known, _)| *known == at));
        let mut writer = AnnotationWriter::new(types, &self.classes);
        let added = additions(&uses, &mut writer, &Foresight { is_allowed, foreseen: &foreseen });
        let is_so = |(at, annotation): &(TextSize, String)| {
            added.iter().any(|addition| place(addition.at) == Some(*at) && addition.annotation == *annotation)
        };
        if !self.foreseen.iter().all(is_so) {
            return Further::Mistaken;
        }
        let original = |addition: Addition| {
            let at = place(addition.at)?;
            let replaced = match addition.replaced {
                Some(range) => Some(origin(range)?),
                None => None,
            };
            // What an earlier pass added is there already.
            let is_new = !self.annotations.iter().any(|(known, _)| *known == at);
            is_new.then_some((at, replaced, addition))
        };
        let room = ADDED.saturating_sub(self.annotations.len());
        let added: Vec<_> = added.into_iter().filter_map(original).take(room).collect();
        if added.is_empty() {
            return Further::Nothing;
        }
        let mut more = Self {
            annotations: self.annotations.clone(),
            replaced: self.replaced.clone(),
            classes: writer.used,
            foreseen: Vec::new(),
        };
        for (at, replaced, addition) in added {
            if addition.is_foreseen {
                more.foreseen.push((at, addition.annotation.clone()));
            }
            more.annotations.push((at, addition.annotation));
            more.replaced.extend(replaced);
        }
        more.annotations.sort_by_key(|(at, _)| *at);
        Further::More(more)
    }
}

/// What can be added, until nothing more follows from it.
fn additions<'a>(
    uses: &Uses<'a>,
    writer: &mut AnnotationWriter<'a, '_>,
    foresight: &Foresight<'_>,
) -> Vec<Addition> {
    let mut added = Vec::new();
    uses.groups(writer, &mut added);
    uses.attributes(writer, &mut added);
    loop {
        let known = added.len();
        for function in &uses.functions {
            uses.parameters(function, writer, &mut added, foresight);
            let returned = uses.returned(function, writer, &added, foresight);
            added.extend(returned);
        }
        if added.len() == known || !foresight.is_allowed {
            return added;
        }
    }
}
