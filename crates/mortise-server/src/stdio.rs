//! Serving over standard input and output, or any other pair of byte streams.

use std::future::Future;
use std::pin::{Pin, pin};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use crate::wire::stdio::{Reader, Writer, serve_lines};
use crate::{Server, wire};

impl Server {
    /// Serves the client on standard input and output until it closes one of them or
    /// `shutdown` is done. Nothing else may write to standard output.
    ///
    /// Where standard input is not a pipe, a thread may still wait for it when this
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
        serve_streams(self, reader, writer, pin!(over)).await;
    }

    /// Serves the client at the other end of `reader` and `writer`, one JSON message
    /// per line, until the reader ends or `shutdown` is done.
    ///
    /// A line that is not a message is answered with an error and skipped. Calls that
    /// run when the reader ends have five seconds to finish.
    /// [`CallContext::client_left`](crate::CallContext::client_left) fires at once.
    pub async fn serve(
        &self,
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
        shutdown: impl Future<Output = ()> + Send,
    ) {
        serve_streams(self, Box::new(reader), Box::new(writer), pin!(shutdown)).await;
    }
}

/// Compiled once, whatever the streams are.
async fn serve_streams(
    server: &Server,
    reader: Reader,
    writer: Writer,
    shutdown: Pin<&mut (dyn Future<Output = ()> + Send)>,
) {
    let stop = CancellationToken::new();
    let mut serving = pin!(serve_lines(server.clone(), reader, writer, stop.clone()));
    tokio::select! {
        () = &mut serving => {}
        () = shutdown => {
            stop.cancel();
            serving.await;
        }
    }
}

/// Ends when the reader of standard output is gone, also while there is nothing to write. Where this
/// can't be seen (a file; a pipe on another system than Linux), the next write finds out.
async fn output_closed() {
    tokio::select! {
        () = pipe_closed() => {}
        () = socket_closed() => {}
    }
}

#[cfg(target_os = "linux")]
async fn pipe_closed() {
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
async fn pipe_closed() {
    std::future::pending().await
}

/// Programs written with Node give their children sockets for pipes.
#[cfg(unix)]
async fn socket_closed() {
    use std::io::Read as _;

    let Some(mut output) = socket_of_its_own() else { return std::future::pending().await };
    let (closed, told) = tokio::sync::oneshot::channel::<()>();
    // A thread, since waiting without one would make standard output non-blocking for every process that shares it.
    // A client sends nothing here, so a read ends when the client closes its end.
    let watching = std::thread::Builder::new().name("stdout".to_owned()).spawn(move || {
        while output.read(&mut [0; 64]).is_ok_and(|bytes| bytes > 0) {}
        drop(closed);
    });
    match watching {
        Ok(_) => _ = told.await,
        Err(_) => std::future::pending().await,
    }
}

/// Standard output, if it is a socket and not the one that standard input is read from.
#[cfg(unix)]
fn socket_of_its_own() -> Option<std::fs::File> {
    use std::fs::File;
    use std::os::fd::AsFd as _;
    use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};

    let input = File::from(std::io::stdin().as_fd().try_clone_to_owned().ok()?).metadata().ok()?;
    let output = File::from(std::io::stdout().as_fd().try_clone_to_owned().ok()?);
    let metadata = output.metadata().ok()?;
    let is_shared = (input.dev(), input.ino()) == (metadata.dev(), metadata.ino());
    (metadata.file_type().is_socket() && !is_shared).then_some(output)
}

#[cfg(not(unix))]
async fn socket_closed() {
    std::future::pending().await
}
