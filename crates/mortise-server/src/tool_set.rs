//! The seam between the server and what it serves: which tools there are, and how one is called.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use mortise_contract::ToolCall;

use crate::{CallContext, Changes, LogLevel, Reply, ToolList};

/// A set of tools that a [`Server`](crate::Server) serves.
///
/// The server looks up the tool, checks the arguments against its input schema,
/// then calls; it checks the answer against the output schema, adds the JSON
/// text and fits the result to the client's protocol version. An implementation
/// does none of that.
///
/// A call must stop when its future is dropped or soon after
/// [`CallContext::cancellation`] fires, whichever comes first, and may run as
/// long as it needs. Calls run side by side. A panic is an error of that one call.
///
/// [`Tools`](crate::Tools) is the implementation for tools written one by one.
pub trait ToolSet: Send + Sync + 'static {
    /// The tools as they are now. Called for every request, so keep the list and clone the `Arc`.
    fn tools(&self) -> Arc<ToolList>;

    /// Ends when the tools are known well enough to be listed; at once for most sets.
    ///
    /// Every `tools/list` waits for it, so it must end soon: many clients list once, when they start.
    fn ready_to_list(&self) -> impl Future<Output = ()> + Send {
        std::future::ready(())
    }

    /// Runs one tool of the list, with arguments that match its input schema.
    fn call(&self, call: ToolCall, context: CallContext) -> impl Future<Output = Reply> + Send;

    /// Fires when [`ToolSet::tools`] begins to return something else.
    fn changes(&self) -> Changes {
        Changes::never()
    }

    /// A client has said which log messages it wants; `level` is the most detailed that any client wants.
    ///
    /// For tool sets whose messages come from elsewhere. The client's request is answered when the
    /// future ends, so it must end soon.
    fn log_level(&self, level: LogLevel) -> impl Future<Output = ()> + Send {
        let _ = level;
        std::future::ready(())
    }
}

impl<T: ToolSet> ToolSet for Arc<T> {
    fn tools(&self) -> Arc<ToolList> {
        (**self).tools()
    }

    fn ready_to_list(&self) -> impl Future<Output = ()> + Send {
        (**self).ready_to_list()
    }

    fn call(&self, call: ToolCall, context: CallContext) -> impl Future<Output = Reply> + Send {
        (**self).call(call, context)
    }

    fn changes(&self) -> Changes {
        (**self).changes()
    }

    fn log_level(&self, level: LogLevel) -> impl Future<Output = ()> + Send {
        (**self).log_level(level)
    }
}

/// [`ToolSet`] behind a pointer.
pub(crate) trait DynToolSet: Send + Sync + 'static {
    fn tools(&self) -> Arc<ToolList>;
    fn ready_to_list(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;
    fn call(&self, call: ToolCall, context: CallContext) -> Pin<Box<dyn Future<Output = Reply> + Send + '_>>;
    fn changes(&self) -> Changes;
    fn log_level(&self, level: LogLevel) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;
}

impl<T: ToolSet> DynToolSet for T {
    fn tools(&self) -> Arc<ToolList> {
        ToolSet::tools(self)
    }

    fn ready_to_list(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(ToolSet::ready_to_list(self))
    }

    fn call(&self, call: ToolCall, context: CallContext) -> Pin<Box<dyn Future<Output = Reply> + Send + '_>> {
        Box::pin(ToolSet::call(self, call, context))
    }

    fn changes(&self) -> Changes {
        ToolSet::changes(self)
    }

    fn log_level(&self, level: LogLevel) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(ToolSet::log_level(self, level))
    }
}
