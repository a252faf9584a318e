//! Serving MCP: over stdio, or over HTTP for those who ask.

pub(crate) mod access;

use std::io::IsTerminal as _;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use clap::Args;
use mortise_server::{HttpOptions, HttpServer, Server, TlsFiles};

use self::access::{Access, TokenArgs};
use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::interrupt::{self, StopSignal};

/// Where to serve.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ServingArgs {
    /// Listen on this port of this machine, or on this address, instead of stdio; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", value_parser = parse_address, help_heading = "Serving")]
    http: Option<SocketAddr>,
    #[command(flatten)]
    token: TokenArgs,
    /// Speak TLS with this certificate chain, PEM
    #[arg(long, value_name = "FILE", requires = "http", requires = "tls_key", help_heading = "Serving")]
    tls_cert: Option<PathBuf>,
    /// The private key of the certificate, PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert", help_heading = "Serving")]
    tls_key: Option<PathBuf>,
    /// A proxy in front does TLS
    #[arg(long, requires = "http", help_heading = "Serving")]
    behind_proxy: bool,
    /// Accept this Host header besides the address itself (repeatable)
    #[arg(long, value_name = "HOST", requires = "http", help_heading = "Serving")]
    allow_host: Vec<String>,
    /// Accept web pages from this origin (repeatable)
    #[arg(long, value_name = "ORIGIN", requires = "http", help_heading = "Serving")]
    allow_origin: Vec<String>,
}

impl ServingArgs {
    /// Whether clients come over the network.
    pub(crate) fn is_http(&self) -> bool {
        self.http.is_some()
    }
}

/// `8080`, `:8080`, `localhost:8080` or `127.0.0.1:8080`; a port alone is one of this machine.
pub(crate) fn parse_address(text: &str) -> Result<SocketAddr, String> {
    let port = text.strip_prefix("localhost:").or_else(|| text.strip_prefix(':')).unwrap_or(text);
    match port.parse::<u16>() {
        Ok(port) => Ok(SocketAddr::from((Ipv4Addr::LOCALHOST, port))),
        Err(_) => text.parse().map_err(|_| {
            "use a port or an address with a port, for example 8080 or 127.0.0.1:8080".to_owned()
        }),
    }
}

/// Serves until the client goes or a signal asks to stop.
pub(crate) fn serve(app: &App, server: &Server, args: &ServingArgs) -> Result<Exit, Failure> {
    match args.is_http() {
        true => interrupt::block_on_many_threads(async |stop| until_asked(app, server, args, stop).await),
        false => interrupt::block_on(async |stop| until_asked(app, server, args, stop).await),
    }
}

/// Serves over stdio or HTTP, as asked for.
pub(crate) async fn until_asked(
    app: &App,
    server: &Server,
    args: &ServingArgs,
    stop: &StopSignal,
) -> Result<Exit, Failure> {
    let Some(address) = args.http else {
        say_waiting(app, server.name());
        server.serve_stdio(stop.asked()).await;
        return Ok(Exit::Ok);
    };
    allow_many_connections();
    let access = Access::choose(app, &args.token)?;
    let options = http_options(args, address, &access);
    let listening = HttpServer::bind(server, options).await.map_err(|error| {
        Failure::from_error(Exit::Usage, &error).hint("see the options under Serving in --help")
    })?;
    app.terminal.say(&format!("`{}` listens on {}", server.name(), listening.url()));
    access.explain(&app.terminal);
    listening.run(stop.asked()).await;
    Ok(Exit::Ok)
}

/// Raises the soft limit of open files, usually 1,024, to the hard one: every connection takes a descriptor.
fn allow_many_connections() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

        let limit = getrlimit(Resource::Nofile);
        if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }) {
            tracing::debug!(%error, "the limit of open files stays as it is");
        }
    }
}

/// Tells a person who started a server by hand why nothing happens.
pub(crate) fn say_waiting(app: &App, name: &str) {
    if std::io::stdin().is_terminal() {
        app.terminal.say(&format!(
            "`{name}` waits for an MCP client on stdin and stdout; configure it in one, or press Ctrl-C"
        ));
    }
}

fn http_options(args: &ServingArgs, address: SocketAddr, access: &Access) -> HttpOptions {
    let mut options = HttpOptions::new(address);
    if let Some(token) = access.token() {
        options = options.token(token.clone());
    }
    if let (Some(certificate), Some(key)) = (args.tls_cert.clone(), args.tls_key.clone()) {
        options = options.tls(TlsFiles { certificate, key });
    }
    if args.behind_proxy {
        options = options.behind_proxy();
    }
    options = args.allow_host.iter().fold(options, HttpOptions::allow_host);
    args.allow_origin.iter().fold(options, HttpOptions::allow_origin)
}

#[cfg(test)]
mod tests;
