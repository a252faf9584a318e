//! Only the user may read, and a write is whole or not there.

use super::*;
use mortise_contract::file_access::FileAccess;
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

#[test]
fn only_the_user_may_read_or_enter() {
    use std::os::unix::fs::PermissionsExt;
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("state/tokens.json");
    let _lock = lock(&path).unwrap();
    // What a crash left behind, readable by all.
    fs::write(directory.path().join("state/tokens.json.1.tmp"), "old").unwrap();
    fs::write(&path, "readable by all").unwrap();
    write(&path, "secret").unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(&directory.path().join("state/tokens.json.lock")), 0o600);
    assert_eq!(mode(&directory.path().join("state")), 0o700);

    fs::set_permissions(&path, fs::Permissions::from_mode(0o622)).unwrap();
    let error = read(&path).unwrap_err().to_string();
    assert!(error.ends_with("can be written by other users (mode 622)"), "{error}");
}

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

/// Reads and writes a file in every way, and collects why each was refused.
fn refusals(path: &Path) -> Vec<String> {
    let refusals = [
        read(path).map(drop),
        read_secret(path).map(drop),
        write(path, "new"),
        lock(path).map(drop),
        try_lock(path).map(drop),
    ];
    refusals.into_iter().filter_map(Result::err).map(|error| error.to_string()).collect()
}

#[test]
fn nothing_is_read_or_written_where_others_can_replace_files() {
    use std::os::unix::fs::PermissionsExt;
    let root = TempDir::new().unwrap();
    let directory = root.path().join("state");
    let path = directory.join("trust.json");
    write(&path, "old").unwrap();
    let link = root.path().join("link");
    std::os::unix::fs::symlink(&directory, &link).unwrap();
    for mode in [0o777, 0o1777, 0o770, 0o720, 0o702] {
        fs::set_permissions(&directory, fs::Permissions::from_mode(mode)).unwrap();
        for (directory, path) in [(&directory, path.clone()), (&link, link.join("trust.json"))] {
            let expected =
                format!("`{}` can be written by other users (mode {:o})", directory.display(), mode & 0o777);
            assert_eq!(refusals(&path), vec![expected; 5]);
        }
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    assert_eq!(read_named_secret(&path).unwrap().as_deref(), Some("old"), "a file that the user named");
    for mode in [0o700, 0o755, 0o750, 0o711] {
        fs::set_permissions(&directory, fs::Permissions::from_mode(mode)).unwrap();
        assert_eq!(read(&path).unwrap().as_deref(), Some("old"), "{mode:o}");
        assert_eq!(read(&link.join("trust.json")).unwrap().as_deref(), Some("old"), "{mode:o}");
    }
}

#[test]
fn what_another_user_owns_is_refused() {
    use std::os::unix::fs::{chown, lchown};
    for (owner, user, expected) in
        [(1000, 1000, false), (0, 1000, false), (1001, 1000, true), (1000, 0, true)]
    {
        let access = FileAccess { owner, mode: 0o600 };
        assert_eq!(access.is_foreign_to(user), expected, "{owner} {user}");
    }
    // Only root can give a file away.
    if !rustix::process::geteuid().is_root() {
        return;
    }
    const NEIGHBOUR: u32 = 65_534;
    let root = TempDir::new().unwrap();
    let directory = root.path().join("state");
    let path = directory.join("trust.json");
    write(&path, "old").unwrap();
    let link = root.path().join("link");
    std::os::unix::fs::symlink(&directory, &link).unwrap();
    lchown(&link, Some(NEIGHBOUR), None).unwrap();
    let foreign = |path: &Path| format!("`{}` belongs to another user (uid {NEIGHBOUR})", path.display());
    assert_eq!(refusals(&link.join("trust.json")), vec![foreign(&link); 5]);
    chown(&path, Some(NEIGHBOUR), None).unwrap();
    let error = read(&path).unwrap_err();
    assert_eq!(error.to_string(), foreign(&path));
    let hint =
        format!("remove it, or run `chown -h 0 {}` if you know that all in it is yours", path.display());
    assert_eq!(error.hint(), Some(hint));
    chown(&directory, Some(NEIGHBOUR), None).unwrap();
    assert_eq!(refusals(&path), vec![foreign(&directory); 5]);
}

#[test]
fn a_pipe_or_device_is_refused_without_waiting() {
    let directory = TempDir::new().unwrap();
    let fifo = directory.path().join("fifo");
    rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, rustix::fs::Mode::RWXU).unwrap();
    let inside = directory.path().join("inside");
    fs::create_dir(&inside).unwrap();
    for path in [fifo.as_path(), Path::new("/dev/zero"), &inside] {
        for read in [read, read_secret, read_named_secret] {
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
