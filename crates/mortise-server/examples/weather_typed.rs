//! Weather, CSV and BMI tools written with Rust types.
//!
//! Speaks stdio, or Streamable HTTP with `--http ADDRESS`.
#![expect(clippy::print_stderr, reason = "the URL has to be told to whoever connects")]

use mortise_server::{Answer, BuildError, HttpOptions, HttpServer, Output, Server, Tool, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
struct Place {
    /// Name of a city, such as `Lisbon`.
    city: String,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Sky {
    Clear,
    Cloudy,
    Rain,
}

#[derive(Serialize, JsonSchema)]
struct Weather {
    city: String,
    /// Degrees Celsius.
    temperature: f64,
    /// Per cent.
    #[schemars(range(min = 0, max = 100))]
    humidity: u8,
    sky: Sky,
}

#[derive(Deserialize, JsonSchema)]
struct Csv {
    /// Lines of comma-separated values, the column names first.
    csv: String,
}

#[derive(Serialize, JsonSchema)]
struct Column {
    name: String,
    /// Mean of the numbers in the column; absent when it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    mean: Option<f64>,
}

#[derive(Deserialize, JsonSchema)]
struct Measures {
    /// Height in centimetres.
    #[schemars(extend("exclusiveMinimum" = 0))]
    height_cm: f64,
    /// Weight in kilograms.
    #[schemars(extend("exclusiveMinimum" = 0))]
    weight_kg: f64,
}

#[derive(Serialize, JsonSchema)]
struct Bmi {
    bmi: f64,
    category: &'static str,
}

fn server() -> Result<Server, BuildError> {
    Server::new("weather-typed", env!("CARGO_PKG_VERSION"))
        .tool(Tool::new("get_weather", get_weather).description("Current weather of a city").read_only())
        .tool(
            Tool::new("analyze_csv", analyze_csv)
                .description("Columns of a CSV text, with the mean of each numeric one")
                .read_only(),
        )
        .tool(
            Tool::new("calculate_bmi", calculate_bmi)
                .description("Body mass index from height and weight")
                .read_only(),
        )
        .tool(Tool::new("list_cities", list_cities).description("Cities whose weather is known").read_only())
        .build()
}

/// Structured and readable content.
async fn get_weather(place: Place) -> Result<Output<Weather>, ToolError> {
    let weather = weather(place.city)?;
    let words = format!("{} °C in {}", weather.temperature, weather.city);
    Ok(Output::new(weather).text(words))
}

/// Not an object: clients that know only objects get it wrapped.
async fn analyze_csv(input: Csv) -> Result<Vec<Column>, ToolError> {
    columns(&input.csv)
}

async fn calculate_bmi(measures: Measures) -> Result<Bmi, ToolError> {
    let bmi = measures.weight_kg / (measures.height_cm / 100.0).powi(2);
    Ok(Bmi { bmi, category: category(bmi) })
}

/// No output schema.
async fn list_cities() -> Result<Answer, ToolError> {
    Ok(Answer::text("Lisbon, Oslo, York"))
}

fn weather(city: String) -> Result<Weather, ToolError> {
    let (temperature, humidity, sky) = match city.to_lowercase().as_str() {
        "lisbon" => (21.5, 60, Sky::Clear),
        "oslo" => (4.0, 85, Sky::Rain),
        "york" => (11.0, 75, Sky::Cloudy),
        _ => return Err(ToolError::new(format!("no weather for `{city}`; `list_cities` names the cities"))),
    };
    Ok(Weather { city, temperature, humidity, sky })
}

fn columns(csv: &str) -> Result<Vec<Column>, ToolError> {
    let mut lines = csv.lines();
    let names = lines
        .next()
        .ok_or_else(|| ToolError::new("the text is empty; put column names on its first line"))?;
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').map(str::trim).collect()).collect();
    let columns = names.split(',').enumerate().map(|(index, name)| {
        let numbers: Vec<f64> = rows
            .iter()
            .filter_map(|row| row.get(index)?.parse().ok())
            .filter(|number: &f64| number.is_finite())
            .collect();
        let mean = (!numbers.is_empty()).then(|| numbers.iter().sum::<f64>() / numbers.len() as f64);
        Column { name: name.trim().to_owned(), mean }
    });
    Ok(columns.collect())
}

fn category(bmi: f64) -> &'static str {
    match bmi {
        bmi if bmi < 18.5 => "underweight",
        bmi if bmi < 25.0 => "normal",
        bmi if bmi < 30.0 => "overweight",
        _ => "obese",
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = server()?;
    let stop = async {
        // Without a signal handler the process goes on until it is killed.
        let _ = tokio::signal::ctrl_c().await;
    };
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [] => server.serve_stdio(stop).await,
        [flag, address] if flag == "--http" => {
            let http = HttpServer::bind(&server, HttpOptions::new(address.parse()?)).await?;
            eprintln!("{}", http.url());
            http.run(stop).await;
        }
        _ => return Err("usage: weather_typed [--http ADDRESS]".into()),
    }
    Ok(())
}
