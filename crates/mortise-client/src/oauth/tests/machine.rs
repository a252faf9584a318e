//! The client-credentials grant: no user, no browser.

use super::*;
use serde_json::json;

async fn machine(secret: &str, behaviour: Behaviour) -> Scene {
    let mut scene = Scene::new(behaviour).await;
    scene.oauth = Some(OAuthConfig {
        client_id: Some("machine".to_owned()),
        client_secret: Some(Secret::new(secret)),
        scopes: vec!["read".to_owned()],
        client_credentials: true,
        ..OAuthConfig::default()
    });
    scene
}

#[tokio::test]
async fn a_token_is_fetched_when_it_is_needed_and_kept() {
    let scene = machine("canary-secret", Behaviour { expires_in: Some(3600), ..Behaviour::default() }).await;
    let (tokens, server) = (scene.tokens(), scene.server());
    let all = futures::future::join_all((0..5).map(|_| tokens.token(&server))).await;
    assert!(all.into_iter().all(|token| text(token) == "canary-access-1"));
    let asked = &scene.fake.token_requests()[0];
    assert_eq!((asked["scope"].as_str(), asked["resource"].as_str()), ("read", scene.fake.server().as_str()));

    // The next process finds it on disk; a refused one is replaced.
    let next = scene.tokens();
    let first = next.token(&server).await.unwrap().unwrap();
    assert_eq!(scene.fake.count("POST /token"), 1);
    assert_eq!(text(next.renew(&server, Some(&first), None).await), "canary-access-2");
}

#[tokio::test]
async fn an_expired_token_is_fetched_again() {
    let scene = machine("canary-secret", Behaviour { expires_in: Some(1), ..Behaviour::default() }).await;
    assert_eq!(text(scene.tokens().token(&scene.server()).await), "canary-access-1");
    assert_eq!(text(scene.tokens().token(&scene.server()).await), "canary-access-2");
}

#[tokio::test]
async fn logging_in_opens_no_browser() {
    let scene = machine("canary-secret", Behaviour::default()).await;
    let open = |_: &Url| panic!("a browser was opened");
    let options = LoginOptions::default();
    let facts = login(&scene.http(), &scene.environment(), &options, open).await.unwrap();
    assert_eq!((facts.client_id.as_str(), facts.is_renewable), ("machine", false));
}

#[tokio::test]
async fn a_wrong_secret_is_told_and_not_shown() {
    let scene = machine("canary-wrong", Behaviour::default()).await;
    let options = LoginOptions::default();
    let error = login(&scene.http(), &scene.environment(), &options, |_| {}).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the token endpoint gave no token: Server returned error response: invalid_grant: no such luck"
    );
    assert!(!shown(&error).contains("canary"));
}

#[tokio::test]
async fn a_way_of_authenticating_that_the_server_lacks_is_named() {
    let metadata = vec![("token_endpoint_auth_methods_supported", json!(["private_key_jwt"]))];
    let scene = machine("canary-secret", Behaviour { metadata, ..Behaviour::default() }).await;
    let error = scene.tokens().token(&scene.server()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the token endpoint gave no token: the authorization server takes no client secret"
    );
    assert_eq!(scene.fake.count("POST /token"), 0);
}
