//! `propose_amendment`: a change of a contract, for a person to decide.

use std::sync::Arc;

use mortise_contract::format::{ErrorBody, ErrorCode, FormatKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::approve::{ColumnInput, checked_column, data_type};
use super::{plural, range};
use crate::answer::{Common, Done, NextAction, Phase, Workflow};
use crate::data::contracts::{Amendment, ApprovedColumn, Change, DataContract};
use crate::data::data_type::DataType;
use crate::tool::{Wizard, blocking};
use crate::wizards::Wizards;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The contract to change
    contract_id: String,
    /// What kind of change
    amendment_type: AmendmentType,
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

#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Output {
    /// The change that was proposed
    amendment_id: String,
    /// The contract it is for
    contract_id: String,
    /// Why
    reason: String,
    /// What would change
    changes: Vec<Change>,
    /// Nothing changes before a person approves
    status: Status,
    /// Whether those who read the output would have to change
    breaking: bool,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Status {
    Pending,
}

pub(super) fn wizard() -> Wizard {
    Wizard::new("propose_amendment", FormatKind::Metadata)
        .description(
            "Proposes a change of an approved contract: another type, a column that may be empty, new columns, or what the \
             user asked for. Says what would change and whether readers of the output would break. The contract stays as \
             it is until a person approves schemas again.",
        )
        .handler(|wizards: Arc<Wizards>, input: Input, _context| async move {
            blocking(move |_| amend(&wizards, &input)).await
        })
}

fn amend(wizards: &Wizards, input: &Input) -> Result<Done<Output>, ErrorBody> {
    let store = wizards.contracts();
    let contract = store.contract(&input.contract_id)?;
    let (reason, changes, breaking) = changes(&contract, input)?;
    let amendment = Amendment {
        amendment_id: format!("amendment_{}", wizards.ids.next()),
        contract_id: contract.contract_id.clone(),
        reason: reason.clone(),
        changes: changes.clone(),
        breaking,
        status: "pending".to_owned(),
        created_at: wizards.clock.now().to_rfc3339_opts(chrono::SecondsFormat::Secs, true),
    };
    store.keep_amendment(&amendment)?;
    let feedback = format!(
        "{} of `{}` proposed{}",
        plural(changes.len(), "change", "changes"),
        contract.contract_id,
        if breaking { ", which breaks readers of the output" } else { "" }
    );
    let next = NextAction::new("approve_schemas", "approve the schema with the change")
        .with("scope_id", contract.scope_id.clone())
        .after_approval();
    let workflow = Workflow::new(Phase::SchemaApproval).needing_approval().then(next);
    let output = Output {
        amendment_id: amendment.amendment_id,
        contract_id: contract.contract_id,
        reason,
        changes,
        status: Status::Pending,
        breaking,
    };
    Ok(Done::new(output).feedback(feedback).common(Common { workflow: Some(workflow), ..Common::default() }))
}

fn changes(contract: &DataContract, input: &Input) -> Result<(String, Vec<Change>, bool), ErrorBody> {
    match input.amendment_type {
        AmendmentType::TypeMismatch => {
            let column = column(contract, input)?;
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
            let change = Change {
                column: column.name.clone(),
                from: Some(column.data_type.to_string()),
                to: wanted.to_string(),
            };
            Ok((reason, vec![change], !widens(column.data_type, wanted)))
        }
        AmendmentType::NullabilityChange => {
            let column = column(contract, input)?;
            let text = |nullable: bool| if nullable { "nullable" } else { "required" }.to_owned();
            let change = Change {
                column: column.name.clone(),
                from: Some(text(column.nullable)),
                to: text(!column.nullable),
            };
            let reason = match column.nullable {
                true => format!("`{}` always has a value", column.name),
                false => format!("`{}` has no value in some rows", column.name),
            };
            // Whoever reads a column that never was empty has made no provision for it.
            Ok((reason, vec![change], !column.nullable))
        }
        AmendmentType::NewColumns => {
            if input.new_columns.is_empty() {
                return Err(missing("new_columns"));
            }
            let mut changes: Vec<Change> = Vec::new();
            for (index, new) in input.new_columns.iter().enumerate() {
                let place = format!("new_columns[{index}]");
                let new = checked_column(new, &place)?;
                let known = contract
                    .schemas
                    .iter()
                    .flat_map(|schema| &schema.columns)
                    .any(|own| own.name == new.name);
                if known || changes.iter().any(|change| change.column == new.name) {
                    let reason = format!("there is a column `{}` already", new.name);
                    return Err(range(&place, reason, "propose another type with `type_mismatch`"));
                }
                let nullable = if new.nullable { ", nullable" } else { "" };
                changes.push(Change {
                    column: new.name,
                    from: None,
                    to: format!("{}{nullable}", new.data_type),
                });
            }
            let reason = format!("files have {} more", plural(changes.len(), "column", "columns"));
            Ok((reason, changes, false))
        }
        AmendmentType::UserRequested => {
            let reason = input.reason.clone().filter(|reason| !reason.trim().is_empty());
            let reason = reason.unwrap_or_else(|| "the user asked for it".to_owned());
            let change = Change { column: "*".to_owned(), from: None, to: reason.clone() };
            Ok((reason, vec![change], false))
        }
    }
}

fn column<'a>(contract: &'a DataContract, input: &Input) -> Result<&'a ApprovedColumn, ErrorBody> {
    let name = input.column.as_deref().ok_or_else(|| missing("column"))?;
    let columns = || contract.schemas.iter().flat_map(|schema| &schema.columns);
    columns().find(|column| column.name == name).ok_or_else(|| {
        let known: Vec<String> = columns().map(|column| column.name.clone()).collect();
        range(
            "column",
            format!("the contract has no column `{name}`"),
            format!("name one of {}", quoted(&known)),
        )
    })
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
