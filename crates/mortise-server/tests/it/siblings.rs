//! Resources, prompts and completion beside the tools.

use std::sync::Arc;

use mortise_server::{
    CallContext, Completer, CompletionReference, CompletionRequest, Completions, Content, InputRequest,
    InputRequired, Prompt, PromptSet, PromptText, ProtocolError, RequestStep, Resource, ResourceContent,
    ResourceSet, ResourceTemplate, Server, UpdateSignal, Updates,
};
use mortise_testkit::{PeerError, with_meta};
use serde_json::json;

use crate::sample::connect;

struct Files(UpdateSignal);

impl ResourceSet for Files {
    fn resources(&self) -> Arc<[Resource]> {
        [Resource::new("file:///b", "B").mime_type("text/plain"), Resource::new("file:///a", "A")].into()
    }

    fn templates(&self) -> Arc<[ResourceTemplate]> {
        [ResourceTemplate::new("file:///{name}", "Any").description("by name")].into()
    }

    async fn read(
        &self,
        uri: String,
        context: CallContext,
    ) -> Result<RequestStep<Vec<ResourceContent>>, ProtocolError> {
        match uri.as_str() {
            "file:///a" => Ok(RequestStep::Done(vec![ResourceContent::text(&uri, "text/plain", "content")])),
            "file:///locked" if context.answer("roots").is_none() => {
                Ok(InputRequired::new().ask("roots", InputRequest::list_roots()).into())
            }
            "file:///locked" => {
                Ok(RequestStep::Done(vec![ResourceContent::bytes(&uri, "image/png", &[0xff])]))
            }
            "file:///broken" => panic!("a reader that panics"),
            _ => Err(ProtocolError::resource_not_found(&uri)),
        }
    }

    fn updates(&self) -> Updates {
        self.0.updates()
    }
}

struct Letters;

impl PromptSet for Letters {
    fn prompts(&self) -> Arc<[Prompt]> {
        [Prompt::new("letter").required("to", "Whom").optional("tone", "How")].into()
    }

    async fn get(
        &self,
        name: String,
        context: CallContext,
    ) -> Result<RequestStep<PromptText>, ProtocolError> {
        let to = context.arguments()["to"].as_str().unwrap_or_default().to_owned();
        let text = PromptText::new().description(&name).user(Content::text(format!("Write to {to}")));
        Ok(RequestStep::Done(text.assistant(Content::text("Dear"))))
    }
}

struct Numbers;

impl Completer for Numbers {
    async fn complete(
        &self,
        request: CompletionRequest,
        _: CallContext,
    ) -> Result<Completions, ProtocolError> {
        match request.reference {
            CompletionReference::Prompt(name) if name == "letter" => {
                Ok(Completions::new((0..150).map(|number| format!("{}{number}", request.value))))
            }
            _ => Err(ProtocolError::invalid_params("no such argument")),
        }
    }
}

fn server() -> (Server, UpdateSignal) {
    let signal = UpdateSignal::new();
    let server = Server::new("files", "1")
        .resources(Files(signal.clone()))
        .prompts(Letters)
        .completer(Numbers)
        .build()
        .unwrap();
    (server, signal)
}

#[tokio::test]
async fn what_there_is_is_declared() -> Result<(), PeerError> {
    let mut peer = connect(&server().0);
    let opened = peer.initialize().await?;
    assert_eq!(
        opened["result"]["capabilities"],
        json!({
            "logging": {},
            "completions": {},
            "prompts": { "listChanged": false },
            "resources": { "subscribe": true, "listChanged": false },
        })
    );
    assert_eq!(peer.request("tools/list", json!({})).await?["error"]["code"], -32601);
    Ok(())
}

#[tokio::test]
async fn resources_are_listed_in_order_and_read() -> Result<(), PeerError> {
    let mut peer = connect(&server().0);
    peer.initialize().await?;
    assert_eq!(
        peer.request("resources/list", json!({})).await?["result"],
        json!({ "resources": [
            { "uri": "file:///a", "name": "A" },
            { "uri": "file:///b", "name": "B", "mimeType": "text/plain" },
        ] })
    );
    assert_eq!(
        peer.request("resources/templates/list", json!({})).await?["result"],
        json!({ "resourceTemplates": [{ "uriTemplate": "file:///{name}", "name": "Any", "description": "by name" }] })
    );
    assert_eq!(
        peer.request("resources/read", json!({ "uri": "file:///a" })).await?["result"],
        json!({ "contents": [{ "uri": "file:///a", "mimeType": "text/plain", "text": "content" }] })
    );
    let gone = peer.request("resources/read", json!({ "uri": "file:///gone" })).await?;
    assert_eq!(gone["error"]["code"], -32602);
    assert_eq!(gone["error"]["data"], json!({ "uri": "file:///gone" }));
    let broken = peer.request("resources/read", json!({ "uri": "file:///broken" })).await?;
    assert_eq!(broken["error"], json!({ "code": -32603, "message": "the request failed unexpectedly" }));
    Ok(())
}

#[tokio::test]
async fn modern_reads_say_how_long_they_keep_and_may_ask_first() -> Result<(), PeerError> {
    let mut peer = connect(&server().0);
    let read = peer.modern("resources/read", json!({ "uri": "file:///a" })).await?;
    assert_eq!((&read["result"]["ttlMs"], &read["result"]["cacheScope"]), (&json!(0), &json!("private")));
    let meta = json!({ "io.modelcontextprotocol/clientCapabilities": { "roots": {} } });
    let params = json!({ "uri": "file:///locked", "_meta": meta });
    let asked = peer.modern("resources/read", params.clone()).await?;
    assert_eq!(asked["result"]["inputRequests"], json!({ "roots": { "method": "roots/list" } }));
    assert_eq!(asked["result"].get("ttlMs"), None, "a question is not kept");
    let mut retry = params;
    retry["inputResponses"] = json!({ "roots": { "roots": [] } });
    let read = peer.modern("resources/read", retry).await?;
    assert_eq!(read["result"]["contents"][0]["blob"], "/w==");
    Ok(())
}

#[tokio::test]
async fn watched_resources_are_told_of_in_both_eras() -> Result<(), PeerError> {
    let (server, signal) = server();
    let (mut legacy, mut modern) = (connect(&server), connect(&server));
    legacy.initialize().await?;
    legacy.request("resources/subscribe", json!({ "uri": "file:///a" })).await?;
    let filter = json!({ "notifications": { "resourceSubscriptions": ["file:///b"] } });
    let id = modern.start("subscriptions/listen", with_meta(filter)).await?;
    modern.called("notifications/subscriptions/acknowledged").await?;
    signal.updated("file:///c");
    signal.updated("file:///a");
    signal.updated("file:///b");
    let told = legacy.called("notifications/resources/updated").await?;
    assert_eq!(told["params"], json!({ "uri": "file:///a" }));
    let told = modern.called("notifications/resources/updated").await?;
    assert_eq!(
        told["params"],
        json!({ "uri": "file:///b", "_meta": { "io.modelcontextprotocol/subscriptionId": id } })
    );
    legacy.request("resources/unsubscribe", json!({ "uri": "file:///a" })).await?;
    signal.updated("file:///a");
    legacy.request("ping", json!({})).await?;
    assert_eq!(legacy.kept().count(), 0);
    Ok(())
}

#[tokio::test]
async fn the_number_of_watched_resources_is_bounded() -> Result<(), PeerError> {
    let mut peer = connect(&server().0);
    peer.initialize().await?;
    for number in 0..mortise_server::limits::RESOURCES_WATCHED {
        let watched = peer.request("resources/subscribe", json!({ "uri": format!("a:{number}") })).await?;
        assert_eq!(watched["result"], json!({}));
    }
    let refused = peer.request("resources/subscribe", json!({ "uri": "a:more" })).await?;
    assert_eq!(refused["error"]["code"], -32603);
    let again = peer.request("resources/subscribe", json!({ "uri": "a:0" })).await?;
    assert_eq!(again["result"], json!({}));
    Ok(())
}

#[tokio::test]
async fn updates_that_come_too_fast_are_told_as_all() -> Result<(), PeerError> {
    let (server, signal) = server();
    let mut peer = connect(&server);
    peer.initialize().await?;
    peer.request("resources/subscribe", json!({ "uri": "file:///a" })).await?;
    // No await in between: the session has no chance to keep up.
    for _ in 0..10_000 {
        signal.updated("file:///other");
    }
    let told = peer.called("notifications/resources/updated").await?;
    assert_eq!(told["params"], json!({ "uri": "file:///a" }));
    Ok(())
}

#[tokio::test]
async fn prompts_are_listed_and_filled_in() -> Result<(), PeerError> {
    let mut peer = connect(&server().0);
    peer.initialize().await?;
    assert_eq!(
        peer.request("prompts/list", json!({})).await?["result"],
        json!({ "prompts": [{ "name": "letter", "arguments": [
            { "name": "to", "description": "Whom", "required": true },
            { "name": "tone", "description": "How", "required": false },
        ] }] })
    );
    let filled =
        peer.request("prompts/get", json!({ "name": "letter", "arguments": { "to": "Ada" } })).await?;
    assert_eq!(
        filled["result"],
        json!({ "description": "letter", "messages": [
            { "role": "user", "content": { "type": "text", "text": "Write to Ada" } },
            { "role": "assistant", "content": { "type": "text", "text": "Dear" } },
        ] })
    );
    let missing = peer.request("prompts/get", json!({ "name": "letter" })).await?;
    assert_eq!(
        missing["error"],
        json!({ "code": -32602, "message": "prompt `letter` needs the argument `to`" })
    );
    let unknown = peer.request("prompts/get", json!({ "name": "poem" })).await?;
    assert_eq!(unknown["error"], json!({ "code": -32602, "message": "unknown prompt `poem`" }));
    Ok(())
}

#[tokio::test]
async fn completions_are_bounded() -> Result<(), PeerError> {
    let mut peer = connect(&server().0);
    peer.initialize().await?;
    let ask = |name: &str| json!({ "ref": { "type": "ref/prompt", "name": name }, "argument": { "name": "to", "value": "x" } });
    let answer = peer.request("completion/complete", ask("letter")).await?;
    let completion = &answer["result"]["completion"];
    assert_eq!(completion["values"].as_array().unwrap().len(), 100);
    assert_eq!((&completion["total"], &completion["hasMore"]), (&json!(150), &json!(true)));
    assert_eq!(peer.request("completion/complete", ask("poem")).await?["error"]["code"], -32602);
    Ok(())
}
