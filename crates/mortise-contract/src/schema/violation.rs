//! The validator's findings in our words.

use jsonschema::error::ValidationErrorKind;
use jsonschema::{ErrorIterator, ValidationError};

use super::Validation;
use crate::excerpt::excerpt;
use crate::limits;
use crate::verdict::Violation;

/// Turns errors into a validation; a match that the regex engine gave up on makes the whole unchecked.
pub(super) fn collect(errors: ErrorIterator<'_>, kept: usize) -> Validation {
    let mut violations = Vec::new();
    let mut total = 0;
    for error in errors {
        if let ValidationErrorKind::BacktrackLimitExceeded { .. }
        | ValidationErrorKind::RegexEngineFailure { .. } = error.kind()
        {
            return Validation::Unchecked {
                reason: format!("the pattern at {} took too many steps to match", error.schema_path()),
            };
        }
        total += 1;
        if violations.len() < kept {
            violations.push(violation(&error));
        }
    }
    if total == 0 { Validation::Valid } else { Validation::Invalid { violations, total } }
}

fn violation(error: &ValidationError<'_>) -> Violation {
    Violation {
        instance_path: error.instance_path().to_string(),
        schema_path: error.schema_path().to_string(),
        keyword: error.kind().keyword().to_owned(),
        message: message(error),
        value_excerpt: excerpt(&error.instance().to_string(), limits::VIOLATION_EXCERPT),
    }
}

/// The message, cut to its limit.
pub(super) fn message(error: &ValidationError<'_>) -> String {
    excerpt(&error.to_string(), limits::VIOLATION_MESSAGE)
}
