//! Errors with their place in the source, at two widths.

use mortise_executor::check::TypecheckReport;
use mortise_script::{FailureKind, ProgramError};

use super::traceback::Traceback;
use super::{ShownProgram, failure};
use crate::terminal::Terminal;

const PROGRAM: ShownProgram<'_> = ShownProgram { name: "report.py", folder: None };

fn shown(width: Option<usize>, kind: FailureKind, exception: &str, message: &str, traceback: &str) -> String {
    let error = ProgramError {
        kind,
        exception: exception.to_owned(),
        message: message.to_owned(),
        traceback: traceback.to_owned(),
        line: None,
    };
    failure(&Terminal::plain(width), PROGRAM, &error, &TypecheckReport::default())
}

const DIVISION: &str = "Traceback (most recent call last):\n  File \"<program>\", line 12, in <module>\n    \
                        total = share(rows)\n  File \"<program>\", line 3, in share\n    return 1 / len(rows)\n           \
                        ~~^~~~~~~~~~~\nZeroDivisionError: division by zero\n";

#[test]
fn an_exception_is_shown_with_the_lines_that_led_to_it() {
    insta::assert_snapshot!(shown(Some(80), FailureKind::Exception, "ZeroDivisionError", "division by zero", DIVISION), @r"
    ✗ ZeroDivisionError: division by zero
      report.py:12
      12 │ total = share(rows)
         │ ^^^^^^^^^^^^^^^^^^^
      report.py:3 in share
      3 │ return 1 / len(rows)
        │        ~~^~~~~~~~~~~
    ");
}

#[test]
fn a_file_that_was_not_given_names_the_option() {
    let message = "[Errno 44] No such file or directory: 'x.csv'";
    let traceback = format!(
        "Traceback (most recent call last):\n  File \"<program>\", line 1, in <module>\n    open('x.csv')\n    \
         ~~~~^^^^^^^^^\nFileNotFoundError: {message}\n"
    );
    insta::assert_snapshot!(shown(Some(60), FailureKind::Exception, "FileNotFoundError", message, &traceback), @r"
    ✗ FileNotFoundError: [Errno 44] No such file or directory:
      'x.csv'
      report.py:1
      1 │ open('x.csv')
        │ ~~~~^^^^^^^^^
    hint: a program sees only the files that you give it:
          `--file PATH` gives it one, which it opens by its
          name, here `x.csv`
    ");
}

#[test]
fn time_that_is_up_names_the_option() {
    let text = "TimeoutError: Execution exceeded 3s limit\n";
    insta::assert_snapshot!(shown(None, FailureKind::Time, "TimeoutError", "Execution exceeded 3s limit", text), @r"
    ✗ TimeoutError: Execution exceeded 3s limit
    hint: `--timeout 5m` gives the program more time; 10 minutes is the most
    ");
}

#[test]
fn a_program_that_left_on_purpose_has_said_why() {
    assert_eq!(shown(None, FailureKind::Exit, "SystemExit", "3", ""), "✗ The program left with status 3\n");
    assert_eq!(shown(None, FailureKind::Exit, "SystemExit", "no data", ""), "✗ no data\n");
}

#[test]
fn a_chain_of_errors_keeps_pythons_own_text() {
    let chain = format!(
        "{DIVISION}\nDuring handling of the above exception, another exception occurred:\n\n{DIVISION}"
    );
    assert_eq!(Traceback::parse(&chain), None);
    let text = shown(None, FailureKind::Exception, "ZeroDivisionError", "division by zero", &chain);
    assert!(text.contains("File \"report.py\", line 12") && text.contains("During handling"), "{text}");
}
