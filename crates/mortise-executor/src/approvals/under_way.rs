//! The calls of a run that have left and are not answered.

use std::time::Duration;

use tokio::sync::watch;

/// How long calls may go on after a question has stopped their run.
const SETTLING: Duration = Duration::from_secs(60);

/// Counts the calls of a run that are under way.
#[derive(Debug)]
pub(crate) struct CallsUnderWay(watch::Sender<usize>);

impl Default for CallsUnderWay {
    fn default() -> Self {
        Self(watch::channel(0).0)
    }
}

impl CallsUnderWay {
    /// A call leaves; it is answered when the value is dropped.
    pub(crate) fn leave(&self) -> CallUnderWay<'_> {
        self.0.send_modify(|count| *count += 1);
        CallUnderWay(self)
    }

    /// Waits until all are answered, for a limited time.
    pub(crate) async fn settled(&self) {
        let mut count = self.0.subscribe();
        // The sender lives as long as `self`.
        let _ = tokio::time::timeout(SETTLING, count.wait_for(|count| *count == 0)).await;
    }
}

/// One call that has left.
pub(crate) struct CallUnderWay<'a>(&'a CallsUnderWay);

impl Drop for CallUnderWay<'_> {
    fn drop(&mut self) {
        self.0.0.send_modify(|count| *count = count.saturating_sub(1));
    }
}
