use super::*;

fn request(fields: &[&[u8]], headers: u32, body: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for field in &fields[..2] {
        put_field(&mut bytes, field);
    }
    bytes.extend_from_slice(&headers.to_le_bytes());
    for field in &fields[2..] {
        put_field(&mut bytes, field);
    }
    put_field(&mut bytes, body);
    bytes
}

#[test]
fn a_request_is_read() {
    let bytes = request(&[b"call", b"mcp__s__t"], 0, b"{}");
    let expected = DoorRequest { operation: "call", target: "mcp__s__t", body: b"{}", timeout: None };
    assert_eq!(DoorRequest::parse(&bytes, -1), Some(expected));
    assert_eq!(DoorRequest::parse(&bytes, 250).unwrap().timeout, Some(Duration::from_millis(250)));
}

#[test]
fn headers_are_passed_over() {
    let bytes = request(&[b"GET", b"http://x/", b"a", b"b"], 1, b"");
    assert_eq!(DoorRequest::parse(&bytes, -1).unwrap().operation, "GET");
}

#[test]
fn lies_are_refused() {
    let good = request(&[b"call", b"t"], 0, b"{}");
    for cut in 0..good.len() {
        assert_eq!(DoorRequest::parse(&good[..cut], -1), None, "{cut}");
    }
    let trailing = [good.as_slice(), b"\0"].concat();
    assert_eq!(DoorRequest::parse(&trailing, -1), None);
    assert_eq!(DoorRequest::parse(&request(&[b"\xff", b"t"], 0, b""), -1), None);
    assert_eq!(DoorRequest::parse(&request(&[b"call", b"t"], u32::MAX, b""), -1), None);
    assert_eq!(DoorRequest::parse(&[0xff; 64], -1), None);
}

#[test]
fn of_a_long_request_the_beginning_is_enough() {
    let bytes = request(&[b"call", b"mcp__s__t"], 0, &[b' '; 1000]);
    let expected = DoorRequestHead { operation: "call", target: "mcp__s__t", body: 1000 };
    assert_eq!(DoorRequestHead::parse(&bytes[..40]), Some(expected));
    for cut in 0..29 {
        assert_eq!(DoorRequestHead::parse(&bytes[..cut]), None, "{cut}");
    }
    assert_eq!(DoorRequestHead::parse(&request(&[b"GET", b"http://x/", b"a", b"b"], 1, b"")), None);
}

#[test]
fn an_answer_is_written_field_by_field() {
    let reply = DoorReply::Answer {
        status: 2,
        labels: vec![("7".to_owned(), "0:3".to_owned())],
        body: b"abc".into(),
    };
    let (code, bytes) = reply.encode();
    assert_eq!(code, 0);
    assert_eq!(bytes, b"\x02\0\0\0\x01\0\0\0\x01\0\0\x007\x03\0\0\x000:3\x03\0\0\0abc");
}
