//! A program's calls, held to what was granted.

use mortise_contract::contract::Hints;
use mortise_script::{CallRequest, HostError, HostErrorKind};

use crate::approvals::ApprovalOutcome;
use crate::host::Bridge;
use crate::journal::Repeatability;
use crate::registry::RegisteredTool;

/// The hints with which a call was approved; `None` before it was.
pub(crate) type HintsApproved = Option<Option<Hints>>;

impl Bridge {
    /// Approves a call, unless it was approved for a tool of the same hints. A call that is asked about waits here.
    pub(crate) async fn approve(
        &self,
        tool: &RegisteredTool,
        request: &CallRequest,
        approved: &mut HintsApproved,
    ) -> Result<(), HostError> {
        let Some(approvals) = &self.approvals else { return Ok(()) };
        let unknown = self.record.as_ref().and_then(|record| record.is_unknown(request.id));
        if unknown == Some(Repeatability::Unsafe) && approved.is_none() {
            let run_ends = request.deadline.into();
            let asked = approvals.before_repeating(tool, request.id, &request.arguments, run_ends).await;
            if let Err(outcome) = asked {
                return not_approved(request, outcome).await;
            }
        }
        let hints = tool.contract.given_hints();
        if *approved == Some(hints) {
            return Ok(());
        }
        match approvals.before_call(tool, &request.arguments, request.deadline.into()).await {
            Ok(_) => *approved = Some(hints),
            Err(outcome) => return not_approved(request, outcome).await,
        }
        Ok(())
    }
}

/// What becomes of a call that is not approved.
async fn not_approved(request: &CallRequest, outcome: ApprovalOutcome) -> Result<(), HostError> {
    match outcome {
        ApprovalOutcome::Denied { by, why } => {
            let message = format!("'{}' was not called: denied by {by} ({why})", request.name);
            Err(HostError::new(HostErrorKind::Denied, message))
        }
        // The run is being stopped; the program must not go on before it is.
        ApprovalOutcome::MustWait(_) => std::future::pending().await,
    }
}
