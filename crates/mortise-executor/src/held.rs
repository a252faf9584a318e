//! Output that nobody may see yet.

use std::sync::{Arc, Mutex, PoisonError};

use mortise_script::{OutputSink, Stream};

/// Keeps what a program prints until it is released, then passes everything on. Cloning it shares it.
pub(crate) struct Held<S>(Arc<Mutex<State<S>>>);

struct State<S> {
    sink: S,
    /// What was printed so far, until it is released.
    kept: Option<Vec<(Stream, String)>>,
}

impl<S: OutputSink> Held<S> {
    pub(crate) fn new(sink: S) -> Self {
        Self(Arc::new(Mutex::new(State { sink, kept: Some(Vec::new()) })))
    }

    /// Passes on what was printed, and from now on everything at once.
    pub(crate) fn release(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
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
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut state.kept {
            Some(kept) => kept.push((stream, text.to_owned())),
            None => state.sink.write(stream, text),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use mortise_script::{OutputSink, Stream};

    use super::Held;

    #[test]
    fn output_is_passed_on_in_order_once_it_is_released() {
        let seen = Arc::new(Mutex::new(String::new()));
        let sink = {
            let seen = Arc::clone(&seen);
            move |_: Stream, text: &str| seen.lock().unwrap().push_str(text)
        };
        let held = Held::new(sink);
        let mut printing = held.clone();
        printing.write(Stream::Stdout, "a");
        printing.write(Stream::Stderr, "b");
        assert_eq!(*seen.lock().unwrap(), "");
        held.release();
        printing.write(Stream::Stdout, "c");
        held.release();
        assert_eq!(*seen.lock().unwrap(), "abc");
    }
}
