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

/// A configuration that asks about what changes tickets, and refuses to delete one.
const ASKS: &str = "\
servers: [{name: tickets, sample: tickets}]
approvals:
  rules: [{deny: mcp__tickets__delete_*}]
  default: ask
";

const COMMENTS: &str = "\
for ticket in ['T-101', 'T-102']:
    await mcp__tickets__add_comment(id=ticket, author='Ada', text='seen')
print('done')
";

#[test]
fn a_program_asks_once_for_what_it_will_call() {
    let world = World::new().with("NO_COLOR", "1");
    let (config, program) = (world.write("asks.yaml", ASKS), world.write("comments.py", COMMENTS));
    let run = ["run", program.to_str().unwrap(), "--config", config.to_str().unwrap()];
    let question = "Allow? [y/N, or the number of calls of each tool] ";
    let mut terminal = OnTerminal::start(&world, 100, &run);
    let asked = terminal.read_until(question);
    assert!(asked.contains("This program will call tickets.add_comment up to 2 times (line 2)."), "{asked}");
    terminal.type_line("y");
    let (shown, exit) = terminal.finish();
    assert!(shown.contains("done") && exit == Some(0), "{shown}");
    // One call is allowed, the second is asked about, and that is refused.
    let mut terminal = OnTerminal::start(&world, 100, &run);
    terminal.read_until(question);
    terminal.type_line("1");
    let asked = terminal.read_until(question);
    assert!(asked.contains("tickets.add_comment was allowed once, and that call has been made."), "{asked}");
    terminal.type_line("n");
    let (shown, exit) = terminal.finish();
    assert!(shown.contains("denied by the person at the terminal"), "{shown}");
    assert_eq!(exit, Some(5));
}

#[test]
fn without_a_terminal_a_program_that_needs_approval_says_how_to_give_it() {
    let world = World::new();
    let (config, program) = (world.write("asks.yaml", ASKS), world.write("comments.py", COMMENTS));
    let run = ["run", program.to_str().unwrap(), "--config", config.to_str().unwrap()];
    let ran = world.run(&run).expect_exit(10);
    assert_eq!(ran.stdout, "");
    let wanted = "needs_approval: the program wants to call tickets.add_comment up to 2 times (line 2)";
    assert!(ran.stderr.contains(wanted) && ran.stderr.contains("--yes"), "{}", ran.stderr);
    let ran = world.run(&[&run[..], &["--yes"]].concat()).expect_exit(0);
    assert_eq!(ran.stdout, "done\n");
    // What is refused stays refused.
    let code = "await mcp__tickets__delete_ticket(id='T-101')";
    let ran = world.run(&["run", "-c", code, "--yes", "--config", config.to_str().unwrap()]).expect_exit(5);
    assert!(ran.stderr.contains("rule 1, `deny: mcp__tickets__delete_*`"), "{}", ran.stderr);
}

#[test]
fn the_doctor_shows_what_each_tool_needs() {
    let world = World::new();
    let config = world.write("asks.yaml", ASKS);
    let ran = world.run(&["doctor", "--json", "--config", config.to_str().unwrap()]).expect_exit(0);
    let needs = ran.json()["approvals"].clone();
    assert_eq!(needs[0]["needs"], "deny");
    assert_eq!(needs[0]["by"], "rule 1, `deny: mcp__tickets__delete_*`");
    assert_eq!(needs[0]["tools"], serde_json::json!(["mcp__tickets__delete_ticket"]));
    assert_eq!(needs[1]["needs"], "ask");
    assert_eq!(needs[2]["by"], "the tool says that it is read-only");
    let ran = world.run(&["doctor", "--config", config.to_str().unwrap()]).expect_exit(0);
    assert!(ran.stdout.contains("What calls in programs need"), "{}", ran.stdout);
}
