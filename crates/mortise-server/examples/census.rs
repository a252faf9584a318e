//! A server whose tool takes its time.

use std::time::Duration;

use mortise_server::{BuildError, CallContext, Server, Tool, ToolError};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Street {
    houses: u32,
}

async fn count_people(street: Street, context: CallContext) -> Result<u32, ToolError> {
    let mut people = 0;
    for house in 1..=street.houses {
        tokio::time::sleep(Duration::from_secs(1)).await;
        people += house % 4;
        let message = format!("house {house} of {}", street.houses);
        context.progress(f64::from(house), Some(f64::from(street.houses)), Some(&message));
    }
    Ok(people)
}

#[tokio::main]
async fn main() -> Result<(), BuildError> {
    let count = Tool::new("count_people", count_people)
        .description("Count the people of a street, one house a second")
        .may_take_long();
    Server::new("census", "1.0.0").tool(count).serve_stdio().await
}
