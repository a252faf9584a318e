use mortise_contract::{RawJson, ServerName};

use super::{Form, Secret, Secrets};
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
    assert_eq!(hide(r#"{"port":8080, "a":-8080.5}"#), r#"{"port":"[redacted]", "a":"[redacted]"}"#);
    assert_eq!(hide(r#"{"8080":[8080]}"#), r#"{"[redacted]":["[redacted]"]}"#);
    assert_eq!(hide(r#"{"port":1e400}"#), r#"{"port":1e400}"#);
}

#[test]
fn the_start_of_a_text_holds_no_part_of_one() {
    let secrets = command(&[], &[("A", "0123456789")]);
    assert_eq!(&secrets.hide_start("xx0123456789yy", 4)[..4], "xx[r");
    assert_eq!(secrets.hide_start("xxé", 3), "xxé");
    // What is hidden is shorter than what it was: the half that is cut off moves into view.
    let secret = "0123456789".repeat(4);
    let secrets = command(&[], &[("A", &secret)]);
    assert_eq!(secrets.hide_start(&secret.repeat(20), 100), format!("{}…", "[redacted]".repeat(8)));
    let shown = secrets.hide_start(&format!("éé {secret} {}", "é".repeat(500)), 99).into_owned();
    assert!(shown.starts_with("éé [redacted] é") && shown.ends_with("é…") && shown.len() < 100, "{shown}");
}

#[test]
fn escapes_of_the_writer_hide_nothing_from_us() {
    let secrets = command(&[], &[("A", "pässword/1")]);
    let hide = |text: &str| secrets.hide_json(&RawJson::parse(text).unwrap()).text().to_owned();
    assert_eq!(hide(r#"["\u0070\u00e4ssword\/1 \"x\""]"#), r#"["[redacted] \"x\""]"#);
    assert_eq!(hide(r#"["pässword/1\ud800"]"#), r#"["[redacted]\ud800"]"#);
    assert_eq!(
        hide(r#"["\ud800\u0070\u00e4ssword/1\ud83d\ude00\udc00\n"]"#),
        r#"["\ud800[redacted]😀\udc00\n"]"#
    );
    assert_eq!(hide(r#"["\\ud800 \ud83d"]"#), r#"["\\ud800 \ud83d"]"#);
    // JSON in a text of JSON, as a mirror of structured content is, and once more in a frame that is shown.
    assert_eq!(hide(r#"["{\"a\":\"p\\u00e4ssword\\/1\"}"]"#), r#"["{\"a\":\"[redacted]\"}"]"#);
    check(&secrets, r#"{\\"a\\":\\"p\\\\u00e4ssword\\/1\\"}"#, r#"{\\"a\\":\\"[redacted]\\"}"#);
    assert_eq!(hide(r#"["nothing \u0070"]"#), r#"["nothing \u0070"]"#);
}

#[test]
fn only_what_is_surely_a_secret_is_hidden_in_what_was_asked_for() {
    let secrets = command(
        &["--token", "argument-1"],
        &[("API_KEY", "key-value-1"), ("PLACE", "some-place"), ("TOKEN", "short"), ("PASSWORD", "12345678")],
    );
    let hide = |text: &str| secrets.hide_certain(text, &Form::default());
    let text =
        r#"{"key-value-1":"key-value-1 some-place","a":"short argument-1 12345678","n":[12345678, 1]}"#;
    let shown =
        r#"{"[redacted]":"[redacted] some-place","a":"short argument-1 [redacted]","n":["[redacted]", 1]}"#;
    assert_eq!(hide(text).as_deref(), Some(shown));
    assert_eq!(hide(r#"{"a":"some-place"}"#), None);
    let mut config = HttpConfig::new("https://me:passw0rd@example.com/mcp?mode=fullmode&key=query-key");
    config.headers.insert("Cookie".to_owned(), Secret::new("id=0123456"));
    config.headers.insert("Accept".to_owned(), Secret::new("application/json"));
    config.bearer = Some(Secret::new("t0ken-value"));
    let secrets = of(Transport::Http(config));
    let hide = |text: &str| secrets.hide_certain(text, &Form::default());
    let text = r#"["passw0rd fullmode query-key id=0123456 application/json t0ken-value"]"#;
    let shown = r#"["[redacted] fullmode [redacted] [redacted] application/json [redacted]"]"#;
    assert_eq!(hide(text).as_deref(), Some(shown));
}

#[test]
fn what_is_of_the_form_of_a_text_stays() {
    let secrets = command(&[], &[("PASSWORD", "metadata"), ("TOKEN", "12345678")]);
    let form = Form {
        words: ["metadata".to_owned()].into_iter().collect(),
        numbers: ["total".to_owned()].into_iter().collect(),
    };
    let text =
        r#"{"metadata": {"total": 12345678, "list": [12345678], "other" : 123456789}, "a": "my metadata"}"#;
    let shown = r#"{"metadata": {"total": 12345678, "list": ["[redacted]"], "other" : "[redacted]"}, "a": "my [redacted]"}"#;
    assert_eq!(secrets.hide_certain(text, &form).as_deref(), Some(shown));
    assert_eq!(secrets.hide_certain(r#"{"metadata":{"total":12345678}}"#, &form), None);
}

#[test]
fn an_address_is_hidden_in_every_encoding() {
    let secrets = of(Transport::Http(HttpConfig::new(
        "https://me:p%40ss%2Fw%C3%B6rd@example.com/mcp?key=an%20open+key%21&lonely-token-1",
    )));
    check(&secrets, "p%40ss%2Fw%C3%B6rd p%40ss%2fw%c3%b6rd p@ss/wörd", "[redacted] [redacted] [redacted]");
    check(&secrets, "Authorization: Basic bWU6cEBzcy93w7ZyZA==", "Authorization: Basic [redacted]");
    check(
        &secrets,
        "an%20open+key%21 an open key! an+open+key! an%20open%20key!",
        &["[redacted]"; 4].join(" "),
    );
    check(&secrets, "lonely-token-1 100% an+open", "[redacted] 100% an+open");
    let certain = |text: &str| secrets.hide_certain(text, &Form::default());
    assert_eq!(certain(r#"["p%40ss%2Fw%C3%B6rd"]"#).as_deref(), Some(r#"["[redacted]"]"#));
    assert_eq!(certain(r#"["an+open+key!"]"#).as_deref(), Some(r#"["[redacted]"]"#));
    let named = of(Transport::Http(HttpConfig::new("https://gh-t0ken-1@example.com/mcp")));
    check(&named, "gh-t0ken-1", "[redacted]");
    for dummy in ["x", "x-oauth-basic"] {
        let address = format!("https://gh%2Dt0ken-1:{dummy}@example.com/mcp");
        let secrets = of(Transport::Http(HttpConfig::new(address)));
        check(&secrets, "gh-t0ken-1 gh%2Dt0ken-1", "[redacted] [redacted]");
    }
    let with_password = of(Transport::Http(HttpConfig::new("https://somebody-1:passw0rd@example.com/mcp")));
    check(&with_password, "somebody-1 passw0rd", "somebody-1 [redacted]");
    let open = of(Transport::Http(HttpConfig::new("https://example.com/mcp")));
    check(&open, "Authorization: Basic Og==", "Authorization: Basic Og==");
}

#[test]
fn a_password_that_is_a_common_word_is_hidden_too() {
    let secrets = command(&[], &[("STAGE", "production"), ("DB_PASSWORD", "development")]);
    check(&secrets, "in production with development", "in production with [redacted]");
}

#[test]
fn a_letter_that_begins_its_own_escape_is_found_in_it() {
    let escaped = |text: &str| text.bytes().map(|byte| format!("\\u{byte:04x}")).collect::<String>();
    let secrets = command(&[], &[("A", "queue-t0ken"), ("B", "ab%cd1234"), ("C", r"ab\cd1234")]);
    for secret in ["queue-t0ken", "ab%cd1234", r"ab\cd1234"] {
        check(&secrets, &format!("a {secret} b"), "a [redacted] b");
        check(&secrets, &format!("a {} b", escaped(secret)), "a [redacted] b");
        check(&secrets, &format!("a {} b", escaped(secret).replace('\\', r"\\\\")), "a [redacted] b");
    }
    check(&secrets, "ab%25cd1234 ab%5Ccd1234", "[redacted] [redacted]");
    check(&secrets, r"ab\u005ccd1234 ab\\cd1234 \queue-t0ken", "[redacted] [redacted] [redacted]");
    // What looks like an escape may be all there is to it.
    let secrets = command(&[], &[("A", "ab%25cd1234"), ("B", r"ab\u0075cd1234")]);
    check(&secrets, r"ab%25cd1234 ab%2525cd1234 ab\u0075cd1234", "[redacted] [redacted] [redacted]");
    let secrets = command(&[], &[("A", "menu%")]);
    check(&secrets, "menu% menu%25.", "[redacted] [redacted].");
}

#[test]
fn a_long_run_of_backslashes_is_gone_through_once() {
    let secrets = command(&[], &[("A", "hunter2-long"), ("B", r"\\server\share"), ("C", r"ab\cd1234")]);
    let run = "\\".repeat(1 << 20);
    check(&secrets, &run, &run);
    let shown = secrets.hide(&format!(r"{run}hunter2-long {run}server\share")).into_owned();
    assert!(shown.ends_with("[redacted]") && !shown.contains("hunter2") && !shown.contains("server"));
}

#[test]
fn values_of_arguments_are_hidden_wherever_they_nest() {
    let arguments = RawJson::parse(
        r#"{"city": "Zürich", "key": ["canary-7f3a9c", {"card": 4111111111111111}], "mode": "debug", "n": 12}"#,
    )
    .unwrap();
    let hidden = Secrets::of_arguments(&arguments);
    assert_eq!(
        hidden.hide(r"no canary-7f3a9c in Z\u00fcrich for 4111111111111111, debug 12"),
        "no [redacted] in [redacted] for [redacted], debug 12"
    );
}
