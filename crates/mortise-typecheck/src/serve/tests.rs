//! A checker over pipes in memory.

use std::io::{self, Cursor, Write};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};

use mortise_contract::{CheckMode, Contract, RawJson, ServerName};

use super::serve;
use crate::request::{CheckRequest, CheckedTool, Outputs};
use crate::wire::{self, CheckAnswer, NamedRequest, ToChecker};

struct Sent(Sender<Vec<u8>>);

impl Write for Sent {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.send(bytes.to_vec()).map_err(io::Error::other)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_contract_is_sent_once_and_named_from_then_on() {
    let raw = r#"{"name": "now", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object",
        "properties": {"utc": {"type": "string"}}, "required": ["utc"], "additionalProperties": false}}"#;
    let contract = Arc::new(Contract::parse(RawJson::parse(raw).unwrap()).unwrap());
    let mut frames = Vec::new();
    let text = contract.raw.text().to_owned();
    wire::encode(&ToChecker::Contract { digest: contract.digest().to_owned(), text }, &mut frames).unwrap();
    for key in ["utx", "utc"] {
        let tool = CheckedTool {
            callable: "mcp__clock__now".to_owned(),
            server: ServerName::parse("clock").unwrap(),
            contract: contract.clone(),
            outputs: Outputs::Declared,
        };
        let source = format!("time = await mcp__clock__now()\nprint(time['{key}'])\n");
        let request = CheckRequest { tools: vec![tool], ..CheckRequest::new(source, CheckMode::Guard) };
        wire::encode(&ToChecker::Check(NamedRequest::of(request)), &mut frames).unwrap();
    }
    let (sender, received) = channel();
    serve(Cursor::new(frames), Sent(sender)).unwrap();
    let refusals: Vec<usize> = received
        .iter()
        .map(|frame| wire::read::<CheckAnswer>(&mut &frame[..]).unwrap().unwrap().report.refusals().count())
        .collect();
    assert_eq!(refusals, [1, 0]);
}

#[test]
fn a_message_that_can_not_be_read_ends_it() {
    let (sender, _received) = channel();
    assert!(serve(Cursor::new(b"\x02\0\0\0{}"), Sent(sender)).is_err());
}
