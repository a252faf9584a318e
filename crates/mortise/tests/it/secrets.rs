//! A planted secret appears nowhere.

use mortise_testkit::{HttpReply, ScriptedHttp};

use crate::program::{World, binary};

const CANARY: &str = "canary-7f3a9c";

/// Everything a command says, with all logging on.
fn everything(world: &World, arguments: &[&str]) -> String {
    let log = world.project().join("log.txt");
    let arguments = [arguments, &["-vvv", "--log-file", log.to_str().unwrap()]].concat();
    let ran = world.run(&arguments);
    ran.text() + &std::fs::read_to_string(log).unwrap_or_default()
}

#[test]
fn a_token_in_the_configuration() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    for status in [401, 403, 404, 500] {
        let server = runtime
            .block_on(ScriptedHttp::start(move |_| {
                HttpReply::status(status).body(format!("who is {CANARY}?"))
            }))
            .unwrap();
        let world = World::new().with("TOKEN", CANARY);
        let url = server.url(&format!("/mcp?key={CANARY}"));
        world.write(
            "secret.yaml",
            &format!("servers:\n  - name: web\n    url: {url}\n    bearer: ${{TOKEN}}\n    headers: {{X-Key: {CANARY}}}\n"),
        );
        for command in [
            &["tools"][..],
            &["tools", "--json"],
            &["doctor"],
            &["doctor", "--json"],
            &["call", "x"],
            &["check"],
            &["check", "--json"],
        ] {
            let said = everything(&world, &[command, &["--config", "secret.yaml"]].concat());
            assert!(!said.contains(CANARY), "{status} {command:?}: {said}");
        }
        assert!(!server.received().is_empty());
    }
}

#[test]
fn a_secret_argument_of_a_command_or_a_call() {
    let world = World::new();
    let server = format!("a=/nowhere/at-all --password {CANARY}");
    let said = everything(&world, &["tools", "--server", &server]);
    assert!(!said.contains(CANARY), "{said}");
    let mock = format!("a={} mock ok", binary().display());
    for wrong in [format!("a={CANARY}"), format!("a:={CANARY}"), CANARY.to_owned()] {
        let said = everything(&world, &["call", "add", &wrong, "--server", &mock]);
        assert!(!said.contains(CANARY), "{said}");
    }
    let nested = format!(r#"{{"a": "{CANARY}", "b": 1}}"#);
    let said = everything(&world, &["call", "add", "--args", &nested, "--server", &mock]);
    assert!(said.starts_with("exit: 1") && !said.contains(CANARY), "{said}");
}

/// A server that repeats the arguments of a call in its error.
const GOSSIP: &str = r#"
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case "$line" in
    *'"initialize"'*) echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"gossip\",\"version\":\"1\"}}}" ;;
    *'"tools/list"'*) echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"tools\":[{\"name\":\"ask\",\"inputSchema\":{\"type\":\"object\"}}]}}" ;;
    *'"tools/call"'*)
      key=$(printf '%s' "$line" | sed -n 's/.*"key":"\([^"]*\)".*/\1/p')
      echo "not JSON: $key"
      echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":1,\"message\":\"bad key $key\"}}" ;;
  esac
done
"#;

#[test]
fn an_argument_that_a_server_repeats_is_in_no_log() {
    let world = World::new();
    world.write("gossip.sh", GOSSIP);
    world.write("c.yaml", "servers:\n  - {name: a, command: sh, args: [gossip.sh], era: legacy}\n");
    let key = format!("key={CANARY}");
    let said = everything(&world, &["call", "ask", &key, "--config", "c.yaml"]);
    assert!(said.starts_with("exit: 5") && said.contains("bad key [redacted]"), "{said}");
    assert!(said.contains("the server broke the protocol") && !said.contains(CANARY), "{said}");
    // The caller gets all of it as the result.
    let ran = world.run(&["call", "ask", &key, "--config", "c.yaml", "--json"]).expect_exit(5);
    assert!(ran.stdout.contains(CANARY) && !ran.stderr.contains(CANARY), "{}", ran.text());
}

#[test]
fn a_secret_variable_of_a_child() {
    let world = World::new().with("TOKEN", CANARY);
    world.write(
        "secret.yaml",
        "servers:\n  - name: a\n    command: /nowhere/at-all\n    args: ['${TOKEN}']\n    env: {KEY: '${TOKEN}'}\n",
    );
    let said = everything(&world, &["tools", "--config", "secret.yaml"]);
    assert!(said.contains("exit: 4") && !said.contains(CANARY), "{said}");
}

/// A server that repeats its variable wherever it can say something.
const PARROT: &str = r#"
echo "$KEY" >&2
echo "noise $KEY"
while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
  case "$line" in
    *'"initialize"'*) echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"parrot\",\"version\":\"1\"}}}" ;;
    *'"tools/list"'*) echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"tools\":[{\"name\":\"say\",\"inputSchema\":{\"type\":\"object\"},\"outputSchema\":{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}}},\"annotations\":{\"readOnlyHint\":true}},{\"name\":\"fail\",\"inputSchema\":{\"type\":\"object\"},\"annotations\":{\"readOnlyHint\":true}}]}}" ;;
    *'"fail"'*) echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":1,\"message\":\"bad $KEY\",\"data\":{\"key\":\"$KEY\"}}}" ;;
    *'"tools/call"'*) echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"$KEY\"}],\"structuredContent\":{\"n\":\"$KEY\"}}}" ;;
    *'"id"'*) echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"error\":{\"code\":-32601,\"message\":\"no $KEY\"}}" ;;
  esac
done
"#;

#[test]
fn a_secret_that_a_server_repeats() {
    let world = World::new().with("TOKEN", CANARY);
    world.write("parrot.sh", PARROT);
    world.write(
        "secret.yaml",
        "servers:\n  - {name: a, command: sh, args: [parrot.sh], env: {KEY: '${TOKEN}'}, era: legacy}\n",
    );
    let reports = ["json", "junit", "sarif", "html"].map(|format| format!("{format}=report.{format}"));
    let mut check = vec!["check", "--config", "secret.yaml"];
    check.extend(reports.iter().flat_map(|report| ["--report", report.as_str()]));
    let said = everything(&world, &check);
    assert!(said.contains("contract_violation") && said.contains("[redacted]"), "{said}");
    assert!(!said.contains(CANARY), "{said}");
    for format in ["json", "junit", "sarif", "html"] {
        let report = std::fs::read_to_string(world.project().join(format!("report.{format}"))).unwrap();
        assert!(report.contains("[redacted]") && !report.contains(CANARY), "{report}");
    }
    for command in [&["call", "fail"][..], &["call", "fail", "--json"], &["tools"], &["doctor"]] {
        let said = everything(&world, &[command, &["--config", "secret.yaml"]].concat());
        assert!(!said.contains(CANARY), "{command:?}: {said}");
    }
}
