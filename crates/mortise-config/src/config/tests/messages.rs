//! What each mistake is answered with.

use super::*;

/// The complaints about a text, without the path, and the hints: why the file is refused, or which servers are left out.
fn complaints(text: &str) -> String {
    let project = Project::new();
    let path = project.write("project/x.yaml", text);
    let (mut lines, hints) = match project.load(std::slice::from_ref(&path)) {
        Ok(loaded) => left_out(&loaded),
        Err(error) => (vec![error.to_string()], error.hints()),
    };
    if lines.is_empty() {
        return "nothing".to_owned();
    }
    lines.extend(hints.into_iter().map(|hint| format!("hint: {hint}")));
    lines
        .join("\n")
        .replace(path.to_str().unwrap(), "x.yaml")
        .replace(path.parent().unwrap().to_str().unwrap(), "DIR")
}

/// The servers that are listed and can't be used, and what to do about them.
fn left_out(loaded: &LoadedConfig) -> (Vec<String>, Vec<String>) {
    let (mut lines, mut hints) = (Vec::new(), Vec::new());
    for server in &loaded.config.servers {
        if let Transport::Unusable(entry) = &server.transport {
            lines.push(format!("without {}: {}", server.name, entry.reason));
            hints.extend(entry.hints.clone());
        }
    }
    (lines, hints)
}

#[track_caller]
fn check(text: &str, expected: &str) {
    let found = complaints(text);
    assert_eq!(found, expected, "\n--- for\n{text}\n--- found\n{found}\n");
}

#[test]
fn unknown_keys_are_refused_by_name_with_the_nearest_one() {
    check(
        "server: []",
        "x.yaml:1:1: unknown key `server`\n\
         hint: did you mean `servers`?",
    );
    check(
        "servers:\n  - name: a\n    comand: x\n",
        "without a: x.yaml:3:5: unknown key `comand`\n\
         hint: did you mean `command`?",
    );
    check(
        "execution:\n  timeout: 5\n",
        "x.yaml:2:3: unknown key `timeout`\n\
         hint: did you mean `timeout_seconds`?",
    );
    check(
        "tools:\n  allowed: []\n",
        "x.yaml:2:3: unknown key `allowed`\n\
         hint: did you mean `allow`?",
    );
    check(
        "servers:\n  - name: a\n    url: https://x\n    oauth: {zzz: 1}\n",
        "without a: x.yaml:4:13: unknown key `zzz`\n\
         hint: known keys: client_id, client_secret, client_secret_file, issuer, scopes, grant",
    );
    check(
        "servers:\n  a:\n    Command: x\n",
        "without a: x.yaml:3:5: unknown key `Command`\n\
         hint: did you mean `command`?",
    );
}

#[test]
fn values_of_the_wrong_kind_name_the_right_one() {
    check(
        "servers: 5",
        "x.yaml:1:1: expected a list of servers or a mapping from name to server, found a whole number",
    );
    check("servers: [5]", "without unnamed: x.yaml:1:11: expected a mapping");
    check("- a", "x.yaml:1:1: expected a mapping");
    check("servers:\n  - name: a\n    command: [x]\n", "without a: x.yaml:3:14: expected a text");
    check("servers:\n  - name: a\n    command: x\n    args: y\n", "without a: x.yaml:4:11: expected a list");
    check(
        "servers:\n  - name: a\n    command: x\n    env: [y]\n",
        "without a: x.yaml:4:5: expected a mapping of variables, or `inherit`, found a list",
    );
    check(
        "servers:\n  - name: a\n    command: x\n    disabled: maybe\n",
        "without a: x.yaml:4:15: expected `true` or `false`",
    );
    check(
        "servers:\n  - name: a\n    command: x\n    mode: strickt\n",
        "without a: x.yaml:4:11: unknown value `strickt`\n\
         hint: did you mean `strict`?",
    );
    check(
        "servers:\n  - name: a\n    command: x\n    era: 2026\n",
        "without a: x.yaml:4:10: unknown value `2026`\n\
         hint: known values: auto, legacy, modern",
    );
    check("execution:\n  max_tool_calls: many\n", "x.yaml:2:19: expected a whole number");
    check("execution:\n  max_tool_calls: 1.5\n", "x.yaml:2:19: expected a whole number");
    check("execution:\n  timeout_seconds: soon\n", "x.yaml:2:20: expected a number");
}

#[test]
fn yaml_itself_is_checked() {
    check("servers: [", "x.yaml:1:10: not YAML: unclosed bracket '['");
    check(
        "servers:\n\t- a\n",
        "x.yaml:2:2: not YAML: tabs disallowed within this context (block indentation)",
    );
    check(
        "a: b: c",
        "x.yaml:1:1: unknown key `a`\n\
         hint: known keys: servers, tools, expose, approvals, execution, validation, lock, journal, observe, wizards, import",
    );
    check(
        "tools: {}\ntools: {}\n",
        "x.yaml:2:1: the key `tools` stands here twice\n\
         hint: rename or remove one of them",
    );
    check(
        "servers:\n  a: {command: x}\n  a: {command: y}\n",
        "without a (2): x.yaml:3:6: the server `a` is already defined at x.yaml:2:6\n\
         hint: rename or remove one of them",
    );
    check(
        "servers: []\n---\nservers: []\n",
        "x.yaml:2:1: a second document begins here; a configuration is one document",
    );
    check(
        "servers: !!seq []\n",
        "x.yaml:1:10: the tag `tag:yaml.org,2002:seq` is not allowed\n\
         hint: write the plain value; tags are never needed here",
    );
    check(
        "servers:\n  - name: !secret a\n",
        "without a: x.yaml:2:11: the tag `!secret` is not allowed\n\
         hint: write the plain value; tags are never needed here",
    );
    check("servers: *nowhere\n", "x.yaml:1:10: not YAML: reference to unknown value");
}

#[test]
fn names_are_checked() {
    check(
        "servers:\n  - command: x\n",
        "without unnamed: x.yaml:2:5: this server has no `name`\n\
         hint: give every entry of the list `servers` a `name`",
    );
    check(
        "servers:\n  - name: ''\n    command: x\n",
        "without unnamed: x.yaml:2:11: a server name can't be empty",
    );
    check(
        "servers:\n  - name: \"a\\tb\"\n    command: x\n",
        "without ab: x.yaml:2:11: the server name has '\\t' in it",
    );
    check(
        "servers:\n  - {name: a, command: x}\n  - {name: b, command: x}\n  - {name: a, command: y}\n",
        "without a (2): x.yaml:4:5: the server `a` is already defined at x.yaml:2:5\n\
         hint: rename or remove one of them",
    );
    check(
        "servers:\n  a: {name: b, command: x}\n",
        "without a: x.yaml:2:13: `name` is `b` but the key is `a`",
    );
}

#[test]
fn transports_are_checked() {
    check(
        "servers:\n  - name: a\n",
        "without a: x.yaml:2:5: neither `command` nor `url` is set\n\
         hint: add `command` to start a program, or `url` to connect over HTTP",
    );
    check(
        "servers:\n  - {name: a, transport: stdio}\n",
        "without a: x.yaml:2:5: stdio transport requires `command`",
    );
    check(
        "servers:\n  - {name: a, transport: http}\n",
        "without a: x.yaml:2:5: http transport requires `url`",
    );
    check(
        "servers:\n  - {name: a, transport: sse, url: 'https://x/sse'}\n",
        "without a: x.yaml:2:26: the HTTP+SSE transport of 2024-11-05 is not supported, only Streamable HTTP is\n\
         hint: set `transport: http` and the server's Streamable HTTP address",
    );
    check(
        "servers:\n  - {name: a, transport: websocket}\n",
        "without a: x.yaml:2:26: unknown value `websocket`\n\
         hint: known values: stdio, http",
    );
    check(
        "servers:\n  - {name: a, command: x, url: 'https://x'}\n",
        "without a: x.yaml:2:32: `command` and `url` are mutually exclusive\n\
         hint: keep one of the two",
    );
    check(
        "servers:\n  - {name: a, command: x, headers: {}}\n",
        "without a: x.yaml:2:5: `headers` means nothing with stdio transport",
    );
    check(
        "servers:\n  - {name: a, url: 'https://x', env: {}, args: []}\n",
        "without a: x.yaml:2:5: `args` means nothing with http transport; x.yaml:2:5: `env` means nothing with http transport",
    );
    check("servers:\n  - {name: a, command: ''}\n", "without a: x.yaml:2:24: `command` is empty");
    check(
        "servers:\n  - {name: a, command: x, args: [\"a\\0b\"]}\n",
        "without a: x.yaml:2:34: `args` has a NUL character in it",
    );
    check(
        "servers:\n  - {name: a, url: 'ftp://x'}\n",
        "without a: x.yaml:2:20: `url` is not an http or https address: its scheme is `ftp`\n\
         hint: write it as `https://host/path`",
    );
    check(
        "servers:\n  - {name: a, url: 'example.com/mcp'}\n",
        "without a: x.yaml:2:20: `url` is not an http or https address: relative URL without a base\n\
         hint: write it as `https://host/path`",
    );
    check(
        "servers:\n  - {name: a, url: 'https://'}\n",
        "without a: x.yaml:2:20: `url` is not an http or https address: empty host\n\
         hint: write it as `https://host/path`",
    );
}

#[test]
fn the_environment_is_checked() {
    check("servers:\n  - {name: a, command: x, env: inherit}\n", "nothing");
    check(
        "servers:\n  - {name: a, command: x, env: inherrit}\n",
        "without a: x.yaml:2:27: unknown value `inherrit`\n\
         hint: did you mean `inherit`?",
    );
    check(
        "servers:\n  - {name: a, command: x, env: inherit, environment: clean}\n",
        "without a: x.yaml:2:54: `env` and `environment` are mutually exclusive\n\
         hint: keep one of the two",
    );
}

#[test]
fn samples_are_checked() {
    check(
        "servers:\n  - {name: a, sample: weather}\n",
        "without a: x.yaml:2:23: unknown value `weather`\n\
         hint: known values: built-in",
    );
    check(
        "servers:\n  - {name: a, sample: built-in, command: x}\n",
        "without a: x.yaml:2:5: `command` means nothing with `sample`",
    );
    check(
        "servers:\n  - {name: a, sample: bult-in}\n",
        "without a: x.yaml:2:23: unknown value `bult-in`\n\
         hint: did you mean `built-in`?",
    );
    let loaded = load_text("servers: [{name: a, sample: built-in}]").unwrap();
    assert!(matches!(loaded.config.servers[0].transport, Transport::InProcess(_)));
}

#[test]
fn credentials_are_checked() {
    check(
        "servers:\n  - {name: a, url: 'https://x', bearer: t, bearer_file: f}\n",
        "without a: x.yaml:2:57: `bearer` and `bearer_file` are mutually exclusive\n\
         hint: keep one of the two",
    );
    check(
        "servers:\n  - {name: a, url: 'https://x', bearer: t, oauth: {}}\n",
        "without a: x.yaml:2:51: `bearer` and `oauth` are mutually exclusive\n\
         hint: keep one of the two",
    );
    check(
        "servers:\n  - {name: a, url: 'https://x', bearer: t, headers: {Authorization: u}}\n",
        "without a: x.yaml:2:41: `headers.Authorization` and `bearer` are mutually exclusive\n\
         hint: keep one of the two",
    );
    check(
        "servers:\n  - {name: a, url: 'https://x', bearer_file: nowhere}\n",
        "without a: x.yaml:2:46: cannot read `DIR/nowhere` for `bearer_file`: No such file or directory (os error 2)",
    );
    check(
        "servers:\n  - {name: a, url: 'https://x', bearer: '${EMPTY}'}\n",
        "without a: x.yaml:2:41: `bearer` is empty",
    );
    check(
        "servers:\n  - {name: a, url: 'https://x', bearer: \"a\\nb\"}\n",
        "without a: x.yaml:2:41: `bearer` has a character that HTTP does not allow",
    );
    check(
        "servers:\n  - {name: a, url: 'https://x', headers: {'a b': c}}\n",
        "without a: x.yaml:2:50: the header `a b` has a name that HTTP does not allow",
    );
    check(
        "servers:\n  - {name: a, url: 'https://x', headers: {a: \"b\\r\\nc: d\"}}\n",
        "without a: x.yaml:2:46: the header `a` has a value that HTTP does not allow",
    );
    check(
        "servers:\n  - {name: a, url: 'https://x', headers: {a: b, A: c}}\n",
        "without a: x.yaml:2:46: the key `a` stands here twice\n\
         hint: rename or remove one of them",
    );
    check(
        "servers:\n  - {name: a, url: 'https://x', oauth: {grant: client_credentials}}\n",
        "without a: x.yaml:2:48: `grant: client_credentials` requires `client_id` and `client_secret`",
    );
    check(
        "servers:\n  - {name: a, command: x, env: {MORTISE_DEPTH: '0'}}\n",
        "without a: x.yaml:2:48: `MORTISE_DEPTH` is set by mortise itself\n\
         hint: remove it from `env`",
    );
    check(
        "servers:\n  - {name: a, command: x, env: {'A=canary': '0'}}\n",
        "without a: x.yaml:2:45: `A` can't be set as an environment variable",
    );
}

#[test]
fn variables_are_checked() {
    check(
        "servers:\n  - {name: a, command: '${NOT_SET}'}\n",
        "without a: x.yaml:2:24: ${NOT_SET} is not set\n\
         hint: set NOT_SET, or write `${NOT_SET:-default}`",
    );
    check(
        "servers:\n  - name: a\n    command: x\n    args: ['${A}', '${B']\n    env: {X: '${input:x}'}\n",
        "without a: x.yaml:4:12: ${A} is not set; x.yaml:4:20: `${` is never closed; x.yaml:5:14: `${…}` holds no variable name\n\
         hint: set A, or write `${A:-default}`\n\
         hint: write `${NAME}` or `${NAME:-default}`; a literal `${` is written `$${`",
    );
    check(
        "servers:\n  - {name: a, url: 'https://${HOST:-${OTHER}}/'}\n",
        "without a: x.yaml:2:20: the default of ${HOST} has another `${` in it\n\
         hint: give the default as plain text",
    );
}

#[test]
fn numbers_are_checked() {
    check(
        "execution:\n  timeout_seconds: 0\n  max_tool_calls: -1\n  max_output_bytes: 0\n",
        "x.yaml:2:20: `timeout_seconds` must be larger than zero\n\
         x.yaml:3:19: `max_tool_calls` must be larger than zero\n\
         x.yaml:4:21: `max_output_bytes` must be larger than zero",
    );
    check("execution: {timeout_seconds: -0.5}", "x.yaml:1:30: `timeout_seconds` must be larger than zero");
    check("execution: {timeout_seconds: .nan}", "x.yaml:1:30: `timeout_seconds` must be larger than zero");
    check("execution: {timeout_seconds: 600.5}", "x.yaml:1:30: `timeout_seconds` can be at most 600");
    check(
        "execution: {timeout_seconds: .inf, max_concurrent_calls: 65}",
        "x.yaml:1:30: `timeout_seconds` can be at most 600\n\
         x.yaml:1:58: `max_concurrent_calls` can be at most 64",
    );
    check(
        "servers: [{name: a, command: x, in_flight: 0, call_timeout_seconds: 1e9}]",
        "without a: x.yaml:1:44: `in_flight` must be larger than zero; x.yaml:1:69: `call_timeout_seconds` can be at most 600",
    );
}

#[test]
fn filters_are_checked() {
    check(
        "tools:\n  allow: [a]\n  block: [b]\n",
        "x.yaml:3:10: `tools.allow` and `tools.block` are mutually exclusive\n\
         hint: keep one of the two",
    );
    check("tools: {allow: ['']}\n", "x.yaml:1:17: `pattern` is empty");
}

#[test]
fn imports_are_checked() {
    check(
        "import: [nowhere.json]\n",
        "without nowhere.json: x.yaml:1:10: cannot import `nowhere.json`: No such file or directory (os error 2)",
    );
    check(
        "import: [x.yaml]\n",
        "without x.yaml: x.yaml:1:1: there are no servers in this file\n\
         hint: servers are looked for under `mcpServers`, `servers`, `mcp.servers`, `context_servers` and `[mcp_servers]`",
    );
}

#[test]
fn a_bad_import_leaves_the_other_files_alone() {
    let project = Project::new();
    let path = project.write(
        "home/x.yaml",
        "import: [good.json, nowhere.json, broken.json]\nservers: [{name: own, command: x}]\n",
    );
    project.write("home/good.json", r#"{"mcpServers": {"imported": {"command": "y"}}}"#);
    project.write("home/broken.json", r#"{"mcpServers": "#);
    let loaded = project.load(std::slice::from_ref(&path)).unwrap();
    assert_eq!(names(&loaded), ["own", "imported", "nowhere.json", "broken.json"]);
    let is_unusable = |server: &ServerConfig| matches!(server.transport, Transport::Unusable(_));
    let unusable: Vec<bool> = loaded.config.servers.iter().map(is_unusable).collect();
    assert_eq!(unusable, [false, false, true, true]);
    let untrusted = Config::untrusted(&project.environment, &path).unwrap();
    let files: Vec<_> = untrusted.files.iter().filter_map(|file| file.path.file_name()).collect();
    assert_eq!(files, ["x.yaml", "good.json", "broken.json"], "a missing file can't be trusted");
}

#[test]
fn a_bad_entry_is_left_out_and_nothing_else() {
    let text = "# first\nservers:\n  - name: good\n    command: x\n  - &odd\n    name: odd # why\n    comand: y\n    \
                args: [ä, ü]\n\n  - {name: flow, command: x, argz: 1}\n  - 5\n  - {name: unset, command: '${NOT_SET}'}\n  \
                - name: last\n    command: x\nexecution: {trace: summary}\n";
    check(
        text,
        "without odd: x.yaml:7:5: unknown key `comand`\n\
         without flow: x.yaml:10:30: unknown key `argz`\n\
         without unset: x.yaml:12:28: ${NOT_SET} is not set\n\
         without unnamed: x.yaml:11:5: expected a mapping\n\
         hint: did you mean `command`?\n\
         hint: did you mean `args`?\n\
         hint: set NOT_SET, or write `${NOT_SET:-default}`",
    );
    let loaded = load_text(text).unwrap();
    assert_eq!(names(&loaded), ["good", "odd", "flow", "unset", "last", "unnamed"]);
    assert_eq!(loaded.config.execution.trace, Trace::Summary);
    assert_eq!(loaded.places[4].position, Position { line: 13, column: 5 }, "places stay what they were");

    let mapping =
        "servers:\n  a: {comand: x}\n  b:\n    command: x\n  b: {command: y}\n  c:\n  d: {command: z}\n";
    check(
        mapping,
        "without a: x.yaml:2:7: unknown key `comand`\n\
         without c: x.yaml:6:4: expected a mapping, found nothing\n\
         without b (2): x.yaml:5:6: the server `b` is already defined at x.yaml:4:5\n\
         hint: did you mean `command`?\n\
         hint: rename or remove one of them",
    );
}

#[test]
fn a_byte_order_mark_and_carriage_returns_move_nothing() {
    let text = "\u{feff}servers:\r\n  - name: \"ü\"\r\n    comand: ä\r\n  - {name: b, command: x}\r\n";
    check(text, "without ü: x.yaml:3:5: unknown key `comand`\nhint: did you mean `command`?");
    let loaded = load_text(text).unwrap();
    assert_eq!(names(&loaded), ["ü", "b"]);
}

#[test]
fn too_many_bad_entries_are_a_bad_file() {
    let entries = |count: usize| (0..count).map(|at| format!("  s{at}: {{comand: x}}\n")).collect::<String>();
    let left = |count: usize| load_text(&format!("servers:\n{}", entries(count)));
    assert_eq!(left(32).unwrap().config.servers.len(), 32);
    let refused = left(33).unwrap_err().to_string();
    assert!(refused.ends_with(":34:9: unknown key `comand`"), "{refused}");
}

#[test]
fn an_entry_that_can_t_be_used_keeps_its_name_from_imports() {
    let project = Project::new();
    let path =
        project.write("home/x.yaml", "import: [o.json]\nservers: [{name: a, command: '${NOT_SET}'}]\n");
    project.write(
        "home/o.json",
        r#"{"mcpServers": {"a": {"command": "other"}, "b": {"command": "${NOT_SET}"}}}"#,
    );
    let loaded = project.load(&[path]).unwrap();
    assert_eq!(names(&loaded), ["a", "b"]);
    assert!(loaded.config.servers.iter().all(|server| matches!(server.transport, Transport::Unusable(_))));
    assert_eq!(loaded.notes.len(), 1, "the imported `a` is skipped: {:?}", loaded.notes);
}

#[test]
fn the_same_section_in_two_files_is_refused() {
    let project = Project::new();
    let one = project.write("one.yaml", "execution: {trace: off}\nservers: [{name: a, command: x}]\n");
    let two = project.write("two.yaml", "\nexecution: {check: off}\nservers: [{name: a, command: y}]\n");
    let error = project.load(&[one, two]).unwrap_err().to_string();
    let root = format!("{}/", project.root().display());
    assert_eq!(error.replace(&root, ""), "two.yaml:2:12: `execution` is already set in `one.yaml`");
}

#[test]
fn limits_hold_at_the_bound_and_past_it() {
    let padded = |bytes: usize| format!("servers: []\n{}", "#".repeat(bytes - 12));
    check(&padded(1024 * 1024), "nothing");
    check(&padded(1024 * 1024 + 1), "x.yaml: the file passes the limit of 1048576 bytes");

    // The root, its two keys, their two lists.
    let nodes = |count: usize| format!("expose: [{}]", vec!["a"; count - 3].join(","));
    check(&nodes(10_000), "nothing");
    assert!(complaints(&nodes(10_001)).ends_with("the file passes the limit of 10000 nodes"));

    // Each alias is a node of its own once it is expanded.
    let aliases = |count: usize| format!("expose: [&a x{}]", ", *a".repeat(count));
    check(&aliases(4_000), "nothing");
    let found = complaints(&aliases(10_001));
    assert!(found.contains("limit of 10000 nodes"), "{found}");

    let project = Project::new();
    project.write("project/.mcp.json", "{\"mcpServers\": {}}");
    let imports = |count: usize| {
        let path =
            project.write("project/x.yaml", &format!("import: [{}]", vec![".mcp.json"; count].join(",")));
        project.load(&[path]).map_err(|error| error.to_string())
    };
    assert!(imports(32).is_ok());
    assert!(imports(33).unwrap_err().ends_with("the file passes the limit of 32 imports"));

    assert!(complaints(&format!("expose: {}", "[".repeat(100_000))).starts_with("x.yaml:1:"));
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let project = Project::new();
    let error = project.load(&[PathBuf::from("nowhere.yaml")]).unwrap_err();
    assert_eq!(error.to_string(), "cannot read `nowhere.yaml`");
    assert_eq!(error.hints(), ["`mortise list` shows which servers are configured without it"]);
}
