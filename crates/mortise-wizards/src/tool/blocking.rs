//! Work that computes or waits for the disk, away from the threads that serve.

use mortise_formats::format::ErrorBody;
use tokio_util::sync::CancellationToken;

use super::send::internal;

/// Runs `work` on its own thread. The token fires when the caller is gone; long work checks it.
///
/// # Errors
///
/// The work's own, or `ERR_INTERNAL` when it panicked.
pub async fn blocking<T, F>(work: F) -> Result<T, ErrorBody>
where
    T: Send + 'static,
    F: FnOnce(&CancellationToken) -> Result<T, ErrorBody> + Send + 'static,
{
    let token = CancellationToken::new();
    // Dropped with the future, which is how a call that is canceled or too slow ends.
    let stop = token.clone().drop_guard();
    let worked = tokio::task::spawn_blocking(move || work(&token)).await;
    // What was opened meanwhile may be read on.
    stop.disarm();
    match worked {
        Ok(outcome) => outcome,
        Err(_) => Err(internal("the work stopped in the middle")),
    }
}
