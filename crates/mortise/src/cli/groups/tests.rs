//! The help names every command.

use super::super::command;
use super::*;

#[test]
fn every_command_is_in_the_help_or_old_or_internal() {
    let listed: Vec<&str> = GROUPS
        .iter()
        .flat_map(|group| group.rows)
        .chain(MORE)
        .flat_map(|row| row.commands)
        .copied()
        .collect();
    let command = command();
    for sub in command.get_subcommands() {
        let name = sub.get_name();
        let is_old = OLD.contains(&name) || INTERNAL.contains(&name);
        assert!(
            listed.contains(&name) != is_old,
            "`{name}` must be in GROUPS, in MORE, in OLD or in INTERNAL"
        );
        assert_eq!(sub.is_hide_set(), is_old, "`{name}`: exactly old and internal names are hidden");
    }
    for name in OLD {
        assert!(exists(&command, name), "the old name `{name}` no longer works");
    }
}

#[test]
fn the_help_has_at_most_ten_rows() {
    assert!(GROUPS.iter().map(|group| group.rows.len()).sum::<usize>() <= 10);
}

#[test]
fn no_line_of_the_help_is_wider_than_eighty_columns() {
    let pages = [short(&command()).to_string(), more().to_string()];
    for line in pages.iter().flat_map(|page| page.lines()) {
        assert!(line.chars().count() <= 80, "{line}");
    }
}
