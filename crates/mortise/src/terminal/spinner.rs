//! A sign of life on stderr while something takes its time.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::{Terminal, escape};

/// Quick work shows nothing at all.
const DELAY: Duration = Duration::from_millis(100);
const TICK: Duration = Duration::from_millis(90);

/// Runs `work` with a spinner beside `message`, gone again when the work is done or dropped.
pub(crate) async fn during<T>(
    terminal: &Terminal,
    mut message: impl FnMut() -> String,
    work: impl Future<Output = T>,
) -> T {
    if !terminal.shows_progress() {
        return work.await;
    }
    tokio::pin!(work);
    if let Ok(done) = tokio::time::timeout(DELAY, &mut work).await {
        return done;
    }
    let shown = ShownBar::start();
    loop {
        shown.0.set_message(escape::line(&message()));
        shown.0.tick();
        if let Ok(done) = tokio::time::timeout(TICK, &mut work).await {
            return done;
        }
    }
}

/// A line at the foot of output that comes in between, gone while that is written.
///
/// It is drawn only where a line begins: a program may have printed half of one.
pub(crate) struct Footer<'a> {
    terminal: &'a Terminal,
    ticks: tokio::time::Interval,
    shown: Option<ShownBar>,
    mid_line: bool,
}

impl<'a> Footer<'a> {
    /// Nothing is shown at first: quick work needs no sign of life.
    pub(crate) fn new(terminal: &'a Terminal) -> Self {
        let mut ticks = tokio::time::interval_at(tokio::time::Instant::now() + DELAY, TICK);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
        Self { terminal, ticks, shown: None, mid_line: false }
    }

    /// Waits until the line should be drawn again; for ever where it would not be seen.
    pub(crate) async fn due(&mut self) {
        match self.terminal.shows_progress() {
            true => _ = self.ticks.tick().await,
            false => std::future::pending().await,
        }
    }

    /// Draws the line, unless the cursor stands in the middle of another one.
    pub(crate) fn show(&mut self, message: &str) {
        if self.mid_line {
            return;
        }
        let shown = self.shown.get_or_insert_with(ShownBar::start);
        shown.0.set_message(escape::line(message));
        shown.0.tick();
    }

    /// Makes room for output on the terminal that ends as `text` does.
    pub(crate) fn make_room(&mut self, text: &str) {
        self.hide();
        if let Some(last) = text.chars().next_back() {
            self.mid_line = last != '\n';
        }
    }

    /// Takes the line away.
    pub(crate) fn hide(&mut self) {
        self.shown = None;
    }
}

/// Clears the line when it goes, also by Ctrl-C.
struct ShownBar(ProgressBar);

impl ShownBar {
    fn start() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
            bar.set_style(style);
        }
        Self(bar)
    }
}

impl Drop for ShownBar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
