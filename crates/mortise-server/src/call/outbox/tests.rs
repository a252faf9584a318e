//! What waits for a client is bounded in bytes.

use futures::FutureExt as _;

use super::*;

fn logged(outbox: &Outbox) -> Vec<Value> {
    let log = |item| match item {
        Item::Log(_, data) => data,
        other => panic!("{other:?}"),
    };
    std::iter::from_fn(|| outbox.take().map(log)).collect()
}

#[test]
fn a_note_stands_for_a_log_message_that_is_too_large() {
    let outbox = Outbox::new();
    outbox.log(LogLevel::Info, json!("x".repeat(LOG_BYTES - 2)));
    outbox.log(LogLevel::Info, json!("x".repeat(LOG_BYTES - 1)));
    let [whole, note] = logged(&outbox).try_into().unwrap();
    assert_eq!(whole.as_str().unwrap().len(), LOG_BYTES - 2);
    assert_eq!(note, json!("[65537 bytes were left out: a log message may have 65536]"));
}

#[test]
fn log_messages_that_wait_are_bounded_in_bytes_together() {
    let outbox = Outbox::new();
    let fit = LOGS_WAITING_BYTES / LOG_BYTES;
    for _ in 0..fit + 3 {
        outbox.log(LogLevel::Info, json!("x".repeat(LOG_BYTES - 2)));
    }
    let found = logged(&outbox);
    assert_eq!(found.len(), fit + 1);
    assert!(found[fit].as_str().unwrap().starts_with("log messages were dropped"), "{:?}", found[fit]);
    // What was taken has made room.
    outbox.log(LogLevel::Info, json!("again"));
    assert_eq!(logged(&outbox), [json!("again")]);
}

#[test]
fn a_question_that_is_too_large_is_refused_and_not_kept() {
    let outbox = Outbox::new();
    let large = InputRequest::sample(json!("x".repeat(QUESTION_BYTES)));
    let refused = outbox.ask(large).now_or_never();
    let error = AskError::TooLarge {
        method: "sampling/createMessage",
        bytes: QUESTION_BYTES + 2,
        limit: QUESTION_BYTES,
    };
    assert_eq!(refused, Some(Err(error)));
    assert!(outbox.take_question().is_none());
}

#[test]
fn the_text_of_a_progress_message_is_cut() {
    let outbox = Outbox::new();
    outbox.progress(1.0, None, Some(&"x".repeat(2 * PROGRESS_BYTES)));
    let text = outbox.newest_progress().unwrap().message.unwrap();
    assert!(text.len() <= PROGRESS_BYTES + '…'.len_utf8(), "{}", text.len());
}
