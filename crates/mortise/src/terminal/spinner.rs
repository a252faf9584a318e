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
    let shown = Shown::start();
    loop {
        shown.0.set_message(escape::line(&message()));
        shown.0.tick();
        if let Ok(done) = tokio::time::timeout(TICK, &mut work).await {
            return done;
        }
    }
}

/// Clears the line when it goes, also by Ctrl-C.
struct Shown(ProgressBar);

impl Shown {
    fn start() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{spinner:.cyan} {wide_msg}") {
            bar.set_style(style);
        }
        Self(bar)
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
