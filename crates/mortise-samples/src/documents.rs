//! `doc-retrieval`: a company's handbook; searching it returns text with no schema.

mod library;
mod search;

use mortise_server::{Answer, RegistrationError, Tool, ToolError, Tools};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::registry::invented;
use library::DOCUMENTS;

pub(crate) fn tools() -> Result<Tools, RegistrationError> {
    Tools::new([search_docs(), get_doc(), list_tags()])
}

#[derive(Deserialize)]
struct DocumentSearch {
    query: String,
    limit: Option<usize>,
}

/// Declares no output schema, as many servers do: the caller has to look.
fn search_docs() -> Tool {
    Tool::raw("search_docs")
        .title("Search documents")
        .description(invented("Search internal documents by query string."))
        .read_only()
        .closed_world()
        .input_schema(json!({
            "type": "object",
            "properties": {
                "query": {"type": "string", "minLength": 1, "maxLength": 500},
                "limit": {"type": "integer", "minimum": 1, "maximum": 20, "default": 5},
            },
            "required": ["query"],
            "additionalProperties": false,
        }))
        .handler(|call, _| async move {
            let search: DocumentSearch = serde_json::from_str(call.arguments.text())?;
            let hits = search::search(&search.query, search.limit.unwrap_or(5));
            Ok(Answer::text(serde_json::to_string(&hits)?))
        })
}

/// Which document.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DocumentId {
    /// `doc_id` of a search result, e.g. hb-04.
    doc_id: String,
}

fn get_doc() -> Tool {
    Tool::new("get_doc", |input: DocumentId| async move {
        let found = DOCUMENTS.iter().find(|document| document.doc_id == input.doc_id);
        found.cloned().ok_or_else(|| {
            ToolError::new(format!(
                "there is no document `{}`; search_docs finds those there are",
                input.doc_id
            ))
        })
    })
    .title("Get a document")
    .description(invented("Read one document in full."))
    .read_only()
    .closed_world()
}

/// Every tag in use.
#[derive(Serialize, JsonSchema)]
struct Tags {
    tags: Vec<TagCount>,
}

/// How often a tag is used.
#[derive(Serialize, JsonSchema)]
struct TagCount {
    tag: &'static str,
    documents: usize,
}

fn list_tags() -> Tool {
    Tool::new("list_tags", || async {
        let mut tags: Vec<_> = DOCUMENTS.iter().flat_map(|document| document.tags.iter().copied()).collect();
        tags.sort_unstable();
        let counts = tags.chunk_by(|one, other| one == other);
        Ok::<_, ToolError>(Tags {
            tags: counts.map(|same| TagCount { tag: same[0], documents: same.len() }).collect(),
        })
    })
    .title("List tags")
    .description(invented("Every tag of the handbook and how many documents have it."))
    .read_only()
    .closed_world()
}
