use mortise_contract::{RawJson, ServerName};

use super::{Secret, Secrets};
use crate::server_config::{HttpConfig, ServerConfig, StdioConfig, Transport};

fn of(transport: Transport) -> Secrets {
    Secrets::of(&ServerConfig::new(ServerName::parse("s").unwrap(), transport))
}

#[track_caller]
fn check(secrets: &Secrets, text: &str, expected: &str) {
    assert_eq!(secrets.hide(text), expected);
}

fn command(args: &[&str], env: &[(&str, &str)]) -> Secrets {
    let mut config = StdioConfig::new("server", args.iter().map(|&word| word.to_owned()).collect());
    config.env = env.iter().map(|&(key, value)| (key.to_owned(), Secret::new(value))).collect();
    of(Transport::Stdio(config))
}

#[test]
fn values_of_variables_are_hidden_the_longest_first() {
    let secrets = command(&[], &[("A", "hunter2"), ("B", "hunter2-long"), ("C", "abc"), ("D", "true")]);
    check(&secrets, "hunter2-long hunter2 abc true", "[redacted] [redacted] abc true");
    check(&secrets, "nothing", "nothing");
}

#[test]
fn an_argument_that_says_it_is_a_secret_is_hidden() {
    let secrets = command(&["--api-key", "k-12345", "--TOKEN=t-12345", "--verbose", "loud"], &[]);
    check(&secrets, "k-12345 t-12345 loud", "[redacted] [redacted] loud");
}

#[test]
fn headers_tokens_and_addresses_are_hidden() {
    let mut config = HttpConfig::new("https://me:passw0rd@example.com/mcp?mode=full&key=a%20longer%20key");
    config.headers.insert("x-key".to_owned(), Secret::new("Basic YWJjZDpl"));
    config.bearer = Some(Secret::new("t0ken-value"));
    let secrets = of(Transport::Http(config));
    check(&secrets, "YWJjZDpl t0ken-value passw0rd full", "[redacted] [redacted] [redacted] full");
    check(&secrets, "a longer key, a%20longer%20key", "[redacted], [redacted]");
    secrets.add_token(&Secret::new("of-a-login"));
    check(&secrets, "of-a-login", "[redacted]");
}

#[test]
fn json_stays_json() {
    let secrets = command(&[], &[("A", "say \"hi\""), ("B", "8080")]);
    let hide = |text: &str| secrets.hide_json(&RawJson::parse(text).unwrap()).text().to_owned();
    assert_eq!(hide(r#"{"a":"say \"hi\""}"#), r#"{"a":"[redacted]"}"#);
    assert_eq!(hide(r#"{"port":8080}"#), r#""[redacted]""#);
    assert_eq!(hide(r#"{"port":1e400}"#), r#"{"port":1e400}"#);
}

#[test]
fn the_start_of_a_text_holds_no_part_of_one() {
    let secrets = command(&[], &[("A", "0123456789")]);
    assert_eq!(&secrets.hide_start("xx0123456789yy", 4)[..4], "xx[r");
    assert_eq!(secrets.hide_start("xxé", 3), "xxé");
}
