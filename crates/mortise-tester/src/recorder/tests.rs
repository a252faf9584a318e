use std::fs;

use mortise_client::relay::RelayWitness as _;
use mortise_client::secret::{Secret, Secrets};
use mortise_client::server_config::{ServerConfig, StdioConfig, Transport};
use mortise_contract::ServerName;

use super::*;

fn secrets() -> Secrets {
    let mut stdio = StdioConfig::new("server", Vec::new());
    stdio.env.insert("API_TOKEN".to_owned(), Secret::new("sesame-1234"));
    Secrets::of(&ServerConfig::new(ServerName::parse("shop").unwrap(), Transport::Stdio(stdio)))
}

#[test]
fn messages_are_written_at_once_without_secrets_and_for_the_user_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.recording.jsonl");
    let recorder = Recorder::open(&path, "shop", secrets()).unwrap();
    let message = r#"{"jsonrpc":"2.0","id":1,"result":{"price":1.10,"echo":"Bearer sesame-1234"}}"#;
    recorder.passed(MessageSource::Client, r#"{"jsonrpc":"2.0","id":1,"method":"x"}"#);
    recorder.passed(MessageSource::Server, message);
    recorder.passed(MessageSource::Server, "starting with sesame-1234");
    // The recorder still writes; what passed is there.
    let recording = Recording::parse(&fs::read_to_string(&path).unwrap()).unwrap();
    let texts: Vec<&str> = recording.messages.iter().map(|message| message.text.as_str()).collect();
    assert_eq!(
        texts,
        [
            r#"{"jsonrpc":"2.0","id":1,"method":"x"}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"price":1.10,"echo":"Bearer [redacted]"}}"#,
            "starting with [redacted]",
        ]
    );
    assert_eq!(recording.end, None);
    let done = recorder.finish("the client closed its side");
    assert_eq!(done, RecordedFile { messages: 3, stopped: None });
    let recording = Recording::parse(&fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(recording.end.as_deref(), Some("the client closed its side"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    assert!(matches!(Recorder::open(&path, "shop", secrets()), Err(RecorderError::Busy)));
    drop(recorder);
    OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"ms\":5,\"fr").unwrap();
    let recorder = Recorder::open(&path, "shop", secrets()).unwrap();
    recorder.passed(MessageSource::Client, "{}");
    let recording = Recording::parse(&fs::read_to_string(&path).unwrap()).unwrap();
    let sessions: Vec<usize> = recording.messages.iter().map(|message| message.session).collect();
    assert_eq!(sessions, [0, 0, 0, 1]);
    let other = folder.path().join("other.json");
    fs::write(&other, "{\"tools\":[]}\n").unwrap();
    assert!(matches!(Recorder::open(&other, "shop", secrets()), Err(RecorderError::NotRecording(_))));
    assert_eq!(fs::read_to_string(&other).unwrap(), "{\"tools\":[]}\n");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_stops_the_recording_and_nothing_else() {
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let state = RecorderState { file: full, written: 0, messages: 0, stopped: None };
    let recorder = Recorder { started: Moment::now(), secrets: Secrets::default(), state: Mutex::new(state) };
    recorder.passed(MessageSource::Client, "{}");
    recorder.passed(MessageSource::Client, "{}");
    let done = recorder.finish("end");
    assert_eq!(done.messages, 0);
    let said = done.stopped.unwrap().to_string();
    assert!(said.starts_with("the recording can't be written: No space left on device"), "{said}");
}

#[test]
fn a_recording_that_is_full_ends_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("full.jsonl");
    let recorder = Recorder::open(&path, "shop", Secrets::default()).unwrap();
    recorder.state.lock().written = RECORDING_BYTES - LAST_LINE - 10;
    recorder.passed(MessageSource::Client, r#"{"jsonrpc":"2.0","id":1,"method":"x"}"#);
    recorder.passed(MessageSource::Client, "{}");
    assert_eq!(recorder.finish("x"), RecordedFile { messages: 0, stopped: Some(RecorderStop::Full) });
    let recording = Recording::parse(&fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(recording.end.as_deref(), Some("the recording is full"));
}
