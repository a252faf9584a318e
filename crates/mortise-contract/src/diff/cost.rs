//! Whether two schemas are small enough for set algebra, which can't be interrupted.
//!
//! The difference of two schemas is a union of cases. Where alternatives stand beside each
//! other, their cases multiply, and the complement multiplies them again; so products are kept
//! small, while a long list of plain alternatives is fine.

use serde_json::Value;

use crate::sample::resolve;

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
    let mut count = Count { root: schema, left: SUBSCHEMAS };
    count.cases(schema, DEPTH).is_some()
}

struct Count<'a> {
    root: &'a Value,
    left: usize,
}

impl Count<'_> {
    /// The cases that a schema distinguishes at its own place; `None` when they are too many.
    fn cases(&mut self, schema: &Value, depth: usize) -> Option<usize> {
        let Value::Object(keywords) = schema else { return Some(1) };
        self.left = self.left.checked_sub(1)?;
        let depth = depth.checked_sub(1)?;
        let mut groups = Vec::new();
        for (keyword, value) in keywords {
            match (keyword.as_str(), value) {
                ("anyOf" | "oneOf", Value::Array(branches)) => {
                    let cases: Option<Vec<usize>> =
                        branches.iter().map(|branch| self.cases(branch, depth)).collect();
                    groups.push(cases?.into_iter().sum());
                }
                ("allOf", Value::Array(conditions)) => {
                    for condition in conditions {
                        groups.push(self.cases(condition, depth)?);
                    }
                }
                ("if" | "then" | "else" | "not" | "dependentSchemas" | "dependencies", value) => {
                    groups.push(1 + self.cases(value, depth)?);
                }
                ("$ref", Value::String(reference)) => {
                    // A definition that refers to itself has no end here; set algebra can't tell then anyway.
                    let target = resolve(self.root, reference)?;
                    groups.push(self.cases(target, depth)?);
                }
                ("properties" | "patternProperties", Value::Object(properties)) => {
                    for property in properties.values() {
                        self.cases(property, depth)?;
                    }
                }
                ("items" | "prefixItems", Value::Array(items)) => {
                    for item in items {
                        self.cases(item, depth)?;
                    }
                }
                ("items" | "additionalProperties" | "contains" | "additionalItems", inner) => {
                    self.cases(inner, depth)?;
                }
                _ => {}
            }
        }
        groups.retain(|cases| *cases > 1);
        let cases = groups.iter().try_fold(1_usize, |cases, group| cases.checked_mul(*group))?;
        let limit = if groups.len() > 1 { PRODUCT } else { BRANCHES };
        (cases <= limit).then_some(cases)
    }
}
