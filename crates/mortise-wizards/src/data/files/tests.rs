use std::io::{Read as _, Write as _};
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;

use super::*;

struct Place {
    _folder: tempfile::TempDir,
    files: DataFiles,
    root: PathBuf,
    outside: PathBuf,
}

fn place() -> Place {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().canonicalize().unwrap();
    let (root, outside) = (base.join("root"), base.join("outside"));
    fs::create_dir_all(root.join("sub")).unwrap();
    fs::create_dir_all(&outside).unwrap();
    fs::write(root.join("a.csv"), "id\n1\n").unwrap();
    fs::write(root.join("sub/b.csv"), "id\n2\n").unwrap();
    fs::write(outside.join("secret.csv"), "secret").unwrap();
    let files = DataFiles::new(std::slice::from_ref(&root), None).unwrap();
    Place { _folder: folder, files, root, outside }
}

#[track_caller]
fn refused(files: &DataFiles, path: &str, expected: &str) {
    assert_eq!(files.open(path).unwrap_err().to_string(), expected);
}

#[test]
fn what_lies_below_a_root_is_read_by_any_of_its_names() {
    let place = place();
    symlink(place.root.join("sub"), place.root.join("link")).unwrap();
    let absolute = place.root.join("sub/b.csv");
    for path in ["sub/b.csv", "./sub/../sub/b.csv", "link/b.csv", absolute.to_str().unwrap()] {
        let mut file = place.files.open(path).unwrap();
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        assert_eq!((text.as_str(), file.shown()), ("id\n2\n", "sub/b.csv"));
    }
}

#[test]
fn what_leads_out_of_the_roots_is_denied() {
    let place = place();
    symlink(&place.outside, place.root.join("out")).unwrap();
    symlink(place.outside.join("secret.csv"), place.root.join("secret.csv")).unwrap();
    let secret = place.outside.join("secret.csv");
    let missing = place.outside.join("missing.csv");
    for path in ["../outside/secret.csv", "out/secret.csv", "secret.csv", "/etc/passwd"]
        .into_iter()
        .chain([secret.to_str().unwrap(), missing.to_str().unwrap()])
    {
        refused(&place.files, path, &format!("`{path}` is not below a folder that may be read"));
    }
}

#[test]
fn only_regular_files_are_opened_and_nothing_waits() {
    let place = place();
    let pipe = place.root.join("pipe");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    let _socket = UnixListener::bind(place.root.join("socket")).unwrap();
    refused(&place.files, "pipe", "`pipe` is a pipe, not a regular file");
    refused(&place.files, "socket", "`socket` is a socket, not a regular file");
    refused(&place.files, "sub", "`sub` is a folder, not a regular file");
    refused(&place.files, ".", "`.` is a folder, not a regular file");
    refused(&place.files, "nothing.csv", "there is nothing at `nothing.csv`");
    refused(&place.files, "a.csv/", "there is nothing at `a.csv/`");
    refused(&place.files, "a.csv/b.csv", "there is nothing at `a.csv/b.csv`");
    refused(&place.files, "a\0b", "there is nothing at `a\u{fffd}b`");
    assert!(matches!(place.files.folder("a.csv"), Err(FileError::NotADirectory { .. })));
}

#[test]
fn a_link_put_in_between_is_not_followed() {
    let place = place();
    fs::remove_dir_all(place.root.join("sub")).unwrap();
    symlink(&place.outside, place.root.join("sub")).unwrap();
    // As if `sub/secret.csv` had been resolved before the swap.
    let opened = data_file::open_regular(&place.root, &place.root.join("sub/secret.csv"), "sub/secret.csv");
    assert!(matches!(opened, Err(FileError::Denied { .. })));
}

#[test]
fn the_working_directory_is_no_root_when_it_is_everything() {
    let place = place();
    let in_root = DataFiles::in_working_directory(Path::new("/"), None, None).unwrap_err();
    assert_eq!(
        in_root.to_string(),
        "the working directory `/` is the file system's root, which is too wide to be a root"
    );
    let home = DataFiles::in_working_directory(&place.root, Some(&place.root), None).unwrap_err();
    assert!(home.to_string().ends_with("is the home folder, which is too wide to be a root"), "{home}");
    assert!(DataFiles::in_working_directory(&place.root, Some(&place.outside), None).is_ok());
}

#[test]
fn an_output_appears_whole_and_never_over_another() {
    let place = place();
    let name = Path::new("2024/orders.csv");
    let target = place.root.join("mortise-out/2024/orders.csv");
    let output = place.files.create(name, Existing::Keep).unwrap();
    output.file().unwrap().write_all(b"one").unwrap();
    assert!(!target.exists());
    assert_eq!(output.commit().unwrap(), target);
    let again = place.files.create(name, Existing::Keep);
    assert!(matches!(again, Err(FileError::Exists { .. })));
    let output = place.files.create(name, Existing::Replace).unwrap();
    output.file().unwrap().write_all(b"two").unwrap();
    drop(output);
    assert_eq!(fs::read_to_string(&target).unwrap(), "one");
    let output = place.files.create(name, Existing::Replace).unwrap();
    output.file().unwrap().write_all(b"two").unwrap();
    output.commit().unwrap();
    assert_eq!(fs::read_to_string(&target).unwrap(), "two");
    assert_eq!(fs::read_dir(target.parent().unwrap()).unwrap().count(), 1);
    assert_eq!(place.files.open("mortise-out/2024/orders.csv").unwrap().size(), 3);
}

#[test]
fn only_the_user_may_enter_folders_that_are_made_for_outputs() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = place();
    place.files.create(Path::new("2024/orders.csv"), Existing::Keep).unwrap().commit().unwrap();
    for folder in ["mortise-out", "mortise-out/2024"] {
        let mode = fs::metadata(place.root.join(folder)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "{folder}");
    }
    // The state of the wizards is made first where no output was written yet.
    let out = place.root.join("made/for/state");
    Folder::make(&out, &out.join(".state")).unwrap();
    for folder in ["made", "made/for", "made/for/state", "made/for/state/.state"] {
        let mode = fs::metadata(place.root.join(folder)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "{folder}");
    }
}

#[test]
fn an_output_that_appears_meanwhile_is_kept() {
    let place = place();
    let output = place.files.create(Path::new("a.csv"), Existing::Keep).unwrap();
    fs::write(output.target(), "theirs").unwrap();
    let target = output.target().to_owned();
    assert!(matches!(output.commit(), Err(FileError::Exists { .. })));
    assert_eq!(fs::read_to_string(target).unwrap(), "theirs");
}

#[test]
fn outputs_stay_below_their_folder() {
    let place = place();
    for name in ["../a.csv", "/tmp/a.csv", "a/../../b.csv", "", "."] {
        let refused = place.files.create(Path::new(name), Existing::Replace).unwrap_err();
        assert!(matches!(refused, FileError::BadOutputName { .. }), "{name}: {refused}");
    }
    fs::create_dir_all(place.files.output()).unwrap();
    symlink(&place.outside, place.files.output().join("link")).unwrap();
    for name in ["link/a.csv", "link/new/a.csv"] {
        let refused = place.files.create(Path::new(name), Existing::Keep).unwrap_err();
        assert!(matches!(refused, FileError::Denied { .. }), "{refused}");
    }
    assert!(!place.outside.join("new").exists());
    let elsewhere = place.files.create_in(&place.outside, Path::new("a.csv"), Existing::Keep).unwrap_err();
    assert!(matches!(elsewhere, FileError::Denied { .. }), "{elsewhere}");
    let inside = place.files.create_in(Path::new("mortise-out/x"), Path::new("a.csv"), Existing::Keep);
    assert_eq!(inside.unwrap().target(), place.root.join("mortise-out/x/a.csv"));
}

#[test]
fn an_output_stays_where_it_was_begun() {
    let place = place();
    let output = place.files.create(Path::new("sub/a.csv"), Existing::Replace).unwrap();
    let (folder, moved) = (place.files.output().join("sub"), place.files.output().join("moved"));
    fs::rename(&folder, &moved).unwrap();
    symlink(&place.outside, &folder).unwrap();
    output.file().unwrap().write_all(b"one").unwrap();
    assert!(matches!(output.commit(), Err(FileError::Replaced { .. })));
    assert_eq!(fs::read_dir(&place.outside).unwrap().count(), 1);
    assert_eq!(fs::read_dir(&moved).unwrap().count(), 0);
}

#[test]
fn only_the_file_that_was_begun_appears() {
    let place = place();
    for swap in
        [|path: &Path| symlink("/etc/passwd", path).unwrap(), |path: &Path| fs::write(path, "x").unwrap()]
    {
        let output = place.files.create(Path::new("a.csv"), Existing::Replace).unwrap();
        let target = output.target().to_owned();
        output.file().unwrap().write_all(b"one").unwrap();
        fs::remove_file(output.path()).unwrap();
        swap(output.path());
        assert!(matches!(output.commit(), Err(FileError::Replaced { .. })));
        assert!(target.symlink_metadata().is_err());
    }
}

#[test]
fn no_folder_is_made_behind_a_link() {
    let place = place();
    symlink(&place.outside, place.root.join("link")).unwrap();
    let made = Folder::make(&place.root, &place.root.join("link/new"));
    assert!(matches!(made, Err(FileError::Linked { .. })));
    let made = Folder::make(&place.root, &place.root.join("a.csv/new"));
    assert!(matches!(made, Err(FileError::Io { .. })));
    assert!(Folder::make(&place.root, &place.root.join("../new")).is_err());
    assert_eq!(fs::read_dir(&place.outside).unwrap().count(), 1);
}

#[test]
fn the_output_folder_that_was_found_is_no_link() {
    let place = place();
    symlink(&place.outside, place.root.join(OUTPUT_FOLDER)).unwrap();
    let link = place.root.join(OUTPUT_FOLDER);
    for output in [None, Some(link.as_path()), Some(Path::new("sub/../mortise-out"))] {
        let refused = DataFiles::new(std::slice::from_ref(&place.root), output).unwrap_err();
        assert!(matches!(refused, FileError::Linked { .. }), "{refused}");
    }
    symlink(&place.outside, place.root.join("results")).unwrap();
    let named = DataFiles::new(std::slice::from_ref(&place.root), Some(Path::new("results"))).unwrap();
    assert_eq!(named.output(), place.outside);
}

mod laws {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Whatever is asked for, nothing outside of the root is read or written.
        #[test]
        fn no_path_leads_out(
            paths in prop::collection::vec(
                prop::collection::vec(
                    prop_oneof![
                        Just(".."), Just("."), Just("sub"), Just("out"), Just("around"), Just("secret.csv"), Just(""),
                        Just("outside"), Just("root"), Just("a.csv"), Just("b.csv"), Just("mortise-out")
                    ],
                    1..7,
                ),
                1..20,
            ),
            absolute in any::<bool>(),
        ) {
            let place = place();
            symlink(&place.outside, place.root.join("sub/out")).unwrap();
            symlink("../..", place.root.join("sub/around")).unwrap();
            fs::create_dir_all(place.files.output()).unwrap();
            symlink(&place.outside, place.files.output().join("out")).unwrap();
            for path in paths {
                let mut path = path.join("/");
                if absolute {
                    path = format!("{}/{path}", place.root.display());
                }
                if let Ok(mut file) = place.files.open(&path) {
                    let mut text = String::new();
                    file.read_to_string(&mut text).unwrap();
                    prop_assert!(text != "secret", "{path}");
                }
                if let Ok(output) = place.files.create(Path::new(&path), Existing::Replace) {
                    output.commit().ok();
                }
                prop_assert_eq!(fs::read_dir(&place.outside).unwrap().count(), 1, "{}", path);
                prop_assert_eq!(fs::read_to_string(place.outside.join("secret.csv")).unwrap(), "secret");
            }
        }
    }
}

#[test]
fn files_of_several_roots_are_placed_below_the_folder_that_holds_all() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().canonicalize().unwrap();
    fs::create_dir_all(base.join("north/2024")).unwrap();
    fs::create_dir_all(base.join("south")).unwrap();
    let placed = |roots: &[&str], file: &str| {
        let roots: Vec<PathBuf> = roots.iter().map(|root| base.join(root)).collect();
        DataFiles::new(&roots, None).unwrap().placed(&base.join(file)).to_string_lossy().into_owned()
    };
    assert_eq!(placed(&["north"], "north/2024/a.csv"), "2024/a.csv");
    assert_eq!(placed(&["north", "south"], "north/a.csv"), "north/a.csv");
    assert_eq!(placed(&["south", "north/2024"], "north/2024/a.csv"), "north/2024/a.csv");
    assert_eq!(placed(&["north/2024", "north"], "north/a.csv"), "a.csv");
    assert_eq!(placed(&["south"], "../../etc/passwd").split('/').filter(|part| *part == "..").count(), 0);
}
