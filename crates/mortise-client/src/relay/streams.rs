//! A relay between two pairs of byte streams.

use std::collections::VecDeque;
use std::pin::pin;
use std::time::Duration;

use mortise_contract::recording::MessageSource;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, DuplexStream};

use super::lines::RelayLines;
use super::{RelayEnd, RelayWitness};
use crate::error::CloseReason;
use crate::limits::UPSTREAM_GRACE;
use crate::process::RelayedProcess;

/// Bytes passed on at once.
const CHUNK: usize = 64 * 1024;
/// How long the last bytes of a server may take: it has its time to end, and as long again after each signal.
const LAST_BYTES: Duration = Duration::from_secs(4 * UPSTREAM_GRACE.as_secs());

/// Why one direction has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PumpEnd {
    /// There is nothing more to read.
    Read,
    /// The other side takes nothing more.
    Written,
}

/// Passes messages between a client and the process of a server, and ends the process.
pub(super) async fn relay_process(
    input: impl AsyncRead + Send + Unpin,
    output: impl AsyncWrite + Send + Unpin,
    process: RelayedProcess,
    witness: &dyn RelayWitness,
    stop: impl Future<Output = ()>,
) -> RelayEnd {
    let RelayedProcess { stdin, stdout, mut running } = process;
    let mut up = Some(Box::pin(pump(input, stdin, MessageSource::Client, witness)));
    let mut down = pin!(pump(stdout, output, MessageSource::Server, witness));
    let upward = async { if let Some(up) = up.as_mut() { up.await } else { PumpEnd::Read } };
    let end = tokio::select! {
        end = upward => Some(end),
        end = &mut down => {
            drop(up);
            let end = match end {
                PumpEnd::Read => RelayEnd::ServerEnded(running.last_words().await),
                PumpEnd::Written => RelayEnd::ClientClosed,
            };
            running.end().await;
            return end;
        }
        () = stop => None,
    };
    // This closes the input of the server, which asks it to end.
    drop(up.take());
    let reason = match end {
        // The server takes nothing more: it has ended, or is about to.
        Some(PumpEnd::Written) => RelayEnd::ServerEnded(running.last_words().await),
        Some(PumpEnd::Read) => RelayEnd::ClientClosed,
        None => RelayEnd::Stopped,
    };
    // Its last answers may still be in the pipe.
    let _ = tokio::join!(running.end(), tokio::time::timeout(LAST_BYTES, down));
    reason
}

/// Passes messages between a client and a server inside this process.
pub(super) async fn relay_stream(
    input: impl AsyncRead + Send + Unpin,
    output: impl AsyncWrite + Send + Unpin,
    server: DuplexStream,
    witness: &dyn RelayWitness,
    stop: impl Future<Output = ()>,
) -> RelayEnd {
    let (reader, writer) = tokio::io::split(server);
    let mut up = Box::pin(pump(input, writer, MessageSource::Client, witness));
    let mut down = pin!(pump(reader, output, MessageSource::Server, witness));
    tokio::select! {
        end = &mut up => {
            let _ = tokio::time::timeout(UPSTREAM_GRACE, down).await;
            match end {
                PumpEnd::Read => RelayEnd::ClientClosed,
                PumpEnd::Written => RelayEnd::ServerEnded(CloseReason::OutputClosed),
            }
        }
        end = &mut down => match end {
            PumpEnd::Read => RelayEnd::ServerEnded(CloseReason::OutputClosed),
            PumpEnd::Written => RelayEnd::ClientClosed,
        },
        () = stop => RelayEnd::Stopped,
    }
}

/// Passes bytes on as they come. The witness learns of a message before its last byte is passed on, so that no answer
/// is known before its request.
async fn pump(
    mut reader: impl AsyncRead + Unpin,
    mut writer: impl AsyncWrite + Unpin,
    from: MessageSource,
    witness: &dyn RelayWitness,
) -> PumpEnd {
    let mut lines = RelayLines::default();
    let mut complete = VecDeque::new();
    let mut chunk = vec![0; CHUNK];
    while let Ok(read @ 1..) = reader.read(&mut chunk).await {
        lines.feed(&chunk[..read], &mut complete);
        complete.drain(..).for_each(|line| witness.passed(from, &line));
        if writer.write_all(&chunk[..read]).await.is_err() || writer.flush().await.is_err() {
            return PumpEnd::Written;
        }
    }
    if let Some(line) = lines.line() {
        witness.passed(from, &line);
    }
    let _ = writer.shutdown().await;
    PumpEnd::Read
}
