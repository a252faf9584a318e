//! Weather, CSV and BMI tools written with JSON Schemas and JSON.
//!
//! Speaks stdio, or Streamable HTTP with `--http ADDRESS`.
#![expect(clippy::print_stderr, reason = "the URL has to be told to whoever connects")]

use mortise_server::{Answer, CallContext, HttpOptions, HttpServer, Server, Tool, ToolError, Tools};
use serde_json::{Value, json};

fn tools() -> Result<Tools, mortise_server::RegistrationError> {
    Tools::new([
        // Structured and readable content.
        Tool::raw("get_weather")
            .description("Current weather of a city")
            .read_only()
            .input_schema(json!({
                "type": "object",
                "properties": { "city": { "type": "string", "description": "Name of a city, such as `Lisbon`." } },
                "required": ["city"],
            }))
            .output_schema(json!({
                "type": "object",
                "properties": {
                    "city": { "type": "string" },
                    "temperature": { "type": "number", "description": "Degrees Celsius." },
                    "humidity": { "type": "integer", "minimum": 0, "maximum": 100 },
                    "sky": { "enum": ["clear", "cloudy", "rain"] },
                },
                "required": ["city", "temperature", "humidity", "sky"],
            }))
            .handler(|_, context| async move {
                let city = text(&context, "city");
                let (temperature, humidity, sky) = match city.to_lowercase().as_str() {
                    "lisbon" => (21.5, 60, "clear"),
                    "oslo" => (4.0, 85, "rain"),
                    "york" => (11.0, 75, "cloudy"),
                    _ => {
                        let advice = format!("no weather for `{city}`; `list_cities` names the cities");
                        return Err(ToolError::new(advice));
                    }
                };
                let weather =
                    json!({ "city": city, "temperature": temperature, "humidity": humidity, "sky": sky });
                Ok(Answer::structured(weather).and_text(format!("{temperature} °C in {city}")))
            }),
        // Not an object: clients that know only objects get it wrapped.
        Tool::raw("analyze_csv")
            .description("Columns of a CSV text, with the mean of each numeric one")
            .read_only()
            .input_schema(json!({
                "type": "object",
                "properties": { "csv": { "type": "string", "description": "Comma-separated, names first." } },
                "required": ["csv"],
            }))
            .output_schema(json!({
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": { "name": { "type": "string" }, "mean": { "type": "number" } },
                    "required": ["name"],
                },
            }))
            .handler(|_, context| async move { Ok(Answer::structured(columns(&text(&context, "csv")))) }),
        Tool::raw("calculate_bmi")
            .description("Body mass index from height and weight")
            .read_only()
            .input_schema(json!({
                "type": "object",
                "properties": {
                    "height_cm": { "type": "number", "exclusiveMinimum": 0 },
                    "weight_kg": { "type": "number", "exclusiveMinimum": 0 },
                },
                "required": ["height_cm", "weight_kg"],
            }))
            .output_schema(json!({
                "type": "object",
                "properties": {
                    "bmi": { "type": "number" },
                    "category": { "enum": ["underweight", "normal", "overweight", "obese"] },
                },
                "required": ["bmi", "category"],
            }))
            .handler(|_, context| async move {
                let bmi = number(&context, "weight_kg") / (number(&context, "height_cm") / 100.0).powi(2);
                let category = match bmi {
                    bmi if bmi < 18.5 => "underweight",
                    bmi if bmi < 25.0 => "normal",
                    bmi if bmi < 30.0 => "overweight",
                    _ => "obese",
                };
                Ok(Answer::structured(json!({ "bmi": bmi, "category": category })))
            }),
        // No output schema.
        Tool::raw("list_cities")
            .description("Cities whose weather is known")
            .read_only()
            .handler(|_, _| async { Ok(Answer::text("Lisbon, Oslo, York")) }),
    ])
}

/// An argument that the input schema promises to be a string.
fn text(context: &CallContext, name: &str) -> String {
    context.arguments().get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// An argument that the input schema promises to be a number.
fn number(context: &CallContext, name: &str) -> f64 {
    context.arguments().get(name).and_then(Value::as_f64).unwrap_or_default()
}

fn columns(csv: &str) -> Value {
    let mut lines = csv.lines();
    let names = lines.next().unwrap_or_default();
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').map(str::trim).collect()).collect();
    let column = |(index, name): (usize, &str)| {
        let numbers: Vec<f64> = rows
            .iter()
            .filter_map(|row| row.get(index)?.parse().ok())
            .filter(|number: &f64| number.is_finite())
            .collect();
        if numbers.is_empty() {
            return json!({ "name": name.trim() });
        }
        json!({ "name": name.trim(), "mean": numbers.iter().sum::<f64>() / numbers.len() as f64 })
    };
    names.split(',').enumerate().map(column).collect()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = Server::new("weather-raw", env!("CARGO_PKG_VERSION")).tools(tools()?).build()?;
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
        _ => return Err("usage: weather_raw [--http ADDRESS]".into()),
    }
    Ok(())
}
