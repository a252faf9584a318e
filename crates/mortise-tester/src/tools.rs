//! The tools of the tester: what each is declared as and what it does.

mod asking;
mod call;
mod complete;
mod connect;
mod declared;
mod list;
mod look;
mod prompt;
mod resource;
mod sweep;

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, LazyLock};

use mortise_client::secret::Form;
use serde_json::Value;

use crate::callers::Workspace;
use crate::declaration::Declaration;
use crate::failure::Failure;
use crate::request::{Report, Request};

/// What comes of a call.
pub(crate) type Outcome = Result<Report, Failure>;
type Run = fn(Arc<Workspace>, Request) -> Pin<Box<dyn Future<Output = Outcome> + Send>>;

/// One tool.
pub(crate) struct Spec {
    pub(crate) declaration: Declaration,
    /// Whether the tool changes nothing.
    pub(crate) reads_only: bool,
    pub(crate) run: Run,
}

/// Every tool as it is advertised.
static DECLARED: LazyLock<Vec<Declaration>> = LazyLock::new(declared::all);

/// What of an answer is its form: keys and words that its schema names, and numbers that it promises.
pub(crate) static FORM: LazyLock<Form> = LazyLock::new(|| {
    let mut form = Form::default();
    for declared in DECLARED.iter() {
        declared::read_form(&declared.returns, &mut form);
    }
    form
});

/// Every tool.
pub(crate) fn specs() -> Vec<Spec> {
    DECLARED.iter().filter_map(spec).collect()
}

fn spec(declaration: &Declaration) -> Option<Spec> {
    macro_rules! run {
        ($function:path) => {
            (|workspace, request| Box::pin(async move { $function(&workspace, &request).await })) as Run
        };
    }
    let (reads_only, run) = match declaration.name.as_str() {
        "connect_to_server" => (false, run!(connect::connect)),
        "disconnect" => (false, run!(connect::disconnect)),
        "get_connection_status" => (true, run!(connect::status)),
        "list_connections" => (true, run!(connect::list)),
        "switch_connection" => (false, run!(connect::switch)),
        "disconnect_all" => (false, run!(connect::disconnect_all)),
        "list_tools" => (true, run!(list::tools)),
        "list_resources" => (true, run!(list::resources)),
        "list_resource_templates" => (true, run!(list::templates)),
        "list_prompts" => (true, run!(list::prompts)),
        "call_tool" => (false, run!(call::call)),
        "validate_arguments" => (true, run!(call::validate)),
        "read_resource" => (true, run!(resource::read)),
        "get_prompt" => (true, run!(prompt::get)),
        "complete_argument" => (true, run!(complete::complete)),
        "test_server" => (false, run!(sweep::test)),
        "get_server_capabilities" => (true, run!(look::capabilities)),
        "get_notifications" => (true, run!(look::notifications)),
        "get_raw_exchange" => (true, run!(look::exchanges)),
        _ => return None,
    };
    Some(Spec { declaration: declaration.clone(), reads_only, run })
}

/// A part of the schema of what a tool returns.
fn returned(tool: &str, pointer: &str) -> Option<&'static Value> {
    DECLARED.iter().find(|declared| declared.name == tool)?.returns.pointer(pointer)
}
