use super::*;

fn lines(limit: usize, chunks: &[&[u8]]) -> Vec<String> {
    let mut splitter = LineSplitter::new(limit);
    let mut found = Vec::new();
    let show = |line: FrameLine| match line {
        FrameLine::Whole(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        FrameLine::Oversized(ends) => {
            format!("oversized {}…{}", ends.head(), String::from_utf8_lossy(&ends.tail))
        }
    };
    for chunk in chunks {
        splitter.buffer().extend_from_slice(chunk);
        while let Some(line) = splitter.next_line() {
            found.push(show(line));
        }
    }
    found.extend(splitter.rest().map(show));
    found
}

#[test]
fn lines_are_split_wherever_the_reads_end() {
    let text = "{\"a\":1}\r\n\n{\"ü\":2}\n{\"b\"".as_bytes();
    let whole = lines(100, &[text]);
    assert_eq!(whole, ["{\"a\":1}", "{\"ü\":2}", "{\"b\""]);
    let bytes: Vec<&[u8]> = text.chunks(1).collect();
    assert_eq!(lines(100, &bytes), whole);
}

#[test]
fn a_line_at_the_limit_passes_and_one_past_it_does_not() {
    assert_eq!(lines(4, &[b"abcd\nabcde\nxy\n"]), ["abcd", "oversized abcde…abcde", "xy"]);
    assert_eq!(lines(4, &[b"abcd", b"ef", b"gh\nxy\n"]), ["oversized abcdef…abcdefgh", "xy"]);
}

#[test]
fn a_large_line_takes_its_memory_along() {
    let mut splitter = LineSplitter::new(8 * LARGE_LINE);
    splitter.buffer().extend_from_slice(&vec![b'x'; 4 * LARGE_LINE]);
    splitter.buffer().extend_from_slice(b"\nnext");
    assert!(matches!(splitter.next_line(), Some(FrameLine::Whole(line)) if line.len() == 4 * LARGE_LINE));
    assert!(splitter.buffer().capacity() < LARGE_LINE);
    splitter.buffer().extend_from_slice(b" line\n");
    assert!(matches!(splitter.next_line(), Some(FrameLine::Whole(line)) if *line == b"next line"[..]));
}

#[test]
fn an_endless_line_needs_no_memory() {
    let mut splitter = LineSplitter::new(64 * 1024);
    let chunk = [b'x'; 8192];
    for _ in 0..10_000 {
        splitter.buffer().extend_from_slice(&chunk);
        assert_eq!(splitter.next_line(), None);
        assert!(splitter.buffer.capacity() <= 256 * 1024);
    }
    assert_eq!(
        splitter.oversized().map(|ends| (ends.head.len(), ends.tail.len())),
        Some((END_KEPT, END_KEPT))
    );
}

#[track_caller]
fn check_id(line: &str, head: Option<u64>, tail: Option<u64>) {
    let ends = LineEnds::of(line.as_bytes());
    assert_eq!((ends.id_in_head(), ends.id_in_tail()), (head, tail), "for {line}");
}

#[test]
fn the_id_of_an_oversized_answer_is_found_at_either_end() {
    check_id(r#"{"jsonrpc":"2.0","id":17,"result":{"a":1}}"#, Some(17), None);
    check_id(r#" { "id" : "17" , "result":{}, "jsonrpc":"2.0"}"#, Some(17), None);
    check_id(r#"{"result":{"id":3},"jsonrpc":"2.0","id":17}"#, None, Some(17));
    check_id(r#"{"result":{"id":3},"id":17,"jsonrpc":"2.0"} "#, None, Some(17));
    check_id(r#"{"result":{"id":17}}"#, None, None);
    check_id("xxxx", None, None);
}
