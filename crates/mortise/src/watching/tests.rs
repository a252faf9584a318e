//! Which changes are seen.

use super::{WatchedPaths, stamp};

#[tokio::test]
async fn a_file_that_changes_appears_or_goes_is_seen_once_it_has_settled() {
    let folder = tempfile::tempdir().unwrap();
    let (one, two) = (folder.path().join("one"), folder.path().join("two"));
    std::fs::write(&one, "1").unwrap();
    let watched = WatchedPaths::at(vec![one.clone(), two.clone()]);
    let waited = tokio::time::timeout(super::EVERY * 3, watched.changed()).await;
    assert!(waited.is_err(), "nothing has changed");
    std::fs::write(&two, "2").unwrap();
    assert_eq!(watched.changed().await.0, two);
    let watched = WatchedPaths::at(vec![one.clone()]);
    std::fs::remove_file(&one).unwrap();
    assert_eq!(watched.changed().await.0, one);
    assert_eq!(stamp(&one), None);
}
