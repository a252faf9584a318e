//! A server with one tool, on stdio. The README shows it.

use mortise_server::{BuildError, Server, Tool, ToolError};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Measures {
    height_cm: f64,
    weight_kg: f64,
}

async fn calculate_bmi(measures: Measures) -> Result<f64, ToolError> {
    Ok(measures.weight_kg / (measures.height_cm / 100.0).powi(2))
}

#[tokio::main]
async fn main() -> Result<(), BuildError> {
    let bmi = Tool::new("calculate_bmi", calculate_bmi).description("Body mass index from height and weight");
    Server::new("health", "1.0.0").tool(bmi).serve_stdio().await
}
