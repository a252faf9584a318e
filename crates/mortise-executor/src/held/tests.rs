use std::sync::{Arc, Mutex};

use mortise_script::{OutputSink, Stream};

use super::Held;

#[test]
fn output_is_passed_on_in_order_once_it_is_released() {
    let seen = Arc::new(Mutex::new(String::new()));
    let sink = {
        let seen = Arc::clone(&seen);
        move |_: Stream, text: &str| seen.lock().unwrap().push_str(text)
    };
    let held = Held::new(sink, None);
    let mut printing = held.clone();
    printing.write(Stream::Stdout, "");
    printing.write(Stream::Stdout, "a");
    printing.write(Stream::Stderr, "b");
    assert_eq!(*seen.lock().unwrap(), "");
    held.release();
    printing.write(Stream::Stdout, "c");
    held.release();
    assert_eq!(*seen.lock().unwrap(), "abc");
}

#[test]
fn nothing_is_kept_where_no_sink_watches() {
    let held = Held::new((), None);
    held.clone().write(Stream::Stdout, "a");
    assert!(held.0.lock().kept.is_none());
}
