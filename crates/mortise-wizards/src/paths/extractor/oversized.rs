//! Patterns that are long for a rule, or too large for one.

use mortise_formats::rules::RuleField;

use super::escalate::{Escalation, renamed_raw};
use super::fields::FieldPlan;
use crate::paths::decision::{DecisionConfig, PatternClass};
use crate::paths::transform::Transform;

/// Recommends Python for long patterns, and moves those that are too large to it: the rule then keeps the whole text
/// under a name of its own.
pub(super) fn decide(escalation: &mut Escalation, plan: &mut FieldPlan, config: &DecisionConfig) {
    for number in 0..plan.fields.len() {
        let field = &plan.fields[number].field;
        let Some(pattern) = field.pattern.clone().filter(|_| field.default.is_none()) else { continue };
        match config.pattern(&pattern.regex) {
            PatternClass::Yaml => {}
            PatternClass::Recommend => {
                let name = &plan.fields[number].name;
                let text = format!("the pattern of `{name}` is long; Python would be easier to review");
                plan.recommendations.push(text);
            }
            PatternClass::Force => {
                let kind = field.field_type.clone();
                let whole = RuleField::new(field.from);
                let into = renamed_raw(plan, number);
                plan.fields[number].field = whole;
                let from = plan.fields[number].name.clone();
                let reason = format!("the pattern of `{into}` is too large for a rule");
                escalation.first(Transform::Pattern { from, pattern, kind, into }, reason);
            }
        }
    }
}
