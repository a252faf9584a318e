//! Starts a server, calls a tool and shows value and verdict. The README shows it.
#![expect(clippy::print_stdout, reason = "an example shows what it got")]

use mortise_client::Client;
use serde_json::json;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let health = Client::stdio("target/debug/examples/bmi").connect().await?;
    let measures = json!({ "height_cm": 180, "weight_kg": 75 });
    let bmi: f64 = health.call("calculate_bmi", &measures).await?;
    println!("{bmi:.1}");
    let outcome = health.call_raw("calculate_bmi", &measures).await?;
    println!("{} {}", outcome.result.raw.text(), outcome.verdict.to_json());
    Ok(())
}
