//! Completion through a real shell: nothing is started, and names come from what is configured and was listed before.

use std::process::Command;

use crate::program::{World, binary};

/// What bash proposes for a line whose last word is being written.
fn proposed(world: &World, words: &[&str]) -> Vec<String> {
    let last = words.last().copied().unwrap_or_default();
    // The words of a line as bash itself hands them to a completion function.
    let script = format!(
        "mortise() {{ '{binary}' \"$@\"; }}; mkdir -p bin; ln -sf '{binary}' bin/mortise; PATH=$PWD/bin:$PATH\n\
         source <(mortise completions bash)\n\
         COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); COMP_TYPE=9\n\
         _clap_complete_mortise mortise '{last}' ''\n\
         printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        binary = binary().display(),
    );
    let mut command = world.command(&[]);
    let mut bash = Command::new("bash");
    bash.args(["-c", &script, "bash", "mortise"]).args(words).current_dir(world.project()).env_clear();
    bash.envs(
        command.env("PATH", "/usr/bin:/bin").get_envs().filter_map(|(name, value)| Some((name, value?))),
    );
    let output = bash.output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "stderr");
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// A world with one server, which leaves a mark when it is started.
fn world() -> World {
    let world = World::new();
    let server = format!("touch started; exec '{}' sample weather", binary().display());
    let config = format!("servers:\n  forecast:\n    command: sh\n    args: [\"-c\", {server:?}]\n");
    world.write("mortise.yaml", &config);
    world.run(&["trust"]).expect_exit(0);
    world
}

#[test]
fn commands_and_options_are_proposed() {
    let world = World::new();
    assert_eq!(proposed(&world, &["comp"]), ["completions"]);
    assert!(proposed(&world, &["call", "--sam"]).contains(&"--samples".to_owned()));
    let all = proposed(&world, &[""]);
    assert!(all.contains(&"tools".to_owned()) && !all.contains(&"checker".to_owned()), "{all:?}");
}

#[test]
fn servers_are_proposed_and_not_started() {
    let world = world();
    assert_eq!(proposed(&world, &["check", "fore"]), ["forecast"]);
    // Its tools are not known yet.
    assert_eq!(proposed(&world, &["call", "get_wea"]), [""; 1]);
    assert!(!world.project().join("started").exists());
}

#[test]
fn tools_and_their_arguments_are_proposed_after_they_were_listed_once() {
    let world = world();
    world.run(&["tools"]).expect_exit(0);
    std::fs::remove_file(world.project().join("started")).unwrap();
    assert_eq!(proposed(&world, &["call", "get_wea"]), ["get_weather"]);
    assert_eq!(proposed(&world, &["call", "forecast/get_wea"]), ["forecast/get_weather"]);
    assert_eq!(proposed(&world, &["call", "get_weather", "ci"]), ["city="]);
    assert!(!world.project().join("started").exists());
}

#[test]
fn the_lock_file_names_tools_that_were_never_listed_here() {
    let world = world();
    world.run(&["lock"]).expect_exit(0);
    std::fs::remove_dir_all(world.home().join(".cache")).unwrap();
    assert_eq!(proposed(&world, &["call", "get_wea"]), ["get_weather"]);
}

#[test]
fn samples_are_proposed_where_they_would_be_used() {
    assert_eq!(proposed(&World::new(), &["call", "--samples", "get_wea"]), ["get_weather"]);
    assert_eq!(proposed(&World::new(), &["call", "get_wea"]), ["get_weather"]);
}

#[test]
fn a_configuration_that_is_wrong_or_not_trusted_is_silent() {
    let world = World::new();
    world.write("mortise.yaml", "servers: [");
    assert_eq!(proposed(&world, &["check", "x"]), [""; 1]);
    world.write("mortise.yaml", "servers:\n  x1:\n    command: true\n");
    assert_eq!(proposed(&world, &["check", "x"]), [""; 1]);
}

#[test]
fn a_variable_of_somebody_else_changes_nothing() {
    let world = World::new().with("COMPLETE", "1");
    assert!(world.run(&["--version"]).expect_exit(0).stdout.starts_with("mortise "));
}

#[test]
fn man_pages_are_printed_and_written() {
    let world = World::new();
    let page = world.run(&["man"]).expect_exit(0).stdout;
    assert!(page.starts_with(".ie") && page.contains(".TH mortise 1"), "{page}");
    world.run(&["man", "pages"]).expect_exit(0);
    let call = std::fs::read_to_string(world.project().join("pages/mortise-call.1")).unwrap();
    assert!(call.contains(".SH OPTIONS") && call.contains("mortise\\-call"), "{call}");
    assert!(!world.project().join("pages/mortise-checker.1").exists());
    world.write("file", "");
    let refused = world.run(&["man", "file/pages"]).expect_exit(1);
    assert!(refused.stderr.contains("`file/pages`"), "{}", refused.stderr);
}
