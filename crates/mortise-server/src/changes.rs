//! A signal that a set of tools, prompts or resources has changed.

use tokio::sync::watch;

/// The sending side: owned by a tool, prompt or resource set.
#[derive(Clone, Debug)]
pub struct ChangeSignal(watch::Sender<u64>);

/// The receiving side. Changes between two reads count as one.
#[derive(Clone, Debug)]
pub struct Changes(Option<watch::Receiver<u64>>);

impl ChangeSignal {
    /// A signal that has not fired.
    pub fn new() -> Self {
        Self(watch::Sender::new(0))
    }

    /// Wakes every receiver: the set has changed.
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
