//! What a person at a terminal is asked before a call.

use crate::program::World;
use crate::pty::OnTerminal;

#[test]
fn a_call_without_arguments_asks_for_them_until_they_fit() {
    let world = World::new().with("NO_COLOR", "1");
    let mut terminal = OnTerminal::start(&world, 100, &["call", "calculate_bmi", "--samples"]);
    terminal.read_until("height_cm (a number): ");
    terminal.type_line("tall");
    let refused = terminal.read_until("height_cm (a number): ");
    assert!(refused.contains("✗ `height_cm` must be a number, got \"tall\""), "{refused}");
    terminal.type_line("1.80");
    let refused = terminal.read_until("height_cm (a number): ");
    assert!(refused.contains("✗ `height_cm` must be at least"), "{refused}");
    terminal.type_line("180");
    terminal.read_until("weight_kg (a number): ");
    terminal.type_line("75");
    let (shown, exit) = terminal.finish();
    assert!(shown.contains("mortise call calculate_bmi height_cm=180 weight_kg=75"), "{shown}");
    assert!(shown.contains("23.1"), "{shown}");
    assert_eq!(exit, Some(0));
}

#[test]
fn a_tool_that_destroys_asks_first() {
    let world = World::new().with("NO_COLOR", "1");
    let call = ["call", "delete_ticket", "id=T-101", "--samples"];
    let mut terminal = OnTerminal::start(&world, 100, &call);
    terminal.read_until("`tickets/delete_ticket` may destroy something. Call it? [y/N] ");
    terminal.type_line("");
    let (shown, exit) = terminal.finish();
    assert!(shown.contains("`tickets/delete_ticket` was not called"), "{shown}");
    assert_eq!(exit, Some(1));
    let (shown, exit) = OnTerminal::start(&world, 100, &[&call[..], &["--yes"]].concat()).finish();
    assert!(!shown.contains("[y/N]") && exit == Some(0), "{shown}");
    // In a pipe nobody can be asked.
    world.run(&call).expect_exit(0);
}

#[test]
fn a_tool_that_only_reads_asks_nothing() {
    let world = World::new().with("NO_COLOR", "1");
    let (shown, exit) = OnTerminal::start(&world, 100, &["call", "list_tickers", "--samples"]).finish();
    assert!(!shown.contains("[y/N]") && exit == Some(0), "{shown}");
}
