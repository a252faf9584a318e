//! A server with one tool, on stdio. The README shows it.

use mortise_server::{Server, Tool, Tools};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
struct Measures {
    /// Height in centimetres.
    height_cm: f64,
    /// Weight in kilograms.
    weight_kg: f64,
}

#[derive(Serialize, JsonSchema)]
struct Bmi {
    bmi: f64,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tools = Tools::new([Tool::typed::<Measures, Bmi>("calculate_bmi")
        .description("Body mass index from height and weight")
        .handler(|measures, _context| async move {
            Ok(Bmi { bmi: measures.weight_kg / (measures.height_cm / 100.0).powi(2) })
        })])?;
    let server = Server::builder("health", "1.0.0").tools(tools).build()?;
    server.serve_stdio(std::future::pending()).await;
    Ok(())
}
