//! Log events about names that tools did not choose.

use super::{RenameReason, Renamed};

impl Renamed {
    /// Says in the log that a tool is called otherwise than its server calls it: a warning where it shares its name.
    pub fn log(&self) {
        let (server, wire, public) = (&self.server, &self.tool, &self.callable);
        match self.reason {
            RenameReason::TooLong => tracing::info!(
                event = "mortise.name.renamed", %server, %wire, %public, rule = "too_long", "shortened a name"
            ),
            reason @ (RenameReason::Collision | RenameReason::Confusable) => {
                let rule = if reason == RenameReason::Collision { "collision" } else { "confusable" };
                tracing::warn!(
                    event = "mortise.name.collision", %server, %wire, %public, rule, "tools share a name"
                );
            }
        }
    }
}
