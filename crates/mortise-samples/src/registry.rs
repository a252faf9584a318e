//! The samples by name.

use mortise_server::{BuildError, RegistrationError, Server, Tools};

use crate::{documents, financial, inventory, tickets, weather};

/// One sample server.
#[derive(Clone, Copy)]
pub struct Sample {
    /// What it is asked for by, and how it calls itself.
    pub name: &'static str,
    /// What it is, in one line.
    pub about: &'static str,
    tools: fn() -> Result<Tools, RegistrationError>,
}

/// Why a sample can't be served. It means a mistake in the sample.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SampleError {
    /// A tool is wrong.
    #[error(transparent)]
    Registration(#[from] RegistrationError),
    /// The server is wrong.
    #[error(transparent)]
    Build(#[from] BuildError),
}

const SAMPLES: &[Sample] = &[
    Sample {
        name: "financial-data",
        about: "income, balance and cash-flow statements and prices of companies",
        tools: financial::tools,
    },
    Sample {
        name: "doc-retrieval",
        about: "the handbook of a company, to search and to read; search results have no schema",
        tools: documents::tools,
    },
    Sample {
        name: "weather",
        about: "weather, CSV and body-mass tools, one without a schema",
        tools: weather::tools,
    },
    Sample {
        name: "tickets",
        about: "an issue tracker that can be read in pages and changed",
        tools: tickets::tools,
    },
    Sample {
        name: "inventory",
        about: "customers, products and orders to join, and stock to change",
        tools: inventory::tools,
    },
];

/// The description of a sample's tool: a model must not take what it returns for real data.
pub(crate) fn invented(description: &str) -> String {
    format!("{description} Sample server: its data is invented.")
}

pub fn samples() -> &'static [Sample] {
    SAMPLES
}

pub fn sample(name: &str) -> Option<&'static Sample> {
    SAMPLES.iter().find(|sample| sample.name == name)
}

impl Sample {
    /// The tools, with state of their own where they have any.
    pub fn tool_set(&self) -> Result<Tools, SampleError> {
        Ok((self.tools)()?)
    }

    /// A server of these tools.
    pub fn server(&self) -> Result<Server, SampleError> {
        let instructions = format!("Sample data, invented: {}.", self.about);
        let server = Server::new(self.name, env!("CARGO_PKG_VERSION")).instructions(&instructions);
        Ok(server.tools(self.tool_set()?).build()?)
    }
}

impl std::fmt::Debug for Sample {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Sample").field("name", &self.name).finish_non_exhaustive()
    }
}
