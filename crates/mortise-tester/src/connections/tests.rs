//! Room for the connections of all callers.

use mortise_client::environment::Environment;
use mortise_samples::mock::Mock;
use serde_json::{Map, Value};

use super::*;

fn wanted(url: &str) -> Wanted {
    let arguments = Map::from_iter([("url".to_owned(), Value::from(url))]);
    Wanted {
        name: DEFAULT.to_owned(),
        target: Target::read(&arguments).unwrap(),
        timeout: Duration::from_secs(60),
        answers: Answers::read(None).unwrap(),
        cancel: CancellationToken::new(),
    }
}

#[tokio::test]
async fn a_caller_gets_no_connection_while_others_take_up_all_room() {
    let mock = Mock::parse("ok").unwrap();
    let http = mock.listen("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let options = Arc::new(TesterOptions::local(Environment::default()));
    let room = Arc::new(Semaphore::new(1));
    let caller = || Connections::new(options.clone(), room.clone(), Naming::ByCaller);
    let (first, second) = (caller(), caller());
    first.connect(wanted(&http.url())).await.unwrap();
    // To connect again is to replace the connection, which needs no more room.
    first.connect(wanted(&http.url())).await.unwrap();
    let refused = second.connect(wanted(&http.url())).await.unwrap_err();
    assert_eq!(refused.message, "the callers of this tester have 256 connections, the limit for all");
    first.disconnect(None).await;
    second.connect(wanted(&http.url())).await.unwrap();
}
