//! What a checker's process and the process that started it say to each other.
//!
//! Both sides are the same binary, so a frame is four bytes of length, least significant first, and JSON in whatever
//! form these types have. A contract is sent once and named by its digest from then on.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Read, Write};
use std::sync::Arc;
use std::time::Duration;

use mortise_contract::{CheckMode, Contract, ServerName};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::finding::TypecheckReport;
use crate::request::{CheckRequest, CheckedTool, ObservedOutput, Outputs, UnknownTool};

/// Bytes of a frame's length.
pub const HEADER: usize = 4;

/// What the checker's process is sent.
#[derive(Debug, Serialize, Deserialize)]
pub enum ToChecker {
    /// The address space that the process may use from now on, in bytes.
    Limit {
        /// Bytes.
        memory: u64,
    },
    /// Infer what most programs need.
    WarmUp,
    /// Infer what this program needs.
    WarmUpFor {
        /// Python source.
        source: String,
    },
    /// A contract that later checks name.
    Contract {
        /// [`Contract::digest`].
        digest: String,
        /// The tool object as its server wrote it.
        text: String,
    },
    /// Check a program. It is answered by one [`CheckAnswer`].
    Check(NamedRequest),
}

/// A [`CheckRequest`] that names its contracts by digest.
#[derive(Debug, Serialize, Deserialize)]
pub struct NamedRequest {
    source: String,
    mode: CheckMode,
    tools: Vec<NamedTool>,
    unknown: Vec<UnknownTool>,
    modules: Vec<String>,
    observed: BTreeMap<String, ObservedOutput>,
    observed_within: Option<Duration>,
}

#[derive(Debug, Serialize, Deserialize)]
struct NamedTool {
    callable: String,
    server: String,
    contract: String,
    outputs: Outputs,
}

/// What the checker's process sends: one for each [`ToChecker::Check`].
#[derive(Debug, Serialize, Deserialize)]
pub struct CheckAnswer {
    /// What came of the check.
    pub report: TypecheckReport,
    /// Memory that the process holds, in bytes, where the system says it.
    pub resident: Option<u64>,
}

impl NamedRequest {
    /// The request without its contracts.
    pub fn of(request: CheckRequest) -> Self {
        let tools = request.tools.into_iter().map(|tool| NamedTool {
            callable: tool.callable,
            server: tool.server.as_str().to_owned(),
            contract: tool.contract.digest().to_owned(),
            outputs: tool.outputs,
        });
        Self {
            source: request.source,
            mode: request.mode,
            tools: tools.collect(),
            unknown: request.unknown,
            modules: request.modules,
            observed: request.observed,
            observed_within: request.observed_within,
        }
    }

    /// The request with the contracts that were sent. A tool whose contract is not among them is not declared to the
    /// checker.
    pub(crate) fn with(self, contracts: &HashMap<String, Arc<Contract>>) -> CheckRequest {
        let tools = self.tools.into_iter().filter_map(|tool| {
            let contract = contracts.get(&tool.contract)?.clone();
            let server = ServerName::parse(&tool.server).ok()?;
            Some(CheckedTool { callable: tool.callable, server, contract, outputs: tool.outputs })
        });
        CheckRequest {
            source: self.source,
            mode: self.mode,
            tools: tools.collect(),
            unknown: self.unknown,
            modules: self.modules,
            observed: self.observed,
            observed_within: self.observed_within,
        }
    }
}

/// Appends a message to the bytes that are to be sent.
pub fn encode(message: &impl Serialize, frames: &mut Vec<u8>) -> io::Result<()> {
    let start = frames.len();
    frames.extend_from_slice(&[0; HEADER]);
    serde_json::to_writer(&mut *frames, message)?;
    let length = u32::try_from(frames.len() - start - HEADER).map_err(io::Error::other)?;
    frames[start..start + HEADER].copy_from_slice(&length.to_le_bytes());
    Ok(())
}

/// Reads one message; nothing at the end of the stream.
pub(crate) fn read<T: DeserializeOwned>(input: &mut impl Read) -> io::Result<Option<T>> {
    let mut header = [0; HEADER];
    match input.read_exact(&mut header) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    let mut body = vec![0; u32::from_le_bytes(header) as usize];
    input.read_exact(&mut body)?;
    Ok(Some(serde_json::from_slice(&body)?))
}

pub(crate) fn write(message: &impl Serialize, output: &mut impl Write) -> io::Result<()> {
    let mut frame = Vec::new();
    encode(message, &mut frame)?;
    output.write_all(&frame)?;
    output.flush()
}
