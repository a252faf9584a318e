//! A device or a pipe in place of a file is refused, by every command that reads one.

use rustix::fs::{CWD, Mode, mkfifoat};

use crate::program::{World, mock};

/// Ends at once, with a sentence that names the file.
#[track_caller]
fn check_refused(world: &World, arguments: &[&str], reason: &str) {
    let ended = world.run(arguments);
    assert!(
        !matches!(ended.exit, Some(0) | None),
        "{arguments:?} ended with {:?}: {}",
        ended.exit,
        ended.stderr
    );
    assert!(ended.stderr.contains(reason), "{arguments:?}: {}", ended.stderr);
}

#[test]
fn traps_in_place_of_files_are_refused_at_once() {
    let world = World::new();
    let fifo = world.project().join("fifo");
    mkfifoat(CWD, &fifo, Mode::RWXU).unwrap();
    let fifo = fifo.to_str().unwrap();
    for (path, reason) in [("/dev/zero", "it is not a regular file"), (fifo, "it is a pipe without a writer")]
    {
        let (at, pair, lock) = (format!("@{path}"), format!("text:=@{path}"), format!("--lock={path}"));
        check_refused(&world, &["run", path], reason);
        check_refused(&world, &[&["call", "echo", "--args", &at], &mock("ok")[..]].concat(), reason);
        check_refused(&world, &[&["call", "echo", &pair], &mock("ok")[..]].concat(), reason);
        check_refused(&world, &[&["check", "--cases", path], &mock("ok")[..]].concat(), reason);
        check_refused(&world, &["tools", "--config", path], reason);
        check_refused(&world, &["formats", "check", path], reason);
        check_refused(&world, &["mock", "--script", path], reason);
        check_refused(&world, &["diff", "--samples", &lock], reason);
    }
}
