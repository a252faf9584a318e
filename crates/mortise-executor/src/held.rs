//! Output that is held back until the check has passed, and kept where no sink shows it as a whole.

use std::sync::Arc;

use mortise_script::{OutputSink, Stream};
use parking_lot::Mutex;

use crate::limits::KEPT_OUTPUT;
use crate::recording::{RecordedOutput, RunRecord};

/// Keeps what a program prints until it is released, then passes everything on. Cloning it shares it.
///
/// It keeps no more than a program may print at all. Where no sink watches, it keeps the beginning of the output, which
/// may be longer than the answer shows.
pub(crate) struct Held<S>(Arc<Mutex<HeldOutput<S>>>);

struct HeldOutput<S> {
    sink: S,
    /// Where it is recorded too.
    record: Option<RecordedOutput>,
    /// What was printed so far, until it is released.
    kept: Option<Vec<(Stream, String)>>,
    /// What was printed, up to a limit, where no sink watches.
    whole: Option<String>,
}

impl<S: OutputSink> Held<S> {
    pub(crate) fn new(sink: S, record: Option<&RunRecord>) -> Self {
        let record = record.map(RunRecord::printing);
        let kept = (sink.is_watched() || record.is_some()).then(Vec::new);
        let whole = (!sink.is_watched()).then(String::new);
        Self(Arc::new(Mutex::new(HeldOutput { sink, record, kept, whole })))
    }

    /// What was printed, up to a limit, where no sink watches. Nothing is kept from now on.
    pub(crate) fn take_whole(&self) -> Option<String> {
        self.0.lock().whole.take()
    }

    /// Passes on what was printed, and from now on everything at once.
    pub(crate) fn release(&self) {
        let mut state = self.0.lock();
        for (stream, text) in state.kept.take().unwrap_or_default() {
            state.pass_on(stream, &text);
        }
    }
}

impl<S: OutputSink> HeldOutput<S> {
    fn pass_on(&mut self, stream: Stream, text: &str) {
        self.record.iter().for_each(|record| record.write(text));
        self.sink.write(stream, text);
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
        if let Some(whole) = &mut state.whole {
            let room = KEPT_OUTPUT - whole.len();
            whole.push_str(&text[..text.floor_char_boundary(room)]);
        }
        let Some(kept) = &mut state.kept else { return state.pass_on(stream, text) };
        match kept.last_mut() {
            Some((last, before)) if *last == stream => before.push_str(text),
            _ => kept.push((stream, text.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests;
