//! Which headers are understood.

use super::*;

#[track_caller]
fn check_post(content_type: &str, accept: &[&str], expected: Result<(), Unreadable>) {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_str(content_type).unwrap());
    for line in accept {
        headers.append(ACCEPT, HeaderValue::from_str(line).unwrap());
    }
    assert_eq!(check_media(&Method::POST, &mut headers), expected, "{content_type} {accept:?}");
    if expected.is_ok() {
        let accept: Vec<_> = headers.get_all(ACCEPT).iter().collect();
        assert_eq!(accept, [&BOTH]);
        assert_eq!(headers[CONTENT_TYPE], JSON);
    }
}

#[test]
fn a_body_is_json_by_its_whole_type() {
    for kind in ["application/json", "Application/JSON", "application/json; charset=utf-8"] {
        check_post(kind, &["*/*"], Ok(()));
    }
    for kind in ["application/jsonx", "application/json-seq", "application/x-json", "json", "", "text/plain"]
    {
        check_post(kind, &["*/*"], Err(Unreadable::Body));
    }
}

#[test]
fn ranges_count_and_the_narrowest_decides() {
    const JSON: &str = "application/json";
    for accept in [
        &["application/json, text/event-stream"][..],
        &["application/json", "text/event-stream"],
        &["TEXT/event-stream;q=0.5 , application/*"],
        &["*/*"],
        &["text/*, application/*;q=0.1"],
        &["text/html, */*;q=0.8"],
        &["image/*;q=0, */*"],
        &[],
    ] {
        check_post(JSON, accept, Ok(()));
    }
    for accept in [
        &["application/json"][..],
        &["text/event-stream"],
        &["application/*"],
        &["application/jsonx, text/event-streams"],
        &["*/*, text/event-stream;q=0"],
        &["*/*;q=0"],
        &["*/*, text/*;q=0.000"],
        &["garbage"],
        &[""],
    ] {
        check_post(JSON, accept, Err(Unreadable::Answer));
    }
}

#[test]
fn a_stream_needs_no_body_and_no_json() {
    let check_get = |accept: &'static str| {
        let mut headers = HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static(accept))]);
        check_media(&Method::GET, &mut headers)
    };
    assert_eq!(check_get("text/event-stream"), Ok(()));
    assert_eq!(check_get("text/*"), Ok(()));
    assert_eq!(check_get("application/json"), Err(Unreadable::Answer));
}
