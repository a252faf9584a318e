//! An invented result of a tool, to look at before the first call.

use mortise_contract::sample::sample;
use mortise_contract::schema::{CompiledSchema, SchemaOptions, Validation};
use serde_json::Value;

use super::definition::{ResultForm, ToolDefinition};

impl ToolDefinition {
    /// A small value that the tool could return, if one of at most `bytes` bytes is found that keeps the contract.
    /// It comes from the schema alone: the tool never returned it.
    ///
    /// ```
    /// use mortise_declare::{ResultForm, ToolDefinition};
    /// use mortise_contract::{Contract, RawJson, ServerName};
    ///
    /// let contract = Contract::parse(RawJson::parse(
    ///     r#"{"name": "now", "outputSchema": {"type": "object", "properties": {"hour": {"type": "integer", "minimum": 1}}, "required": ["hour"]}}"#,
    /// )?)?;
    /// let tool = ToolDefinition::of(&ServerName::parse("clock")?, &contract);
    /// assert_eq!(tool.example(ResultForm::AsSent, 512).ok_or("none")?.to_string(), r#"{"hour":1}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn example(&self, form: ResultForm, bytes: usize) -> Option<Value> {
        let schema = self.output_schema.as_ref()?;
        let compiled = CompiledSchema::compile(schema, &SchemaOptions::default()).ok()?;
        let whole = sample(schema)?;
        let is_valid = compiled.validate(&whole) == Validation::Valid;
        let value = match self.result_pointer(form) {
            "" => whole,
            _ => whole.get("result")?.clone(),
        };
        (is_valid && value.to_string().len() <= bytes).then_some(value)
    }
}

#[cfg(test)]
mod tests;
