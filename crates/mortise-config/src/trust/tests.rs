//! A changed file must be trusted again.

use tempfile::TempDir;

use super::*;

fn store(directory: &TempDir) -> TrustStore {
    let environment =
        Environment { state_directory: Some(directory.path().join("state")), ..Environment::default() };
    TrustStore::open(&environment).unwrap()
}

/// A file that can't be read, so that its text is all there is to compare.
fn text(text: &str) -> Fingerprint {
    Fingerprint { content: ContentHash::of(text.as_bytes()), meaning: None }
}

fn yaml(text: &str) -> Fingerprint {
    Fingerprint::of(&Environment::default(), Path::new("/p/mortise.yaml"), text)
}

#[test]
fn a_new_comment_asks_nobody_and_a_new_command_does() {
    let directory = TempDir::new().unwrap();
    let (store, path) = (store(&directory), directory.path().join("mortise.yaml"));
    store.trust(&path, yaml("servers: [{name: a, command: x}]\n")).unwrap();
    let status = |text: &str| store.status(&path, &yaml(text)).unwrap();
    assert_eq!(status("# mine\nservers:\n- name: a\n  command: x\n"), TrustStatus::Trusted);
    assert_eq!(status("servers: [{name: a, command: y}]\n"), TrustStatus::Changed);
    assert_eq!(status("servers: ["), TrustStatus::Changed);
}

#[test]
fn a_list_of_version_1_counts_until_the_text_changes() {
    let directory = TempDir::new().unwrap();
    let (store, path) = (store(&directory), directory.path().canonicalize().unwrap().join("mortise.yaml"));
    let (old, other) = ("servers: [{name: a, command: x}]\n", directory.path().join("other.yaml"));
    let list = serde_json::json!({ "version": 1, "files": { path.to_str().unwrap(): yaml(old).content } });
    private_file::write(&store.path, &list.to_string()).unwrap();
    for _ in 0..2 {
        assert_eq!(store.status(&path, &yaml(old)).unwrap(), TrustStatus::Trusted);
        assert_eq!(store.status(&path, &yaml(&format!("# new\n{old}"))).unwrap(), TrustStatus::Changed);
        // The second time the list is of version 2.
        store.trust(&other, yaml("servers:\n")).unwrap();
    }
    assert!(std::fs::read_to_string(&store.path).unwrap().contains("\"version\": 2"));
}

#[test]
fn trust_is_for_one_path_and_one_content() {
    let directory = TempDir::new().unwrap();
    let store = store(&directory);
    let (one, two) = (directory.path().join("one"), directory.path().join("two"));
    std::fs::write(&one, "a").unwrap();
    std::fs::write(&two, "a").unwrap();
    let (a, b) = (text("a"), text("b"));

    assert_eq!(store.status(&one, &a).unwrap(), TrustStatus::Unknown);
    store.trust(&one, a.clone()).unwrap();
    assert_eq!(store.status(&one, &a).unwrap(), TrustStatus::Trusted);
    assert_eq!(store.status(&one, &b).unwrap(), TrustStatus::Changed);
    assert_eq!(store.status(&two, &a).unwrap(), TrustStatus::Unknown);
    // Another way to say the same path.
    let roundabout = directory.path().join("./one");
    assert_eq!(store.status(&roundabout, &a).unwrap(), TrustStatus::Trusted);

    assert_eq!(store.list().unwrap(), [(one.canonicalize().unwrap(), a.content.clone())]);
    assert!(store.untrust(&one).unwrap());
    assert!(!store.untrust(&one).unwrap());
    assert_eq!(store.status(&one, &a).unwrap(), TrustStatus::Unknown);
}

#[test]
fn a_file_that_is_gone_can_be_untrusted() {
    let directory = TempDir::new().unwrap();
    let store = store(&directory);
    let path = directory.path().canonicalize().unwrap().join("gone");
    std::fs::write(&path, "a").unwrap();
    store.trust(&path, text("a")).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert!(store.untrust(&path).unwrap());
}

#[cfg(unix)]
#[test]
fn a_link_to_a_trusted_file_is_not_that_file() {
    let directory = TempDir::new().unwrap();
    let store = store(&directory);
    let (trusted, link) = (directory.path().join("trusted"), directory.path().join("link"));
    std::fs::write(&trusted, "a").unwrap();
    std::os::unix::fs::symlink(&trusted, &link).unwrap();
    let hash = text("a");
    store.trust(&trusted, hash.clone()).unwrap();
    assert_eq!(store.status(&link, &hash).unwrap(), TrustStatus::Unknown);
    // A linked directory is the same directory.
    let elsewhere = directory.path().join("elsewhere");
    std::os::unix::fs::symlink(directory.path(), &elsewhere).unwrap();
    assert_eq!(store.status(&elsewhere.join("trusted"), &hash).unwrap(), TrustStatus::Trusted);
}

#[test]
fn a_damaged_or_newer_list_trusts_nothing_and_is_kept() {
    let directory = TempDir::new().unwrap();
    let store = store(&directory);
    let path = directory.path().join("x");
    std::fs::write(&path, "a").unwrap();
    let hash = text("a");
    for (text, expected) in [
        ("", "is not a list of trusted files"),
        ("{\"version\": 1, \"files\": {}, \"more\": 1}", "is not a list of trusted files"),
        ("{\"version\": 3, \"entries\": []}", "has version 3, which this mortise does not know"),
    ] {
        private_file::write(&store.path, text).unwrap();
        let error = store.status(&path, &hash).unwrap_err().to_string();
        assert!(error.ends_with(expected), "{error}");
        assert!(store.trust(&path, hash.clone()).is_err());
        assert_eq!(std::fs::read_to_string(&store.path).unwrap(), text);
    }
}

#[test]
fn the_hash_is_sha_256() {
    let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    assert_eq!(ContentHash::of(b"").as_str(), empty);
}
