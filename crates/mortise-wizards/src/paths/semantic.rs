//! Semantic paths: what the folders of a path mean, as an expression such as
//! `entity_folder(mission) > dated_hierarchy(iso) > files`.
//!
//! An expression is parsed ([`Expression::parse`]), recognised from paths ([`recognize`]), compiled to
//! a glob and fields ([`compile`]).

mod compile;
mod expression;
mod grammar;
mod lattice;
mod primitive;
mod recognize;
mod score;
mod structure;
mod table;
mod values;

pub(crate) use compile::{CompiledPath, compile};
pub(crate) use expression::{Expression, ExpressionStep};
pub(crate) use primitive::{DateForm, MonthForm, Period, Primitive, YearForm};
pub(crate) use recognize::{Recognition, RecognitionStatus, Segment, of_lattice};
pub(crate) use structure::{abstract_structure, equivalence_class};
pub(crate) use table::{Domain, primitives};

pub(crate) use compile::{compile_for_code, compile_recognised, escaped, slug, too_much};
pub(crate) use lattice::{FolderPosition, Lattice};
pub(crate) use primitive::is_field_name;
pub(crate) use values::{
    day_order, is_category, is_compact_date, is_digits, is_iso_date, is_year, month_number,
};

#[cfg(test)]
mod tests;
