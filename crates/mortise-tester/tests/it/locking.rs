//! Snapshots of servers.

use mortise_client::secret::Secret;
use mortise_client::server_config::{StdioConfig, Transport};
use mortise_contract::lock::LockFile;
use mortise_tester::capture::capture;

use crate::checking::{PATIENCE, pool};
use crate::support::tested_server;

#[tokio::test]
async fn a_secret_that_a_server_repeats_is_in_no_lock_file() {
    // What the mock says of itself and of its tool, as if it repeated what it was given.
    for (variable, is_hidden) in [("API_TOKEN", true), ("PLACE", false)] {
        let mut config = StdioConfig::new(tested_server(), vec!["ok".to_owned()]);
        config.env.insert(variable.to_owned(), Secret::new("mortise-mock"));
        let (_pool, upstream) = pool(Transport::Stdio(config));
        upstream.ready(PATIENCE).await.unwrap();
        let captured = capture(&upstream).await.unwrap();
        let lock = LockFile { servers: [("mock".to_owned(), captured.snapshot)].into() };
        assert_eq!(lock.to_text().contains("mortise-mock"), !is_hidden, "{}", lock.to_text());
        assert_eq!(captured.notes.len(), usize::from(is_hidden), "{:?}", captured.notes);
    }
}

#[tokio::test]
async fn a_word_of_declarations_stays_though_it_is_a_password() {
    let lock = async |password: &str| {
        let mut config = StdioConfig::new(tested_server(), vec!["ok".to_owned()]);
        config.env.insert("PASSWORD".to_owned(), Secret::new(password));
        let (_pool, upstream) = pool(Transport::Stdio(config));
        upstream.ready(PATIENCE).await.unwrap();
        LockFile { servers: [("mock".to_owned(), capture(&upstream).await.unwrap().snapshot)].into() }
            .to_text()
    };
    let usual = lock("something else").await;
    for word in ["properties", "readOnlyHint", "listChanged"] {
        assert_eq!(lock(word).await, usual, "{word}");
    }
}
