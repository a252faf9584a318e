//! The samples, served inside this process.

use mortise_contract::ServerName;
use mortise_samples::{Sample, samples};
use mortise_upstream::server_config::{InProcess, ServerConfig, Transport};
use tokio::io::DuplexStream;

use crate::exit::Exit;
use crate::failure::Failure;

/// Bytes on the way between the two ends.
const PIPE: usize = 64 * 1024;

/// One server per sample.
pub(super) fn servers() -> Result<Vec<ServerConfig>, Failure> {
    samples().iter().map(server).collect()
}

fn server(sample: &'static Sample) -> Result<ServerConfig, Failure> {
    let name = ServerName::parse(sample.name).map_err(|error| Failure::from_error(Exit::Bug, &error))?;
    Ok(ServerConfig::new(name, Transport::InProcess(InProcess::new(|| connect(sample)))))
}

/// Serves one client; the server is made only now, since most commands need one of them.
fn connect(sample: &Sample) -> DuplexStream {
    let (ours, theirs) = tokio::io::duplex(PIPE);
    match sample.server() {
        Ok(server) => {
            tokio::spawn(async move {
                let (reader, writer) = tokio::io::split(ours);
                server.serve(reader, writer, std::future::pending()).await;
            });
        }
        Err(error) => tracing::error!(%error, sample = sample.name, "the sample can't be served"),
    }
    theirs
}
