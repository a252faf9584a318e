//! A state that comes back changed, late or with another request is refused.

use serde_json::json;

use super::*;

fn state() -> Sealed {
    Sealed::State(Some(json!({ "step": 1, "text": "é" })))
}

#[tokio::test]
async fn what_was_sealed_can_be_opened() {
    let sealer = Sealer::new();
    for sealed in [state(), Sealed::State(None), Sealed::Parked("abc".to_owned())] {
        assert_eq!(sealer.open(&sealer.seal(&sealed, b"call"), b"call"), Ok(sealed));
    }
}

#[tokio::test]
async fn a_state_is_good_for_its_own_request_and_server_only() {
    let sealer = Sealer::new();
    let text = sealer.seal(&state(), b"call");
    assert!(sealer.open(&text, b"calls").is_err());
    assert!(sealer.open(&text, b"").is_err());
    assert!(Sealer::new().open(&text, b"call").is_err());
}

#[tokio::test]
async fn every_changed_character_is_noticed() {
    let sealer = Sealer::new();
    let text = sealer.seal(&state(), b"call");
    for at in 0..text.len() {
        let other = if text.as_bytes()[at] == b'A' { "B" } else { "A" };
        let changed = format!("{}{other}{}", &text[..at], &text[at + 1..]);
        assert!(sealer.open(&changed, b"call").is_err(), "changed at {at}");
    }
    for wrong in ["", ".", "a.b", &text[1..], &text[..text.len() - 1], &format!("{text}.")] {
        assert!(sealer.open(wrong, b"call").is_err(), "{wrong}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_state_expires_after_an_hour() {
    let sealer = Sealer::new();
    let text = sealer.seal(&state(), b"call");
    tokio::time::advance(SEAL_TIME - Duration::from_secs(1)).await;
    assert!(sealer.open(&text, b"call").is_ok());
    tokio::time::advance(Duration::from_secs(2)).await;
    assert!(sealer.open(&text, b"call").is_err());
}
