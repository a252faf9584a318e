use mortise_client::RecordedExchange;
use mortise_client::secret::{Secret, Secrets};
use mortise_client::server_config::{ServerConfig, StdioConfig, Transport};

use super::{Exchanges, Recording};
use crate::limits::{TESTER_EXCHANGE_BYTES, TESTER_EXCHANGES};

fn keep(exchanges: &Exchanges, response: String) {
    let (recording, sender) = Recording::start();
    let request = Some("{}".to_owned());
    let exchange = RecordedExchange { method: "ping", request, response: Some(response), elapsed: None };
    sender.try_send(exchange).unwrap();
    exchanges.keep(recording);
}

#[test]
fn the_latest_are_kept() {
    let exchanges = Exchanges::new(Secrets::default());
    for number in 0..=TESTER_EXCHANGES {
        keep(&exchanges, format!("r{number}"));
    }
    let (kept, total) = exchanges.last(usize::MAX);
    assert_eq!((kept.len(), total), (TESTER_EXCHANGES, TESTER_EXCHANGES as u64 + 1));
    assert_eq!(
        serde_json::to_string(&kept[0]).unwrap(),
        r#"{"method":"ping","request":"{}","response":"r1","duration_ms":null}"#
    );
}

#[test]
fn large_frames_push_out_older_ones() {
    let exchanges = Exchanges::new(Secrets::default());
    keep(&exchanges, "first".to_owned());
    keep(&exchanges, "x".repeat(TESTER_EXCHANGE_BYTES + 1));
    assert_eq!(exchanges.last(usize::MAX).0.len(), 1);
    keep(&exchanges, "last".to_owned());
    assert!(exchanges.last(usize::MAX).0[0].response.as_deref() == Some("last"));
}

#[test]
fn secrets_are_hidden_in_frames() {
    let stdio = Transport::Stdio(StdioConfig::new("x", Vec::new()));
    let mut config = ServerConfig::new(mortise_contract::ServerName::parse("x").unwrap(), stdio);
    config.secrets = vec![Secret::new("s3\"cret"), Secret::new("abc")];
    let exchanges = Exchanges::new(Secrets::of(&config));
    keep(&exchanges, r#"{"echo":"s3\"cret","abc":1}"#.to_owned());
    let shown = exchanges.last(1).0[0].response.clone().unwrap();
    assert!(shown.contains(r#"{"echo":"[redacted]","abc":1}"#), "{shown}");
}
