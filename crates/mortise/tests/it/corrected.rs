//! Corrected commands: whole for the person who typed them, without values elsewhere.

use crate::program::World;
use crate::pty::OnTerminal;

#[track_caller]
fn check(arguments: &[&str], on_terminal: &str, elsewhere: &str) {
    let world = World::new().with("NO_COLOR", "1");
    let (shown, exit) = OnTerminal::start(&world, 200, arguments).finish();
    assert!(shown.contains(on_terminal), "{shown}");
    assert_eq!(exit, Some(1));
    let ran = world.run(arguments).expect_exit(1);
    assert!(ran.stderr.contains(elsewhere), "{}", ran.stderr);
}

#[test]
fn a_mistyped_server_or_tool_gets_the_whole_command() {
    check(
        &["call", "wether", "get_weather", "city=New York", "--samples"],
        "hint: did you mean: mortise call weather/get_weather city='New York' --samples",
        "hint: did you mean: mortise call weather/get_weather city=… --samples\n",
    );
    check(
        &["call", "get_wether", "--city", "Oslo", "--samples"],
        "hint: did you mean: mortise call weather/get_weather --city Oslo --samples",
        "hint: did you mean: mortise call weather/get_weather --city … --samples\n",
    );
    check(
        &["invoke", "get_weather", "city=Oslo"],
        "hint: did you mean: mortise call get_weather city=Oslo",
        "hint: did you mean: mortise call get_weather city=…\n",
    );
    check(
        &["call", "--city", "Oslo", "get_weather"],
        "after its name: mortise call get_weather --city Oslo",
        "after its name: mortise call get_weather --city …\n",
    );
}

#[test]
fn values_that_fit_are_named_and_text_stays_out_of_logs() {
    check(
        &["call", "calculate_bmi", "180", "75", "--samples"],
        "name each value: mortise call calculate_bmi height_cm=180 weight_kg=75",
        "name each value: mortise call calculate_bmi height_cm=180 weight_kg=75\n",
    );
    check(
        &["call", "add_comment", "id=T-101", "--samples"],
        "for example: mortise call add_comment id=T-101 author=TEXT text=TEXT",
        "for example: mortise call add_comment id=TEXT author=TEXT text=TEXT",
    );
}

#[test]
fn data_alone_introduces_itself_at_a_terminal() {
    let world = World::new().with("NO_COLOR", "1");
    world.write("orders.csv", "id,total\n1,2\n");
    let (shown, exit) = OnTerminal::start(&world, 80, &["data"]).finish();
    assert!(shown.contains("Next: mortise data describe orders.csv"), "{shown}");
    assert!(shown.contains("mortise data --root FOLDER"), "{shown}");
    assert_eq!(exit, Some(0));
}
