//! Which calls need the agreement of a person, what the person is asked, and what was granted.
//!
//! 1. An [`ApprovalPolicy`] says `allow`, `ask` or `deny` for a tool, its arguments and its caller.
//! 2. A [`CallPlan`] says which tools a program can call, on which lines and how often.
//! 3. An [`ApprovalQuestion`] puts the calls that need agreement into words, and into JSON.
//! 4. The answer becomes [`ApprovalGrant`]s. A [`GrantBook`] holds each call of the run to them.

mod answer;
mod arguments;
mod book;
mod plan;
mod policy;
mod question;

pub use answer::{AllowedCalls, ApprovalAnswer, ApprovalDecision};
pub use arguments::{ArgumentFit, ArgumentSchema};
pub use book::{Admission, ApprovalGrant, AskReason, GrantBook, GrantError, GrantId, GrantScope};
pub use plan::{CallPlan, PlannedCalls};
pub use policy::{
    ApprovalPolicy, DecidedBy, DeclaredEffect, PolicyAnswer, PolicyDecision, PolicyHint, PolicyOutlook,
    PolicyRule, PolicySubject,
};
pub use question::{ApprovalQuestion, AskedTool, QuestionStage};

#[cfg(test)]
mod tests;
