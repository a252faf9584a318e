//! How commands end: by Ctrl-C, by a closed pipe, by a request to stop.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::listening::Listening;
use crate::program::{World, binary, mock};

pub(crate) fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

const CALL: &[&str] = &["call", "echo", "text=x", "--", "sh", "server.sh"];

/// A server that hangs, `sh server.sh`. It holds the other end of a FIFO, which is at its end when it is.
pub(crate) struct Lifeline(BufReader<File>);

impl Lifeline {
    /// Writes the script of the server; returns its FIFO.
    pub(crate) fn prepare(world: &World) -> PathBuf {
        let fifo = world.project().join("fifo");
        rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, rustix::fs::Mode::RWXU).unwrap();
        let script =
            format!("exec 3> {}; echo started >&3; exec {} mock hang", fifo.display(), binary().display());
        world.write("server.sh", &script);
        fifo
    }

    /// Waits until the server runs.
    pub(crate) fn started(fifo: &Path) -> Self {
        let mut lifeline = BufReader::new(File::open(fifo).unwrap());
        let mut line = String::new();
        lifeline.read_line(&mut line).unwrap();
        assert_eq!(line, "started\n");
        Self(lifeline)
    }

    /// Waits until the server is gone.
    pub(crate) fn assert_server_ends(self) {
        let mut lifeline = self.0;
        within_half_a_minute("the server still runs", move || {
            let mut rest = String::new();
            lifeline.read_to_string(&mut rest).unwrap();
        });
    }
}

/// What blocks forever in a broken build fails instead.
fn within_half_a_minute<T: Send + 'static>(otherwise: &str, work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, ended) = std::sync::mpsc::channel();
    std::thread::spawn(move || sender.send(work()).unwrap());
    ended.recv_timeout(Duration::from_secs(30)).expect(otherwise)
}

/// A command that hangs in its server, which `sh server.sh` starts.
pub(crate) struct Hanging {
    pub(crate) child: Child,
    lifeline: Lifeline,
}

impl Hanging {
    /// Starts it and waits until the server runs.
    pub(crate) fn start(world: &World, arguments: &[&str]) -> Self {
        let fifo = Lifeline::prepare(world);
        let child = world
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Self { child, lifeline: Lifeline::started(&fifo) }
    }

    /// Waits until the server is gone.
    pub(crate) fn assert_server_ends(self) {
        self.lifeline.assert_server_ends();
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

/// A server that starts a daemon: a process that leaves its group and session, and loses its parent.
fn daemon_world() -> (World, PathBuf) {
    let world = World::new();
    let fifo = world.project().join("fifo");
    rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, rustix::fs::Mode::RWXU).unwrap();
    let script = format!(
        "(setsid sh -c 'exec 3> {fifo}; echo started >&3; sleep 600 & sleep 600' &)\nexec {} mock hang",
        binary().display(),
        fifo = fifo.display(),
    );
    world.write("server.sh", &script);
    (world, fifo)
}

#[cfg(target_os = "linux")]
#[test]
fn no_daemon_of_a_server_outlives_us_however_we_end() {
    for end in [Signal::INT, Signal::TERM, Signal::KILL] {
        let (world, fifo) = daemon_world();
        let mut child = world.command(CALL).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let lifeline = Lifeline::started(&fifo);
        signal(&child, end);
        child.wait().unwrap();
        lifeline.assert_server_ends();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_server_gets_its_standard_streams_and_no_other_descriptor() {
    let world = World::new();
    world.write("server.sh", "exec ls /proc/self/fd > seen");
    let arguments = format!("exec {} tools -- sh server.sh", binary().display());
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &format!("exec 5< /dev/null 9> leaked; {arguments}")]).current_dir(world.project());
    shell.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
    let seen = std::fs::read_to_string(world.project().join("seen")).unwrap();
    // The last one is the folder that `ls` reads.
    assert_eq!(seen.lines().collect::<Vec<_>>(), ["0", "1", "2", "3"]);
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
fn a_served_sample_ends_when_its_client_no_longer_reads() {
    let world = World::new();
    let mut child = world
        .command(&["sample", "financial-data"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The client stays, sends nothing and closes only the end that it reads from.
    let stdin = child.stdin.take();
    drop(child.stdout.take());
    let status = within_half_a_minute("it still runs", move || child.wait().unwrap());
    assert_eq!(status.code(), Some(0));
    drop(stdin);
}

#[test]
fn a_client_that_gives_sockets_for_pipes_may_stop_reading_too() {
    use std::os::unix::net::UnixStream;
    let ((stdin, theirs), (stdout, their_stdout)) =
        (UnixStream::pair().unwrap(), UnixStream::pair().unwrap());
    let world = World::new();
    let mut command = world.command(&["sample", "financial-data"]);
    let mut child = command
        .stdin(Stdio::from(std::os::fd::OwnedFd::from(theirs)))
        .stdout(Stdio::from(std::os::fd::OwnedFd::from(their_stdout)))
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // The command holds the other ends as well.
    drop(command);
    drop(stdout);
    let status = within_half_a_minute("it still runs", move || child.wait().unwrap());
    assert_eq!(status.code(), Some(0));
    drop(stdin);
}

#[test]
fn a_client_may_give_one_socket_for_both_directions() {
    use std::io::Write as _;
    use std::os::fd::OwnedFd;
    let (mut ours, theirs) = std::os::unix::net::UnixStream::pair().unwrap();
    let world = World::new();
    let mut command = world.command(&["sample", "financial-data"]);
    let input = Stdio::from(OwnedFd::from(theirs.try_clone().unwrap()));
    let mut child = command
        .stdin(input)
        .stdout(Stdio::from(OwnedFd::from(theirs)))
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    drop(command);
    for number in 0..20 {
        writeln!(ours, r#"{{"jsonrpc":"2.0","id":{number},"method":"ping"}}"#).unwrap();
    }
    let answers: Vec<String> = BufReader::new(ours).lines().take(20).map(|line| line.unwrap()).collect();
    assert_eq!(answers.len(), 20);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_listening_sample_drains_when_asked_to_stop() {
    let world = World::new();
    assert_eq!(Listening::start(&world, &["sample", "financial-data"]).stop(), "");
}

#[test]
fn a_log_that_may_not_grow_continues_on_stderr() {
    let world = World::new();
    let arguments = [&["tools", "-vv", "--log-file", "log.txt"][..], &mock("ok")].concat();
    let ran = world.run_with_small_files(1, &arguments).expect_exit(0);
    assert!(ran.stdout.contains("echo"), "{}", ran.stdout);
    assert!(
        ran.stderr.starts_with("warning: cannot write the log file `log.txt`: File too large"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("DEBUG mortise_client"), "{}", ran.stderr);
}

#[test]
fn a_limit_on_the_size_of_files_kills_no_program() {
    // The interpreter's cache does not fit, and the program runs all the same.
    let ran = World::new().run_with_small_files(70_000, &["run", "-c", "print('ran')"]).expect_exit(0);
    assert_eq!(ran.stdout, "ran\n");
    // Nor does the memory that it starts from, which is a file without a name: that is said with the limit.
    let world = World::new();
    let ran = world.run_with_small_files(2, &["run", "-c", "print('ran')"]).expect_exit(2);
    assert!(ran.stderr.contains("files of this process may have at most"), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("hint: raise the limit, for example with `ulimit -f unlimited`"),
        "{}",
        ran.stderr
    );
    // Mapped from a cache that is there, the memory needs no such file.
    world.run(&["run", "-c", "print('ran')"]).expect_exit(0);
    let ran = world.run_with_small_files(2, &["run", "-c", "print('ran')"]).expect_exit(0);
    assert_eq!(ran.stdout, "ran\n");
}
