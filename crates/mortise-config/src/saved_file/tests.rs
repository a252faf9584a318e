use std::os::unix::fs::symlink;

use super::*;

#[test]
fn the_mode_and_a_link_stay() {
    let folder = tempfile::tempdir().unwrap();
    let (file, link) = (folder.path().join("real.yaml"), folder.path().join("link.yaml"));
    fs::write(&file, "old\n").unwrap();
    fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
    symlink("real.yaml", &link).unwrap();
    let edit = SavedFile { path: link.clone(), before: Some("old\n".to_owned()), after: "new\n".to_owned() };
    edit.save().unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "new\n");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o7777, 0o640);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left over");
}

#[test]
fn a_new_file_is_the_user_s_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a/b/mortise.yaml");
    SavedFile { path: path.clone(), before: None, after: "x".to_owned() }.save().unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o600);
    assert_eq!(fs::metadata(folder.path().join("a")).unwrap().permissions().mode() & 0o7777, 0o700);
}

#[test]
fn what_changed_in_the_meantime_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.json");
    fs::write(&path, "theirs").unwrap();
    for before in [None, Some("ours".to_owned())] {
        let error = SavedFile { path: path.clone(), before, after: "new".to_owned() }.save().unwrap_err();
        assert!(matches!(error, SaveError::Changed { .. }), "{error}");
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), "theirs");
}

#[test]
fn an_empty_text_removes_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.json");
    for before in [Some("ours".to_owned()), None] {
        if let Some(text) = &before {
            fs::write(&path, text).unwrap();
        }
        SavedFile { path: path.clone(), before, after: String::new() }.save().unwrap();
        assert!(!path.exists());
    }
}
