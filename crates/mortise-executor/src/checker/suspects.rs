//! Sessions whose programs cost a process a short while ago.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;

const REMEMBERED: Duration = Duration::from_secs(60);
/// Sessions that are remembered at once; beyond, the oldest are forgotten.
const MOST: usize = 1_000;

/// Sessions that lost a process, and when.
#[derive(Debug, Default)]
pub(super) struct Suspects(HashMap<String, Instant>);

impl Suspects {
    pub(super) fn add(&mut self, session: String, now: Instant) {
        self.0.retain(|_, lost| now < *lost + REMEMBERED);
        if self.0.len() >= MOST
            && let Some(oldest) =
                self.0.iter().min_by_key(|(_, lost)| **lost).map(|(session, _)| session.clone())
        {
            self.0.remove(&oldest);
        }
        self.0.insert(session, now);
    }

    pub(super) fn contains(&self, session: &str, now: Instant) -> bool {
        self.0.get(session).is_some_and(|lost| now < *lost + REMEMBERED)
    }
}
