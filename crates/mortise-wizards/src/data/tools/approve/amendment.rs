//! The proposed change that an approval is about.

use mortise_formats::format::{ErrorBody, ErrorCode};

use super::range;
use crate::data::contracts::{
    Amendment, AmendmentStatus, ApprovedColumn, ApprovedSchema, Contracts, DataContract,
};

/// A change that waits for a decision, and the scope's current contract, which it changes.
pub(super) fn pending(
    store: &Contracts,
    id: &str,
    scope_id: &str,
) -> Result<(Amendment, DataContract), ErrorBody> {
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
        _ => Ok((amendment, contract)),
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

/// The schemas as given, if they are the contract with the change that a person agreed to, and nothing else.
pub(super) fn honoured(
    given: Vec<ApprovedSchema>,
    amendment: &Amendment,
    current: &[ApprovedSchema],
) -> Result<Vec<ApprovedSchema>, ErrorBody> {
    let refuse = |place: &str, reason: String, suggestion: &str| Err(range(place, reason, suggestion));
    let Some(wanted) = &amendment.schemas else {
        // What is said in words can't be compared with anything but what is there.
        let is_there = |schema: &ApprovedSchema| {
            same(current, schema)
                .is_some_and(|(_, own)| (&own.name, &own.columns) == (&schema.name, &schema.columns))
        };
        return match given.len() == current.len() && given.iter().all(is_there) {
            true => refuse(
                "schemas",
                format!("the schemas are those of the contract, and `{}` changes it", amendment.amendment_id),
                "give the `schemas` as they are to be",
            ),
            false => Ok(given),
        };
    };
    match differs(&given, wanted) {
        None => Ok(given),
        Some((place, reason)) => refuse(
            &place,
            format!("{reason}, as `{}` has it", amendment.amendment_id),
            "leave `schemas` out, and the contract is taken with the change; approve other changes without \
             `amendment_id`",
        ),
    }
}

/// The first difference between schemas and what they should be, with its place. How values of a column are written
/// may be told where that is not said: a column with a new type has lost its old format.
fn differs(given: &[ApprovedSchema], wanted: &[ApprovedSchema]) -> Option<(String, String)> {
    let table = |schema: &ApprovedSchema| format!("`{}`", schema.output_table_name);
    if let Some(missing) = wanted.iter().find(|wanted| same(given, wanted).is_none()) {
        return Some(("schemas".to_owned(), format!("there is no schema for the table {}", table(missing))));
    }
    for (index, schema) in given.iter().enumerate() {
        let place = format!("schemas[{index}]");
        let Some((_, wanted)) = same(wanted, schema) else {
            return Some((place, format!("the table {} is not part of it", table(schema))));
        };
        if schema.name != wanted.name {
            return Some((place, format!("the schema is called `{}`", wanted.name)));
        }
        let names = |schema: &ApprovedSchema| {
            schema.columns.iter().map(|column| format!("`{}`", column.name)).collect::<Vec<_>>().join(", ")
        };
        if names(schema) != names(wanted) {
            return Some((format!("{place}.columns"), format!("the columns are {}", names(wanted))));
        }
        for (at, (column, wanted)) in schema.columns.iter().zip(&wanted.columns).enumerate() {
            if let Some((part, reason)) = part_that_differs(column, wanted) {
                return Some((format!("{place}.columns[{at}].{part}"), reason));
            }
        }
    }
    None
}

/// The schema of the same proposal and the same table, and its place.
fn same<'a>(schemas: &'a [ApprovedSchema], wanted: &ApprovedSchema) -> Option<(usize, &'a ApprovedSchema)> {
    let identity = |schema: &ApprovedSchema| (schema.discovery_id.clone(), schema.output_table_name.clone());
    schemas.iter().enumerate().find(|(_, schema)| identity(schema) == identity(wanted))
}

fn part_that_differs(given: &ApprovedColumn, wanted: &ApprovedColumn) -> Option<(&'static str, String)> {
    let name = &wanted.name;
    let or_none = |text: &Option<String>| text.as_ref().map_or("none".to_owned(), |text| format!("`{text}`"));
    match () {
        () if given.data_type != wanted.data_type => {
            Some(("data_type", format!("`{name}` is of type {}", wanted.data_type)))
        }
        () if given.nullable != wanted.nullable => Some((
            "nullable",
            format!("`{name}` is {}", if wanted.nullable { "nullable" } else { "required" }),
        )),
        () if given.rename_to != wanted.rename_to => {
            Some(("rename_to", format!("the new name of `{name}` is {}", or_none(&wanted.rename_to))))
        }
        () if given.format != wanted.format && wanted.format.is_some() => {
            Some(("format", format!("the format of `{name}` is {}", or_none(&wanted.format))))
        }
        () => None,
    }
}
