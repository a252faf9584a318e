//! Entries that lead back to ourselves.

use mortise_client::environment::{MAX_DEPTH, MORTISE_DEPTH};

use super::*;

#[cfg(unix)]
#[test]
fn an_entry_that_starts_us_is_skipped_however_it_is_spelled() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let mut project = Project::new();
    let own = project.write("bin/mortise", "");
    let stranger = project.write("bin/other", "");
    for program in [&own, &stranger] {
        fs::set_permissions(program, fs::Permissions::from_mode(0o755)).unwrap();
    }
    symlink(&own, project.root().join("bin/link")).unwrap();
    fs::hard_link(&own, project.root().join("bin/hard")).unwrap();
    project.environment.executable = Some(project.root().join("bin/link"));
    project.environment.variables.insert("PATH".into(), project.root().join("bin").into());

    let path = project.write(
        "project/x.yaml",
        &format!(
            "servers:\n\
             - {{name: by-path, command: mortise, args: [serve]}}\n\
             - {{name: absolute, command: {own}, args: [serve]}}\n\
             - {{name: relative, command: ../bin/mortise}}\n\
             - {{name: link, command: link}}\n\
             - {{name: hard, command: hard}}\n\
             - {{name: other-path, command: mortise, env: {{PATH: /nowhere}}}}\n\
             - {{name: sample, command: mortise, args: [sample, weather]}}\n\
             - {{name: served, command: mortise, args: [serve, sample, weather]}}\n\
             - {{name: stranger, command: other, args: [serve]}}\n\
             - {{name: missing, command: no-such-program}}\n",
            own = own.display()
        ),
    );
    let loaded = project.load(&[path]).unwrap();
    assert_eq!(names(&loaded), ["other-path", "sample", "served", "stranger", "missing"]);
    let skipped: Vec<&str> = loaded.notes.iter().map(|note| note.server.as_str()).collect();
    assert_eq!(skipped, ["by-path", "absolute", "relative", "link", "hard"]);
    assert!(loaded.notes.iter().all(Note::is_skipped));
    assert!(loaded.notes[0].to_string().ends_with("is skipped: `mortise` is mortise itself"));
}

#[test]
fn a_loop_through_a_wrapper_ends_at_the_bound() {
    let mut project = Project::new();
    let path = project.write("project/x.yaml", ONE);
    let mut at_depth = |depth: u32| {
        project.environment.variables.insert(MORTISE_DEPTH.into(), depth.to_string().into());
        project.load(std::slice::from_ref(&path))
    };
    assert!(at_depth(MAX_DEPTH).is_ok());
    let refused = at_depth(MAX_DEPTH + 1).unwrap_err();
    assert_eq!(refused.to_string(), "5 mortise processes have started one another; the limit is 4");
    assert_eq!(refused.hints().len(), 1);
}
