//! `tools/list` in pages, with declarations that need not be JSON values.

use serde_json::Value;

use super::cache_hints;
use crate::mock::frame;
use crate::mock::memory::MockMemory;
use crate::mock::plan::{Cursors, MockPlan};

pub(crate) fn tools(plan: &MockPlan, state: &mut MockMemory, request: &Value) -> String {
    let cursor = &request["params"]["cursor"];
    if cursor.is_null() {
        state.lists += 1;
    }
    let tools = state.tools(plan);
    let size = plan.paging.size.max(1);
    let Some(page) = page_number(plan.paging.cursors, cursor) else {
        return frame::error(request, -32602, "the cursor is not one of ours", None);
    };
    let start = page.saturating_mul(size).min(tools.len());
    let end = start.saturating_add(size).min(tools.len());
    state.pages += 1;
    let next = next_cursor(plan.paging.cursors, page, end < tools.len(), state.pages);
    let declarations: Vec<_> = tools[start..end].iter().map(|tool| tool.declaration.as_str()).collect();
    page_of(request, &declarations, next.as_deref())
}

/// A list with these declarations on its only page.
pub(crate) fn page_of_one(request: &Value, declarations: &[&str]) -> String {
    page_of(request, declarations, None)
}

fn page_of(request: &Value, declarations: &[&str], next: Option<&str>) -> String {
    let next = next.map(|cursor| format!(r#","nextCursor":{cursor}"#)).unwrap_or_default();
    let tools = declarations.join(",");
    frame::raw_result(request, &format!(r#"{{"tools":[{tools}]{next}{}}}"#, cache_hints(request)))
}

fn page_number(cursors: Cursors, cursor: &Value) -> Option<usize> {
    match (cursors, cursor) {
        (_, Value::Null) => Some(0),
        (Cursors::Repeated, Value::String(text)) if text == "again" => Some(0),
        (Cursors::Endless, Value::String(text)) => {
            text.strip_prefix("endless-")?.parse().ok().map(|_: u64| 0)
        }
        (Cursors::Empty, Value::String(text)) if text.is_empty() => Some(1),
        (_, Value::String(text)) => text.strip_prefix("page-")?.parse().ok(),
        _ => None,
    }
}

/// The JSON text of the next cursor.
fn next_cursor(cursors: Cursors, page: usize, more: bool, pages: u64) -> Option<String> {
    match cursors {
        Cursors::Repeated => Some(r#""again""#.to_owned()),
        Cursors::Endless => Some(format!(r#""endless-{pages}""#)),
        Cursors::Empty if more && page == 0 => Some(r#""""#.to_owned()),
        Cursors::Null if !more => Some("null".to_owned()),
        _ => more.then(|| format!(r#""page-{}""#, page + 1)),
    }
}
