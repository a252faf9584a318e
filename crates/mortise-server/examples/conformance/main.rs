//! The fixtures that the official MCP conformance suite calls, as a server on Streamable HTTP.
//!
//! `cargo run -p mortise-server --example conformance -- 127.0.0.1:0` prints the URL to test.
#![expect(clippy::print_stderr, reason = "the URL has to be told to whoever starts the suite")]

mod input;
mod prompts;
mod resources;
mod tasks;
mod tools;

use std::net::SocketAddr;

use mortise_server::{
    CallContext, Completer, CompletionRequest, Completions, HttpOptions, HttpServer, ProtocolError, Server,
};

/// One red pixel.
pub(crate) const PNG: &[u8] = &[
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00,
    0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x02, 0x00, 0x00, 0x00, 0x90, 0x77, 0x53, 0xde, 0x00,
    0x00, 0x00, 0x0c, 0x49, 0x44, 0x41, 0x54, 0x08, 0xd7, 0x63, 0xf8, 0xcf, 0xc0, 0x00, 0x00, 0x03, 0x01,
    0x01, 0x00, 0x18, 0xdd, 0x8d, 0xb0, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60,
    0x82,
];

struct NoSuggestions;

impl Completer for NoSuggestions {
    async fn complete(
        &self,
        request: CompletionRequest,
        _: CallContext,
    ) -> Result<Completions, ProtocolError> {
        let known = ["paris", "park", "party"];
        Ok(Completions::new(known.into_iter().filter(|word| word.starts_with(&request.value))))
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let address: SocketAddr = std::env::args().nth(1).as_deref().unwrap_or("127.0.0.1:0").parse()?;
    let prompts = prompts::Prompts::new();
    let server = Server::new("mortise-conformance", env!("CARGO_PKG_VERSION"))
        .tools(tools::tools(&prompts)?)
        .prompts(prompts)
        .resources(resources::Resources::new())
        .completer(NoSuggestions)
        .build()?;
    let http = HttpServer::bind(&server, HttpOptions::new(address)).await?;
    eprintln!("{}", http.url());
    http.run(async {
        // Without a signal handler the process simply goes on until it is killed.
        let _ = tokio::signal::ctrl_c().await;
    })
    .await;
    Ok(())
}
