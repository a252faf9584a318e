use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use chrono::{DateTime, Utc};
use serde_json::json;

use super::*;
use crate::wizards::RandomIds;

struct Hands(Mutex<DateTime<Utc>>);

impl Clock for Hands {
    fn now(&self) -> DateTime<Utc> {
        *self.0.lock().unwrap()
    }
}

struct Counting(AtomicU32);

impl IdSource for Counting {
    fn next(&self) -> String {
        format!("{:08x}", self.0.fetch_add(1, Ordering::Relaxed))
    }
}

struct Place {
    folder: tempfile::TempDir,
    clock: Arc<Hands>,
    ids: Arc<Counting>,
}

impl Place {
    fn new() -> Self {
        let start = DateTime::parse_from_rfc3339("2026-01-01T12:00:00Z").unwrap().to_utc();
        Self {
            folder: tempfile::tempdir().unwrap(),
            clock: Arc::new(Hands(Mutex::new(start))),
            ids: Arc::new(Counting(AtomicU32::new(1))),
        }
    }

    /// The store, as a process that starts now sees it.
    fn store(&self) -> Drafts {
        let (clock, ids) = (Arc::clone(&self.clock) as _, Arc::clone(&self.ids) as _);
        Drafts::new(self.folder.path().join("drafts"), clock, ids, no_bad_word)
    }

    fn wait(&self, hours: i64) {
        *self.clock.0.lock().unwrap() += TimeDelta::hours(hours);
    }

    fn edit(&self, id: &str, text: &str) {
        std::fs::write(self.folder.path().join("drafts").join(id).join("parser.py"), text).unwrap();
    }
}

fn no_bad_word(_: DraftKind, files: &[(String, String)]) -> Result<(), ErrorBody> {
    match files.iter().any(|(_, text)| text.contains("bad")) {
        true => Err(ErrorBody::new(ErrorCode::PythonSyntax, "it is bad", "make it good")),
        false => Ok(()),
    }
}

fn draft(text: &str) -> NewDraft {
    NewDraft {
        kind: DraftKind::Parser,
        name: "orders_parser".to_owned(),
        files: vec![("parser.py".to_owned(), text.to_owned())],
        sample_paths: vec!["orders.csv".to_owned()],
        user_hints: None,
        facts: json!({"expression": "files", "file_count": 3}),
    }
}

fn code<T: std::fmt::Debug>(result: Result<T, ErrorBody>) -> ErrorCode {
    result.unwrap_err().error_code
}

#[test]
fn a_draft_survives_a_restart_and_commits_once() {
    let place = Place::new();
    let id = place.store().put(draft("good")).unwrap().id;
    let (entry, files) = place.store().get(&id).unwrap();
    assert_eq!((entry.status, files[0].1.as_str()), (DraftStatus::Draft, "good"));
    let committed = place.store().commit_as(&id, &Release::default()).unwrap();
    assert_eq!((committed.version.as_str(), committed.edited), ("1.0.0", false));
    assert_eq!(std::fs::read_to_string(Path::new(&committed.path).join("parser.py")).unwrap(), "good");
    assert_eq!(code(place.store().commit_as(&id, &Release::default())), ErrorCode::DraftState);
    let source = &place.store().sources().unwrap()[0];
    assert_eq!((source.source_id.as_str(), source.file_count), ("orders_parser", 3));
}

#[test]
fn a_draft_that_fails_its_check_gets_no_id() {
    let place = Place::new();
    assert_eq!(code(place.store().put(draft("bad"))), ErrorCode::PythonSyntax);
    assert_eq!(place.store().list().unwrap(), []);
}

#[test]
fn a_draft_expires_after_a_day() {
    let place = Place::new();
    let id = place.store().put(draft("good")).unwrap().id;
    place.wait(23);
    assert!(place.store().get(&id).is_ok());
    place.wait(1);
    assert_eq!(code(place.store().get(&id)), ErrorCode::DraftExpired);
    assert_eq!(place.store().list().unwrap()[0].status, DraftStatus::Expired);
    assert!(!place.folder.path().join("drafts").join(&id).exists());
    assert_eq!(code(place.store().get("ffffffff")), ErrorCode::DraftNotFound);
}

#[test]
fn the_oldest_makes_room() {
    let place = Place::new();
    let first = place.store().put(draft("0")).unwrap();
    for number in 1..10 {
        assert_eq!(place.store().put(draft(&number.to_string())).unwrap().warnings, Vec::<String>::new());
    }
    let last = place.store().put(draft("10")).unwrap();
    assert!(last.warnings[0].contains(&first.id), "{:?}", last.warnings);
    assert_eq!(code(place.store().get(&first.id)), ErrorCode::DraftNotFound);
    assert_eq!(place.store().list().unwrap().len(), LIVE_DRAFTS);
}

#[test]
fn an_edited_draft_is_checked_again() {
    let place = Place::new();
    let id = place.store().put(draft("good")).unwrap().id;
    place.edit(&id, "bad");
    assert_eq!(code(place.store().commit_as(&id, &Release::default())), ErrorCode::PythonSyntax);
    assert_eq!(place.store().list().unwrap()[0].status, DraftStatus::Manual);
    place.edit(&id, "better");
    let committed = place.store().commit_as(&id, &Release::default()).unwrap();
    assert!(committed.edited);
    assert_eq!(std::fs::read_to_string(Path::new(&committed.path).join("parser.py")).unwrap(), "better");
}

#[test]
fn versions_rise() {
    let place = Place::new();
    let commit = |version: Option<&str>| {
        let id = place.store().put(draft("good")).unwrap().id;
        place.store().commit_as(&id, &Release { name: None, version: version.map(str::to_owned) })
    };
    assert_eq!(commit(Some("1.2")).unwrap().version, "1.2.0");
    assert_eq!(code(commit(Some("1.2.0"))), ErrorCode::VersionNotRising);
    assert_eq!(code(commit(Some("1.1.9"))), ErrorCode::VersionNotRising);
    assert_eq!(code(commit(Some("next"))), ErrorCode::ParamRange);
    assert_eq!(commit(None).unwrap().version, "1.3.0");
    assert_eq!(commit(Some("10.0")).unwrap().version, "10.0.0");
}

#[test]
fn the_last_version_for_each_source_is_in_force() {
    let place = Place::new();
    let commit = |text: &str, source: Option<&str>| {
        let mut facts = json!({"expression": text, "file_count": 3});
        if let Some(source) = source {
            facts["source_id"] = json!(source);
        }
        let files = vec![("rule.yaml".to_owned(), text.to_owned())];
        let rule = NewDraft { kind: DraftKind::Rule, name: "rule".to_owned(), files, facts, ..draft("") };
        let id = place.store().put(rule).unwrap().id;
        place.store().commit_as(&id, &Release::default()).unwrap().version
    };
    assert_eq!(commit("wrong", None), "1.0.0");
    assert_eq!(commit("right", None), "1.1.0");
    commit("north, wrong", Some("north"));
    commit("south", Some("south"));
    commit("north", Some("north"));
    assert_eq!(place.store().review().unwrap().rules, ["right", "south", "north"]);
    let sources: Vec<(String, String)> = place
        .store()
        .sources()
        .unwrap()
        .into_iter()
        .map(|source| (source.source_id, source.expression))
        .collect();
    let expected = [("north", "north"), ("rule", "right"), ("south", "south")];
    assert_eq!(sources, expected.map(|(id, expression)| (id.to_owned(), expression.to_owned())));
}

#[test]
fn names_lead_nowhere() {
    let place = Place::new();
    let id = place.store().put(draft("good")).unwrap().id;
    for name in ["../x", "a/b", "", ".", "a b"] {
        let release = Release { name: Some(name.to_owned()), version: None };
        assert_eq!(code(place.store().commit_as(&id, &release)), ErrorCode::ParamRange, "{name}");
    }
}

#[test]
fn decisions_follow_the_states() {
    let place = Place::new();
    let id = place.store().put(draft("good")).unwrap().id;
    place.store().approve(&id).unwrap();
    assert_eq!(code(place.store().reject(&id)), ErrorCode::DraftState);
    assert!(DraftStatus::Start.may_become(DraftStatus::Generating));
    assert!(!DraftStatus::Committed.may_become(DraftStatus::Draft));
    assert!(!DraftStatus::Draft.may_become(DraftStatus::Committed));
}

#[test]
fn a_broken_manifest_is_refused_not_replaced() {
    let place = Place::new();
    place.store().put(draft("good")).unwrap();
    let path = place.folder.path().join("drafts/manifest.json");
    std::fs::write(&path, "{").unwrap();
    assert_eq!(code(place.store().list()), ErrorCode::Io);
    assert_eq!(std::fs::read_to_string(path).unwrap(), "{");
}

#[test]
fn two_stores_at_once_lose_nothing() {
    let place = Place::new();
    let stores = [place.store(), place.store()];
    std::thread::scope(|scope| {
        for store in &stores {
            scope.spawn(|| (0..4).for_each(|_| assert!(store.put(draft("good")).is_ok())));
        }
    });
    assert_eq!(place.store().list().unwrap().len(), 8);
}

/// Writes a manifest as somebody else might, with changes to the one that is there.
fn forge(place: &Place, change: impl FnOnce(&mut serde_json::Value)) {
    let path = place.folder.path().join("drafts/manifest.json");
    let mut manifest = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    change(&mut manifest);
    std::fs::write(path, manifest.to_string()).unwrap();
}

#[test]
fn a_manifest_of_somebody_else_removes_and_reads_nothing() {
    let victim = tempfile::tempdir().unwrap();
    std::fs::write(victim.path().join("secret.yaml"), "secret").unwrap();
    let outside = victim.path().to_str().unwrap();
    for (pointer, value) in [
        ("/drafts/0/id", outside),
        ("/drafts/0/id", "../other"),
        ("/drafts/0/id", "ABCDEF01"),
        ("/drafts/0/files/0", "../manifest.json"),
        ("/drafts/0/files/0", "/etc/passwd"),
        ("/committed/0/name", "../.."),
        ("/committed/0/version", "../1"),
    ] {
        let place = Place::new();
        let id = place.store().put(draft("good")).unwrap().id;
        place.store().commit_as(&id, &Release::default()).unwrap();
        place.store().put(draft("good")).unwrap();
        forge(&place, |manifest| {
            manifest["drafts"].as_array_mut().unwrap().remove(0);
            *manifest.pointer_mut(pointer).unwrap() = json!(value);
        });
        place.wait(48);
        assert_eq!(code(place.store().list()), ErrorCode::Io, "{pointer} {value}");
        assert_eq!(code(place.store().put(draft("good"))), ErrorCode::Io, "{pointer} {value}");
    }
    let place = Place::new();
    let id = place.store().put(draft("good")).unwrap().id;
    place.store().commit_as(&id, &Release::default()).unwrap();
    forge(&place, |manifest| {
        manifest["committed"][0]["path"] = json!(outside);
        manifest["committed"][0]["kind"] = json!("rule");
    });
    assert_eq!(place.store().review().unwrap().rules, Vec::<String>::new());
    assert!(victim.path().join("secret.yaml").exists());
}

#[cfg(unix)]
#[test]
fn no_link_leads_out_of_the_store() {
    use std::os::unix::fs::symlink;

    let refused = |link: &str, target: &str| {
        let place = Place::new();
        let victim = place.folder.path().join("victim");
        std::fs::create_dir_all(victim.join("folder")).unwrap();
        std::fs::write(victim.join("file"), "theirs").unwrap();
        let link = place.folder.path().join(link);
        std::fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(victim.join(target), link).unwrap();
        let outcome = place.store().put(draft("good"));
        let outcome = outcome.and_then(|draft| place.store().commit_as(&draft.id, &Release::default()));
        assert_eq!(std::fs::read_to_string(victim.join("file")).unwrap(), "theirs");
        assert_eq!(std::fs::read_dir(victim.join("folder")).unwrap().count(), 0);
        assert_eq!(std::fs::read_dir(&victim).unwrap().count(), 2);
        outcome
    };
    for (link, target) in [
        ("drafts", "folder"),
        ("drafts/.lock", "file"),
        ("drafts/.lock", "new"),
        ("drafts/manifest.json", "file"),
        ("drafts/committed", "folder"),
        ("drafts/committed/parsers", "folder"),
        ("drafts/committed/parsers/orders_parser", "folder"),
    ] {
        assert_eq!(code(refused(link, target)), ErrorCode::PathDenied, "{link}");
    }
    assert!(refused("drafts/manifest.part", "file").is_ok(), "nobody knows the name of a part");
}

#[test]
fn a_draft_of_very_many_paths_leaves_room_for_others() {
    let place = Place::new();
    let store = place.store();
    for _ in 0..3 {
        let paths = (0..200_000).map(|number| format!("folder/with/a/long/name/{number:09}.csv")).collect();
        store.put(NewDraft { sample_paths: paths, ..draft("x = 1\n") }).unwrap();
    }
    let listed = store.list().unwrap();
    assert_eq!(listed.len(), 3);
    let first = &listed[0].source_context.sample_paths;
    assert_eq!(first[0], "folder/with/a/long/name/000000000.csv");
    assert!((50..200).contains(&first.len()), "{}", first.len());
}

#[test]
fn ids_have_128_random_bits() {
    let (first, second) = (RandomIds.next(), RandomIds.next());
    assert_ne!(first, second);
    assert!(first.len() == 32 && first.bytes().all(|byte| byte.is_ascii_hexdigit()), "{first}");
}
