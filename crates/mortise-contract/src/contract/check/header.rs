//! `x-mcp-header` annotations, which a client must refuse when they are wrong.

use std::collections::HashSet;

use serde_json::Value;

use super::issue;
use crate::contract::{ContractIssue, IssueCode, IssueSeverity};
use crate::json::escape_token;
use crate::schema::keyword::{Holds, holds};

pub(super) const ANNOTATION: &str = "x-mcp-header";

/// Checks every annotation in an input schema: a token, unique ignoring case, on a string, integer or boolean
/// that is reached through `properties` only.
pub(super) fn check(schema: Option<&Value>, issues: &mut Vec<ContractIssue>) {
    let mut seen = HashSet::new();
    let mut open: Vec<(String, Option<&Value>, bool)> = vec![("/inputSchema".to_owned(), schema, true)];
    while let Some((pointer, value, through_properties)) = open.pop() {
        match value {
            Some(Value::Object(members)) => {
                if let Some(header) = members.get(ANNOTATION)
                    && let Some(fault) = fault(header, members.get("type"), through_properties, &mut seen)
                {
                    let pointer = format!("{pointer}/{ANNOTATION}");
                    issues.push(issue(&pointer, IssueCode::HeaderAnnotation, fault, IssueSeverity::Degraded));
                }
                for (key, member) in members.iter().rev() {
                    let pointer = format!("{pointer}/{}", escape_token(key));
                    match member {
                        Value::Object(properties) if key == "properties" => {
                            let property = |(name, schema): (&String, _)| {
                                (
                                    format!("{pointer}/{}", escape_token(name)),
                                    Some(schema),
                                    through_properties,
                                )
                            };
                            open.extend(properties.iter().rev().map(property));
                        }
                        _ if holds(key).is_some_and(Holds::has_values) => {}
                        _ => open.push((pointer, Some(member), false)),
                    }
                }
            }
            Some(Value::Array(items)) => {
                let item = |(index, item)| (format!("{pointer}/{index}"), Some(item), false);
                open.extend(items.iter().enumerate().rev().map(item));
            }
            _ => {}
        }
    }
}

fn fault(
    header: &Value,
    kind: Option<&Value>,
    through_properties: bool,
    seen: &mut HashSet<String>,
) -> Option<String> {
    let Some(name) = header.as_str() else { return Some(format!("`{ANNOTATION}` is not a string")) };
    let is_token = !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte));
    if !is_token {
        return Some(format!("`{ANNOTATION}` is `{}`, which is not a header name", name.escape_debug()));
    }
    if !through_properties {
        return Some(format!("`{ANNOTATION}` is reached otherwise than through `properties`"));
    }
    if !matches!(kind.and_then(Value::as_str), Some("string" | "integer" | "boolean")) {
        return Some(format!("`{ANNOTATION}` is on a value that is not a string, integer or boolean"));
    }
    (!seen.insert(name.to_ascii_lowercase())).then(|| format!("`{ANNOTATION}` names `{name}` twice"))
}
