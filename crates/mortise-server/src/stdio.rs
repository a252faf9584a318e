//! Serving over standard input and output, or any other pair of byte streams.

use std::future::Future;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use crate::{Server, wire};

impl Server {
    /// Serves the client on standard input and output until it closes one of them or
    /// `shutdown` is done. Nothing else may write to standard output.
    ///
    /// Where standard input is no pipe, a thread may still wait for it when this
    /// returns early: end the process without waiting for it, for example with
    /// `Runtime::shutdown_background`.
    pub async fn serve_stdio(&self, shutdown: impl Future<Output = ()> + Send) {
        let (reader, writer) = wire::stdio::streams();
        let over = async {
            tokio::select! {
                () = shutdown => {}
                () = output_closed() => {}
            }
        };
        self.serve(reader, writer, over).await;
    }

    /// Serves the client at the other end of `reader` and `writer`, one JSON message
    /// per line, until the reader ends or `shutdown` is done.
    ///
    /// A line that is no message is answered with an error and skipped. Calls that
    /// run when the reader ends have five seconds to finish; those that need not
    /// are told by [`CallContext::client_left`](crate::CallContext::client_left).
    pub async fn serve(
        &self,
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
        shutdown: impl Future<Output = ()> + Send,
    ) {
        let stop = CancellationToken::new();
        let serving = wire::stdio::serve(self.clone(), reader, writer, stop.clone());
        tokio::pin!(serving, shutdown);
        tokio::select! {
            () = &mut serving => {}
            () = &mut shutdown => {
                stop.cancel();
                serving.await;
            }
        }
    }
}

/// Ends when the reader of standard output is gone, also while there is nothing to write. Where this
/// can't be seen (another system than Linux, a socket, a file), the next write finds out.
#[cfg(target_os = "linux")]
async fn output_closed() {
    use tokio::io::Interest;
    use tokio::net::unix::pipe;

    // Opened anew, so that the flags of standard output stay as they are.
    let watched = pipe::OpenOptions::new().open_sender("/proc/self/fd/1");
    match watched {
        Ok(output) if output.ready(Interest::ERROR).await.is_ok() => {}
        _ => std::future::pending().await,
    }
}

#[cfg(not(target_os = "linux"))]
async fn output_closed() {
    std::future::pending().await
}
