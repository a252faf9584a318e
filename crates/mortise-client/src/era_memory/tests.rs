//! What is remembered of which server, and what a file must look like to be used.

use mortise_contract::RawJson;
use serde_json::Map;
use tempfile::TempDir;

use super::*;
use crate::environment::Environment;
use crate::server_config::{StdioConfig, Transport};

fn facts(version: &str) -> ServerFacts {
    let answer = json!({ "serverInfo": { "name": "weather", "version": version } });
    ServerFacts::read(Era::Legacy, "2025-06-18".into(), RawJson::from_value(&answer).unwrap(), Map::new())
}

fn after(
    before: Option<&RememberedEra>,
    era: Era,
    version: &str,
    has_refused_probe: bool,
) -> Option<RememberedEra> {
    RememberedEra::after(before, EraEvidence { era, facts: &facts(version), has_refused_probe })
}

#[test]
fn modern_and_silent_servers_are_remembered_and_those_that_refuse_are_not() {
    let modern = after(None, Era::Modern, "1", false);
    assert_eq!(modern.as_ref().map(|known| known.era), Some(Era::Modern));
    let silent = after(None, Era::Legacy, "1", false);
    assert_eq!(silent.as_ref().map(|known| known.era), Some(Era::Legacy));
    assert_eq!(after(None, Era::Legacy, "1", true), None);
    assert_eq!(after(modern.as_ref(), Era::Legacy, "1", true), None, "it is no longer modern");
}

#[test]
fn another_version_of_a_silent_server_is_probed_again() {
    let silent = after(None, Era::Legacy, "1", false);
    assert_eq!(after(silent.as_ref(), Era::Legacy, "1", false), silent);
    assert_eq!(after(silent.as_ref(), Era::Legacy, "2", false), None);
    assert_ne!(after(silent.as_ref(), Era::Modern, "2", false), None);
}

fn file(directory: &TempDir, change: impl FnOnce(&mut ServerConfig)) -> Option<EraFile> {
    let mut config = ServerConfig::new(
        ServerName::parse("weather").unwrap(),
        Transport::Stdio(StdioConfig::new("weather", Vec::new())),
    );
    change(&mut config);
    EraMemory::new(directory.path()).entry(&config, &PoolOptions::new(Environment::default()))
}

#[test]
fn what_is_written_comes_back_whole_or_not_at_all() {
    let directory = TempDir::new().unwrap();
    let entry = file(&directory, |_| ()).unwrap();
    assert_eq!(entry.read(), None);
    let known = after(None, Era::Modern, "1", false);
    entry.write(known.as_ref());
    assert_eq!(entry.read(), known);
    let whole = std::fs::read_to_string(&entry.path).unwrap();
    for damaged in [
        whole.replace("\"version\":1", "\"version\":2"),
        whole.replace("weather", "other"),
        whole.replace("modern", "ancient"),
        whole[..whole.len() / 2].to_owned(),
    ] {
        assert_ne!(damaged, whole);
        private_file::write(&entry.path, &damaged).unwrap();
        assert_eq!(entry.read(), None, "{damaged}");
    }
    entry.write(known.as_ref());
    entry.write(None);
    assert!(!entry.path.exists());
}

#[test]
fn a_configured_era_needs_no_memory() {
    let directory = TempDir::new().unwrap();
    assert!(file(&directory, |config| config.era = EraChoice::Legacy).is_none());
}
