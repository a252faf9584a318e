//! A program's calls, held to what was granted.

use mortise_contract::contract::Hints;
use mortise_script::{CallRequest, HostError, HostErrorKind};

use crate::approvals::ApprovalOutcome;
use crate::host::Bridge;
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
        let hints = tool.contract.given_hints();
        if *approved == Some(hints) {
            return Ok(());
        }
        match approvals.before_call(tool, &request.arguments, request.deadline.into()).await {
            Ok(_) => *approved = Some(hints),
            Err(ApprovalOutcome::Denied { by, why }) => {
                let message = format!("'{}' was not called: denied by {by} ({why})", request.name);
                return Err(HostError::new(HostErrorKind::Denied, message));
            }
            // The run is being stopped; the program must not go on before it is.
            Err(ApprovalOutcome::MustWait(_)) => std::future::pending().await,
        }
        Ok(())
    }
}
