//! `weather`: tools in each style a server can have: typed, with text beside, and with no schema.

mod csv;
mod stations;

use mortise_server::{Answer, Output, RegistrationError, Tool, ToolError, Tools};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::registry::invented;
use stations::{STATIONS, Station};

pub(crate) fn tools() -> Result<Tools, RegistrationError> {
    Tools::new([get_weather(), process_csv(), calculate_bmi(), describe_climate()])
}

/// Whose weather.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct City {
    /// A city, e.g. Oslo.
    city: String,
}

/// The weather in a city.
#[derive(Serialize, JsonSchema)]
struct Weather {
    city: &'static str,
    country: &'static str,
    temperature: Temperature,
    conditions: &'static str,
    /// In percent.
    humidity: u8,
    wind: Wind,
}

/// A temperature on both scales.
#[derive(Serialize, JsonSchema)]
struct Temperature {
    celsius: f64,
    fahrenheit: f64,
}

/// The wind.
#[derive(Serialize, JsonSchema)]
struct Wind {
    speed_kmh: u8,
    /// A compass point.
    direction: &'static str,
}

fn get_weather() -> Tool {
    Tool::new("get_weather", |input: City| async move {
        let station = station(&input.city)?;
        let celsius = station.celsius();
        let weather = Weather {
            city: station.city,
            country: station.country,
            temperature: Temperature { celsius, fahrenheit: station.fahrenheit() },
            conditions: station.conditions,
            humidity: station.humidity,
            wind: Wind { speed_kmh: station.wind_kmh, direction: station.wind_from },
        };
        let sentence = format!("{celsius} °C and {} in {}", station.conditions, station.city);
        Ok::<_, ToolError>(Output::new(weather).text(sentence))
    })
    .title("Get weather")
    .description(invented("Current weather in a city, structured and as a sentence."))
    .read_only()
    .closed_world()
}

/// A table.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CsvInput {
    /// Rows of comma-separated values, the names of the columns first.
    #[schemars(length(max = 1_000_000))]
    csv_data: String,
    /// One character; a comma if absent.
    #[schemars(length(min = 1, max = 1))]
    delimiter: Option<String>,
}

fn process_csv() -> Tool {
    Tool::new("process_csv", |input: CsvInput| async move {
        let delimiter = input.delimiter.and_then(|text| text.chars().next()).unwrap_or(',');
        Ok::<_, ToolError>(csv::summarise(&input.csv_data, delimiter)?)
    })
    .title("Process CSV")
    .description(invented(
        "Columns of a CSV text: how many values, which kind, and for numbers least, largest and mean.",
    ))
    .read_only()
    .closed_world()
    .idempotent()
}

/// Height and weight.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct BodyMeasures {
    #[schemars(range(min = 50, max = 260))]
    height_cm: f64,
    #[schemars(range(min = 2, max = 500))]
    weight_kg: f64,
}

/// A body mass index.
#[derive(Serialize, JsonSchema)]
struct Bmi {
    /// With one digit after the point.
    bmi: f64,
    category: BmiCategory,
}

/// What an index means, by the usual table for adults.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum BmiCategory {
    Underweight,
    Normal,
    Overweight,
    Obese,
}

fn calculate_bmi() -> Tool {
    Tool::new("calculate_bmi", |body: BodyMeasures| async move {
        let metres = body.height_cm / 100.0;
        let bmi = (body.weight_kg / (metres * metres) * 10.0).round() / 10.0;
        let category = match bmi {
            ..18.5 => BmiCategory::Underweight,
            ..25.0 => BmiCategory::Normal,
            ..30.0 => BmiCategory::Overweight,
            _ => BmiCategory::Obese,
        };
        Ok::<_, ToolError>(Bmi { bmi, category })
    })
    .title("Calculate BMI")
    .description(invented("Calculate BMI given height and weight."))
    .read_only()
    .closed_world()
    .idempotent()
}

/// The plain tool: no output schema, a text and nothing else.
fn describe_climate() -> Tool {
    Tool::raw("describe_climate")
        .title("Describe a climate")
        .description(invented("A sentence about the climate of a city. Declares no output schema."))
        .read_only()
        .closed_world()
        .input_schema(json!({
            "type": "object",
            "properties": {"city": {"type": "string", "description": "A city, e.g. Oslo."}},
            "required": ["city"],
            "additionalProperties": false,
        }))
        .handler(|call, _| async move {
            let input: City = serde_json::from_str(call.arguments.text())?;
            Ok(Answer::text(station(&input.city)?.climate))
        })
}

fn station(city: &str) -> Result<&'static Station, ToolError> {
    let found = STATIONS.iter().find(|station| station.city.eq_ignore_ascii_case(city));
    found.ok_or_else(|| {
        let known: Vec<_> = STATIONS.iter().map(|station| station.city).collect();
        ToolError::new(format!("no weather for `{city}`; there is some for {}", known.join(", ")))
    })
}
