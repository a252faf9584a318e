//! Where our files belong.

use std::path::PathBuf;

use super::from_variables;

#[track_caller]
fn check(variables: &[(&str, &str)], config: Option<&str>, state: Option<&str>) {
    let environment =
        from_variables(variables.iter().map(|(name, value)| (name.into(), value.into())).collect());
    assert_eq!(environment.config_directory, config.map(PathBuf::from));
    assert_eq!(environment.state_directory, state.map(PathBuf::from));
}

#[test]
fn directories_follow_the_xdg_variables() {
    check(
        &[("HOME", "/home/ann")],
        Some("/home/ann/.config/mortise"),
        Some("/home/ann/.local/state/mortise"),
    );
    check(
        &[("HOME", "/home/ann"), ("XDG_CONFIG_HOME", "/etc/ann"), ("XDG_STATE_HOME", "relative")],
        Some("/etc/ann/mortise"),
        Some("/home/ann/.local/state/mortise"),
    );
    check(&[], None, None);
}
