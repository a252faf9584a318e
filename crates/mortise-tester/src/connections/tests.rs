//! Room for the connections of all callers.

use mortise_client::environment::Environment;
use mortise_samples::mock::Mock;

use super::*;
use crate::tools::connect::ConnectToServerInput;

fn wanted(url: &str) -> ConnectionRequest {
    let input = ConnectToServerInput { url: Some(url.to_owned()), ..ConnectToServerInput::default() };
    ConnectionRequest {
        name: DEFAULT.to_owned(),
        target: TestTarget::read(&input).unwrap(),
        timeout: Duration::from_secs(60),
        answers: Answers::default(),
        cancel: CancellationToken::new(),
    }
}

#[tokio::test]
async fn a_caller_gets_no_connection_while_others_take_up_all_room() {
    let mock = Mock::parse("ok").unwrap();
    let http = mock.listen("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let options = Arc::new(TesterOptions::local(Environment::default()));
    let room = Arc::new(Semaphore::new(1));
    let caller = || CallerConnections::new(options.clone(), room.clone(), Naming::ByCaller);
    let (first, second) = (caller(), caller());
    first.connect(wanted(&http.url())).await.unwrap();
    // To connect again is to replace the connection, which needs no more room.
    first.connect(wanted(&http.url())).await.unwrap();
    let refused = second.connect(wanted(&http.url())).await.unwrap_err();
    assert_eq!(refused.message, "the callers of this tester have 256 connections, the limit for all");
    first.disconnect(None).await;
    second.connect(wanted(&http.url())).await.unwrap();
}
