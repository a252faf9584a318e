//! How a set that changes while it is served tells so.

use tokio::sync::watch;

/// The sending side: owned by a tool, prompt or resource set.
#[derive(Clone, Debug)]
pub struct ChangeSignal(watch::Sender<u64>);

/// The receiving side. Changes that come faster than they are looked at count as one.
#[derive(Clone, Debug)]
pub struct Changes(Option<watch::Receiver<u64>>);

impl ChangeSignal {
    /// A signal that has not fired.
    pub fn new() -> Self {
        Self(watch::Sender::new(0))
    }

    /// Tells every receiver that the set is no longer what it was.
    pub fn fire(&self) {
        self.0.send_modify(|version| *version = version.wrapping_add(1));
    }

    /// A receiver for changes from now on.
    pub fn changes(&self) -> Changes {
        Changes(Some(self.0.subscribe()))
    }
}

impl Default for ChangeSignal {
    fn default() -> Self {
        Self::new()
    }
}

impl Changes {
    /// For a set that never changes.
    pub fn never() -> Self {
        Self(None)
    }

    /// Whether there can be a change at all.
    pub(crate) fn is_possible(&self) -> bool {
        self.0.is_some()
    }

    /// Waits for the next change; forever if there can be none.
    pub(crate) async fn next(&mut self) {
        if let Some(receiver) = &mut self.0
            && receiver.changed().await.is_ok()
        {
            return;
        }
        // The sender is gone: the set stays as it is.
        self.0 = None;
        std::future::pending().await
    }
}
