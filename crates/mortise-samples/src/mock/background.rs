//! Unasked notifications, again and again.

use std::io;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};

use super::action::MockEnd;
use super::plan::Background;
use super::server::{Announcement, Mock};

/// Bursts a second once the rate is higher than that.
const BURSTS: u64 = 100;

/// Starts the notifications of the plan.
pub(crate) fn start(mock: &Mock, tasks: &mut JoinSet<io::Result<Option<MockEnd>>>) {
    for background in &mock.shared.plan.background {
        tasks.spawn(send(mock.clone(), background.clone()));
    }
}

async fn send(mock: Mock, background: Background) -> io::Result<Option<MockEnd>> {
    let bursts = background.per_second.clamp(1, BURSTS);
    let size = background.per_second.div_ceil(bursts);
    let mut ticks = interval(Duration::from_secs(1) / u32::try_from(bursts).unwrap_or(1));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let announcement = Announcement::new(&background);
    loop {
        ticks.tick().await;
        if mock.has_client() {
            for _ in 0..size {
                // A stream that lags behind skips some; a flood is a flood.
                let _ = mock.shared.announcements.send(announcement.clone());
            }
        }
    }
}
