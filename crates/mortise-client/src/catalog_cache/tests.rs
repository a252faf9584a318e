//! Lists come back whole or not at all, and nothing of a configuration is written.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::UNIX_EPOCH;

use tempfile::TempDir;

use super::*;
use crate::environment::Environment;
use crate::secret::Secret;
use crate::server_config::{EnvPolicy, HttpConfig, OAuthConfig, StdioConfig, Transport};

const TOOL: &str = r#"{"name":"forecast","inputSchema":{"type":"object"},"x":1.10}"#;

fn options() -> PoolOptions {
    PoolOptions::new(Environment { working_directory: "/project".into(), ..Environment::default() })
}

fn server(change: impl FnOnce(&mut StdioConfig)) -> ServerConfig {
    let mut stdio = StdioConfig::new("weather", vec!["--units=metric".to_owned()]);
    change(&mut stdio);
    ServerConfig::new(ServerName::parse("weather").unwrap(), Transport::Stdio(stdio))
}

fn entry(directory: &TempDir, config: &ServerConfig) -> CachedCatalog {
    CatalogCache::new(directory.path().join("tools")).entry(config, &options()).unwrap()
}

fn listed(tools: &[&str]) -> Catalog {
    let elements = tools.iter().map(|tool| RawJson::parse(tool).unwrap()).collect();
    Catalog::cached(&ServerName::parse("weather").unwrap(), elements, Duration::ZERO)
}

#[test]
fn a_list_comes_back_byte_for_byte_from_a_private_file() {
    let directory = TempDir::new().unwrap();
    let config = server(|_| ());
    assert!(entry(&directory, &config).read().is_none());
    entry(&directory, &config).write(&listed(&[TOOL]), &Secrets::of(&config));
    let known = entry(&directory, &config).read().unwrap();
    assert_eq!(known.get("forecast").unwrap().raw.text(), TOOL);
    assert!(known.cached.is_some() && known.is_known() && known.facts.is_none());
    let path = entry(&directory, &config).path;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
}

#[test]
fn an_empty_list_is_known_too() {
    let directory = TempDir::new().unwrap();
    let config = server(|_| ());
    entry(&directory, &config).write(&listed(&[]), &Secrets::of(&config));
    assert!(entry(&directory, &config).read().unwrap().is_known());
}

#[test]
fn a_file_that_was_changed_or_is_too_large_is_not_used() {
    let directory = TempDir::new().unwrap();
    let config = server(|_| ());
    let entry = entry(&directory, &config);
    entry.write(&listed(&[TOOL]), &Secrets::of(&config));
    let whole = fs::read_to_string(&entry.path).unwrap();
    let damages = [
        whole.replace("1.10", "1.11"),
        whole.replace("\"version\":1", "\"version\":2"),
        whole.replace("\"server\":\"weather\"", "\"server\":\"other\""),
        whole.replace("\"read_at\":", "\"read_at\":-"),
        whole[..whole.len() / 2].to_owned(),
        String::new(),
        format!("{whole}{}", " ".repeat(limits::CACHED_LIST_BYTES)),
    ];
    for damaged in damages {
        assert_ne!(damaged, whole);
        private_file::write(&entry.path, &damaged).unwrap();
        assert!(entry.read().is_none(), "{}", &damaged[..damaged.len().min(200)]);
    }
    private_file::write(&entry.path, &whole).unwrap();
    assert!(entry.read().is_some());
    fs::set_permissions(&entry.path, fs::Permissions::from_mode(0o644)).unwrap();
    assert!(entry.read().is_none(), "another user can read it");
}

#[test]
fn another_configuration_has_another_file() {
    let directory = TempDir::new().unwrap();
    let at = |config: &ServerConfig| entry(&directory, config).path;
    let usual = at(&server(|_| ()));
    let mut timed = server(|_| ());
    timed.call_timeout = Some(Duration::from_secs(5));
    assert_eq!(at(&timed), usual, "the time of a call does not decide which server answers");
    let set = |value: &str| {
        let value = Secret::new(value);
        server(|stdio| drop(stdio.env.insert("KEY".to_owned(), value)))
    };
    let http = |change: fn(&mut HttpConfig)| {
        let mut config = HttpConfig::new("https://example.com/mcp");
        change(&mut config);
        ServerConfig::new(ServerName::parse("weather").unwrap(), Transport::Http(config))
    };
    let mut renamed = server(|_| ());
    renamed.name = ServerName::parse("other").unwrap();
    let all = [
        usual,
        at(&renamed),
        at(&server(|stdio| stdio.command = "other".to_owned())),
        at(&server(|stdio| stdio.args.clear())),
        at(&server(|stdio| stdio.cwd = Some("/elsewhere".into()))),
        at(&server(|stdio| stdio.env_policy = EnvPolicy::Inherit)),
        at(&set("one")),
        at(&set("two")),
        at(&http(|_| ())),
        at(&http(|http| http.url.push_str("/v2"))),
        at(&http(|http| http.bearer = Some(Secret::new("one")))),
        at(&http(|http| http.bearer = Some(Secret::new("two")))),
        at(&http(|http| drop(http.headers.insert("x-account".to_owned(), Secret::new("7"))))),
        at(&http(|http| http.oauth = Some(OAuthConfig::default()))),
    ];
    let different: std::collections::BTreeSet<&PathBuf> = all.iter().collect();
    assert_eq!(different.len(), all.len());
}

#[test]
fn no_secret_is_written_also_where_the_server_repeats_it() {
    let directory = TempDir::new().unwrap();
    let config = server(|stdio| drop(stdio.env.insert("DSN".to_owned(), Secret::new("hunter-2-and-3"))));
    let entry = entry(&directory, &config);
    entry.write(&listed(&[TOOL]), &Secrets::of(&config));
    assert!(!fs::read_to_string(&entry.path).unwrap().contains("hunter"));
    assert!(!entry.path.to_string_lossy().contains("hunter"));
    let repeating = TOOL.replace("forecast", "forecast-hunter-2-and-3");
    entry.write(&listed(&[&repeating]), &Secrets::of(&config));
    assert!(entry.read().is_none(), "the old list is gone and the new one is not written");
}

#[test]
fn a_list_that_is_too_large_is_not_written() {
    let directory = TempDir::new().unwrap();
    let config = server(|_| ());
    let large = TOOL.replace("1.10", &format!("\"{}\"", "x".repeat(limits::CACHED_LIST_BYTES)));
    entry(&directory, &config).write(&listed(&[&large]), &Secrets::of(&config));
    assert!(entry(&directory, &config).read().is_none());
}

#[test]
fn the_oldest_lists_go_where_there_are_too_many() {
    let directory = TempDir::new().unwrap();
    let config = server(|_| ());
    let entry = entry(&directory, &config);
    let folder = entry.path.parent().unwrap();
    fs::create_dir(folder).unwrap();
    for number in 0..limits::CACHED_LISTS {
        let file = fs::File::create(folder.join(format!("{number}.json"))).unwrap();
        file.set_modified(UNIX_EPOCH + Duration::from_secs(1_000 + number as u64)).unwrap();
    }
    entry.write(&listed(&[TOOL]), &Secrets::of(&config));
    assert_eq!(fs::read_dir(folder).unwrap().count(), limits::CACHED_LISTS);
    assert!(entry.read().is_some() && !folder.join("0.json").exists() && folder.join("1.json").exists());
}
