//! The proposed change that an approval is about.

use mortise_contract::format::{ErrorBody, ErrorCode};

use super::range;
use crate::data::contracts::{Amendment, AmendmentStatus, ApprovedColumn, ApprovedSchema, Contracts};

/// A change that nobody has decided on, of the contract that holds for the scope now.
pub(super) fn pending(store: &Contracts, id: &str, scope_id: &str) -> Result<Amendment, ErrorBody> {
    let Some(amendment) = store.amendment(id)? else {
        let reason = format!("there is no amendment `{id}`");
        return Err(range(
            "amendment_id",
            reason,
            "call `propose_amendment` and take the id from its result",
        ));
    };
    let stale = |reason: String| {
        let suggestion = "call `propose_amendment` for the contract that holds now";
        Err(ErrorBody::new(ErrorCode::ApprovalStale, reason, suggestion).at_field("amendment_id"))
    };
    let contract = store.contract(&amendment.contract_id)?;
    if contract.scope_id != scope_id {
        let reason = format!("`{id}` is a change for the scope `{}`", contract.scope_id);
        return Err(range("scope_id", reason, "give the scope of the contract that is changed"));
    }
    if amendment.status != AmendmentStatus::Pending {
        return stale(format!("`{id}` was approved before"));
    }
    match store.current(scope_id)? {
        Some(current) if current.contract_id != contract.contract_id => stale(format!(
            "`{id}` changes version {}, and version {} holds",
            contract.version, current.version
        )),
        _ => Ok(amendment),
    }
}

/// What the contract is with the change.
pub(super) fn schemas(amendment: &Amendment) -> Result<Vec<ApprovedSchema>, ErrorBody> {
    amendment.schemas.clone().ok_or_else(|| {
        let reason = format!("`{}` says in words what to change", amendment.amendment_id);
        let suggestion = "give the `schemas` as they are to be, besides the `amendment_id`";
        ErrorBody::new(ErrorCode::ParamMissing, reason, suggestion).at_field("schemas")
    })
}

/// The schemas as given, if they have the change that a person agreed to.
pub(super) fn honoured(
    schemas: Vec<ApprovedSchema>,
    amendment: &Amendment,
) -> Result<Vec<ApprovedSchema>, ErrorBody> {
    let is_changed =
        |column: &&ApprovedColumn| amendment.changes.iter().any(|change| change.column == column.name);
    for (wanted, column) in amendment
        .schemas
        .iter()
        .flatten()
        .flat_map(|schema| schema.columns.iter().filter(is_changed).map(move |column| (schema, column)))
    {
        let given = schemas.iter().filter(|schema| schema.discovery_id == wanted.discovery_id);
        let has_it = |own: &ApprovedColumn| {
            (&own.name, own.data_type, own.nullable) == (&column.name, column.data_type, column.nullable)
        };
        if !given.flat_map(|schema| &schema.columns).any(has_it) {
            let reason = format!("the schemas do not have `{}` as the amendment has it", column.name);
            let suggestion = "leave `schemas` out, and the contract is taken with the change";
            return Err(range("schemas", reason, suggestion));
        }
    }
    Ok(schemas)
}
