//! A model's tool call is answered by the name that the model used.

use mortise_client::server_config::ServerConfig;
use mortise_client::{CallError, CallOptions, Pool};
use mortise_contract::RawJson;
use mortise_contract::name::NameLength;
use mortise_declare::{Provider, ProviderOptions, ToolDefinition, provider_names, render_tools};
use mortise_testkit::answer;
use serde_json::{Value, json};

use crate::support::{PATIENCE, name, options, tool, with_tools};

/// Longer than providers take, and alike where they cut.
const LONG: [&str; 2] = [
    "list_all_orders_of_a_customer_that_were_placed_before_a_date_and_are_open",
    "list_all_orders_of_a_customer_that_were_placed_before_a_date_and_are_paid",
];

/// A server whose tools answer with the server's name, their own name and their arguments.
fn echoing(server: &'static str, tools: Value) -> ServerConfig {
    let (config, _) = with_tools(tools, move |request| {
        let params = &request["params"];
        let text = format!("{server} {} {}", params["name"].as_str().unwrap(), params["arguments"]);
        vec![answer(request, json!({"content": [{"type": "text", "text": text}]}))]
    });
    ServerConfig { name: name(server), ..config }
}

async fn started() -> Pool {
    let shop = echoing("shop", json!([tool(LONG[0]), tool(LONG[1]), tool("list-orders")]));
    let stock = echoing("stock", json!([tool("list-orders")]));
    let pool = Pool::start(vec![shop, stock], options()).unwrap();
    for server in pool.servers() {
        server.ready(PATIENCE).await.unwrap();
    }
    pool
}

async fn text(pool: &Pool, length: NameLength, name: &str) -> Result<String, CallError> {
    let names = pool.callable_names(length);
    let arguments = RawJson::parse(r#"{"page":1.10}"#).unwrap();
    let outcome = pool.call_named(&names, name, arguments, CallOptions::default()).await?;
    Ok(outcome.result.texts().collect())
}

#[tokio::test]
async fn a_callable_name_finds_its_server_and_tool() {
    let pool = started().await;
    let called = text(&pool, NameLength::Program, "mcp__stock__list_orders").await.unwrap();
    assert_eq!(called, r#"stock list-orders {"page":1.1}"#);
    let long = format!("mcp__shop__{}", LONG[1]);
    let called = text(&pool, NameLength::Program, &long).await.unwrap();
    assert_eq!(called, format!(r#"shop {} {{"page":1.1}}"#, LONG[1]));
    pool.shutdown().await;
}

#[tokio::test]
async fn a_name_that_a_provider_shortened_is_understood() {
    let pool = started().await;
    let shop = &pool.servers()[0];
    let catalog = shop.catalog();
    let tools: Vec<_> =
        catalog.contracts.iter().map(|contract| ToolDefinition::of(shop.name(), contract)).collect();
    let rendered =
        render_tools(Provider::OpenAi, &tools, &provider_names(&tools), &ProviderOptions::default());
    assert_eq!(rendered.tools.len(), 3);
    for declared in &rendered.tools {
        assert!(declared.name.len() <= 64, "{}", declared.name);
        let arguments = RawJson::parse("{}").unwrap();
        let called =
            pool.call_named(&rendered.names, &declared.name, arguments, CallOptions::default()).await;
        let texts: String = called.unwrap().result.texts().collect();
        assert_eq!(texts, format!("shop {} {{}}", declared.tool));
        // The pool's own names for providers are the same.
        text(&pool, NameLength::Provider, &declared.name).await.unwrap();
    }
    pool.shutdown().await;
}

#[tokio::test]
async fn an_unknown_name_is_an_error_and_nothing_is_called() {
    let mut pool = started().await;
    let error = text(&pool, NameLength::Program, "mcp__shop__list_order").await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "no tool is called `mcp__shop__list_order`; did you mean `mcp__shop__list_orders`?"
    );
    let names = pool.callable_names(NameLength::Program);
    pool.remove(&name("stock")).await;
    let arguments = RawJson::parse("{}").unwrap();
    let gone = pool.call_named(&names, "mcp__stock__list_orders", arguments, CallOptions::default()).await;
    assert!(matches!(gone, Err(CallError::UnknownName { .. })), "{gone:?}");
    pool.shutdown().await;
}
