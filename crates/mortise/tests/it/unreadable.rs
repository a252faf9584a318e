//! An output schema that is too large or too deep to read is declared all the same, and `--strict` refuses it.

use crate::program::{Ran, World, binary, mock};

fn run(arguments: &[&str], scenario: &str) -> Ran {
    World::new().run(&[arguments, &mock(scenario)].concat())
}

#[test]
fn every_command_says_that_the_schema_is_there() {
    for scenario in ["bomb-deep=200", "bomb-size=600000"] {
        let called = run(&["call", "bad", "text=x"], scenario).expect_exit(0);
        assert!(called.stderr.contains("not checked: the schema can't be read"), "{}", called.stderr);
        let inspected = run(&["inspect", "bad"], scenario).expect_exit(0).stdout;
        assert!(inspected.contains("declares an output schema that can't be read"), "{inspected}");
        let listed = run(&["tools"], scenario).expect_exit(0).stdout;
        assert!(listed.contains("unreadable"), "{listed}");
        let declared = run(&["declare", "--for", "python"], scenario).expect_exit(0).stdout;
        assert!(declared.contains("Says what it returns in a schema that can't be read."), "{declared}");
        let checked = run(&["check", "--calls", "1"], scenario).stdout;
        assert!(checked.contains("✗ outputSchema: ") && checked.contains("[schema_unusable]"), "{checked}");
        assert!(!checked.contains("bad: the tool has no outputSchema"), "{checked}");
    }
}

#[test]
fn strict_refuses_it() {
    for scenario in ["bomb-deep=200", "bomb-size=600000"] {
        for arguments in [&["call", "bad", "text=x"][..], &["inspect", "bad"], &["tools"]] {
            let refused = run(&[arguments, &["--strict"]].concat(), scenario).expect_exit(7);
            assert!(refused.stderr.contains("the schema can't be read"), "{}", refused.stderr);
        }
        let server = format!("m={} mock {scenario}", binary().display());
        let code =
            "try:\n    await mcp__m__bad(text='x')\nexcept ToolError as error:\n    print(error.kind, error)";
        let ran =
            World::new().run(&["run", "-c", code, "--mode", "strict", "--server", &server]).expect_exit(0);
        assert!(ran.stdout.starts_with("output "), "{}", ran.stdout);
        assert!(ran.stdout.contains("the schema can't be read"), "{}", ran.stdout);
    }
}
