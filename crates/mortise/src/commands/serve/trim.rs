//! Gives memory back to the system once programs have ended.

use std::convert::Infallible;
use std::time::Duration;

use mortise_executor::service::Service;

use crate::allocator;

/// The longest that memory of a program that has ended is kept for the next one.
const EVERY: Duration = Duration::from_secs(10);

pub(super) async fn after_programs(service: &Service) -> Infallible {
    let tools = service.tools();
    let mut ticks = tokio::time::interval(EVERY);
    let mut seen = 0;
    loop {
        ticks.tick().await;
        let ended = tools.executor().ended();
        if ended != std::mem::replace(&mut seen, ended) {
            // A thread that went away has given nothing back; the next one will.
            let _ = tokio::task::spawn_blocking(allocator::give_back).await;
        }
    }
}
