//! The samples, served inside this process.

use std::collections::BTreeMap;

use mortise_client::server_config::{InProcess, ServerConfig, Transport};
use mortise_contract::{ServerName, limits};
use mortise_samples::{Sample, samples};
use tokio::io::DuplexStream;

use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;

/// Bytes on the way between the two ends.
const PIPE: usize = 64 * 1024;

/// How the name of a sample begins where an agent reads it.
const PREFIX: &str = "sample_";

/// Every sample, by the name that `sample:` calls it.
pub(crate) fn by_name() -> BTreeMap<&'static str, InProcess> {
    samples().iter().map(|sample| (sample.name, InProcess::new(|| connect(sample)))).collect()
}

/// One server per sample, in the order of the samples.
pub(super) fn servers(app: &App) -> Result<Vec<ServerConfig>, Failure> {
    let known = samples().iter().filter_map(|sample| app.environment.samples.get_key_value(sample.name));
    let server = |(name, server): (&&str, &InProcess)| {
        let name = ServerName::parse(name).map_err(|error| Failure::from_error(Exit::Bug, &error))?;
        Ok(ServerConfig::new(name, Transport::InProcess(server.clone())))
    };
    known.map(server).collect()
}

/// Says in the name of every sample what it is: an agent must not take its data for real.
pub(super) fn mark(configs: &mut [ServerConfig]) -> Vec<(ServerName, ServerName)> {
    let mut renamed = Vec::new();
    for config in configs {
        let is_sample = matches!(config.transport, Transport::InProcess(_));
        let marked: String =
            PREFIX.chars().chain(config.name.as_str().chars()).take(limits::NAME_CHARS).collect();
        if is_sample
            && !config.name.as_str().starts_with(PREFIX)
            && let Ok(marked) = ServerName::parse(&marked)
        {
            renamed.push((std::mem::replace(&mut config.name, marked.clone()), marked));
        }
    }
    renamed
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
