//! Whether two schemas are small enough for set algebra, which can't be interrupted.
//!
//! The difference of two schemas is a union of cases. Where alternatives stand beside each
//! other, their cases multiply, and the complement multiplies them again; so products are kept
//! small, while a long list of plain alternatives is fine.

use serde_json::Value;

use crate::schema::keyword::{Applies, Holds, Keyword, Purpose};
use crate::schema::referred;

/// Subschemas of one schema, references followed.
const SUBSCHEMAS: usize = 600;
/// Cases at one place of a value, where several groups of alternatives multiply.
const PRODUCT: usize = 8;
/// Cases at one place, where a single group lists them.
const BRANCHES: usize = 128;
/// Nesting, references included.
const DEPTH: usize = 24;

/// Whether set algebra on `schema` ends soon.
pub(super) fn is_affordable(schema: &Value) -> bool {
    let mut count = CaseCount { root: schema, left: SUBSCHEMAS };
    count.cases(schema, DEPTH).is_some()
}

struct CaseCount<'a> {
    root: &'a Value,
    left: usize,
}

impl CaseCount<'_> {
    /// The cases that a schema distinguishes at its own place; `None` when they are too many.
    fn cases(&mut self, schema: &Value, depth: usize) -> Option<usize> {
        let Value::Object(keywords) = schema else { return Some(1) };
        self.left = self.left.checked_sub(1)?;
        let depth = depth.checked_sub(1)?;
        let mut groups = Vec::new();
        for (keyword, value) in keywords {
            let Some(keyword) = Keyword::find(keyword) else { continue };
            if let (Purpose::Reference, Some(reference)) = (keyword.purpose, value.as_str()) {
                // A definition that refers to itself has no end here; set algebra can't tell then anyway.
                let target = referred(self.root, reference)?;
                groups.push(self.cases(target, depth)?);
            }
            let schemas = keyword.holds.schemas(value);
            let cases = schemas.into_iter().map(|(_, schema)| self.cases(schema, depth));
            match (keyword.applies, keyword.holds) {
                (Applies::Nowhere, _) => {}
                (Applies::Alternatives, _) => groups.push(cases.sum::<Option<usize>>()?),
                (Applies::InPlace, Holds::List) => groups.extend(cases.collect::<Option<Vec<_>>>()?),
                (Applies::InPlace, _) => {
                    groups.extend(cases.map(|cases| Some(1 + cases?)).collect::<Option<Vec<_>>>()?);
                }
                (Applies::Members(_) | Applies::Elements(_), _) => _ = cases.sum::<Option<usize>>()?,
            }
        }
        groups.retain(|cases| *cases > 1);
        let cases = groups.iter().try_fold(1_usize, |cases, group| cases.checked_mul(*group))?;
        let limit = if groups.len() > 1 { PRODUCT } else { BRANCHES };
        (cases <= limit).then_some(cases)
    }
}
