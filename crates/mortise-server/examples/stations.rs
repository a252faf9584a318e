//! A server with state, progress and errors, on stdio or HTTP. The guide shows it.
#![expect(clippy::print_stderr, reason = "an example shows where it listens")]

use std::sync::{Arc, Mutex, PoisonError};

use mortise_server::{CallContext, HttpOptions, HttpServer, Output, Server, Tool, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the tools share.
#[derive(Clone, Default)]
struct Stations(Arc<Mutex<Vec<Station>>>);

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Station {
    /// Name of the station, such as `Säntis`.
    name: String,
    /// Metres above the sea.
    #[schemars(range(min = -430, max = 8_849))]
    altitude: i32,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "by", rename_all = "snake_case")]
enum Search {
    Name { name: String },
    Altitude { above: i32 },
}

impl Stations {
    async fn add(self, station: Station) -> Result<Output<Station>, ToolError> {
        let mut stations = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if stations.iter().any(|known| known.name == station.name) {
            return Err(ToolError::new(format!("there is a station `{}` already", station.name)));
        }
        stations.push(station.clone());
        let sentence = format!("{} is station number {}", station.name, stations.len());
        Ok(Output::new(station).text(sentence))
    }

    async fn find(self, search: Search, context: CallContext) -> Result<Vec<Station>, ToolError> {
        let stations = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        context.progress(1.0, Some(1.0), Some("searched all stations"));
        let is_wanted = |station: &Station| match &search {
            Search::Name { name } => station.name.contains(name),
            Search::Altitude { above } => station.altitude > *above,
        };
        Ok(stations.into_iter().filter(is_wanted).collect())
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let stations = Stations::default();
    let (adding, finding) = (stations.clone(), stations);
    let add = Tool::new("add_station", move |station: Station| adding.clone().add(station))
        .description("Add a weather station")
        .additive();
    let find =
        Tool::new("find_stations", move |search: Search, context| finding.clone().find(search, context))
            .description("Find weather stations by name or altitude")
            .read_only();
    let server = Server::new("stations", "1.0.0").tool(add).tool(find).build()?;
    match std::env::args().nth(1) {
        Some(address) => {
            let http = HttpServer::bind(&server, HttpOptions::new(address.parse()?)).await?;
            eprintln!("{}", http.url());
            http.run(std::future::pending()).await;
        }
        None => server.serve_stdio(std::future::pending()).await,
    }
    Ok(())
}
