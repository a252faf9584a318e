use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

use super::*;

const CONTENT: &[u8] = &[7; 3 << 20];

/// The content as the binary would hold it.
fn image() -> InterpreterImage<'static> {
    let compressed = zstd::bulk::compress(CONTENT, 1).unwrap().leak();
    InterpreterImage { compressed, digest: "0123456789abcdef0123", length: CONTENT.len() as u64 }
}

#[track_caller]
fn inode(path: &Path) -> u64 {
    std::fs::metadata(path).expect("a file").ino()
}

#[test]
fn the_file_is_written_once_and_private() {
    let image = image();
    let home = tempfile::tempdir().unwrap();
    let directory = home.path().join("mortise");
    let cache = ModuleCache::new(&directory, &image);
    cache.open().unwrap();
    assert_eq!(std::fs::metadata(&directory).unwrap().mode() & 0o777, 0o700);
    assert_eq!(std::fs::metadata(cache.path()).unwrap().mode() & 0o777, 0o600);
    let first = inode(cache.path());
    cache.open().unwrap();
    assert_eq!(inode(cache.path()), first);
    assert_eq!(std::fs::read(cache.path()).unwrap(), CONTENT);
}

#[test]
fn a_broken_file_is_replaced() {
    let image = image();
    let directory = tempfile::tempdir().unwrap();
    let cache = ModuleCache::new(directory.path(), &image);
    let mut flipped = CONTENT.to_vec();
    flipped[2 << 20] ^= 1;
    for broken in [flipped.as_slice(), &CONTENT[1..], b"", &[CONTENT, b"x"].concat()] {
        cache.open().unwrap();
        std::fs::write(cache.path(), broken).unwrap();
        cache.open().unwrap();
        assert_eq!(std::fs::read(cache.path()).unwrap(), CONTENT);
    }
}

#[test]
fn a_file_without_its_stamp_is_compared_and_kept() {
    let image = image();
    let directory = tempfile::tempdir().unwrap();
    let cache = ModuleCache::new(directory.path(), &image);
    cache.open().unwrap();
    let first = inode(cache.path());
    std::fs::remove_file(&cache.stamp).unwrap();
    cache.open().unwrap();
    assert_eq!(inode(cache.path()), first);
    assert!(cache.stamp.exists());
}

#[test]
fn a_link_in_place_of_the_file_is_not_followed() {
    let image = image();
    let directory = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(elsewhere.path(), CONTENT).unwrap();
    let cache = ModuleCache::new(directory.path(), &image);
    std::os::unix::fs::symlink(elsewhere.path(), cache.path()).unwrap();
    cache.open().unwrap();
    assert!(!std::fs::symlink_metadata(cache.path()).unwrap().is_symlink());
}

#[test]
fn a_directory_open_to_others_is_closed_and_a_file_open_to_others_replaced() {
    let image = image();
    let directory = tempfile::tempdir().unwrap();
    let cache = ModuleCache::new(directory.path(), &image);
    cache.open().unwrap();
    std::fs::set_permissions(directory.path(), std::fs::Permissions::from_mode(0o777)).unwrap();
    std::fs::set_permissions(cache.path(), std::fs::Permissions::from_mode(0o666)).unwrap();
    cache.open().unwrap();
    assert_eq!(std::fs::metadata(directory.path()).unwrap().mode() & 0o777, 0o700);
    assert_eq!(std::fs::metadata(cache.path()).unwrap().mode() & 0o777, 0o600);
}

#[test]
fn a_file_where_the_directory_should_be_is_a_problem_not_a_panic() {
    let image = image();
    let file = tempfile::NamedTempFile::new().unwrap();
    assert!(matches!(ModuleCache::new(file.path(), &image).open(), Err(ImageCacheError::Io { .. })));
    let link = tempfile::tempdir().unwrap();
    let target = tempfile::tempdir().unwrap();
    let linked = link.path().join("cache");
    std::os::unix::fs::symlink(target.path(), &linked).unwrap();
    assert!(matches!(ModuleCache::new(&linked, &image).open(), Err(ImageCacheError::NotPrivate { .. })));
}

#[test]
fn other_versions_are_removed_and_other_files_kept() {
    let image = image();
    let directory = tempfile::tempdir().unwrap();
    let old = InterpreterImage { digest: "fedcba9876543210", ..image };
    let old = ModuleCache::new(directory.path(), &old);
    old.open().unwrap();
    std::fs::write(directory.path().join("python-3.14.8-0.1.new"), b"half").unwrap();
    std::fs::write(directory.path().join("notes.txt"), b"mine").unwrap();
    let new = ModuleCache::new(directory.path(), &image);
    new.open().unwrap();
    let mut names: Vec<_> =
        std::fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    let mut expected = vec![directory.path().join("notes.txt"), new.path, new.stamp];
    expected.sort();
    assert_eq!(names, expected);
}

#[test]
fn an_image_that_ends_early_leaves_no_file() {
    let image = InterpreterImage { length: CONTENT.len() as u64 + 1, ..image() };
    let directory = tempfile::tempdir().unwrap();
    assert!(matches!(
        ModuleCache::new(directory.path(), &image).open(),
        Err(ImageCacheError::Io { action: "write", .. })
    ));
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
}
