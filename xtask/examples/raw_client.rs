//! The least a client can do: start a server, shake hands, ask, print the answers.
//!
//! Usage: `raw_client list|call wait|kill COMMAND…`, the floor of the benchmarks of `mortise tools` and `mortise call`;
//! or `raw_client calls FILE wait|kill COMMAND…`, which makes a tool call of every line of a file, each after the answer
//! to the one before. In the end it closes the server's input and waits for it to leave, as the protocol asks, or kills
//! it.

use std::io::{self, BufRead, BufReader, Write};
use std::process::{Command, ExitCode, Stdio};

const HELLO: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}"#;
const READY: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
const LIST: &str = r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#;
const CALL: &str = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get-structured-content","arguments":{"location":"Chicago"}}}"#;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            writeln!(io::stderr(), "error: {error}").ok();
            ExitCode::FAILURE
        }
    }
}

fn run() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let requests = match arguments.next().as_deref() {
        Some("list") => vec![LIST.to_owned()],
        Some("calls") => calls(&arguments.next().ok_or_else(|| io::Error::other("no file"))?)?,
        _ => vec![CALL.to_owned()],
    };
    let kill = arguments.next().as_deref() == Some("kill");
    let program = arguments.next().ok_or_else(|| io::Error::other("no command"))?;
    let mut server =
        Command::new(program).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut input = server.stdin.take().ok_or_else(|| io::Error::other("no stdin"))?;
    let mut output = BufReader::new(server.stdout.take().ok_or_else(|| io::Error::other("no stdout"))?);
    writeln!(input, "{HELLO}")?;
    answer(&mut output, 1)?;
    writeln!(input, "{READY}")?;
    for (number, request) in requests.iter().enumerate() {
        writeln!(input, "{request}")?;
        let line = answer(&mut output, number + 2)?;
        if line.contains("\"isError\":true") {
            return Err(io::Error::other(line));
        }
        io::stdout().write_all(line.as_bytes())?;
    }
    drop(input);
    if kill {
        server.kill()?;
    }
    server.wait()?;
    Ok(())
}

/// A request for every line of a file.
fn calls(file: &str) -> io::Result<Vec<String>> {
    let lines = std::fs::read_to_string(file)?;
    let request = |(number, params): (usize, &str)| {
        format!(r#"{{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{params}}}"#, number + 2)
    };
    Ok(lines.lines().enumerate().map(request).collect())
}

/// Reads lines until one carries the id.
fn answer(output: &mut impl BufRead, id: usize) -> io::Result<String> {
    let forms = [format!("\"id\":{id},"), format!("\"id\":{id}}}")];
    loop {
        let mut line = String::new();
        if output.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if forms.iter().any(|form| line.contains(form)) {
            return Ok(line);
        }
    }
}
