use mortise_client::secret::{Secret, Secrets};
use mortise_client::server_config::{ServerConfig, StdioConfig, Transport};
use mortise_contract::{RawJson, ServerName};

use super::{ErrorType, FailureDetails, TestFailure};
use crate::answer::AsSent;
use crate::exchanges::Exchanges;

#[test]
fn secrets_go_from_every_value_and_our_keys_stay() {
    let mut stdio = StdioConfig::new("x", Vec::new());
    stdio.env.insert("A".to_owned(), Secret::new("method"));
    stdio.env.insert("B".to_owned(), Secret::new("8080"));
    let config = ServerConfig::new(ServerName::parse("x").unwrap(), Transport::Stdio(stdio));
    let exchanges = Exchanges::new(Secrets::of(&config));
    let details = FailureDetails {
        method: Some("a method".to_owned()),
        data: Some(AsSent::new(&RawJson::parse(r#"{"port":8080,"n":1.10}"#).unwrap())),
        ..FailureDetails::default()
    };
    let failure = TestFailure::new(ErrorType::Timeout, "no method", "Try again.").details(details);
    let (error, _) = failure.into_parts();
    assert_eq!(
        serde_json::to_string(&error.redacted(&exchanges)).unwrap(),
        r#"{"type":"timeout","message":"no [redacted]","details":{"method":"a [redacted]","data":{"port":"[redacted]","n":1.10}},"suggestion":"Try again."}"#
    );
}
