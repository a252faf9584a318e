//! Every rule fails on a bad sample and passes on a good one.

use super::packages::{Dependency, Package};
use super::*;

fn tree(path: &str, text: &str) -> Tree {
    Tree { files: vec![TreeFile { path: path.to_owned(), text: text.to_owned() }] }
}

/// The problems of one file, without those about files that are missing.
fn problems(path: &str, text: &str) -> Vec<String> {
    let tree = tree(path, text);
    let mut findings = files::findings(&tree);
    findings.retain(|finding| finding.problem != "this file must exist");
    findings.extend(manifests::findings(&tree));
    findings.extend(walls::findings(&tree));
    findings.extend(workflows::findings(&tree));
    findings.iter().map(ToString::to_string).collect()
}

#[track_caller]
fn refused(path: &str, text: &str, expected: &str) {
    let problems = problems(path, text);
    assert!(problems.iter().any(|problem| problem.contains(expected)), "{path}: {problems:?}");
}

#[track_caller]
fn accepted(path: &str, text: &str) {
    assert_eq!(problems(path, text), Vec::<String>::new(), "{path}");
}

#[test]
fn a_file_opens_with_its_idea() {
    refused("crates/mortise/src/a.rs", "use std::fmt;\n", "first line must be");
    accepted("crates/mortise/src/a.rs", "//! An idea.\n");
}

#[test]
fn a_long_file_is_refused() {
    let text = |lines: usize| format!("//! An idea.\n{}", "//\n".repeat(lines - 1));
    accepted("xtask/src/a.rs", &text(600));
    refused("xtask/src/a.rs", &text(601), "601 lines");
}

#[test]
fn vague_file_names_are_refused() {
    refused("crates/mortise/src/a/mod.rs", "//! x\n", "`mod` does not say");
    refused("crates/mortise/src/utils.rs", "//! x\n", "`utils` does not say");
    accepted("crates/mortise/src/model.rs", "//! x\n");
}

#[test]
fn lib_holds_only_modules_and_exports() {
    let path = "crates/mortise-server/src/lib.rs";
    accepted(
        path,
        "//! Doc.\n#![doc(html_root_url = \"x\")]\npub mod a;\nmod b;\npub use a::{B, C};\n#[cfg(test)]\nmod tests;\n",
    );
    refused(path, "//! Doc.\npub fn f() {}\n", "`pub fn f() {}`");
    refused(path, "//! Doc.\nmod a { pub struct B; }\n", "move it to a module");
}

#[test]
fn unfinished_work_is_refused_in_every_file() {
    refused("docs/a.md", concat!("TO", "DO: write\n"), "docs/a.md:1");
    refused("crates/mortise/src/a.rs", concat!("//! x\n// FIX", "ME later\n"), "finish it");
}

#[test]
fn addresses_and_machine_paths_are_refused() {
    refused("docs/a.md", concat!("get it from pypi.", "org\n"), "no address");
    refused(".ci/run", concat!("cd /ro", "ot/x\n"), "paths of one machine");
}

#[test]
fn sleeping_and_ignored_tests_are_refused() {
    refused("crates/mortise/tests/it/a.rs", "//! x\n#[ignore = \"slow\"]\nfn f() {}\n", "`#[ignore`");
    refused(
        "crates/mortise/src/a/tests.rs",
        "//! x\nfn f() { std::thread::sleep(d); }\n",
        "never for the clock",
    );
}

#[test]
fn the_core_stays_pure() {
    let path = "crates/mortise-contract/src/a.rs";
    for import in [
        "use std::fs;",
        "use std::{fmt, net::TcpStream};",
        "use std::time::{Duration, Instant};",
        "use tokio::sync::Mutex;",
        "use std::time::SystemTime as Clock;",
        "fn f() { std::env::var(\"A\"); }",
        "use rand::Rng;",
    ] {
        refused(path, &format!("//! x\n{import}\n"), "mortise-contract and mortise-declare are pure");
    }
    accepted(
        path,
        "//! x\n// std::fs would be wrong here\nuse std::time::Duration;\nconst A: &str = \"std::fs\";\n",
    );
    accepted("crates/mortise-contract/src/a/tests.rs", "//! x\nuse std::fs;\n");
    refused("crates/mortise-declare/src/a.rs", "//! x\nuse std::fs;\n", "are pure");
}

#[test]
fn rmcp_stays_in_wire() {
    refused("crates/mortise-server/src/a.rs", "//! x\nuse rmcp::model::Tool;\n", "`wire.rs` or `wire/`");
    refused(
        "crates/mortise-server/src/a.rs",
        "//! x\nfn f(tool: rmcp::model::Tool) {}\n",
        "`wire.rs` or `wire/`",
    );
    accepted("crates/mortise-server/src/wire.rs", "//! x\nuse rmcp::model::Tool;\n");
    accepted("crates/mortise-client/src/wire/tee.rs", "//! x\nuse rmcp::model::Tool;\n");
}

#[test]
fn only_the_binary_meets_the_outside() {
    for line in ["println!(\"x\")", "std::process::exit(1)", "std::env::args()", "env::var(\"A\")"] {
        refused(
            "crates/mortise-client/src/a.rs",
            &format!("//! x\nfn f() {{ {line}; }}\n"),
            "only the binary",
        );
        accepted("crates/mortise/src/a.rs", &format!("//! x\nfn f() {{ {line}; }}\n"));
    }
    accepted("crates/mortise-client/src/a.rs", "//! x\nconst A: &str = env!(\"CARGO_PKG_VERSION\");\n");
}

#[test]
fn time_is_measured_with_a_clock_that_never_jumps() {
    for now in ["SystemTime::now()", "std::time::SystemTime::now()", "Utc::now()", "chrono::Utc::now()"] {
        refused("crates/mortise-server/src/a.rs", &format!("//! x\nfn f() {{ {now}; }}\n"), "can jump");
    }
    accepted("crates/mortise-server/src/a.rs", "//! x\nfn f() { Instant::now(); }\n");
    accepted("crates/mortise-tester/src/moment.rs", "//! x\nfn f() { Utc::now(); }\n");
}

#[test]
fn unsafe_needs_a_listed_module() {
    refused("crates/mortise/src/a.rs", "//! x\nfn f() { unsafe { g() } }\n", "`unsafe` is used only");
    accepted("crates/mortise/src/a.rs", "//! x\n// unsafe would be wrong\n#![deny(unsafe_code)]\n");
}

#[test]
fn manifests_inherit_and_have_listed_features_only() {
    let head = "[package]\nname = \"a\"\ndescription = \"d\"\n[lints]\nworkspace = true\n";
    accepted("crates/a/Cargo.toml", &format!("{head}[dependencies]\nserde.workspace = true\n"));
    refused("crates/b/Cargo.toml", head, "must be called `b`");
    refused("crates/a/Cargo.toml", &format!("{head}[features]\nidn = []\n"), "no Cargo features");
    let contract = head.replace("\"a\"", "\"mortise-contract\"");
    accepted("crates/mortise-contract/Cargo.toml", &format!("{contract}[features]\nidn = []\n"));
    refused("crates/mortise-contract/Cargo.toml", &format!("{contract}[features]\nx = []\n"), "make `x`");
    refused("crates/a/Cargo.toml", &format!("{head}[dependencies]\nserde = \"1\"\n"), "root manifest");
    refused("crates/a/Cargo.toml", "[package]\nname = \"a\"\n", "`[lints] workspace = true`");
    refused("crates/a/Cargo.toml", "[package]\nname = \"a\"\n", "`description`");
    let unix =
        format!("{head}[target.'cfg(unix)'.dependencies]\nrustix = {{ version = \"1\", optional = true }}\n");
    refused("crates/a/Cargo.toml", &unix, "`rustix` in [dependencies] is optional");
    let server = head.replace("\"a\"", "\"mortise-server\"");
    let axum = "[dependencies]\naxum = { workspace = true, optional = true }\n";
    accepted(
        "crates/mortise-server/Cargo.toml",
        &format!("{server}[features]\nhttp = [\"dep:axum\"]\n{axum}"),
    );
}

#[test]
fn an_action_is_named_by_its_commit() {
    let path = ".github/workflows/a.yml";
    let commit = "0123456789abcdef0123456789abcdef01234567";
    accepted(path, &format!("steps:\n  - uses: a/b@{commit} # v4.2.2\n  - run: uses a tool: x@v1\n"));
    for action in ["a/b@v4", "a/b@main", "a/b", "./local", "docker://a:1", "a/b@0123456 # v4"] {
        refused(path, &format!("  - uses: {action}\n"), "FULL_COMMIT # VERSION");
    }
    refused(path, &format!("  - uses: a/b@{commit}\n"), "FULL_COMMIT # VERSION");
    refused(path, "  - name: x\n    uses: a/b@v4 # v4\n", "a.yml:2");
    refused(path, "  - { \"uses\" : a/b@v4 }\n", "a.yml:1");
}

#[track_caller]
fn dependency(package: &str, dependency: &str, development: bool, expected: Option<&str>) {
    let dependencies = vec![Dependency { name: dependency.to_owned(), development }];
    let findings = packages::findings(&[Package { name: package.to_owned(), dependencies }]);
    let problems: Vec<String> = findings.iter().map(ToString::to_string).collect();
    match expected {
        None => assert!(problems.is_empty(), "{problems:?}"),
        Some(text) => assert!(problems.iter().any(|problem| problem.contains(text)), "{problems:?}"),
    }
}

#[test]
fn layers_hold() {
    dependency("mortise-server", "mortise-contract", false, None);
    dependency("mortise-server", "mortise-client", false, Some("must not depend on `mortise-client`"));
    dependency("mortise-tester", "mortise-executor", false, Some("must not depend on `mortise-executor`"));
    dependency("mortise", "mortise-tester", false, None);
    dependency("mortise-new", "serde", false, Some("has no place yet"));
    dependency("mortise-config", "mortise-client", false, None);
    dependency("mortise-client", "mortise-config", false, Some("must not depend on `mortise-config`"));
    dependency("mortise-executor", "mortise-config", false, Some("must not depend on `mortise-config`"));
}

#[test]
fn fences_hold() {
    dependency("mortise", "rmcp", false, Some("only `mortise-client`"));
    dependency("mortise-client", "rmcp", false, None);
    dependency("mortise-executor", "wasmtime-wasi", false, Some("only `mortise-script`"));
    dependency("mortise-formats", "ruff_python_parser", false, None);
    dependency("mortise-formats", "ty_python_semantic", false, Some("only `mortise-typecheck`"));
    dependency("mortise-executor", "salsa", false, Some("only `mortise-typecheck`"));
    dependency("mortise-executor", "ruff_python_ast", false, Some("only `mortise-"));
    dependency("mortise-contract", "tokio", false, Some("is pure"));
    dependency("mortise-declare", "tokio", false, Some("is pure"));
    dependency("mortise-contract", "mortise-declare", false, Some("mortise-declare"));
    dependency("mortise-client", "mortise-testkit", true, None);
    dependency("mortise-client", "mortise-testkit", false, Some("[dev-dependencies] only"));
}

#[track_caller]
fn weight(package: &str, crates: &[&str], expected: Option<&str>) {
    let crates = crates.iter().map(|name| format!("{name} v1.0.0")).collect();
    let findings = weights::findings(&[weights::Weight { package: package.to_owned(), crates }]);
    let problems: Vec<_> = findings.into_iter().map(|finding| finding.problem).collect();
    match expected {
        None => assert!(problems.is_empty(), "{problems:?}"),
        Some(text) => assert!(problems.iter().any(|problem| problem.contains(text)), "{problems:?}"),
    }
}

#[test]
fn what_a_library_brings_along_is_bounded() {
    let many: Vec<String> = (0..1000).map(|number| format!("crate-{number}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    weight("mortise-client", &["tokio"], None);
    weight("mortise-client", &many, Some("1000 crates"));
    weight("mortise-client", &["toml_parser"], Some("brings `toml_parser`"));
    weight("mortise-server", &["rmcp", "tokio"], None);
    weight("mortise-server", &["hyper-util"], Some("brings `hyper-util`"));
}

#[test]
fn a_missing_page_is_named() {
    let findings = files::findings(&tree("README.md", ""));
    assert!(findings.iter().any(|finding| finding.place == "CHANGELOG.md"));
    assert!(!findings.iter().any(|finding| finding.place == "README.md"));
}

#[test]
fn comments_and_literals_are_not_code() {
    let code = source::code_only("a /* b /* c */ d */ \"e\\\"f\" r#\"g\"# 'h' '\\'' &'i x // j\nk");
    assert_eq!(code.split_whitespace().collect::<Vec<_>>(), ["a", "&'i", "x", "k"]);
}

#[test]
fn use_groups_are_spelled_in_full() {
    let code = "pub use a::{self, b::{c as d, e}, f};\nfn reuse () {}\nuse g;";
    let imports: Vec<String> = source::imports(code).into_iter().map(|(_, path)| path).collect();
    assert_eq!(imports, ["a::", "a::b::c", "a::b::e", "a::f", "g"]);
}

#[test]
fn snippets_are_examples() {
    let example =
        TreeFile { path: "crates/a/examples/b.rs".to_owned(), text: "//! B.\n\nfn b() {}\n".to_owned() };
    let page = |text: &str| TreeFile { path: "README.md".to_owned(), text: text.to_owned() };
    let problems = |text: &str| {
        let files = vec![page(text), TreeFile { path: example.path.clone(), text: example.text.clone() }];
        snippets::findings(&Tree { files }).into_iter().map(|finding| finding.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(problems("x\n```rust\n// crates/a/examples/b.rs\nfn b() {}\n```\n"), Vec::<String>::new());
    assert!(
        problems("x\n```rust\n// crates/a/examples/b.rs\nfn c() {}\n```\n")[0]
            .starts_with("README.md:2: this is not")
    );
    assert!(problems("```rust\nfn b() {}\n```\n")[0].contains("begins with"));
    assert!(problems("```rust\n// crates/a/examples/c.rs\n```\n")[0].contains("no example"));
}

/// A crate with a few items, and a plan that says this about it.
fn planned(plan: &str) -> Vec<String> {
    let file = |path: &str, text: &str| TreeFile { path: path.to_owned(), text: text.to_owned() };
    let source = "//! A.\nuse tokio::sync::Notify;\n// fn gone()\npub(crate) struct Pool {\n    pub size: usize,\n}\n\
                  impl Pool {\n    pub(crate) async fn drain(&self) {}\n}\nenum Way {\n    Out,\n}\n\
                  pub const LEAST: u8 = 1;\n";
    let files = vec![
        file("ARCHITECTURE.md", plan),
        file("crates/mortise-a/src/lib.rs", "//! Doc.\npub mod wire;\n"),
        file("crates/mortise-a/src/wire.rs", "//! Wire.\npub mod pool;\n"),
        file("crates/mortise-a/src/wire/pool.rs", source),
        file("crates/mortise-a/src/wire/tests.rs", "fn tested() {}\n"),
        file("crates/mortise-a/tests/cases/a.json", "[]"),
        file("docs/decisions/0001-a.md", "# A\n"),
    ];
    architecture::findings(&Tree { files }).into_iter().map(|finding| finding.to_string()).collect()
}

#[track_caller]
fn names_something(text: &str) {
    assert_eq!(planned(&format!("`mortise-a` {text}\n")), Vec::<String>::new());
}

#[track_caller]
fn names_nothing(text: &str, expected: &str) {
    let problems = planned(&format!("`mortise-a`\n\n{text}\n"));
    assert!(problems.len() == 1 && problems[0].contains(expected), "{text}: {problems:?}");
}

#[test]
fn the_plan_names_files_that_exist() {
    names_something("`crates/mortise-a/src/wire/pool.rs`, `crates/mortise-a/`, `docs/decisions/`");
    // The end of a path will do, as in `tests/cases/` of each crate.
    names_something("`wire.rs`, `wire/`, `tests/cases/`");
    names_something("`mortise.yaml`, `tools/call`, `mortise/answer`, `/proc/self/exe`, `cargo test a.rs`");
    names_nothing(
        "`crates/mortise-a/src/gone.rs`",
        "ARCHITECTURE.md:3: `crates/mortise-a/src/gone.rs`: there is no such",
    );
    names_nothing("`docs/gone`", "no such file or folder");
    names_nothing("`gone/`", "no such file or folder");
    names_nothing("`gone.py`", "no such file or folder");
}

#[test]
fn the_section_of_a_crate_has_paths_of_that_crate() {
    let section = |path: &str| planned(&format!("### `mortise-a`\n\n- `{path}`: x\n"));
    assert_eq!(section("wire/pool.rs"), Vec::<String>::new());
    assert_eq!(section("tests/cases/"), Vec::<String>::new());
    // `pool.rs` is there, though not in this folder.
    assert!(section("pool.rs")[0].starts_with("ARCHITECTURE.md:3: `pool.rs`"));
    assert_eq!(planned("### `mortise-a`\n## Next\n`pool.rs`\n"), Vec::<String>::new());
}

#[test]
fn the_plan_names_items_that_are_defined() {
    for path in [
        "mortise-a::wire",
        "mortise_a::wire::pool",
        "mortise_a::wire::pool::Pool",
        "mortise_a::wire::Pool",
        "mortise_a::Pool",
        "wire::pool",
        "pool::LEAST",
        "Pool::drain()",
        "Pool::size",
        "Way::Out",
        "mortise_a::wire::pool::Pool::drain",
    ] {
        names_something(&format!("`{path}`"));
    }
    names_something("`Pool`, `LEAST`, `Notify`");
    for path in [
        "mortise-a::gone",
        "mortise_a::pool",
        "mortise_a::gone::Pool",
        "mortise_a::wire::gone",
        "Pool::gone",
        "mortise_a::wire::tests",
        "mortise_a::tested",
        "gone::pool",
    ] {
        names_nothing(&format!("`{path}`"), "no crate of ours has this module or item");
    }
    names_nothing("`Gone`", "no source of ours has this name");
    names_nothing("`mortise-gone`", "there is no such crate");
}

#[test]
fn the_plan_draws_what_exists() {
    names_something("\n```mermaid\na[\"mortise_a::Pool<br/>\"] -->|\"tools/call\"| b[\"Gone\"]\n```");
    names_nothing("```mermaid\na[\"mortise_a::Gone\"]\n```", "`mortise_a::Gone`");
    names_nothing("```\nmortise-gone ─► a\n```", "no such crate");
}

#[test]
fn the_plan_links_to_pages_and_names_every_crate() {
    names_something(
        "[a](docs/decisions/0001-a.md) [b](docs/decisions/0001-a.md#x) [c](https://example.com/a)",
    );
    names_nothing("[a](docs/decisions/0002-b.md)", "leads to no page");
    assert!(planned("# Plan\n")[0].contains("does not name the crate `mortise-a`"));
}

#[test]
fn type_names_are_addresses() {
    let names = |text: &str| {
        let mut tree = tree("crates/mortise/src/a.rs", text);
        let other = "//! x\npub(crate) struct Place<'a>(&'a str);\nstruct ToolLookup;\n";
        tree.files.push(TreeFile { path: "crates/mortise/src/b.rs".to_owned(), text: other.to_owned() });
        // Tests may use short names.
        tree.files
            .push(TreeFile { path: "crates/mortise/src/b/tests.rs".to_owned(), text: other.to_owned() });
        TypeNames::read(&tree)
    };
    let shared = names("//! x\npub enum Place {}\n// struct ToolLookup;\n");
    assert_eq!(shared.to_string(), "66.7 % of 3 type definitions share their name; most often Place ×2");
    let findings = names::findings(&shared);
    assert!(
        findings[0].problem.ends_with("`Place` stands in crates/mortise/src/a.rs, crates/mortise/src/b.rs")
    );
    assert!(names::findings(&names("//! x\npub trait SchemaPlace {}\n")).is_empty());
}

#[test]
fn a_third_of_the_lines_are_tests() {
    let share = |paths: &[(&str, &str)]| {
        let file =
            |(path, text): &(&str, &str)| TreeFile { path: (*path).to_owned(), text: (*text).to_owned() };
        TestShare::read(&Tree { files: paths.iter().map(file).collect() })
    };
    let product = ("crates/mortise/src/a.rs", "//! x\na\nb\n#[cfg(test)]\nmod tests {\n}\n");
    let few = share(&[product, ("crates/mortise-testkit/src/lib.rs", "a\n"), ("docs/a.rs", "a\n")]);
    assert_eq!(few.to_string(), "57.1 % of the lines are tests (4 of Rust, 0 of cases) beside 3");
    assert!(shares::findings(&few).is_empty());
    let cases = ("crates/mortise/tests/cases/a.json", "[]\n");
    let none = share(&[("crates/mortise/src/a.rs", "//! x\na\nb\n"), cases, ("crates/a/src/a/tests.rs", "")]);
    let expected = "25.0 % of the lines are tests (0 of Rust, 1 of cases) beside 3; at least 33 % must be";
    assert_eq!(shares::findings(&none)[0].problem, expected);
}
