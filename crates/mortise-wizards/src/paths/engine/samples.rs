//! Whether rules do anything useful on real paths.

use mortise_formats::format::{ErrorBody, ErrorCode, Subcode};
use mortise_formats::rules::{FieldSource, RuleDocument};

use super::{RuleSet, coverage};
use crate::answer::ResultWarning;
use crate::paths::path::RulePath;

/// A pattern of more characters is hard to review.
const LONG_PATTERN: usize = 100;
/// So is one of more groups.
const MANY_GROUPS: usize = 5;

/// Checks rules on sample paths; every rule must match one of them and give at least one value.
pub(crate) fn check_samples(
    document: &RuleDocument,
    paths: &[RulePath],
) -> Result<Vec<ResultWarning>, ErrorBody> {
    let mut warnings = Vec::new();
    let mut errors = Vec::new();
    for (number, rule) in document.rules().iter().enumerate().filter(|(_, rule)| rule.enabled) {
        let at = |key: &str| format!("rules[{number}].{key}");
        let alone = RuleDocument::new(vec![rule.clone()])?;
        let (coverage, metrics) = coverage(&RuleSet::new(&alone)?, paths);
        if coverage.matched == 0 {
            let reason = format!("the glob matches none of {} sample paths", paths.len());
            errors.push(semantic(reason, "compare the glob with a path, segment by segment", at("glob")));
            continue;
        }
        for field in metrics.iter().filter(|field| field.valued == 0 && field.defaulted == 0) {
            let reason =
                format!("the field `{}` has a value on none of {} paths", field.field, coverage.matched);
            errors.push(semantic(
                reason,
                "correct `from`, `pattern` or `type`",
                at(&format!("extract.{}", field.field)),
            ));
        }
        let unstable = rule.glob.as_deref().map_or(usize::MAX, right_of_depth);
        for (name, field) in &rule.fields {
            let place = at(&format!("extract.{name}"));
            if let FieldSource::Segment(index) = field.from
                && usize::from(index) > unstable
            {
                let message =
                    format!("`{name}` counts segments across `**`, so its place varies with the depth");
                warnings.push(ResultWarning::new("WARN_UNSTABLE_SEGMENT", message).on(&place));
            }
            if let Some(pattern) = &field.pattern {
                let groups = regex::Regex::new(&pattern.regex).map_or(0, |regex| regex.captures_len() - 1);
                if pattern.regex.chars().count() > LONG_PATTERN || groups > MANY_GROUPS {
                    let message =
                        format!("the pattern of `{name}` is long; a person will not see what it does");
                    warnings.push(ResultWarning::new("WARN_LARGE_PATTERN", message).on(&place));
                }
            }
        }
    }
    match ErrorBody::of_many(errors) {
        Some(error) => Err(error),
        None => Ok(warnings),
    }
}

fn semantic(reason: String, suggestion: &str, field: String) -> ErrorBody {
    ErrorBody::new(ErrorCode::YamlInvalid, reason, suggestion)
        .with_subcode(Subcode::YamlSemantic)
        .at_field(field)
}

/// How many segments stand right of the last `**`; all of them where there is none.
fn right_of_depth(glob: &str) -> usize {
    glob.rsplit('/').position(|segment| segment == "**").unwrap_or(usize::MAX)
}
