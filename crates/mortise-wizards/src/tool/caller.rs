//! One call of a wizard: arguments checked, work bounded, result checked.

use std::sync::Arc;

use mortise_contract::schema::{Bounds, CompiledSchema, SchemaOptions, Validation};
use mortise_formats::format::{ErrorBody, ErrorCode, FormatKind};
use mortise_formats::legacy::add_legacy_field;
use mortise_server::{CallContext, RegistrationError};
use serde_json::{Map, Value, json};

use super::{Run, TimeLimit, Wizard, arguments, schema, send};
use crate::answer::WizardResult;
use crate::wizards::Wizards;

/// Whether results carry the fields of before there were formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LegacyFields {
    Written,
    Gone,
}

impl LegacyFields {
    pub(super) fn of(wizards: &Wizards) -> Self {
        if wizards.options.legacy_output { Self::Written } else { Self::Gone }
    }
}

/// A wizard with its schemas compiled.
pub(super) struct WizardCaller {
    name: String,
    format: FormatKind,
    time: TimeLimit,
    legacy: LegacyFields,
    input: Value,
    accepts: CompiledSchema,
    returns: CompiledSchema,
    run: Run,
}

impl WizardCaller {
    /// With the old fields beside the new ones where `legacy` says so.
    pub(super) fn new(wizard: &Wizard, legacy: LegacyFields) -> Result<Self, RegistrationError> {
        let tool = || wizard.name().to_owned();
        // A caller corrects all arguments at once, and long lists are results like others.
        let bounds = Bounds { violations: mortise_formats::format::MAX_DETAILS, ..Bounds::default() };
        let options = SchemaOptions { bounds, ..SchemaOptions::default() };
        Ok(Self {
            name: tool(),
            format: wizard.declaration.format,
            time: wizard.declaration.time,
            input: wizard.input.clone(),
            accepts: CompiledSchema::compile(&wizard.input, &options)
                .map_err(|source| RegistrationError::BadInputSchema { tool: tool(), source })?,
            legacy,
            returns: CompiledSchema::compile(&wizard.returned(legacy), &options)
                .map_err(|source| RegistrationError::BadOutputSchema { tool: tool(), source })?,
            run: Arc::clone(&wizard.run),
        })
    }

    /// The flat result and the text for people.
    pub(super) async fn call(
        &self,
        wizards: &Arc<Wizards>,
        arguments: Value,
        context: CallContext,
    ) -> Result<(Value, String), ErrorBody> {
        let arguments = arguments::check(&self.accepts, &self.input, arguments)?;
        let done = self.run(wizards, arguments, context).await?;
        let (result, feedback) = self.flat(done, wizards)?;
        match self.returns.validate(&result) {
            Validation::Valid => {}
            Validation::Invalid { violations, .. } => return Err(send::broken(&self.name, &violations)),
            // A result too long to be checked cell by cell is bounded by its size alone.
            Validation::Unchecked { .. } => tracing::debug!(tool = self.name, "result not checked"),
        }
        send::within_limit(&result)?;
        Ok((result, feedback))
    }

    async fn run(
        &self,
        wizards: &Arc<Wizards>,
        arguments: Value,
        context: CallContext,
    ) -> Result<WizardResult<Value>, ErrorBody> {
        let cancellation = context.cancellation().clone();
        // Threads that this call has started look at the token, and must end with the call however it ends.
        let _ended = cancellation.clone().drop_guard();
        let time = self.time.of(wizards);
        let work = tokio::time::timeout(time, (self.run)(Arc::clone(wizards), arguments, context));
        tokio::select! {
            biased;
            () = cancellation.cancelled() => Err(ErrorBody::new(
                ErrorCode::Canceled,
                format!("the call of `{}` was canceled", self.name),
                "call it again when the result is wanted",
            )),
            done = work => done.unwrap_or_else(|_| Err(send::too_slow(&self.name, self.time, time))),
        }
    }

    /// The tool's fields between `format` and the common ones.
    fn flat(&self, done: WizardResult<Value>, wizards: &Wizards) -> Result<(Value, String), ErrorBody> {
        let Value::Object(own) = done.result else {
            return Err(send::internal("the result of a wizard is no object"));
        };
        let mut result = Map::new();
        result.insert("format".to_owned(), json!(self.format.as_str()));
        if self.format == FormatKind::Metadata {
            result.insert("format_version".to_owned(), json!(schema::format_version(&self.name)));
        }
        result.extend(own);
        let common = serde_json::to_value(done.common).map_err(|error| send::internal(&error.to_string()))?;
        if let Value::Object(common) = common {
            result.extend(common);
        }
        if self.legacy == LegacyFields::Written && add_legacy_field(&self.name, self.format, &mut result) {
            wizards.legacy.count_emitted(&self.name);
        }
        Ok((Value::Object(result), done.feedback))
    }
}
