//! `propose_amendment`: a change of a contract, for a person to decide.

use std::sync::Arc;

use mortise_formats::format::{ErrorBody, ErrorCode, FormatKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::approve::{ColumnInput, add_column, checked_column, data_type};
use super::{plural, range};
use crate::answer::{Common, NextAction, Phase, WizardResult, Workflow};
use crate::data::contracts::{Amendment, AmendmentStatus, ApprovedSchema, ColumnChange, DataContract};
use crate::data::data_type::DataType;
use crate::tool::{Wizard, blocking};
use crate::wizards::Wizards;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AmendInput {
    /// The contract to change
    contract_id: String,
    /// What kind of change
    amendment_type: AmendmentType,
    /// The schema to change, if several of the contract could be meant
    #[serde(default)]
    schema: Option<String>,
    /// The column, for type_mismatch and nullability_change
    #[serde(default)]
    column: Option<String>,
    /// The new type, for type_mismatch
    #[serde(default)]
    proposed_type: Option<String>,
    /// Values that show why
    #[serde(default)]
    #[schemars(length(max = 100))]
    sample_values: Vec<String>,
    /// The columns to add, for new_columns
    #[serde(default)]
    new_columns: Vec<ColumnInput>,
    /// Why, for user_requested
    #[serde(default)]
    reason: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum AmendmentType {
    TypeMismatch,
    NullabilityChange,
    NewColumns,
    UserRequested,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AmendOutput {
    /// The change that was proposed
    pub amendment_id: String,
    /// The contract it is for
    pub contract_id: String,
    /// Why
    pub reason: String,
    /// What would change
    pub changes: Vec<ColumnChange>,
    /// Nothing changes before a person approves
    pub status: AmendmentStatus,
    /// Whether those who read the output would have to change
    pub breaking: bool,
}

/// A change, and what the contract would be with it.
struct Proposed {
    reason: String,
    changes: Vec<ColumnChange>,
    breaking: bool,
    schemas: Option<Vec<ApprovedSchema>>,
}

pub(super) fn wizard() -> Wizard {
    Wizard::new("propose_amendment", FormatKind::Metadata)
        .description(
            "Proposes a change of an approved contract: another type, a column that may be empty, new columns, or what the \
             user asked for. Says what would change and whether readers of the output would break. The contract stays as \
             it is until a person agrees and approve_schemas is called with the `amendment_id`.",
        )
        .handler(|wizards: Arc<Wizards>, input: AmendInput, _context| async move {
            blocking(move |_| amend(&wizards, &input)).await
        })
}

fn amend(wizards: &Wizards, input: &AmendInput) -> Result<WizardResult<AmendOutput>, ErrorBody> {
    let store = wizards.contracts();
    let contract = store.contract(&input.contract_id)?;
    let Proposed { reason, changes, breaking, schemas } = propose(&contract, input)?;
    let next = NextAction::new("approve_schemas", "approve the contract with the change")
        .with("scope_id", contract.scope_id.clone());
    let amendment = Amendment {
        amendment_id: format!("amendment_{}", wizards.ids.next()),
        contract_id: contract.contract_id.clone(),
        reason: reason.clone(),
        changes: changes.clone(),
        breaking,
        status: AmendmentStatus::Pending,
        created_at: wizards.clock.now().to_rfc3339_opts(chrono::SecondsFormat::Secs, true),
        schemas,
    };
    store.keep_amendment(&amendment)?;
    let feedback = format!(
        "{} of `{}` proposed{}",
        plural(changes.len(), "change", "changes"),
        contract.contract_id,
        if breaking { ", which breaks readers of the output" } else { "" }
    );
    let next = next.with("amendment_id", amendment.amendment_id.clone()).after_approval();
    let workflow = Workflow::new(Phase::SchemaApproval).needing_approval().then(next);
    let output = AmendOutput {
        amendment_id: amendment.amendment_id,
        contract_id: contract.contract_id,
        reason,
        changes,
        status: amendment.status,
        breaking,
    };
    Ok(WizardResult::new(output)
        .feedback(feedback)
        .common(Common { workflow: Some(workflow), ..Common::default() }))
}

fn propose(contract: &DataContract, input: &AmendInput) -> Result<Proposed, ErrorBody> {
    match input.amendment_type {
        AmendmentType::TypeMismatch => another_type(contract, input),
        AmendmentType::NullabilityChange => nullability(contract, input),
        AmendmentType::NewColumns => new_columns(contract, input),
        AmendmentType::UserRequested => {
            let reason = input.reason.clone().filter(|reason| !reason.trim().is_empty());
            let reason = reason.unwrap_or_else(|| "the user asked for it".to_owned());
            let change = ColumnChange { column: "*".to_owned(), from: None, to: reason.clone() };
            Ok(Proposed { reason, changes: vec![change], breaking: false, schemas: None })
        }
    }
}

fn another_type(contract: &DataContract, input: &AmendInput) -> Result<Proposed, ErrorBody> {
    let mut schemas = contract.schemas.clone();
    let (schema, at) = column(contract, input)?;
    let column = &mut schemas[schema].columns[at];
    let wanted = input.proposed_type.as_deref().ok_or_else(|| missing("proposed_type"))?;
    let wanted = data_type(wanted, "proposed_type")?;
    if wanted == column.data_type {
        let reason = format!("`{}` is of type {wanted} already", column.name);
        return Err(range("proposed_type", reason, "propose another type"));
    }
    let values = match input.sample_values.as_slice() {
        [] => String::new(),
        values => format!(", with values such as {}", quoted(values)),
    };
    let reason = format!("`{}` is not always of type {}{values}", column.name, column.data_type);
    let change = ColumnChange {
        column: column.name.clone(),
        from: Some(column.data_type.to_string()),
        to: wanted.to_string(),
    };
    let breaking = !widens(column.data_type, wanted);
    column.data_type = wanted;
    // The format belongs to the old type.
    column.format = None;
    Ok(Proposed { reason, changes: vec![change], breaking, schemas: Some(schemas) })
}

fn nullability(contract: &DataContract, input: &AmendInput) -> Result<Proposed, ErrorBody> {
    let mut schemas = contract.schemas.clone();
    let (schema, at) = column(contract, input)?;
    let column = &mut schemas[schema].columns[at];
    let text = |nullable: bool| if nullable { "nullable" } else { "required" }.to_owned();
    let change = ColumnChange {
        column: column.name.clone(),
        from: Some(text(column.nullable)),
        to: text(!column.nullable),
    };
    let reason = match column.nullable {
        true => format!("`{}` always has a value", column.name),
        false => format!("`{}` has no value in some rows", column.name),
    };
    // Readers of a column that never was empty are not prepared for missing values.
    let breaking = !column.nullable;
    column.nullable = !column.nullable;
    Ok(Proposed { reason, changes: vec![change], breaking, schemas: Some(schemas) })
}

fn new_columns(contract: &DataContract, input: &AmendInput) -> Result<Proposed, ErrorBody> {
    if input.new_columns.is_empty() {
        return Err(missing("new_columns"));
    }
    let mut schemas = contract.schemas.clone();
    let schema = only(contract, named(contract, input)?)?;
    let columns = &mut schemas[schema].columns;
    let mut changes = Vec::new();
    for (index, new) in input.new_columns.iter().enumerate() {
        let place = format!("new_columns[{index}]");
        let new = checked_column(new, &place)?;
        if columns.iter().any(|own| own.name == new.name) {
            let reason = format!("there is a column `{}` already", new.name);
            return Err(range(&place, reason, "propose another type with `type_mismatch`"));
        }
        let nullable = if new.nullable { ", nullable" } else { "" };
        changes.push(ColumnChange {
            column: new.name.clone(),
            from: None,
            to: format!("{}{nullable}", new.data_type),
        });
        add_column(columns, new, &place)?;
    }
    let reason = format!("files have {} more", plural(changes.len(), "column", "columns"));
    Ok(Proposed { reason, changes, breaking: false, schemas: Some(schemas) })
}

/// The places of the schemas that a caller may mean.
fn named(contract: &DataContract, input: &AmendInput) -> Result<Vec<usize>, ErrorBody> {
    let all = contract.schemas.iter().enumerate();
    let Some(name) = &input.schema else { return Ok(all.map(|(place, _)| place).collect()) };
    let found = all.filter(|(_, schema)| schema.name == *name || schema.output_table_name == *name);
    let found: Vec<usize> = found.map(|(place, _)| place).collect();
    match found.is_empty() {
        true => {
            let known: Vec<String> = contract.schemas.iter().map(|schema| schema.name.clone()).collect();
            let reason = format!("the contract has no schema `{name}`");
            Err(range("schema", reason, format!("name one of {}", quoted(&known))))
        }
        false => Ok(found),
    }
}

/// The one schema that is meant.
fn only(contract: &DataContract, places: Vec<usize>) -> Result<usize, ErrorBody> {
    match places.as_slice() {
        [only] => Ok(*only),
        several => {
            let names: Vec<String> =
                several.iter().map(|place| contract.schemas[*place].name.clone()).collect();
            let reason =
                format!("{} of the contract could be meant", plural(names.len(), "schema", "schemas"));
            let suggestion = format!("name one in `schema`: {}", quoted(&names));
            Err(ErrorBody::new(ErrorCode::ParamMissing, reason, suggestion).at_field("schema"))
        }
    }
}

/// The places of the schema and of the column in it.
fn column(contract: &DataContract, input: &AmendInput) -> Result<(usize, usize), ErrorBody> {
    let name = input.column.as_deref().ok_or_else(|| missing("column"))?;
    let places = named(contract, input)?;
    let at = |place: usize| contract.schemas[place].columns.iter().position(|column| column.name == name);
    let with: Vec<usize> = places.iter().copied().filter(|place| at(*place).is_some()).collect();
    if with.is_empty() {
        let columns = places.iter().flat_map(|place| &contract.schemas[*place].columns);
        let known: Vec<String> = columns.map(|column| column.name.clone()).collect();
        let reason = format!("the contract has no column `{name}`");
        return Err(range("column", reason, format!("name one of {}", quoted(&known))));
    }
    let schema = only(contract, with)?;
    Ok((schema, at(schema).unwrap_or_default()))
}

/// Whether every value of the old type is one of the new.
fn widens(from: DataType, to: DataType) -> bool {
    matches!(
        (from, to),
        (DataType::Int32, DataType::Int64 | DataType::Float64) | (DataType::Float32, DataType::Float64)
    )
}

fn missing(field: &str) -> ErrorBody {
    let reason = format!("this kind of change needs `{field}`");
    ErrorBody::new(ErrorCode::ParamMissing, reason, format!("add `{field}`")).at_field(field)
}

fn quoted(values: &[String]) -> String {
    values.iter().take(10).map(|value| format!("`{value}`")).collect::<Vec<_>>().join(", ")
}
