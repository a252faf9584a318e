//! The authorization-code flow, and all that can go wrong on the way.

use super::*;
use serde_json::json;

#[tokio::test]
async fn a_login_registers_proves_itself_and_is_kept() {
    let scene = Scene::new(Behaviour { expires_in: Some(3600), ..Behaviour::default() }).await;
    assert_eq!(status(&scene.http(), &scene.environment()).unwrap(), LoginStatus::LoggedOut);
    assert_eq!(scene.tokens().token(&scene.server()).await, Ok(None));

    let facts = scene.log_in().await.unwrap();
    assert_eq!(facts.issuer.as_deref(), Some(scene.fake.base()));
    assert_eq!((facts.client_id.as_str(), facts.is_renewable), ("registered-1", true));
    assert_eq!(facts.scopes, ["read"]);
    let asked = scene.fake.authorization();
    assert_eq!(asked["code_challenge_method"], "S256");
    assert_eq!(asked["resource"], scene.fake.server());
    assert_eq!(asked["scope"], "read");
    assert_eq!(scene.fake.token_requests()[0]["resource"], scene.fake.server());

    // From now on nothing is asked of anyone.
    assert_eq!(text(scene.tokens().token(&scene.server()).await), "canary-access-1");
    assert_eq!(scene.fake.count("POST /token"), 1);
    assert_eq!(status(&scene.http(), &scene.environment()).unwrap(), LoginStatus::LoggedIn(facts));
    assert!(logout(&scene.http(), &scene.environment()).unwrap());
    assert!(!logout(&scene.http(), &scene.environment()).unwrap());
    assert_eq!(scene.tokens().token(&scene.server()).await, Ok(None));
}

#[tokio::test]
async fn a_server_that_explains_itself_to_clients_only_is_asked_as_a_client() {
    let scene = Scene::new(Behaviour { is_hidden: true, ..Behaviour::default() }).await;
    scene.log_in().await.unwrap();
    assert_eq!(scene.fake.count("POST /mcp"), 1);
    assert_eq!(scene.fake.authorization()["scope"], "hidden");

    // Who has been refused already need not be refused again.
    let challenge = Some(format!("Bearer resource_metadata=\"{}/hidden.json\"", scene.fake.base()));
    scene.log_in_with(LoginOptions { challenge, ..LoginOptions::default() }).await.unwrap();
    assert_eq!(scene.fake.count("POST /mcp"), 1);
    assert_eq!(scene.fake.authorization()["scope"], "read");
}

#[tokio::test]
async fn a_login_for_more_keeps_what_the_one_before_allowed() {
    let scene = Scene::new(Behaviour::default()).await;
    scene.log_in().await.unwrap();
    let challenge = Some(r#"Bearer error="insufficient_scope", scope="write read""#.to_owned());
    scene.log_in_with(LoginOptions { challenge, ..LoginOptions::default() }).await.unwrap();
    assert_eq!(scene.fake.authorization()["scope"], "read write");

    let scopes = vec!["delete".to_owned()];
    scene.log_in_with(LoginOptions { scopes, ..LoginOptions::default() }).await.unwrap();
    assert_eq!(scene.fake.authorization()["scope"], "read delete");
}

#[test]
fn a_missing_scope_is_told_only_in_the_form_of_scopes() {
    let missing = |challenge: &str| missing_scope(challenge);
    let lacking = |scope: &str| missing(&format!(r#"Bearer error="insufficient_scope", scope="{scope}""#));
    assert_eq!(lacking("a:b c.d/e"), Some("a:b c.d/e".to_owned()));
    assert_eq!(lacking("a'; rm -rf ~; '"), None);
    assert_eq!(lacking(""), None);
    assert_eq!(missing(r#"Bearer error="invalid_token", scope="a""#), None);
}

#[cfg(unix)]
#[tokio::test]
async fn only_the_user_may_read_a_token() {
    use std::os::unix::fs::PermissionsExt;
    let scene = Scene::new(Behaviour::default()).await;
    scene.log_in().await.unwrap();
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let file = scene.token_file();
    assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
}

#[tokio::test]
async fn a_token_is_for_one_address_only() {
    let scene = Scene::new(Behaviour::default()).await;
    scene.log_in().await.unwrap();
    let mut other = scene.server();
    other.transport = Transport::Http(HttpConfig::new(format!("{}/other", scene.fake.base())));
    assert_eq!(scene.tokens().token(&other).await, Ok(None));
}

#[tokio::test]
async fn a_configured_client_is_not_registered_and_another_is_a_stranger() {
    let mut scene = Scene::new(Behaviour::default()).await;
    scene.oauth = Some(OAuthConfig {
        client_id: Some("mine".to_owned()),
        client_secret: Some(Secret::new("canary-own")),
        scopes: vec!["write".to_owned()],
        ..OAuthConfig::default()
    });
    assert_eq!(scene.log_in().await.unwrap().client_id, "mine");
    assert_eq!(scene.fake.count("POST /register"), 0);
    assert_eq!(scene.fake.authorization()["scope"], "write");
    let kept = std::fs::read_to_string(scene.token_file()).unwrap();
    assert!(!kept.contains("canary-own"), "the secret of the configuration stays there");

    scene.oauth = Some(OAuthConfig { client_id: Some("other".to_owned()), ..OAuthConfig::default() });
    assert_eq!(scene.tokens().token(&scene.server()).await, Ok(None));
}

#[tokio::test]
async fn a_redirect_with_another_state_is_refused_and_the_login_goes_on() {
    let scene = Scene::new(Behaviour::default()).await;
    let fake = scene.fake.clone();
    let (statuses, received) = tokio::sync::oneshot::channel();
    let open = move |address: &Url| {
        let address = address.clone();
        tokio::spawn(async move {
            let parameters: std::collections::BTreeMap<_, _> = address.query_pairs().into_owned().collect();
            let redirect = &parameters["redirect_uri"];
            let mut answers = Vec::new();
            for query in ["?code=evil&state=guess", "?code=evil", "?code=e&state=a&state=b", ""] {
                let forged = Url::parse(&format!("{redirect}{query}")).unwrap();
                answers.push(fake.clone().browse(forged).await);
            }
            let elsewhere = Url::parse(redirect).unwrap().join("/favicon.ico").unwrap();
            answers.push(fake.clone().browse(elsewhere).await);
            answers.push(fake.browse(address).await);
            statuses.send(answers).unwrap();
        });
    };
    login(&scene.http(), &scene.environment(), &LoginOptions::default(), open).await.unwrap();
    assert_eq!(received.await.unwrap(), [400, 400, 400, 400, 404, 200]);
    assert_eq!(scene.fake.token_requests()[0]["code"], "canary-code");
}

#[tokio::test]
async fn a_refusal_is_told() {
    let redirect = vec![("error", "access_denied"), ("error_description", "not\ntoday")];
    let scene = Scene::new(Behaviour { redirect, ..Behaviour::default() }).await;
    let error = scene.log_in().await.unwrap_err();
    assert_eq!(error.to_string(), "the authorization server answered `access_denied`: not today");
    assert_eq!(scene.fake.count("POST /token"), 0);
}

#[tokio::test]
async fn a_login_that_nobody_completes_ends() {
    let scene = Scene::new(Behaviour::default()).await;
    let options = LoginOptions { timeout: Duration::from_millis(1), ..LoginOptions::default() };
    let error = login(&scene.http(), &scene.environment(), &options, |_| {}).await.unwrap_err();
    assert_eq!(error.to_string(), "the login in the browser took longer than 1ms");

    let options = LoginOptions::default();
    let cancel = options.cancel.clone();
    let error = login(&scene.http(), &scene.environment(), &options, |_| cancel.cancel()).await;
    assert!(matches!(error, Err(OAuthError::Cancelled)));
}

#[tokio::test]
async fn another_issuer_is_refused_wherever_it_shows() {
    let metadata =
        Behaviour { metadata: vec![("issuer", json!("https://evil.example"))], ..Behaviour::default() };
    let answer = Behaviour { redirect: vec![("iss", "https://evil.example")], ..Behaviour::default() };
    let silence = Behaviour { redirect_without: vec!["iss"], ..Behaviour::default() };
    for (behaviour, found) in
        [(metadata, "https://evil.example"), (answer, "https://evil.example"), (silence, "none")]
    {
        let scene = Scene::new(behaviour).await;
        let error = scene.log_in().await.unwrap_err();
        let base = scene.fake.base();
        // The slash comes and goes with the way rmcp derives the expected issuer.
        let expected = error.to_string().replace(&format!("{base}/"), base);
        assert_eq!(expected, format!("expected the issuer `{base}`, found `{found}`"));
        assert_eq!(scene.fake.count("POST /token"), 0);
        assert!(!shown(&error).contains("canary"), "{error:?}");
    }

    let mut scene = Scene::new(Behaviour::default()).await;
    scene.oauth =
        Some(OAuthConfig { issuer: Some("https://sso.example.com/".to_owned()), ..OAuthConfig::default() });
    assert!(matches!(scene.log_in().await, Err(OAuthError::IssuerMismatch { .. })));
    assert_eq!(scene.fake.count("POST /register"), 0);
    scene.oauth =
        Some(OAuthConfig { issuer: Some(format!("{}/", scene.fake.base())), ..OAuthConfig::default() });
    scene.log_in().await.unwrap();
}

#[tokio::test]
async fn metadata_leads_to_no_private_or_unencrypted_address() {
    let with = |key, value| Behaviour { metadata: vec![(key, json!(value))], ..Behaviour::default() };
    for (behaviour, expected) in [
        (
            with("token_endpoint", "https://169.254.169.254/token"),
            "the token endpoint is refused: `169.254.169.254` is a private address that the configuration \
             does not name",
        ),
        (
            with("authorization_endpoint", "https://10.0.0.1/authorize"),
            "the authorization endpoint is refused: `10.0.0.1` is a private address that the configuration \
             does not name",
        ),
        (
            with("token_endpoint", "http://auth.example.com/token"),
            "the token endpoint `http://auth.example.com` is not https",
        ),
        (
            with("authorization_endpoint", "javascript:alert(1)"),
            "the authorization endpoint `null` is not https",
        ),
    ] {
        let scene = Scene::new(behaviour).await;
        assert_eq!(scene.log_in().await.unwrap_err().to_string(), expected);
        assert_eq!(scene.fake.count("POST /register"), 0);
    }
    let private = json!(["http://169.254.169.254/", "http://[::ffff:a9fe:a9fe]/", "http://2852039166/"]);
    let named = Behaviour { authorization_servers: Some(private), ..Behaviour::default() };
    let moved =
        Behaviour { metadata_redirect: Some("http://169.254.169.254/latest"), ..Behaviour::default() };
    for behaviour in [named, moved] {
        let scene = Scene::new(behaviour).await;
        let error = scene.log_in().await.unwrap_err();
        assert!(matches!(error, OAuthError::Discovery { .. }), "{error:?}");
    }
}

#[tokio::test]
async fn without_registration_the_hint_says_what_to_configure() {
    let none = Behaviour { metadata: vec![("registration_endpoint", json!(null))], ..Behaviour::default() };
    let refused =
        Behaviour { registration: Some(json!({"status": 403, "secret": "canary"})), ..Behaviour::default() };
    for (behaviour, reason) in [
        (none, "the authorization server offers no registration"),
        (refused, "the registration endpoint answered HTTP 403 Forbidden"),
    ] {
        let scene = Scene::new(behaviour).await;
        let error = scene.log_in().await.unwrap_err();
        assert_eq!(error.to_string(), format!("cannot register as a client: {reason}"));
        let hint = "register a client with the server and set `oauth.client_id` of `fake`";
        assert_eq!(error.hint("fake").as_deref(), Some(hint));
        assert!(!shown(&error).contains("canary"));
    }
}

#[tokio::test]
async fn a_server_that_says_nothing_about_logging_in_is_told_apart() {
    let behaviour =
        Behaviour { is_silent: true, registration: Some(json!({"status": 404})), ..Behaviour::default() };
    let scene = Scene::new(behaviour).await;
    let error = scene.log_in().await.unwrap_err().to_string();
    let origin = scene.fake.base();
    let reason = "it publishes no authorization metadata";
    assert_eq!(error, format!("cannot find out how to log in to `{origin}`: {reason}"));

    // The endpoints of 2025-03-26 are guessed, and may be there.
    let behaviour = Behaviour { is_silent: true, redirect_without: vec!["iss"], ..Behaviour::default() };
    let scene = Scene::new(behaviour).await;
    assert_eq!(scene.log_in().await.unwrap().issuer, None);
}

#[tokio::test]
async fn a_key_in_the_address_of_a_server_is_not_shown() {
    let scene = Scene::new(Behaviour::default()).await;
    let unreachable = "http://127.0.0.1:1/canary-path/mcp?key=canary-query".to_owned();
    let elsewhere = format!("{}/canary-path/mcp?key=canary-query", scene.fake.base());
    for url in [unreachable, elsewhere] {
        let http = HttpConfig { oauth: None, ..HttpConfig::new(url) };
        let options = LoginOptions { timeout: Duration::from_millis(1), ..LoginOptions::default() };
        let error = login(&http, &scene.environment(), &options, |_| {}).await.unwrap_err();
        assert!(!shown(&error).contains("canary"), "{error:?}");
    }
}

#[tokio::test]
async fn silent_connections_do_not_hold_up_the_redirect() {
    let scene = Scene::new(Behaviour::default()).await;
    let fake = scene.fake.clone();
    let (held, _keep) = std::sync::mpsc::channel();
    let open = move |address: &Url| {
        let address = address.clone();
        tokio::spawn(async move {
            let parameters: std::collections::BTreeMap<_, _> = address.query_pairs().into_owned().collect();
            let port = Url::parse(&parameters["redirect_uri"]).unwrap().port().unwrap();
            for _ in 0..4 {
                held.send(tokio::net::TcpStream::connect(("127.0.0.1", port)).await.unwrap()).unwrap();
            }
            fake.browse(address).await
        });
    };
    login(&scene.http(), &scene.environment(), &LoginOptions::default(), open).await.unwrap();
}
