//! `approve_schemas`: a person says yes, and a contract comes of it.

mod amendment;

use std::sync::Arc;

use mortise_contract::json::canonical_text;
use mortise_formats::format::{ErrorBody, ErrorCode, FormatKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{plural, range};
use crate::answer::{Common, NextAction, Phase, WizardResult, Workflow};
use crate::data::bounds::shown;
use crate::data::contracts::{
    Amendment, AmendmentStatus, ApprovedColumn, ApprovedSchema, Contracts, DataContract, Proposal,
};
use crate::data::data_type::DataType;
use crate::data::strptime::is_time_format;
use crate::hex::sha256_hex;
use crate::store::drafts::LockedFolder;
use crate::tool::{Wizard, blocking};
use crate::wizards::Wizards;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ApproveInput {
    /// The scope that the schemas hold for
    scope_id: String,
    /// What is approved; may be left out with `amendment_id`
    #[serde(default)]
    schemas: Option<Vec<SchemaInput>>,
    /// A change of propose_amendment that is approved: the scope's contract with it
    #[serde(default)]
    amendment_id: Option<String>,
    /// Who approves
    #[serde(default)]
    approved_by: Option<String>,
    /// The hash of the proposal that was looked at; with several schemas that of the list of their hashes
    #[serde(default)]
    proposal_hash: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SchemaInput {
    /// From discover_schemas
    discovery_id: String,
    /// A name for the schema
    #[schemars(length(min = 1, max = 200))]
    name: String,
    /// The table it is written to
    #[schemars(length(min = 1, max = 200))]
    output_table_name: String,
    /// The columns in their order
    columns: Vec<ColumnInput>,
    /// What it is
    #[serde(default)]
    description: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ColumnInput {
    /// As in the file's header
    #[schemars(length(min = 1, max = 1000))]
    pub(super) name: String,
    /// int64, int32, float64, float32, string, boolean, date, timestamp, time or binary
    pub(super) data_type: String,
    /// Whether a value may be missing
    #[serde(default)]
    pub(super) nullable: bool,
    /// How dates and times are written, for strptime
    #[serde(default)]
    pub(super) format: Option<String>,
    /// Its name in the output
    #[serde(default)]
    #[schemars(length(min = 1, max = 1000))]
    pub(super) rename_to: Option<String>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApproveOutput {
    /// The contract that came of it
    pub contract_id: String,
    /// The scope it holds for
    pub scope_id: String,
    /// Rises with every approval for the scope
    pub version: u64,
    /// How many schemas were approved
    pub schemas_approved: usize,
}

pub(super) fn wizard() -> Wizard {
    Wizard::new("approve_schemas", FormatKind::Metadata)
        .description(
            "Makes a contract of proposed schemas that a person approved: types, formats, which columns may be empty, new \
             names. Every blocking question must be answered by then: give a date column its `format`, or type string. \
             With `proposal_hash` a proposal that has changed since is refused. With the `amendment_id` of \
             propose_amendment the scope's contract gets its next version with that change.",
        )
        .handler(|wizards: Arc<Wizards>, input: ApproveInput, _context| async move {
            blocking(move |_| approve(&wizards, input)).await
        })
}

fn approve(wizards: &Wizards, input: ApproveInput) -> Result<WizardResult<ApproveOutput>, ErrorBody> {
    let store = wizards.contracts();
    let state = &wizards.options.state;
    // Two approvals at once would get the same version.
    let base = state.parent().unwrap_or(state);
    let _held = LockedFolder::hold(base, &state.join("approvals"), wizards.options.patience)?;
    let given = input.schemas.as_deref().map(all_checked).transpose()?;
    let amendment = match &input.amendment_id {
        Some(id) => Some(amendment::pending(&store, id, &input.scope_id)?),
        None => None,
    };
    let schemas = match (given, &amendment) {
        (Some(schemas), Some((amendment, current))) => {
            amendment::honoured(schemas, amendment, &current.schemas)?
        }
        (Some(schemas), None) => schemas,
        (None, Some((amendment, _))) => amendment::schemas(amendment)?,
        (None, None) => {
            let reason = "neither `schemas` nor `amendment_id` is given";
            let suggestion = "give the schemas that a person has looked at";
            return Err(ErrorBody::new(ErrorCode::ParamMissing, reason, suggestion).at_field("schemas"));
        }
    };
    different_tables(&schemas)?;
    store.scope(&input.scope_id)?;
    let proposals = proposals(&store, &schemas)?;
    if let Some(hash) = &input.proposal_hash {
        fresh(hash, &proposals)?;
    }
    for (index, (schema, proposal)) in schemas.iter().zip(&proposals).enumerate() {
        answered(schema, proposal, index)?;
    }
    let before = store.current(&input.scope_id)?.map_or(0, |contract| contract.version);
    let contract = DataContract {
        contract_id: format!("contract_{}", wizards.ids.next()),
        scope_id: input.scope_id,
        version: before + 1,
        schemas,
        approved_by: input.approved_by,
        approved_at: wizards.clock.now().to_rfc3339_opts(chrono::SecondsFormat::Secs, true),
    };
    store.keep_contract(&contract)?;
    if let Some((amendment, _)) = amendment {
        store.keep_amendment(&Amendment { status: AmendmentStatus::Approved, ..amendment })?;
    }
    Ok(done(&contract, &proposals))
}

fn done(contract: &DataContract, proposals: &[Proposal]) -> WizardResult<ApproveOutput> {
    let feedback = format!(
        "{} approved as version {} of `{}`",
        plural(contract.schemas.len(), "schema", "schemas"),
        contract.version,
        contract.contract_id
    );
    let mut next = NextAction::new("generate_parser", "write a parser and run it on the file")
        .with("target_schema", contract.contract_id.clone());
    if let Some(first) = proposals.first() {
        next = next.with("file_path", first.source_file.clone());
    }
    let workflow = Workflow::new(Phase::SchemaApproval).then(next);
    let mut common = Common { workflow: Some(workflow), ..Common::default() };
    for column in contract.schemas.iter().flat_map(|schema| &schema.columns) {
        if let Some(new) = &column.rename_to {
            common.warn("WARN_RENAMED", format!("`{}` is called `{new}` in the output", column.name));
        }
    }
    let output = ApproveOutput {
        contract_id: contract.contract_id.clone(),
        scope_id: contract.scope_id.clone(),
        version: contract.version,
        schemas_approved: contract.schemas.len(),
    };
    WizardResult::new(output).feedback(feedback).common(common)
}

fn all_checked(schemas: &[SchemaInput]) -> Result<Vec<ApprovedSchema>, ErrorBody> {
    if schemas.is_empty() {
        let reason = "there is no schema to approve";
        return Err(
            ErrorBody::new(ErrorCode::SchemaEmpty, reason, "give at least one schema").at_field("schemas")
        );
    }
    let one = |(index, schema): (usize, &SchemaInput)| checked(schema, &format!("schemas[{index}]"));
    schemas.iter().enumerate().map(one).collect()
}

fn checked(schema: &SchemaInput, place: &str) -> Result<ApprovedSchema, ErrorBody> {
    if schema.columns.is_empty() {
        let reason = format!("the schema `{}` has no columns", schema.name);
        return Err(ErrorBody::new(ErrorCode::SchemaEmpty, reason, "give at least one column")
            .at_field(format!("{place}.columns")));
    }
    let mut columns: Vec<ApprovedColumn> = Vec::new();
    for (index, column) in schema.columns.iter().enumerate() {
        let place = format!("{place}.columns[{index}]");
        let column = checked_column(column, &place)?;
        add_column(&mut columns, column, &place)?;
    }
    Ok(ApprovedSchema {
        discovery_id: schema.discovery_id.clone(),
        name: schema.name.clone(),
        output_table_name: schema.output_table_name.clone(),
        columns,
        description: schema.description.clone(),
    })
}

/// Adds a column, unless one of its names is taken.
pub(super) fn add_column(
    columns: &mut Vec<ApprovedColumn>,
    column: ApprovedColumn,
    place: &str,
) -> Result<(), ErrorBody> {
    fn output(column: &ApprovedColumn) -> &str {
        column.rename_to.as_deref().unwrap_or(&column.name)
    }
    if columns.iter().any(|own| output(own) == output(&column)) {
        let reason = format!("two columns are called `{}` in the output", output(&column));
        return Err(range(place, reason, "give one of them another name with `rename_to`"));
    }
    if columns.iter().any(|own| own.name == column.name) {
        return Err(range(place, format!("`{}` is there twice", column.name), "name every column once"));
    }
    columns.push(column);
    Ok(())
}

/// A column with a known type and a name that is free.
pub(super) fn checked_column(column: &ColumnInput, place: &str) -> Result<ApprovedColumn, ErrorBody> {
    let data_type = data_type(&column.data_type, &format!("{place}.data_type"))?;
    for name in [Some(&column.name), column.rename_to.as_ref()].into_iter().flatten() {
        if name.starts_with("_cf_") {
            let reason = format!("`{name}` begins with `_cf_`, which names columns about the origin of rows");
            return Err(ErrorBody::new(
                ErrorCode::ColumnReserved,
                reason,
                "choose another name with `rename_to`",
            )
            .at_field(place));
        }
    }
    if let (Some(format), DataType::Date | DataType::Timestamp | DataType::Time) = (&column.format, data_type)
        && !format.is_empty()
        && !is_time_format(format)
    {
        return Err(range(
            &format!("{place}.format"),
            format!("`{}` is not a format for strptime", shown(format)),
            "use directives such as `%Y-%m-%d`, and `|` between formats",
        ));
    }
    Ok(ApprovedColumn {
        name: column.name.clone(),
        data_type,
        nullable: column.nullable,
        format: column.format.clone(),
        rename_to: column.rename_to.clone(),
    })
}

pub(super) fn data_type(text: &str, place: &str) -> Result<DataType, ErrorBody> {
    DataType::parse(text).ok_or_else(|| {
        let known: Vec<String> = DataType::ALL.iter().map(|own| format!("`{own}`")).collect();
        let reason = format!("`{text}` is not a type of a column");
        ErrorBody::new(ErrorCode::SchemaType, reason, format!("use one of {}", known.join(", ")))
            .at_field(place)
    })
}

fn different_tables(schemas: &[ApprovedSchema]) -> Result<(), ErrorBody> {
    for (index, schema) in schemas.iter().enumerate() {
        if schemas[..index].iter().any(|own| own.output_table_name == schema.output_table_name) {
            return Err(range(
                &format!("schemas[{index}].output_table_name"),
                format!("two schemas are written to `{}`", schema.output_table_name),
                "give every schema a table of its own",
            ));
        }
    }
    Ok(())
}

fn proposals(store: &Contracts, schemas: &[ApprovedSchema]) -> Result<Vec<Proposal>, ErrorBody> {
    let mut proposals = Vec::new();
    for (index, schema) in schemas.iter().enumerate() {
        let found = store.proposal(&schema.discovery_id)?;
        proposals.push(found.ok_or_else(|| {
            range(
                &format!("schemas[{index}].discovery_id"),
                format!("there is no proposal `{}`", schema.discovery_id),
                "call `discover_schemas` and take the `discovery_id` from its result",
            )
        })?);
    }
    Ok(proposals)
}

/// Whether the caller has seen the proposals as they are now.
fn fresh(hash: &str, proposals: &[Proposal]) -> Result<(), ErrorBody> {
    let hashes: Vec<&str> = proposals.iter().map(|proposal| proposal.proposal_hash.as_str()).collect();
    let current = match hashes.as_slice() {
        [only] => (*only).to_owned(),
        several => sha256_hex(&canonical_text(&json!(several))),
    };
    if hash == current {
        return Ok(());
    }
    let reason = "the proposal has changed since it was looked at, or the hash is of another one";
    let suggestion = "call `discover_schemas` again, look at the result, and approve with its hash";
    Err(ErrorBody::new(ErrorCode::ApprovalStale, reason, suggestion).at_field("proposal_hash"))
}

/// Whether every column that was in question has an answer: one of the formats, or another type.
fn answered(schema: &ApprovedSchema, proposal: &Proposal, index: usize) -> Result<(), ErrorBody> {
    for open in &proposal.open {
        let Some(at) = schema.columns.iter().position(|column| column.name == open.name) else { continue };
        let column = &schema.columns[at];
        let dated = matches!(column.data_type, DataType::Date | DataType::Timestamp);
        let settled = column.format.as_ref().is_some_and(|format| {
            open.options.iter().any(|option| format.split('|').all(|own| own.starts_with(option.as_str())))
        });
        if dated && !settled {
            let options: Vec<String> = open.options.iter().map(|option| format!("`{option}`")).collect();
            let place = format!("schemas[{index}].columns[{at}].format");
            let reason = format!("how the dates of `{}` are written is still open", open.name);
            let suggestion = format!("ask a person, then give `format` as {}", options.join(" or "));
            return Err(ErrorBody::new(ErrorCode::SchemaUnresolved, reason, suggestion).at_field(place));
        }
    }
    Ok(())
}
