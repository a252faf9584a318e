//! What `inspect_tool` says about one tool. The texts are fixed: models have learnt them.

use mortise_contract::Contract;
use mortise_contract::shape::Shape;
use serde_json::{Map, Value, json};

/// The note of a tool that declares no output schema.
pub const NO_SCHEMA_NOTE: &str = "No output schema defined by the upstream server. Inspect the return value in your script (e.g., print(type(result), result[:1])) to determine the structure.";

/// Characters of a signature.
const SIGNATURE: usize = 400;

/// The text for a tool that is there: pretty JSON with keys in fixed order, schemas as the server wrote them.
pub fn found(callable: &str, contract: &Contract) -> String {
    let mut shown = Map::new();
    shown.insert("name".to_owned(), json!(callable));
    shown.insert("description".to_owned(), json!(contract.description().unwrap_or_default()));
    shown.insert("inputSchema".to_owned(), contract.input_schema().cloned().unwrap_or_else(|| json!({})));
    match declared(contract) {
        Some(schema) => {
            shown.insert("outputSchema".to_owned(), schema.clone());
        }
        None => {
            shown.insert("outputSchema".to_owned(), Value::Null);
            shown.insert("note".to_owned(), json!(NO_SCHEMA_NOTE));
        }
    }
    format!("{:#}", Value::Object(shown))
}

/// The output schema, where it says anything: an empty one is as good as none.
fn declared(contract: &Contract) -> Option<&Value> {
    contract.output_schema().filter(|schema| match schema {
        Value::Null => false,
        Value::Object(members) => !members.is_empty(),
        _ => true,
    })
}

/// The first line for a tool that is not there, and up to three names that look like it.
pub fn not_found(asked: &str, blocked: bool, similar: &[&str]) -> String {
    let mut text = format!("[Tool not found] '{asked}' is not available in execute_program");
    if blocked {
        text.push_str("\nIt is blocked by this server's configuration.");
    }
    if !similar.is_empty() {
        text.push_str(&format!("\nDid you mean {}?", similar.join(", ")));
    }
    text
}

/// `mcp__s__t(ticker: string, limit?: integer) -> { revenue: number }[]`, for search results and listings.
pub fn signature(callable: &str, contract: &Contract) -> String {
    let arguments = match contract.input_schema().map(Shape::of) {
        Some(Shape::Object { fields, .. }) => {
            let arguments: Vec<String> = fields
                .iter()
                .map(|field| {
                    let optional = if field.required { "" } else { "?" };
                    format!("{}{optional}: {}", field.name, field.shape.one_line(60))
                })
                .collect();
            arguments.join(", ")
        }
        _ => String::new(),
    };
    let arguments = cut(arguments, SIGNATURE / 2);
    let returns = declared(contract)
        .map_or_else(|| "unknown".to_owned(), |schema| Shape::of(schema).one_line(SIGNATURE / 2));
    format!("{callable}({arguments}) -> {returns}")
}

fn cut(text: String, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

/// The first sentence or line of a description, at most `characters` long.
pub fn one_line(description: &str, characters: usize) -> String {
    let line = description.trim().lines().next().unwrap_or_default().trim();
    cut(line.to_owned(), characters)
}

#[cfg(test)]
mod tests;
