use std::collections::VecDeque;

use super::RelayLines;
use crate::limits::FRAME_BYTES;

#[test]
fn lines_come_whole_however_the_bytes_are_cut() {
    let text = "{\"a\":\"ü\"}\r\n\nnoise\n{\"b\":1}".as_bytes();
    for size in 1..text.len() {
        let (mut lines, mut out) = (RelayLines::default(), VecDeque::new());
        text.chunks(size).for_each(|chunk| lines.feed(chunk, &mut out));
        assert_eq!(out, ["{\"a\":\"ü\"}", "noise"]);
        assert_eq!(lines.line().as_deref(), Some("{\"b\":1}"));
    }
}

#[test]
fn a_line_that_is_too_long_is_named_and_the_next_one_is_read() {
    let (mut lines, mut out) = (RelayLines::default(), VecDeque::new());
    lines.feed(&vec![b'x'; FRAME_BYTES], &mut out);
    lines.feed(b"x\nnext\n", &mut out);
    assert_eq!(out, [format!("[a message of more than {FRAME_BYTES} bytes]"), "next".to_owned()]);
}
