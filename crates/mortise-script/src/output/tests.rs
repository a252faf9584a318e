use std::sync::{Arc, Mutex};

use super::*;

fn capture(limit: usize) -> Capture {
    Capture::new(limit, 1 << 20, Box::new(()))
}

#[test]
fn output_is_cut_at_a_character_boundary_and_marked() {
    let mut capture = capture(11);
    capture.write(Stream::Stdout, "é".repeat(50).as_bytes()).unwrap();
    assert_eq!(capture.finish(), ("ééééé".to_owned(), true, 100));
}

#[test]
fn output_of_exactly_the_limit_is_complete() {
    let mut capture = capture(4);
    capture.write(Stream::Stdout, b"1234").unwrap();
    assert_eq!(capture.finish(), ("1234".to_owned(), false, 4));
}

#[test]
fn nothing_is_kept_after_the_cut() {
    let mut capture = capture(3);
    capture.write(Stream::Stdout, "aé€".as_bytes()).unwrap();
    capture.write(Stream::Stdout, b"b").unwrap();
    assert_eq!(capture.finish(), ("aé".to_owned(), true, 7));
}

#[test]
fn a_character_may_come_in_pieces() {
    let mut capture = capture(100);
    for byte in "a€😀".bytes() {
        capture.write(Stream::Stdout, &[byte]).unwrap();
        capture.write(Stream::Stderr, b"-").unwrap();
    }
    let (text, ..) = capture.finish();
    assert_eq!(text, "a---€----😀-");
}

#[test]
fn bytes_that_are_no_text_become_replacement_characters() {
    let mut capture = capture(100);
    capture.write(Stream::Stdout, b"a\xffb\xc3").unwrap();
    assert_eq!(capture.finish(), ("a\u{fffd}b\u{fffd}".to_owned(), false, 4));
}

#[test]
fn a_flood_is_stopped_at_its_limit() {
    let mut capture = Capture::new(10, 20, Box::new(()));
    assert_eq!(capture.write(Stream::Stdout, &[b'x'; 15]), Ok(()));
    assert_eq!(capture.write(Stream::Stdout, &[b'x'; 5]), Ok(()));
    assert_eq!(capture.write(Stream::Stdout, b"x"), Err(Flood));
    assert_eq!(capture.finish(), ("x".repeat(10), true, 20));
}

#[test]
fn the_sink_sees_everything_with_its_stream() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = {
        let seen = Arc::clone(&seen);
        move |stream: Stream, text: &str| seen.lock().unwrap().push((stream, text.to_owned()))
    };
    let mut capture = Capture::new(1, 100, Box::new(sink));
    capture.write(Stream::Stdout, b"one").unwrap();
    capture.write(Stream::Stderr, b"two").unwrap();
    assert_eq!(
        *seen.lock().unwrap(),
        [(Stream::Stdout, "one".to_owned()), (Stream::Stderr, "two".to_owned())]
    );
}
