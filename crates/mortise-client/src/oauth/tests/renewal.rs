//! Tokens that expire, are refused, or are renewed by several at once.

use super::*;
use serde_json::json;

/// A login whose token has expired already, as far as we care.
async fn expired(behaviour: Behaviour) -> Scene {
    let scene = Scene::new(Behaviour { expires_in: Some(1), ..behaviour }).await;
    scene.log_in().await.unwrap();
    scene
}

#[tokio::test]
async fn an_expired_token_is_renewed_once_for_all_who_wait() {
    let scene = expired(Behaviour::default()).await;
    let (tokens, server) = (scene.tokens(), scene.server());
    let all = futures::future::join_all((0..20).map(|_| tokens.token(&server))).await;
    for token in all {
        assert_eq!(text(token), "canary-access-2");
    }
    let requests = scene.fake.token_requests();
    assert_eq!(requests.len(), 2);
    assert_eq!(requests[1]["refresh_token"], "canary-refresh-1");
    assert_eq!(requests[1]["resource"], scene.fake.server());
    let kept = std::fs::read_to_string(scene.token_file()).unwrap();
    assert!(kept.contains("canary-refresh-2") && !kept.contains("canary-refresh-1"));
}

#[tokio::test]
async fn two_processes_do_not_renew_the_same_token_twice() {
    let scene = Scene::new(Behaviour::default()).await;
    scene.log_in().await.unwrap();
    let (one, other, server) = (scene.tokens(), scene.tokens(), scene.server());
    let first = Secret::new("canary-access-1");
    let (one, other) =
        tokio::join!(one.renew(&server, Some(&first), None), other.renew(&server, Some(&first), None));
    assert_eq!((text(one), text(other)), ("canary-access-2".to_owned(), "canary-access-2".to_owned()));
    assert_eq!(scene.fake.count("POST /token"), 2);
}

#[tokio::test]
async fn a_refused_token_is_renewed_unless_there_is_a_newer_one() {
    let scene = Scene::new(Behaviour::default()).await;
    scene.log_in().await.unwrap();
    let (tokens, server) = (scene.tokens(), scene.server());
    let first = tokens.token(&server).await.unwrap().unwrap();
    assert_eq!(text(tokens.renew(&server, Some(&first), None).await), "canary-access-2");
    // A request that was on its way with the old token.
    assert_eq!(text(tokens.renew(&server, Some(&first), None).await), "canary-access-2");
    assert_eq!(scene.fake.count("POST /token"), 2);
}

#[tokio::test]
async fn a_renewal_is_kept_even_if_nobody_waits_for_it() {
    let scene = expired(Behaviour::default()).await;
    let (tokens, server) = (scene.tokens(), scene.server());
    let mut asked = tokens.token(&server);
    assert!(futures::poll!(&mut asked).is_pending());
    drop(asked);
    // Joins the renewal that the dropped request began.
    assert_eq!(text(tokens.token(&server).await), "canary-access-2");
    assert_eq!(scene.fake.count("POST /token"), 2);
}

#[tokio::test]
async fn a_refresh_token_that_is_refused_means_logging_in_again() {
    let behaviour = Behaviour { refresh_error: Some((400, "invalid_grant")), ..Behaviour::default() };
    let scene = expired(behaviour).await;
    assert_eq!(scene.tokens().token(&scene.server()).await, Ok(None));
    // Once refused, it is not tried again by anyone.
    let asked = scene.fake.count("POST /token");
    assert_eq!(scene.tokens().token(&scene.server()).await, Ok(None));
    assert_eq!(scene.fake.count("POST /token"), asked);
    let LoginStatus::LoggedIn(facts) = status(&scene.http(), &scene.environment()).unwrap() else { panic!() };
    assert!(!facts.is_renewable);
}

#[tokio::test]
async fn a_renewal_that_can_not_be_written_down_still_serves() {
    let behaviour = Behaviour::default();
    let moved_directory = behaviour.moved_directory.clone();
    let scene = expired(behaviour).await;
    let file = scene.token_file();
    let directory = file.parent().unwrap();
    moved_directory.set(directory.to_owned()).unwrap();
    let (tokens, server) = (scene.tokens(), scene.server());
    assert_eq!(text(tokens.token(&server).await), "canary-access-2");
    let kept = directory.with_extension("away").join(file.file_name().unwrap());
    let kept = std::fs::read_to_string(kept).unwrap();
    assert!(kept.contains("canary-access-1"));
}

#[tokio::test]
async fn a_server_in_trouble_is_an_error_and_the_login_stays() {
    let scene = expired(Behaviour { refresh_error: Some((503, "canary")), ..Behaviour::default() }).await;
    let error = scene.tokens().token(&scene.server()).await.unwrap_err().to_string();
    assert!(error.starts_with("the token endpoint gave no token: "), "{error}");
    assert!(!error.contains("canary-"), "{error}");
    assert!(matches!(status(&scene.http(), &scene.environment()).unwrap(), LoginStatus::LoggedIn(_)));
}

#[tokio::test]
async fn a_token_of_another_issuer_is_not_renewed() {
    let scene = expired(Behaviour::default()).await;
    let path = scene.token_file();
    let mut stored: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    stored["issuer"] = json!("https://before.example");
    crate::private_file::write(&path, &stored.to_string()).unwrap();
    let error = scene.tokens().token(&scene.server()).await.unwrap_err().to_string();
    assert_eq!(error, format!("expected the issuer `https://before.example`, found `{}`", scene.fake.base()));
    assert_eq!(scene.fake.count("POST /token"), 1);
}

#[tokio::test]
async fn a_missing_scope_is_named() {
    let scene = Scene::new(Behaviour::default()).await;
    scene.log_in().await.unwrap();
    let challenge = "Bearer error=\"insufficient_scope\", scope=\"read write\"";
    let error = scene.tokens().renew(&scene.server(), None, Some(challenge)).await.unwrap_err().to_string();
    let base = scene.fake.base();
    assert_eq!(error, format!("`{base}` wants the scope `read write`, which the login does not have"));
}

#[tokio::test]
async fn a_damaged_token_file_is_named_and_shows_nothing() {
    let scene = Scene::new(Behaviour::default()).await;
    scene.log_in().await.unwrap();
    let path = scene.token_file();
    for text in ["", "{\"version\": \"canary-1\"}", "{\"version\": 2}", "[\"canary-2\"]"] {
        crate::private_file::write(&path, text).unwrap();
        let error = status(&scene.http(), &scene.environment()).unwrap_err();
        let expected = format!("`{}` is not a token file of this version of mortise", path.display());
        assert_eq!(error.to_string(), expected);
        assert!(!shown(&error).contains("canary"));
    }
    assert!(logout(&scene.http(), &scene.environment()).unwrap());
}

#[cfg(unix)]
#[tokio::test]
async fn a_login_is_not_used_where_others_can_replace_it() {
    use std::os::unix::fs::PermissionsExt as _;
    let scene = Scene::new(Behaviour::default()).await;
    scene.log_in().await.unwrap();
    let state = scene.environment().state_directory.unwrap();
    std::fs::set_permissions(&state, std::fs::Permissions::from_mode(0o777)).unwrap();
    let expected = format!("`{}` can be written by other users (mode 777)", state.display());
    assert_eq!(status(&scene.http(), &scene.environment()).unwrap_err().to_string(), expected);
    assert_eq!(scene.tokens().token(&scene.server()).await.unwrap_err().to_string(), expected);
}
