//! A run that lasts longer than a proxy keeps any connection.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::super::Interop;
use super::super::endpoint::{free_port, listen};
use super::home::{LIMIT, RunHome};
use crate::process;

/// How long the proxy keeps a connection. The program takes more than twice as long.
const PATIENCE: Duration = Duration::from_secs(5);
const WRITES: usize = 24;

pub(super) fn check(interop: &Interop<'_>) -> Result<String> {
    let mut done = Vec::new();
    for way in ["legacy", "auto", "task"] {
        let facts = through_the_proxy(interop, way).with_context(|| format!("as {way}"))?;
        done.push(format!("{way}: {} answers", facts["answers"]));
    }
    Ok(format!("each run took over 10 s and ended; {}", done.join(", ")))
}

fn through_the_proxy(interop: &Interop<'_>, way: &str) -> Result<Value> {
    let home = RunHome::new(interop, &format!("patience-{way}"), "")?;
    let port = free_port()?;
    let serve = home.mortise(&["serve", "--http", &format!("127.0.0.1:{port}"), "--no-token"]);
    let words = std::iter::once(serve.get_program()).chain(serve.get_args());
    let command: Vec<String> = words.map(|word| word.to_string_lossy().into_owned()).collect();
    let gateway = listen(&command, &home.environment(), home.folder(), port)?;
    let proxy = start_proxy(SocketAddr::from(([127, 0, 0, 1], port)))?;
    let root = interop.workspace.root();
    let code = std::fs::read_to_string(root.join("xtask/interop/runs/long.py"))?;
    let job = json!({ "url": format!("http://{proxy}/mcp"), "way": way, "code": code });
    let mut client = interop.packages.python(&root.join("xtask/interop/clients/patient_client.py"));
    let finished = process::run_ok(client.arg(job.to_string()), LIMIT)?;
    let facts: Value = serde_json::from_str(finished.stdout.lines().last().unwrap_or_default())?;
    let text = facts["text"].as_str().unwrap_or_default();
    ensure!(text.contains("part 23\nend"), "the last answer is {facts}");
    drop(gateway);
    let effects = home.effects()?;
    ensure!(effects.len() == WRITES && effects.values().all(|count| *count == 1), "effects: {effects:?}");
    home.remove()?;
    Ok(facts)
}

/// Passes bytes both ways and closes every connection after a time, whatever it carries.
fn start_proxy(target: SocketAddr) -> Result<SocketAddr> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let address = listener.local_addr()?;
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let Ok(server) = TcpStream::connect(target) else { continue };
            let ends = [(client.try_clone(), server.try_clone()), (server.try_clone(), client.try_clone())];
            for (from, to) in ends {
                if let (Ok(from), Ok(to)) = (from, to) {
                    thread::spawn(move || copy(from, to));
                }
            }
            thread::spawn(move || {
                thread::sleep(PATIENCE);
                client.shutdown(Shutdown::Both).ok();
                server.shutdown(Shutdown::Both).ok();
            });
        }
    });
    Ok(address)
}

fn copy(mut from: TcpStream, mut to: TcpStream) {
    let mut buffer = [0; 16 * 1024];
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        if to.write_all(&buffer[..read]).is_err() {
            break;
        }
    }
    to.shutdown(Shutdown::Write).ok();
}
