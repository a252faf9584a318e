//! Traps in place of files are refused, and none of them makes the reader wait.

use std::io::Write as _;
use std::path::PathBuf;

use rustix::fs::{CWD, Mode, mkfifoat};
use tempfile::TempDir;

use super::*;

fn fifo(directory: &TempDir) -> PathBuf {
    let path = directory.path().join("fifo");
    mkfifoat(CWD, &path, Mode::RWXU).unwrap();
    path
}

#[track_caller]
fn check_refused(read: io::Result<String>, reason: &str) {
    assert_eq!(read.unwrap_err().to_string(), reason);
}

#[test]
fn a_regular_file_is_read_up_to_the_limit() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("text");
    std::fs::write(&path, "12345").unwrap();
    for read in [read, read_named] {
        assert_eq!(read(&path, 5).unwrap(), "12345");
        check_refused(read(&path, 4), "it is larger than the limit of 4 bytes");
    }
    std::fs::write(&path, b"\xff").unwrap();
    check_refused(read(&path, 5), "it is not UTF-8");
}

#[test]
fn devices_and_directories_are_refused() {
    let directory = TempDir::new().unwrap();
    for path in [Path::new("/dev/zero"), Path::new("/dev/null"), directory.path()] {
        check_refused(read(path, 5), "it is not a regular file");
        check_refused(read_named(path, 5), "it is not a regular file");
    }
}

#[test]
fn a_link_counts_as_what_it_leads_to() {
    let directory = TempDir::new().unwrap();
    let link = directory.path().join("link");
    std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
    check_refused(read(&link, 5), "it is not a regular file");
}

#[test]
fn a_pipe_without_a_writer_is_refused_at_once() {
    let directory = TempDir::new().unwrap();
    let path = fifo(&directory);
    check_refused(read(&path, 5), "it is not a regular file");
    check_refused(read_named(&path, 5), "it is a pipe without a writer");
}

#[test]
fn a_pipe_that_the_user_named_is_read_up_to_the_limit() {
    let directory = TempDir::new().unwrap();
    let path = fifo(&directory);
    let written = |text: &str, limit| {
        // A reader must be there before a writer can open the pipe without waiting.
        let _reader = without_waiting().open(&path).unwrap();
        let mut writer = OpenOptions::new().write(true).open(&path).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
        drop(writer);
        read_named(&path, limit)
    };
    assert_eq!(written("12345", 5).unwrap(), "12345");
    check_refused(written("123456", 5), "it is larger than the limit of 5 bytes");
    check_refused(read(&path, 5), "it is not a regular file");
}
