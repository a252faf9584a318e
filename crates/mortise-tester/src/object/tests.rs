use mortise_client::secret::{Secret, Secrets};
use mortise_client::server_config::{ServerConfig, StdioConfig, Transport};
use mortise_contract::{RawJson, ServerName};

use super::{Object, embedded};
use crate::exchanges::Exchanges;

fn raw(text: &str) -> RawJson {
    RawJson::parse(text).unwrap()
}

#[test]
fn every_digit_and_the_order_of_keys_stay() {
    let object = Object::new()
        .set("b", 1)
        .verbatim("a", &raw(r#"{"z":1.10,"y":12345678901234567890123}"#))
        .and(Object::new().set("c", "\"x\""));
    assert_eq!(object.text(), r#"{"b":1,"a":{"z":1.10,"y":12345678901234567890123},"c":"\"x\""}"#);
    assert_eq!(Object::new().and(Object::new().set("a", ())).text(), r#"{"a":null}"#);
}

#[test]
fn what_would_make_an_answer_unreadable_becomes_a_string() {
    let deep = "[".repeat(115) + &"]".repeat(115);
    assert!(embedded(&raw(&deep)).starts_with('"'));
    let shallow = "[".repeat(100) + &"]".repeat(100);
    assert_eq!(embedded(&raw(&shallow)), shallow);
    assert_eq!(embedded(&raw(r#"["\ud800"]"#)), r#""[\"\\ud800\"]""#);
}

#[test]
fn secrets_go_from_every_value_and_our_keys_stay() {
    let mut stdio = StdioConfig::new("x", Vec::new());
    stdio.env.insert("A".to_owned(), Secret::new("method"));
    stdio.env.insert("B".to_owned(), Secret::new("8080"));
    let config = ServerConfig::new(ServerName::parse("x").unwrap(), Transport::Stdio(stdio));
    let exchanges = Exchanges::new(Secrets::of(&config));
    let object = Object::new().set("method", "a method").verbatim("data", &raw(r#"{"port":8080,"n":1.10}"#));
    assert_eq!(
        object.redacted(&exchanges).text(),
        r#"{"method":"a [redacted]","data":{"port":"[redacted]","n":1.10}}"#
    );
}
