//! What was agreed: scopes of files, approved schemas, proposed changes. Kept in files that are replaced whole.

use std::io;
use std::path::{Path, PathBuf};

use mortise_formats::format::{ErrorBody, ErrorCode};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::data_type::DataType;
use super::files::FileError;
use super::files::folder::Folder;

/// A set of files with a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileScope {
    /// Its id
    pub scope_id: String,
    /// Its name
    pub name: String,
    /// What it is for
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The files, in the order of their paths
    pub files: Vec<String>,
    /// The pattern they were chosen by
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// When it was made
    pub created_at: String,
    /// Words to find it by
    #[serde(default)]
    pub tags: Vec<String>,
}

/// A column as it was approved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApprovedColumn {
    /// As in the file's header
    pub name: String,
    /// Its type
    pub data_type: DataType,
    /// Whether a value may be missing
    pub nullable: bool,
    /// How dates and times are written
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// Its name in the output
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rename_to: Option<String>,
}

/// A schema as it was approved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApprovedSchema {
    /// The proposal it came from
    pub discovery_id: String,
    /// Its name
    pub name: String,
    /// The table it is written to
    pub output_table_name: String,
    /// The columns in their order
    pub columns: Vec<ApprovedColumn>,
    /// What it is
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// Schemas that a person approved for a scope.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DataContract {
    pub contract_id: String,
    pub scope_id: String,
    /// Rises with every approval for the scope.
    pub version: u64,
    pub schemas: Vec<ApprovedSchema>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_by: Option<String>,
    pub approved_at: String,
}

impl DataContract {
    /// The schema of that name, or the only one.
    pub fn schema(&self, name: Option<&str>) -> Option<&ApprovedSchema> {
        match (name, self.schemas.as_slice()) {
            (Some(name), schemas) => {
                schemas.iter().find(|schema| schema.name == name || schema.output_table_name == name)
            }
            (None, [only]) => Some(only),
            (None, _) => None,
        }
    }
}

/// What must be known of a proposal when it is approved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Proposal {
    pub(crate) discovery_id: String,
    pub(crate) source_file: String,
    pub(crate) proposal_hash: String,
    /// Columns whose form a person must choose, with the forms that fit.
    pub(crate) open: Vec<OpenColumn>,
}

/// A column with a question that blocks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OpenColumn {
    pub(crate) name: String,
    pub(crate) options: Vec<String>,
}

/// A proposed change of a contract.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Amendment {
    pub(crate) amendment_id: String,
    pub(crate) contract_id: String,
    pub(crate) reason: String,
    pub(crate) changes: Vec<ColumnChange>,
    pub(crate) breaking: bool,
    pub(crate) status: AmendmentStatus,
    pub(crate) created_at: String,
    /// The contract's schemas with the changes; none when a person must write them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) schemas: Option<Vec<ApprovedSchema>>,
}

/// What became of a proposed change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AmendmentStatus {
    /// A person has to decide.
    Pending,
    /// It is part of a contract.
    Approved,
}

/// One change of a column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ColumnChange {
    /// The column
    pub column: String,
    /// What it is
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// What it would be
    pub to: String,
}

/// The folders of the stored documents, one for each kind.
const SCOPES: &str = "scopes";
const CONTRACTS: &str = "contracts";
const PROPOSALS: &str = "proposals";
const AMENDMENTS: &str = "amendments";

/// The largest document that is read back.
const DOCUMENT_BYTES: u64 = 64 << 20;

/// Keeps scopes, contracts and proposals below a folder.
#[derive(Clone, Debug)]
pub struct Contracts {
    folder: PathBuf,
}

impl Contracts {
    /// A store below `folder`, which is made when something is kept.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    pub fn scope(&self, id: &str) -> Result<FileScope, ErrorBody> {
        self.read(SCOPES, id)?.ok_or_else(|| {
            let reason = format!("there is no scope `{id}`");
            ErrorBody::new(ErrorCode::ScopeNotFound, reason, "make one with `apply_scope`")
                .at_field("scope_id")
        })
    }

    /// The contract with this id, or the newest with a schema of this name.
    pub fn contract(&self, id_or_name: &str) -> Result<DataContract, ErrorBody> {
        let by_id = if is_id(id_or_name) { self.read(CONTRACTS, id_or_name)? } else { None };
        let found = match by_id {
            Some(contract) => Some(contract),
            None => {
                let named = self
                    .contracts()?
                    .into_iter()
                    .filter(|contract| contract.schema(Some(id_or_name)).is_some());
                named.max_by(|one, other| {
                    (&one.approved_at, one.version).cmp(&(&other.approved_at, other.version))
                })
            }
        };
        found.ok_or_else(|| {
            let reason = format!("there is no contract `{id_or_name}`");
            ErrorBody::new(ErrorCode::ContractNotFound, reason, "approve a schema with `approve_schemas`")
                .at_field("contract_id")
        })
    }

    pub fn contracts(&self) -> Result<Vec<DataContract>, ErrorBody> {
        self.all(CONTRACTS)
    }

    pub fn scopes(&self) -> Result<Vec<FileScope>, ErrorBody> {
        self.all(SCOPES)
    }

    pub(crate) fn keep_scope(&self, scope: &FileScope) -> Result<(), ErrorBody> {
        self.write(SCOPES, &scope.scope_id, scope)
    }

    pub(crate) fn keep_contract(&self, contract: &DataContract) -> Result<(), ErrorBody> {
        self.write(CONTRACTS, &contract.contract_id, contract)
    }

    pub(crate) fn keep_proposal(&self, proposal: &Proposal) -> Result<(), ErrorBody> {
        self.write(PROPOSALS, &proposal.discovery_id, proposal)
    }

    pub(crate) fn proposal(&self, id: &str) -> Result<Option<Proposal>, ErrorBody> {
        self.read(PROPOSALS, id)
    }

    pub(crate) fn keep_amendment(&self, amendment: &Amendment) -> Result<(), ErrorBody> {
        self.write(AMENDMENTS, &amendment.amendment_id, amendment)
    }

    pub(crate) fn amendment(&self, id: &str) -> Result<Option<Amendment>, ErrorBody> {
        self.read(AMENDMENTS, id)
    }

    /// The newest contract for a scope.
    pub(crate) fn current(&self, scope_id: &str) -> Result<Option<DataContract>, ErrorBody> {
        let own = self.contracts()?.into_iter().filter(|contract| contract.scope_id == scope_id);
        Ok(own.max_by_key(|contract| contract.version))
    }

    fn read<T: DeserializeOwned>(&self, kind: &str, id: &str) -> Result<Option<T>, ErrorBody> {
        match Folder::open(self.base(), &self.folder.join(kind))? {
            Some(folder) => read_document(&folder, id),
            None => Ok(None),
        }
    }

    fn all<T: DeserializeOwned>(&self, kind: &str) -> Result<Vec<T>, ErrorBody> {
        let path = self.folder.join(kind);
        let Some(folder) = Folder::open(self.base(), &path)? else { return Ok(Vec::new()) };
        let entries =
            folder.entries().map_err(|error| FileError::io("list", path.to_string_lossy(), error))?;
        let mut ids: Vec<String> = entries
            .flatten()
            .filter_map(|(name, _)| Some(name.to_str()?.strip_suffix(".json")?.to_owned()))
            .collect();
        ids.sort();
        ids.iter().filter_map(|id| read_document(&folder, id).transpose()).collect()
    }

    fn write<T: Serialize>(&self, kind: &str, id: &str, content: &T) -> Result<(), ErrorBody> {
        let path = self.folder.join(kind);
        let text = serde_json::to_vec_pretty(&StoredDocument { version: VERSION, content })
            .map_err(|error| FileError::io("write", path.to_string_lossy(), error.into()))?;
        let folder = Folder::make(self.base(), &path)?;
        Ok(folder.replace(format!("{id}.json").as_ref(), &text)?)
    }

    /// The store's folder is ours too, so it is not a link either.
    fn base(&self) -> &Path {
        self.folder.parent().unwrap_or(&self.folder)
    }
}

const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct StoredDocument<T> {
    version: u32,
    content: T,
}

fn read_document<T: DeserializeOwned>(folder: &Folder, id: &str) -> Result<Option<T>, ErrorBody> {
    if !is_id(id) {
        return Ok(None);
    }
    let name = format!("{id}.json");
    let Some(text) = folder.read(name.as_ref(), DOCUMENT_BYTES)? else { return Ok(None) };
    let read: Result<StoredDocument<T>, io::Error> = serde_json::from_slice(&text).map_err(io::Error::from);
    let read = read.and_then(|document| match document.version {
        VERSION => Ok(Some(document.content)),
        other => Err(io::Error::other(format!("version {other} of the store is not known"))),
    });
    read.map_err(|error| FileError::io("read", folder.path().join(name).to_string_lossy(), error).into())
}

/// Whether a string can be the name of a document of ours.
fn is_id(id: &str) -> bool {
    (1..=64).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests;
