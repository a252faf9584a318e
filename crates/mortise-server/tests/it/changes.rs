//! Clients hear of changes: unasked in a legacy session, by subscription in the modern era.

use mortise_server::{Prompt, PromptSet, PromptText, ProtocolError, RequestStep, Server, Tools};
use mortise_testkit::{PeerError, RawPeer, with_meta};
use serde_json::{Value, json};

use crate::sample::{connect, noop, server};

const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// A list of prompts that can be told to have changed.
#[derive(Clone)]
struct Changing(mortise_server::ChangeSignal);

impl PromptSet for Changing {
    fn prompts(&self) -> std::sync::Arc<[Prompt]> {
        [].into()
    }

    async fn get(
        &self,
        _: String,
        _: mortise_server::CallContext,
    ) -> Result<RequestStep<PromptText>, ProtocolError> {
        Ok(RequestStep::Done(PromptText::new()))
    }

    fn changes(&self) -> mortise_server::Changes {
        self.0.changes()
    }
}

#[tokio::test]
async fn a_legacy_session_is_told_that_tools_came_went_and_changed() -> Result<(), PeerError> {
    let tools = Tools::new([noop("a")]).unwrap();
    let mut peer = connect(&server(tools.clone()));
    peer.initialize().await?;
    for change in 0..3 {
        match change {
            0 => tools.add(noop("b")).unwrap(),
            1 => tools.replace(noop("a")).unwrap(),
            _ => assert!(tools.remove("a")),
        }
        let told = peer.called("notifications/tools/list_changed").await?;
        assert_eq!(told, json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" }));
    }
    let listed = peer.request("tools/list", json!({})).await?;
    assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), 1);
    Ok(())
}

#[tokio::test]
async fn many_changes_at_once_are_few_notifications_and_the_last_is_never_lost() -> Result<(), PeerError> {
    let tools = Tools::new([]).unwrap();
    let mut peer = connect(&server(tools.clone()));
    peer.initialize().await?;
    for number in 0..1_000 {
        tools.add(noop(&format!("tool-{number}"))).unwrap();
    }
    peer.called("notifications/tools/list_changed").await?;
    peer.request("ping", json!({})).await?;
    assert!(peer.kept().count() < 10);
    tools.add(noop("last")).unwrap();
    peer.called("notifications/tools/list_changed").await?;
    Ok(())
}

/// Subscribes and returns the id and the acknowledged filter.
async fn listen(peer: &mut RawPeer, filter: Value) -> Result<(i64, Value), PeerError> {
    let id = peer.start("subscriptions/listen", with_meta(json!({ "notifications": filter }))).await?;
    let mut told = peer.called("notifications/subscriptions/acknowledged").await?;
    assert_eq!(told["params"]["_meta"][SUBSCRIPTION], id);
    Ok((id, told["params"]["notifications"].take()))
}

#[tokio::test(start_paused = true)]
async fn a_subscription_does_not_outlive_its_client() -> Result<(), PeerError> {
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let (reader, writer) = tokio::io::split(theirs);
    let server = server(Tools::new([]).unwrap());
    let serving = tokio::spawn(async move { server.serve(reader, writer, std::future::pending()).await });
    let mut peer = RawPeer::over(ours);
    listen(&mut peer, json!({ "toolsListChanged": true })).await?;
    drop(peer);
    let left = tokio::time::Instant::now();
    serving.await.unwrap();
    assert!(left.elapsed() < std::time::Duration::from_secs(1), "{:?}", left.elapsed());
    Ok(())
}

#[tokio::test]
async fn modern_clients_hear_what_they_asked_for_and_nothing_else() -> Result<(), PeerError> {
    let tools = Tools::new([]).unwrap();
    let prompts = Changing(mortise_server::ChangeSignal::new());
    let server = Server::new("s", "1").tools(tools.clone()).prompts(prompts.clone()).build().unwrap();
    let (mut one, mut two) = (connect(&server), connect(&server));
    let (first, accepted) = listen(&mut one, json!({ "toolsListChanged": true })).await?;
    assert_eq!(accepted, json!({ "toolsListChanged": true }));
    let asked =
        json!({ "promptsListChanged": true, "resourcesListChanged": true, "resourceSubscriptions": ["a:b"] });
    let (second, accepted) = listen(&mut two, asked).await?;
    assert_eq!(accepted, json!({ "promptsListChanged": true }), "there are no resources to hear of");

    tools.add(noop("new")).unwrap();
    prompts.0.fire();
    let told = one.called("notifications/tools/list_changed").await?;
    assert_eq!(told["params"], json!({ "_meta": { SUBSCRIPTION: first } }));
    let told = two.called("notifications/prompts/list_changed").await?;
    assert_eq!(told["params"], json!({ "_meta": { SUBSCRIPTION: second } }));
    for peer in [&mut one, &mut two] {
        peer.modern("server/discover", json!({})).await?;
        assert_eq!(peer.kept().count(), 0, "only what was asked for");
    }

    // Cancelled, it hears no more.
    one.notify("notifications/cancelled", json!({ "requestId": first })).await?;
    one.modern("server/discover", json!({})).await?;
    tools.add(noop("newer")).unwrap();
    one.modern("server/discover", json!({})).await?;
    assert_eq!(one.kept().count(), 0);
    Ok(())
}

#[tokio::test]
async fn two_subscriptions_of_one_client_are_told_apart() -> Result<(), PeerError> {
    let tools = Tools::new([]).unwrap();
    let mut peer = connect(&server(tools.clone()));
    let (one, _) = listen(&mut peer, json!({ "toolsListChanged": true })).await?;
    let (two, _) = listen(&mut peer, json!({ "toolsListChanged": true })).await?;
    tools.add(noop("new")).unwrap();
    let mut told = Vec::new();
    for _ in 0..2 {
        let frame = peer.called("notifications/tools/list_changed").await?;
        told.push(frame["params"]["_meta"][SUBSCRIPTION].as_i64().unwrap());
    }
    told.sort_unstable();
    assert_eq!(told, [one, two]);
    Ok(())
}

#[tokio::test]
async fn a_modern_client_that_did_not_subscribe_hears_nothing() -> Result<(), PeerError> {
    let tools = Tools::new([]).unwrap();
    let mut peer = connect(&server(tools.clone()));
    peer.modern("tools/list", json!({})).await?;
    tools.add(noop("new")).unwrap();
    peer.modern("tools/list", json!({})).await?;
    assert_eq!(peer.kept().count(), 0);
    Ok(())
}

#[tokio::test]
async fn a_subscription_ends_in_order_when_the_server_stops() -> Result<(), PeerError> {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (reader, writer) = tokio::io::split(theirs);
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let server = server(Tools::new([noop("a")]).unwrap());
    tokio::spawn(async move {
        let stopped = async {
            let _ = stopped.await;
        };
        server.serve(reader, writer, stopped).await;
    });
    let mut peer = RawPeer::over(ours);
    let (id, _) = listen(&mut peer, json!({ "toolsListChanged": true })).await?;
    stop.send(()).unwrap();
    let ended = peer.response(id).await?;
    assert_eq!(ended["result"]["_meta"][SUBSCRIPTION], id);
    Ok(())
}
