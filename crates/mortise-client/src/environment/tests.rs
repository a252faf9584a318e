//! Depth, home and paths as the process was started.

use super::*;

fn with_depth(depth: &str) -> Environment {
    Environment { variables: [(MORTISE_DEPTH.into(), depth.into())].into(), ..Environment::default() }
}

#[test]
fn depth_counts_from_nothing_and_distrusts_garbage() {
    assert_eq!(Environment::default().depth(), 0);
    assert_eq!(Environment::default().child_depth(), 1);
    assert_eq!(with_depth("3").child_depth(), 4);
    assert_eq!(with_depth("minus one").depth(), u32::MAX);
    assert_eq!(with_depth("minus one").child_depth(), u32::MAX);
}

#[test]
fn a_tilde_is_the_home_directory_only_at_the_front() {
    let environment = Environment {
        home: Some("/home/ada".into()),
        working_directory: "/work".into(),
        ..Environment::default()
    };
    for (given, expected) in [
        ("~/tools/x", "/home/ada/tools/x"),
        ("~", "/home/ada"),
        ("~ada/x", "/work/~ada/x"),
        ("a/~/x", "/work/a/~/x"),
        ("/etc/x", "/etc/x"),
    ] {
        assert_eq!(environment.absolute(Path::new(given)), Path::new(expected), "{given}");
    }
}

#[test]
fn debug_shows_no_value() {
    let environment =
        Environment { variables: [("API_KEY".into(), "canary-1f".into())].into(), ..Environment::default() };
    let shown = format!("{environment:?}");
    assert!(shown.contains("API_KEY") && !shown.contains("canary-1f"), "{shown}");
}
