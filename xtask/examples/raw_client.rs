//! The least a client can do: start a server, shake hands, ask one thing, print the answer.
//!
//! Usage: `raw_client list|call wait|kill COMMAND…`. It is the floor of the benchmarks of `mortise tools` and
//! `mortise call`. In the end it closes the server's input and waits for it to leave, as the protocol asks, or kills it.

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
    let request = if arguments.next().as_deref() == Some("list") { LIST } else { CALL };
    let kill = arguments.next().as_deref() == Some("kill");
    let program = arguments.next().ok_or_else(|| io::Error::other("no command"))?;
    let mut server =
        Command::new(program).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut input = server.stdin.take().ok_or_else(|| io::Error::other("no stdin"))?;
    let mut output = BufReader::new(server.stdout.take().ok_or_else(|| io::Error::other("no stdout"))?);
    writeln!(input, "{HELLO}")?;
    answer(&mut output, "\"id\":1")?;
    writeln!(input, "{READY}\n{request}")?;
    let line = answer(&mut output, "\"id\":2")?;
    io::stdout().write_all(line.as_bytes())?;
    drop(input);
    if kill {
        server.kill()?;
    }
    server.wait()?;
    Ok(())
}

/// Reads lines until one carries the id.
fn answer(output: &mut impl BufRead, id: &str) -> io::Result<String> {
    loop {
        let mut line = String::new();
        if output.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if line.contains(id) {
            return Ok(line);
        }
    }
}
