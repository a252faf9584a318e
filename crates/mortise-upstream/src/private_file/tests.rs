//! Only the user may read, and a write is whole or not there.

use super::*;
use tempfile::TempDir;

#[test]
fn what_is_written_is_read_and_replaced_as_a_whole() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("a/b/state.json");
    assert_eq!(read(&path).unwrap(), None);
    for text in ["a long text", "short", ""] {
        write(&path, text).unwrap();
        assert_eq!(read(&path).unwrap().as_deref(), Some(text));
    }
    let left: Vec<_> =
        fs::read_dir(path.parent().unwrap()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(left, [path]);
}

#[cfg(unix)]
#[test]
fn only_the_user_may_read_or_enter() {
    use std::os::unix::fs::PermissionsExt;
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("state/tokens.json");
    let _lock = lock(&path).unwrap();
    // What a crash left behind, readable by all.
    let leftover = directory.path().join(format!("state/tokens.json.{}.tmp", std::process::id()));
    fs::write(&leftover, "old").unwrap();
    write(&path, "secret").unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(&directory.path().join("state/tokens.json.lock")), 0o600);
    assert_eq!(mode(&directory.path().join("state")), 0o700);

    fs::set_permissions(&path, fs::Permissions::from_mode(0o622)).unwrap();
    let error = read(&path).unwrap_err().to_string();
    assert!(error.ends_with("can be written by other users (mode 622)"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_secret_that_others_can_read_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("token");
    write(&path, "secret").unwrap();
    assert_eq!(read_secret(&path).unwrap().as_deref(), Some("secret"));
    for mode in [0o644, 0o640, 0o604, 0o610, 0o660] {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        let error = read_secret(&path).unwrap_err().to_string();
        assert!(error.ends_with(&format!("by other users (mode {mode:o})")), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_or_device_is_refused_without_waiting() {
    let directory = TempDir::new().unwrap();
    let fifo = directory.path().join("fifo");
    rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, rustix::fs::Mode::RWXU).unwrap();
    for path in [fifo.as_path(), Path::new("/dev/zero"), directory.path()] {
        for read in [read, read_secret] {
            assert!(matches!(read(path), Err(PrivateFileError::NotRegular { .. })), "{}", path.display());
        }
    }
}

#[test]
fn a_huge_file_is_refused() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("state.json");
    write(&path, &"x".repeat(MAX_BYTES as usize)).unwrap();
    assert!(read(&path).is_ok());
    write(&path, &"x".repeat(MAX_BYTES as usize + 1)).unwrap();
    assert!(matches!(read(&path), Err(PrivateFileError::TooLarge { .. })));
}

#[test]
fn writers_wait_for_one_another() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("count");
    let count = || -> u32 {
        let _lock = lock(&path).unwrap();
        let next = read(&path).unwrap().map_or(1, |text| text.parse::<u32>().unwrap() + 1);
        write(&path, &next.to_string()).unwrap();
        next
    };
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..10).for_each(|_| assert!(count() > 0)));
        }
    });
    assert_eq!(count(), 41);
}
