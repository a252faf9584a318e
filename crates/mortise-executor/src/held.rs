//! Output that is held back until the check has passed.

use std::sync::Arc;

use mortise_script::{OutputSink, Stream};
use parking_lot::Mutex;

/// Keeps what a program prints until it is released, then passes everything on. Cloning it shares it.
///
/// It keeps no more than a program may print at all, and nothing where no sink watches.
pub(crate) struct Held<S>(Arc<Mutex<HeldOutput<S>>>);

struct HeldOutput<S> {
    sink: S,
    /// What was printed so far, until it is released.
    kept: Option<Vec<(Stream, String)>>,
}

impl<S: OutputSink> Held<S> {
    pub(crate) fn new(sink: S) -> Self {
        let kept = sink.is_watched().then(Vec::new);
        Self(Arc::new(Mutex::new(HeldOutput { sink, kept })))
    }

    /// Passes on what was printed, and from now on everything at once.
    pub(crate) fn release(&self) {
        let mut state = self.0.lock();
        for (stream, text) in state.kept.take().unwrap_or_default() {
            state.sink.write(stream, &text);
        }
    }
}

impl<S> Clone for Held<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<S: OutputSink> OutputSink for Held<S> {
    fn write(&mut self, stream: Stream, text: &str) {
        let mut state = self.0.lock();
        let Some(kept) = &mut state.kept else { return state.sink.write(stream, text) };
        match kept.last_mut() {
            Some((last, before)) if *last == stream => before.push_str(text),
            _ => kept.push((stream, text.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests;
