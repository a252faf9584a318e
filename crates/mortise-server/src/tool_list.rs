//! An immutable list of tools, checked, in order, and ready to be sent to any client.

use std::sync::Arc;
use std::time::Duration;

use indexmap::IndexMap;
use mortise_contract::contract::IssueCode;
use mortise_contract::json::RawObject;
use mortise_contract::project::{PROJECTED_META, Projection, project};
use mortise_contract::schema::{CompiledSchema, SchemaError, SchemaOptions};
use mortise_contract::{Contract, RawJson, ToolName};
use serde_json::{Value, json};

use crate::client::ResultShape;
use crate::registration::RegistrationError;
use crate::tasks::TaskUse;

/// Tools with their schemas compiled: our own in the order of registration, forwarded ones by name.
#[derive(Clone, Debug, Default)]
pub struct ToolList {
    entries: IndexMap<ToolName, ListedTool>,
    registered: u64,
}

#[derive(Clone, Debug)]
struct ListedTool {
    /// Rises from one tool to the next, and stays when other tools come or go; cursors hold it.
    position: String,
    entry: Arc<ToolEntry>,
    task: Option<TaskUse>,
}

#[derive(Debug)]
pub(crate) struct ToolEntry {
    pub(crate) contract: Contract,
    /// Absent when a forwarded tool's schema can't be used, or a handler checks arguments itself.
    pub(crate) input: Option<CompiledSchema>,
    pub(crate) output: Option<CompiledSchema>,
    /// Whether a client that wants objects gets this tool's values wrapped.
    pub(crate) projects: bool,
    any_json: RawJson,
    /// The declaration for clients that know less, where it differs.
    object_only: Option<RawJson>,
    text_only: Option<RawJson>,
}

impl ToolList {
    /// A list of our own tools; every contract must be without fault.
    ///
    /// # Errors
    ///
    /// The first fault, in the order given.
    pub fn new(contracts: impl IntoIterator<Item = Contract>) -> Result<Self, RegistrationError> {
        let mut list = Self::default();
        for contract in contracts {
            if list.entries.contains_key(&contract.name) {
                return Err(RegistrationError::DuplicateName { tool: contract.name.to_string() });
            }
            list.put(ToolEntry::checked(contract)?, None);
        }
        Ok(list)
    }

    /// Adds a tool at the end, or puts it in the place of its namesake.
    pub(crate) fn put(&mut self, entry: ToolEntry, task: Option<TaskUse>) {
        let name = entry.contract.name.clone();
        let entry = Arc::new(entry);
        match self.entries.get_mut(&name) {
            Some(listed) => {
                listed.entry = entry;
                listed.task = task;
            }
            None => {
                self.registered += 1;
                let position = format!("{:020}", self.registered);
                self.entries.insert(name, ListedTool { position, entry, task });
            }
        }
    }

    pub(crate) fn remove(&mut self, name: &str) {
        self.entries.retain(|own, _| own.as_str() != name);
    }

    /// A list of other servers' tools, passed on as they are. A schema that can't
    /// be used is listed but not checked; of two tools of one name the first stays.
    ///
    /// The order is that of the names, however the servers came up: a model's cache depends on it.
    pub fn forwarded(contracts: impl IntoIterator<Item = Contract>) -> Self {
        let mut list = Self::default();
        for contract in contracts {
            list.entries.entry(contract.name.clone()).or_insert_with(|| ListedTool {
                position: contract.name.to_string(),
                entry: Arc::new(ToolEntry::lenient(contract)),
                task: None,
            });
        }
        list.entries.sort_unstable_keys();
        list
    }

    /// Lets calls of the tool `name` be answered with a task when they take longer than `after`; see
    /// [`Tool::task_after`](crate::Tool::task_after).
    #[must_use]
    pub fn task_after(mut self, name: &str, after: Duration) -> Self {
        let listed = ToolName::parse(name).ok().and_then(|name| self.entries.get_mut(&name));
        if let Some(listed) = listed {
            listed.task = Some(TaskUse { after, is_required: false });
        }
        self
    }

    pub(crate) fn task_use(&self, name: &str) -> Option<TaskUse> {
        self.entries.get(&ToolName::parse(name).ok()?)?.task
    }

    /// Whether a call of one of the tools may be answered with a task.
    pub(crate) fn uses_tasks(&self) -> bool {
        self.entries.values().any(|listed| listed.task.is_some())
    }

    /// The contracts, in the order of the list.
    pub fn contracts(&self) -> impl Iterator<Item = &Contract> {
        self.entries.values().map(|listed| &listed.entry.contract)
    }

    /// The contract of one tool.
    pub fn contract(&self, name: &str) -> Option<&Contract> {
        self.entry(name).map(|entry| &entry.contract)
    }

    /// How many tools there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no tool.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(crate) fn entry(&self, name: &str) -> Option<&Arc<ToolEntry>> {
        self.entries.get(&ToolName::parse(name).ok()?).map(|listed| &listed.entry)
    }

    /// Position and declaration of every tool, as a client of this shape may see it.
    pub(crate) fn listed(&self, shape: ResultShape) -> impl Iterator<Item = (&str, &RawJson)> {
        self.entries.values().map(move |listed| (listed.position.as_str(), listed.entry.declared(shape)))
    }
}

impl ToolEntry {
    /// The tool with its schemas compiled, if there is no fault in it.
    pub(crate) fn checked(contract: Contract) -> Result<Self, RegistrationError> {
        let tool = contract.name.to_string();
        let schema = contract.input_schema().unwrap_or(&Value::Null);
        let input = compile(schema)
            .map_err(|source| RegistrationError::BadInputSchema { tool: tool.clone(), source })?;
        if schema.get("type") != Some(&json!("object")) {
            return Err(RegistrationError::InputNotObject { tool });
        }
        let output = contract
            .output_schema()
            .map(compile)
            .transpose()
            .map_err(|source| RegistrationError::BadOutputSchema { tool: tool.clone(), source })?;
        // Joined emoji and right-to-left texts have such characters for good reason.
        if let Some(issue) = contract.issues.iter().find(|issue| issue.code != IssueCode::HiddenCharacters) {
            let (pointer, reason) = (issue.pointer.clone(), issue.message.clone());
            return Err(RegistrationError::BadDeclaration { tool, pointer, reason });
        }
        Ok(Self::present(contract, Some(input), output))
    }

    fn lenient(contract: Contract) -> Self {
        let input = contract.input_schema().and_then(|schema| compile(schema).ok());
        let output = contract.output_schema().and_then(|schema| compile(schema).ok());
        Self::present(contract, input, output)
    }

    fn present(contract: Contract, input: Option<CompiledSchema>, output: Option<CompiledSchema>) -> Self {
        let projection = contract
            .output_schema()
            .filter(|schema| schema.is_object())
            .and_then(|schema| project(schema).ok());
        let projects = projection.as_ref().is_some_and(|projection| projection.is_wrapped);
        let any_json = contract.raw.clone().on_one_line();
        let object_only = projection
            .filter(|projection| contract.output_schema() != Some(&projection.schema))
            .map(|projection| projected(&contract.raw, projection));
        let text_only =
            contract.fields.contains_key("outputSchema").then(|| without_output_schema(&contract.raw));
        Self { contract, input, output, projects, any_json, object_only, text_only }
    }

    pub(crate) fn declared(&self, shape: ResultShape) -> &RawJson {
        match shape {
            ResultShape::TextOnly => self.text_only.as_ref(),
            ResultShape::ObjectOnly => self.object_only.as_ref(),
            ResultShape::AnyJson => None,
        }
        .unwrap_or(&self.any_json)
    }
}

fn compile(schema: &Value) -> Result<CompiledSchema, SchemaError> {
    CompiledSchema::compile(schema, &SchemaOptions::default())
}

fn without_output_schema(raw: &RawJson) -> RawJson {
    let mut tool = RawObject::of(raw).unwrap_or_default();
    tool.remove("outputSchema");
    tool.into_json()
}

/// The tool object with its output schema projected; its other fields are sent as written.
fn projected(raw: &RawJson, projection: Projection) -> RawJson {
    let mut tool = RawObject::of(raw).unwrap_or_default();
    if tool.get("outputSchema").is_some() {
        tool.set("outputSchema", RawJson::from(&projection.schema));
    }
    if projection.is_wrapped {
        let meta = tool.get("_meta").and_then(RawObject::of).unwrap_or_default();
        tool.set("_meta", meta.with(PROJECTED_META, RawJson::from(&Value::Bool(true))).into_json());
    }
    tool.into_json()
}
