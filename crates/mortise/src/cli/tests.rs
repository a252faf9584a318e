//! The command line is well formed.

use std::time::Duration;

use super::{command, parse_time};

#[test]
fn clap_finds_no_contradiction() {
    command().debug_assert();
}

#[test]
fn every_argument_has_help() {
    fn check(command: &clap::Command) {
        for argument in command.get_arguments() {
            assert!(
                argument.get_help().is_some(),
                "`{}` of `{}` has no help",
                argument.get_id(),
                command.get_name()
            );
        }
        command.get_subcommands().for_each(check);
    }
    check(&command());
}

#[test]
fn no_command_hides_a_global_option_behind_its_own() {
    let command = command();
    let globals: Vec<_> = command.get_arguments().filter(|argument| argument.is_global_set()).collect();
    for sub in command.get_subcommands() {
        for global in &globals {
            let own = sub.get_arguments().find(|argument| argument.get_id() == global.get_id());
            assert!(
                own.is_some_and(|own| own.is_global_set()),
                "`{}` of `{}`",
                global.get_id(),
                sub.get_name()
            );
        }
    }
}

#[test]
fn times_are_read_with_their_unit() {
    assert_eq!(parse_time("30"), Ok(Duration::from_secs(30)));
    assert_eq!(parse_time("1.5s"), Ok(Duration::from_millis(1500)));
    assert_eq!(parse_time("250ms"), Ok(Duration::from_millis(250)));
    assert_eq!(parse_time("2m"), Ok(Duration::from_secs(120)));
    for wrong in ["", "0", "-1", "5h", "ten", "NaN", "1e300"] {
        assert!(parse_time(wrong).is_err(), "{wrong}");
    }
}
