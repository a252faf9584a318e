//! Variables of other programs, row by row.

use super::*;

fn check(text: &str, expected: &str) {
    let translated = translate(text, Path::new("/work/pro")).unwrap();
    assert_eq!(translated.text, expected, "{text}");
}

#[test]
fn other_programs_variables_become_ours() {
    check("", "");
    check("plain $X", "plain $X");
    check("${X} ${X:-d}", "${X} ${X:-d}");
    check("${env:X}", "${X}");
    check("a${env:X:-d}b", "a${X:-d}b");
    check("${userHome}/x", "${HOME}/x");
    check("${workspaceFolder}/bin", "/work/pro/bin");
    check("${workspaceFolderBasename}", "pro");
    check("${/}", std::path::MAIN_SEPARATOR_STR);
    check("never ${closed", "never ${closed");
}

#[test]
fn a_question_becomes_a_variable() {
    let translated = translate("Bearer ${input:github-token}", Path::new("/")).unwrap();
    assert_eq!(translated.text, "Bearer ${GITHUB_TOKEN}");
    assert_eq!(translated.inputs, [("github-token".to_owned(), "GITHUB_TOKEN".to_owned())]);
}

#[test]
fn what_only_the_other_program_knows_is_refused() {
    for text in ["${command:pick}", "${config:a.b}", "${input:}", "${env:}", "${1x}", "${file}x${a b}"] {
        let refused = translate(text, Path::new("/work"));
        assert_eq!(refused.is_err(), text != "${file}", "{text}");
    }
}

#[test]
fn a_literal_stays_one() {
    assert_eq!(escape("${X}"), "$${X}");
}
