//! How commands end: by Ctrl-C, by a closed pipe, by a request to stop.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::program::{World, binary, mock};

pub(crate) fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

const CALL: &[&str] = &["call", "echo", "text=x", "--", "sh", "server.sh"];

/// A command that hangs in its server, which `sh server.sh` starts.
pub(crate) struct Hanging {
    pub(crate) child: Child,
    /// The server holds the other end: it is at its end when the server is.
    lifeline: BufReader<File>,
}

impl Hanging {
    /// Starts it and waits until the server runs.
    pub(crate) fn start(world: &World, arguments: &[&str]) -> Self {
        let fifo = world.project().join("fifo");
        rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, rustix::fs::Mode::RWXU).unwrap();
        let script =
            format!("exec 3> {}; echo started >&3; exec {} mock hang", fifo.display(), binary().display());
        world.write("server.sh", &script);
        let child = world
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lifeline = BufReader::new(File::open(fifo).unwrap());
        let mut line = String::new();
        lifeline.read_line(&mut line).unwrap();
        assert_eq!(line, "started\n");
        Self { child, lifeline }
    }

    /// Waits until the server is gone.
    pub(crate) fn assert_server_ends(self) {
        let (sender, ended) = std::sync::mpsc::channel();
        let mut lifeline = self.lifeline;
        std::thread::spawn(move || {
            let mut rest = String::new();
            lifeline.read_to_string(&mut rest).unwrap();
            sender.send(()).unwrap();
        });
        ended.recv_timeout(Duration::from_secs(30)).expect("the server still runs");
    }
}

#[test]
fn ctrl_c_ends_the_call_and_its_server() {
    for wanted in [Signal::INT, Signal::TERM] {
        let world = World::new();
        let mut call = Hanging::start(&world, CALL);
        signal(&call.child, wanted);
        assert_eq!(call.child.wait().unwrap().code(), Some(130));
        let mut stderr = String::new();
        call.child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        assert_eq!(stderr, "error: interrupted\n");
        call.assert_server_ends();
    }
}

#[test]
fn a_killed_command_leaves_no_server() {
    let world = World::new();
    let mut call = Hanging::start(&world, CALL);
    signal(&call.child, Signal::KILL);
    call.child.wait().unwrap();
    call.assert_server_ends();
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let world = World::new();
    let mut child = world
        .command(&[&["tools", "--json"][..], &mock("tools=200")].concat())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert_eq!((child.wait().unwrap().code(), stderr.as_str()), (Some(0), ""));
}

#[test]
fn a_served_sample_ends_with_its_client() {
    let world = World::new();
    let mut child = world
        .command(&["sample", "financial-data"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdin.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_listening_sample_drains_when_asked_to_stop() {
    let world = World::new();
    let mut child = world
        .command(&["sample", "financial-data", "--http", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains("http://127.0.0.1:"), "{line}");
    signal(&child, Signal::TERM);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
