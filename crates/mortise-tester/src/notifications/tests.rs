use mortise_client::ServerEvent;
use mortise_contract::RawJson;

use super::{NotificationEntry, Notifications};
use crate::limits::{TESTER_NOTIFICATION_BYTES, TESTER_NOTIFICATIONS};

fn event(text: &str) -> ServerEvent {
    let params = RawJson::parse(&format!("\"{text}\"")).unwrap();
    ServerEvent::Other { method: "x".to_owned(), params: Some(params) }
}

fn params(entry: &NotificationEntry) -> Option<&str> {
    entry.params.as_ref().map(|params| params.json().text())
}

#[test]
fn the_latest_are_kept_and_all_are_counted() {
    let notifications = Notifications::default();
    for number in 0..=TESTER_NOTIFICATIONS {
        notifications.keep_event(&event(&format!("n{number}")));
    }
    let (kept, total) = notifications.last(usize::MAX);
    assert_eq!((kept.len(), total), (TESTER_NOTIFICATIONS, TESTER_NOTIFICATIONS as u64 + 1));
    assert_eq!(params(&kept[0]), Some("\"n1\""));
    assert_eq!(notifications.last(3).0.len(), 3);
}

#[test]
fn a_large_one_is_kept_by_its_size() {
    let notifications = Notifications::default();
    notifications.keep_event(&event(&"a".repeat(TESTER_NOTIFICATION_BYTES - 2)));
    notifications.keep_event(&event(&"a".repeat(TESTER_NOTIFICATION_BYTES - 1)));
    let (kept, _) = notifications.last(2);
    assert!(params(&kept[0]).is_some_and(|params| params.starts_with("\"aaa")));
    assert_eq!(params(&kept[1]), None);
    assert_eq!(kept[1].params_bytes, Some(TESTER_NOTIFICATION_BYTES + 1));
}
