//! One tool as it is declared to others.

use mortise_contract::json::unescape_token;
use mortise_contract::project::unwrapped_schema;
use mortise_contract::unwrap::{RESULT_POINTER, ShapeRule, is_projected, schema_evidence};
use mortise_contract::{Contract, ServerName, ToolName};
use serde_json::{Value, json};

use super::loss::{Action, Loss, Losses, SchemaSide, Severity};
use super::model::Model;

/// What a declaration is made from.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolDefinition {
    /// The key of the server.
    pub server: ServerName,
    /// The tool's own name.
    pub tool: ToolName,
    /// What it does.
    pub description: Option<String>,
    /// What it takes; an open object where the server declares none.
    pub input_schema: Value,
    /// Whether the server declares that itself; else arguments are anyone's guess, which is a loss.
    pub declares_input_schema: bool,
    /// What it returns, as the server declares it; absent stays absent.
    pub output_schema: Option<Value>,
    /// Why there is none although the server declares one: it can't be read.
    pub unreadable_output: Option<String>,
    /// Whether declarations show the output schema. Without it a tool looks as if it had none.
    pub forward_output_schema: bool,
    /// Whether the value of results counts as wrapped by the mere shape of the output schema.
    pub shape_rule: ShapeRule,
    /// Whether the tool itself says that its results are wrapped, by [`PROJECTED_META`](mortise_contract::project::PROJECTED_META).
    pub is_projected: bool,
    /// Numbers of the schemas that declarations can't show as they are written.
    pub rounded_numbers: Vec<RoundedNumber>,
}

/// A number in a schema that a parsed value holds only nearly: an integer beyond 64 bits, a long fraction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundedNumber {
    /// Which schema.
    pub side: SchemaSide,
    /// JSON pointer into that schema.
    pub pointer: String,
    /// The number as the server wrote it.
    pub text: String,
}

/// Which form of a result a declaration describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ResultForm {
    /// The structured content as the server sends it.
    #[default]
    AsSent,
    /// The value inside `{"result": …}` where the schema is such a wrapper.
    Unwrapped,
}

impl ToolDefinition {
    /// The definition of a tool that a server lists; its output schema is forwarded.
    pub fn of(server: &ServerName, contract: &Contract) -> Self {
        let input_schema = contract.input_schema().filter(|schema| schema.is_object());
        Self {
            server: server.clone(),
            tool: contract.name.clone(),
            description: contract.description().map(str::to_owned),
            input_schema: input_schema.cloned().unwrap_or_else(|| json!({"type": "object"})),
            declares_input_schema: input_schema.is_some(),
            output_schema: contract.output_schema().cloned(),
            unreadable_output: contract.unreadable_output().map(str::to_owned),
            forward_output_schema: true,
            shape_rule: ShapeRule::default(),
            is_projected: is_projected(contract),
            rounded_numbers: rounded_numbers(contract),
        }
    }

    /// What the declaration lacks because the server does not say it, or not in a readable form.
    pub(super) fn unsaid(&self) -> Vec<Loss> {
        let mut input = Losses::new(SchemaSide::Input);
        if !self.declares_input_schema {
            let reason =
                "the server declares no input schema, or none that is an object; any arguments are taken";
            input
                .add("", "inputSchema", (Action::Assumed, Severity::Warn), reason)
                .after(&self.input_schema.to_string())
                .fix(
                    "declare an `inputSchema` of the type `object`, with every argument among its properties",
                );
        }
        let mut output = Losses::new(SchemaSide::Output);
        if let Some(why) = self.unreadable_output.as_ref().filter(|_| self.forward_output_schema) {
            let reason = format!("the output schema can't be read: {why}");
            output
                .add("", "outputSchema", (Action::Dropped, Severity::Warn), reason)
                .after("unknown")
                .fix("make the output schema smaller");
        }
        for RoundedNumber { side, pointer, text } in &self.rounded_numbers {
            let losses = match side {
                SchemaSide::Input => &mut input,
                SchemaSide::Output if self.forward_output_schema => &mut output,
                SchemaSide::Output => continue,
            };
            let (parent, keyword) = keyword_at(pointer);
            let reason = "the number has more digits than 64 bits hold; the nearest one stands here";
            losses
                .add(parent, &keyword, (Action::Truncated, Severity::Warn), reason)
                .written(text)
                .fix("use a number of 64 bits, or a string");
        }
        let mut losses = input.finish();
        losses.extend(output.finish());
        losses
    }

    /// The output schema, if it is forwarded.
    pub(super) fn forwarded(&self) -> Option<&Value> {
        self.output_schema.as_ref().filter(|_| self.forward_output_schema)
    }

    /// A sentence in place of the type of the result.
    pub(super) fn silence(&self) -> Option<&'static str> {
        match (self.forwarded(), &self.unreadable_output) {
            (Some(_), _) => None,
            (None, Some(_)) if self.forward_output_schema => {
                Some("Says what it returns in a schema that can't be read.")
            }
            (None, _) => Some("Says nothing about what it returns."),
        }
    }

    /// The types of what the tool returns, if it says so and that is forwarded.
    pub(super) fn output_model(&self, form: ResultForm) -> Option<Model> {
        Some(Model::of(self.forwarded()?, self.result_pointer(form), SchemaSide::Output))
    }

    /// The place of the value's schema within the output schema: `/properties/result` in a wrapper. What the server
    /// says itself counts as it does for results, whatever else the schema holds.
    pub(super) fn result_pointer(&self, form: ResultForm) -> &'static str {
        let is_wrapper =
            |schema: &Value| schema_evidence(schema, self.is_projected, self.shape_rule).is_some();
        let is_unwrapped =
            form == ResultForm::Unwrapped && self.output_schema.as_ref().is_some_and(is_wrapper);
        if is_unwrapped { RESULT_POINTER } else { "" }
    }

    /// The output schema of the value in that form, as a document of its own.
    pub(super) fn result_schema(&self, form: ResultForm) -> Option<Value> {
        let whole = self.forwarded()?;
        if self.result_pointer(form).is_empty() {
            return Some(whole.clone());
        }
        unwrapped_schema(whole)
    }
}

/// The numbers of both schemas that parsing changed.
fn rounded_numbers(contract: &Contract) -> Vec<RoundedNumber> {
    const OUTPUTS: [&str; 2] = ["/outputSchema", "/annotations/outputSchema"];
    let is_kept = |text: &str| text.parse::<i64>().is_ok() || text.parse::<u64>().is_ok();
    let number = |(pointer, text): (String, String)| {
        let (side, place) = match pointer.strip_prefix("/inputSchema") {
            Some(place) => (SchemaSide::Input, place),
            None => (SchemaSide::Output, OUTPUTS.iter().find_map(|schema| pointer.strip_prefix(schema))?),
        };
        (!is_kept(&text)).then(|| RoundedNumber { side, pointer: place.to_owned(), text })
    };
    contract.raw.odd_numbers().into_iter().filter_map(number).collect()
}

/// The schema around a value and the keyword that it stands under: `/properties/a` and `enum` for `/properties/a/enum/0`.
fn keyword_at(pointer: &str) -> (&str, String) {
    let is_index = |token: &str| token.bytes().all(|byte| byte.is_ascii_digit());
    let (mut parent, mut token) = pointer.rsplit_once('/').unwrap_or(("", pointer));
    while is_index(token)
        && let Some((outer, inner)) = parent.rsplit_once('/')
    {
        (parent, token) = (outer, inner);
    }
    (parent, unescape_token(token).into_owned())
}

#[cfg(test)]
mod tests;
