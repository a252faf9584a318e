//! What reaches a log.

use std::io::{Read as _, Seek as _, Write as _};
use std::path::Path;

use mortise_client::environment::Environment;
use tracing::Level;
use tracing_subscriber::fmt::MakeWriter as _;

use super::{LogSink, filter};

#[test]
fn an_event_is_one_line_without_control_characters() {
    let mut file = tempfile::tempfile().unwrap();
    let sink = LogSink::file(file.try_clone().unwrap(), Path::new("log"));
    sink.make_writer().write_all("a\u{1b}[2J\nERROR forged\n".as_bytes()).unwrap();
    file.rewind().unwrap();
    let mut text = String::new();
    file.read_to_string(&mut text).unwrap();
    assert_eq!(text, "a\\u{1b}[2J\\nERROR forged\n");
}

#[track_caller]
fn check(level: Level, target: &str, event: Level, expected: bool) {
    let filter = filter(level, &Environment::default()).unwrap();
    assert_eq!(filter.would_enable(target, &event), expected, "{target} {event}");
}

#[test]
fn other_crates_never_log_messages_by_a_flag_of_ours() {
    check(Level::TRACE, "mortise_client::pool", Level::TRACE, true);
    check(Level::TRACE, "rmcp::service", Level::ERROR, false);
    check(Level::TRACE, "rmcp::service", Level::INFO, false);
    check(Level::ERROR, "mortise", Level::WARN, false);
    check(Level::ERROR, "rmcp::service", Level::WARN, false);
}
