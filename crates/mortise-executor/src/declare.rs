//! The executor's own tools as clients see them: their inputs, titles, descriptions and annotations.
//!
//! None declares an output schema: their answers are text for a model, and facts for programs in `_meta`.
//! A `///` comment on a field of an input is the description that a model reads.

use std::future::Future;
use std::sync::Arc;

use mortise_server::{
    Answer, CallContext, RegistrationError, Reply, Tool, ToolError, Tools, absent_is_not_null,
};
use mortise_typecheck::CheckMode;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::detail::ToolDetail;
use crate::program_tools::ProgramTools;

#[derive(Deserialize, JsonSchema)]
#[schemars(transform = absent_is_not_null)]
pub(crate) struct ExecuteProgramInput {
    /// The Python program. Tools are async functions; only printed output comes back.
    pub(crate) code: String,
    // Callers may shorten the time of a program, not lengthen it.
    /// A shorter limit than the configured one
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 600))]
    pub(crate) timeout_seconds: Option<f64>,
    /// Answer after this many seconds even if the program still runs; wait_program and cancel_program then take the run's id
    #[schemars(range(min = 0, max = 600))]
    pub(crate) yield_seconds: Option<f64>,
    /// Whether the program goes on if this client leaves (default false)
    pub(crate) outlive_client: Option<bool>,
    /// How strictly the program is checked against what the tools declare before it runs, if not as configured: guard refuses what surely fails, strict every finding and what could not be checked, off nothing
    pub(crate) check: Option<RunCheck>,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(transform = absent_is_not_null)]
pub(crate) struct WaitProgramInput {
    /// The id of the run
    pub(crate) run: String,
    /// How long to wait for its end (default 30)
    #[schemars(range(min = 0, max = 600))]
    pub(crate) seconds: Option<f64>,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct CancelProgramInput {
    /// The id of the run
    pub(crate) run: String,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(transform = absent_is_not_null)]
pub(crate) struct ResumeProgramInput {
    /// The id of the run
    pub(crate) run: String,
    /// Answer after this many seconds even if the program still runs
    #[schemars(range(min = 0, max = 600))]
    pub(crate) yield_seconds: Option<f64>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(crate) enum RunCheck {
    Off,
    Guard,
    Strict,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(transform = absent_is_not_null)]
pub(crate) struct CheckProgramInput {
    /// The Python program
    pub(crate) code: String,
    /// Whether only what surely fails counts as a refusal, or every finding
    pub(crate) check: Option<OnlyCheck>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(crate) enum OnlyCheck {
    Guard,
    Strict,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct InspectToolInput {
    /// Namespaced tool name (e.g., mcp__financial_data__query_financials)
    pub(crate) tool_name: String,
    /// brief: the schemas; types: a signature and the Python declaration too; full: everything known about the tool
    #[serde(default)]
    pub(crate) detail: ToolDetail,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(extend("properties" = {}))]
pub(crate) struct ListCallableToolsInput {}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct SearchToolsInput {
    /// Words, e.g. `stock price history`
    pub(crate) query: String,
    #[serde(default = "ten")]
    #[schemars(range(min = 1, max = 100))]
    pub(crate) limit: usize,
    /// brief: a signature and one line; types: the Python declaration too; full: the schemas too
    #[serde(default)]
    pub(crate) detail: ToolDetail,
}

fn ten() -> usize {
    10
}

impl From<RunCheck> for CheckMode {
    fn from(check: RunCheck) -> Self {
        match check {
            RunCheck::Off => Self::Off,
            RunCheck::Guard => Self::Guard,
            RunCheck::Strict => Self::Strict,
        }
    }
}

impl From<OnlyCheck> for CheckMode {
    fn from(check: OnlyCheck) -> Self {
        match check {
            OnlyCheck::Guard => Self::Guard,
            OnlyCheck::Strict => Self::Strict,
        }
    }
}

/// All eight tools; `description` is that of `execute_program`, which shows the catalogue.
pub(crate) fn declare_all(own: &Arc<ProgramTools>, description: String) -> Result<Tools, RegistrationError> {
    Tools::new([
        execute_program(own, description),
        reading(own, "check_program", ProgramTools::check_program)
            .title("Check a program without running it")
            .description("Checks a Python program against what the tools declare, without running it: unknown fields, wrong arguments, unknown names, missing awaits, each with its line and the nearest right name. execute_program does the same before every run."),
        reading(own, "inspect_tool", ProgramTools::inspect_tool)
            .title("Show what a tool takes and returns")
            .description("Returns the schema and description of a tool available in execute_program. Includes outputSchema if the upstream MCP server defines one. Call this before writing a script if you need to understand a tool's return format."),
        reading(own, "list_callable_tools", ProgramTools::list_callable_tools)
            .title("List the tools that programs can call")
            .description("Returns the namespaced names of all tools that execute_program can call, sorted, and which servers are unavailable."),
        reading(own, "search_tools", ProgramTools::search_tools)
            .title("Find tools by words")
            .description("Finds tools by words in their names, descriptions and arguments, best first, each with a signature that shows what it takes and returns."),
        reading(own, "wait_program", ProgramTools::wait_program)
            .title("Wait for a program that still runs")
            .description("Waits for a program that execute_program or resume_program left running, and returns its result, or what it has printed so far.")
            .may_take_long(),
        running(own, "cancel_program", ProgramTools::cancel_program)
            .title("Stop a program that still runs")
            .description("Stops a program that execute_program or resume_program left running. Calls that it made are not undone."),
        running(own, "resume_program", ProgramTools::resume_program)
            .title("Go on with a program that stopped")
            .description("Goes on with a recorded run that was interrupted, or that waited for approval (needs_approval). Calls that were answered are not made again.")
            .may_take_long(),
    ])
}

/// `execute_program` with another description.
pub(crate) fn execute_program(own: &Arc<ProgramTools>, description: String) -> Tool {
    let own = Arc::clone(own);
    let handler = move |input: ExecuteProgramInput, context: CallContext| {
        let own = Arc::clone(&own);
        async move { Ok::<Reply, ToolError>(own.execute_program(input, context).await) }
    };
    Tool::new("execute_program", handler)
        .title("Run a program over all tools")
        .description(description)
        .may_take_long()
        // A program can do whatever the tools can.
        .annotation("readOnlyHint", Value::Bool(false))
        .annotation("destructiveHint", Value::Bool(true))
        .annotation("idempotentHint", Value::Bool(false))
        .annotation("openWorldHint", Value::Bool(true))
}

/// A tool that does whatever programs do.
fn running<Input, Fut>(
    own: &Arc<ProgramTools>,
    name: &str,
    function: fn(Arc<ProgramTools>, Input, CallContext) -> Fut,
) -> Tool
where
    Input: DeserializeOwned + JsonSchema + Send + 'static,
    Fut: Future<Output = Answer> + Send + 'static,
{
    let own = Arc::clone(own);
    let handler = move |input: Input, context: CallContext| {
        let answer = function(Arc::clone(&own), input, context);
        async move { Ok::<Answer, ToolError>(answer.await) }
    };
    Tool::new(name, handler)
        .annotation("readOnlyHint", Value::Bool(false))
        .annotation("destructiveHint", Value::Bool(true))
        .annotation("openWorldHint", Value::Bool(true))
}

/// A tool that only reads.
fn reading<Input, Fut>(
    own: &Arc<ProgramTools>,
    name: &str,
    function: fn(Arc<ProgramTools>, Input, CallContext) -> Fut,
) -> Tool
where
    Input: DeserializeOwned + JsonSchema + Send + 'static,
    Fut: Future<Output = Answer> + Send + 'static,
{
    let own = Arc::clone(own);
    let handler = move |input: Input, context: CallContext| {
        let answer = function(Arc::clone(&own), input, context);
        async move { Ok::<Answer, ToolError>(answer.await) }
    };
    Tool::new(name, handler).read_only().additive().idempotent().closed_world()
}
