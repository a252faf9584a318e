//! What programs may use, as it is configured.

use std::sync::Arc;

use mortise_config::{ApprovalSettings, Execution};
use mortise_contract::ObserveMode;
use mortise_executor::approvals::ApprovalRules;
use mortise_executor::checker::CheckerOptions;
use mortise_executor::observed::{Observer, ShapeFiles, ShapeStore};
use mortise_script::{Capacity, EngineOptions, Limits, Spare};

use crate::app::App;
use crate::commands::checker;

/// What one program may use.
pub(crate) fn limits(execution: &Execution) -> Limits {
    Limits {
        wall: execution.timeout,
        memory: execution.max_memory_bytes as u64,
        source: execution.max_source_bytes,
        output: execution.max_output_bytes,
        calls: execution.max_tool_calls,
        calls_in_flight: execution.max_concurrent_calls,
        call: execution.tool_call_timeout,
        result: execution.max_tool_result_bytes,
        emitted: execution.max_emitted_bytes,
        ..Limits::default()
    }
}

/// What all programs together may use, where the compiled interpreter is kept, and whether one starts ahead.
pub(crate) fn engine(app: &App, execution: &Execution, spare: Spare) -> EngineOptions {
    let usual = Capacity::default();
    EngineOptions {
        cache_directory: app.environment.cache_directory.clone(),
        capacity: Capacity {
            running: execution.max_running.unwrap_or(usual.running),
            waiting: execution.max_waiting,
            memory: execution.max_total_memory_bytes as u64,
            ..usual
        },
        spare,
        ..EngineOptions::default()
    }
}

/// How programs are checked: in processes of this executable.
pub(crate) fn checker(app: &App) -> CheckerOptions {
    CheckerOptions::new(checker::command(&app.environment))
}

/// Which calls of programs need the agreement of a person.
pub(crate) fn approvals(settings: ApprovalSettings) -> ApprovalRules {
    ApprovalRules { policy: settings.policy, timeout: settings.timeout }
}

/// What was learned from results, in the state directory; without one it is forgotten with the process.
pub(crate) fn observer(app: &App, mode: ObserveMode) -> Observer {
    Observer::new(mode, shapes(app))
}

/// Where observed shapes are kept.
pub(crate) fn shapes(app: &App) -> Option<Arc<dyn ShapeStore>> {
    let directory = app.environment.state_directory.as_ref()?.join("observed");
    Some(Arc::new(ShapeFiles::new(directory)))
}
