use super::*;

fn events(limit: usize, chunks: &[&[u8]]) -> Result<Vec<String>, EventTooLarge> {
    let mut parser = SseParser::new(limit);
    let mut out = Vec::new();
    for chunk in chunks {
        parser.feed(chunk, &mut out)?;
    }
    let show = |event: SseEvent| {
        let data = event.data.map(|data| String::from_utf8_lossy(&data).into_owned());
        format!("{:?} {:?} {:?} {:?}", event.name, data, event.id, event.retry)
    };
    Ok(out.into_iter().map(show).collect())
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let whole = events(1000, &[text.as_bytes()]).unwrap();
    assert_eq!(whole, expected);
    let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
    assert_eq!(events(1000, &bytes).unwrap(), expected, "byte by byte");
}

#[test]
fn events_end_at_an_empty_line_whatever_the_line_ends_are() {
    check("data: a\n\ndata:b\n\n", &[r#"None Some("a") None None"#, r#"None Some("b") None None"#]);
    check("data: a\r\n\r\ndata: b\r\r", &[r#"None Some("a") None None"#, r#"None Some("b") None None"#]);
    check("data: unfinished\n", &[]);
}

#[test]
fn fields_are_read_as_the_standard_says() {
    check(
        "\u{feff}event: message\nid: 7\nretry: 300\ndata: a\ndata: ü\n\n",
        &[r#"Some("message") Some("a\nü") Some("7") Some(300)"#],
    );
    check("data\n\n", &[r#"None Some("") None None"#]);
    check("id: only\n\n", &[r#"None None Some("only") None"#]);
    check("unknown: x\n\n", &[]);
    check("retry: soon\n\n", &["None None None None"]);
}

#[test]
fn comments_are_nothing() {
    check(": keep-alive\n\n:\n\ndata: a\n: in between\ndata: b\n\n", &[r#"None Some("a\nb") None None"#]);
    let mut parser = SseParser::new(10);
    let mut out = Vec::new();
    parser.feed(b":", &mut out).unwrap();
    for _ in 0..1000 {
        parser.feed(&[b'x'; 1000], &mut out).unwrap();
    }
    assert_eq!(parser.line.capacity(), 0);
}

#[test]
fn an_event_at_the_limit_passes_and_one_past_it_does_not() {
    assert!(events(4, &[b"data: abcd\n\n"]).is_ok());
    assert_eq!(events(4, &[b"data: abcde\n\n"]), Err(EventTooLarge));
    assert_eq!(events(4, &[b"data: abc", b"def"]), Err(EventTooLarge));
    assert_eq!(events(4, &[b"data: ab\ndata: cdefghi\n\n"]), Err(EventTooLarge));
}
