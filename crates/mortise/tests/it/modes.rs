//! The words of the modes mean the same in every command, and an option without effect says so.

use crate::program::{World, binary};

/// A program that shows what came of a call whose result breaks its contract.
const CATCH: &str = "\
try:
    print('value', await mcp__m__echo(text='x'))
except ToolError as error:
    print('refused', error.kind)";

fn run_with(options: &[&str]) -> String {
    let server = format!("m={} mock lie-mismatch", binary().display());
    let arguments = [&["run", "-c", CATCH, "--server", &server][..], options].concat();
    World::new().run(&arguments).expect_exit(0).stdout
}

#[test]
fn strict_is_short_for_the_mode() {
    assert!(run_with(&[]).starts_with("value"));
    assert_eq!(run_with(&["--mode", "strict"]), "refused output\n");
    assert_eq!(run_with(&["--strict"]), "refused output\n");
    let both = World::new().run(&["run", "-c", "1", "--strict", "--mode", "warn"]).expect_exit(1);
    assert!(both.stderr.contains("`--strict` can't be used together with `--mode`"), "{}", both.stderr);
}

#[test]
fn a_command_that_judges_no_results_says_that_the_mode_changes_nothing() {
    let world = World::new();
    let server = format!("m={} mock ok", binary().display());
    for option in [&["--strict"][..], &["--mode", "off"]] {
        let locked = world.run(&[&["lock", "--server", &server][..], option].concat()).expect_exit(0);
        let said =
            "warning: `mortise lock` judges no results by mode, so `--mode` and `--strict` change nothing";
        assert!(locked.stderr.contains(said), "{}", locked.stderr);
    }
    let help = world.run(&["lock", "--help"]).stdout;
    assert!(!help.contains("--strict") && help.contains("--server"), "{help}");
}

#[test]
fn the_lock_file_has_an_option_of_its_own_and_the_old_one_still_works() {
    let world = World::new();
    let server = format!("m={} mock ok", binary().display());
    world.run(&["lock", "--lock-file", "a.json", "--server", &server]).expect_exit(0);
    world.run(&["lock", "--check", "--lock", "a.json", "--server", &server]).expect_exit(0);
    world.run(&["diff", "--lock-file", "a.json", "--server", &server]).expect_exit(0);
}
