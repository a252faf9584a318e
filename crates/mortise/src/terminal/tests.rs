//! When there is colour.

use mortise_client::environment::Environment;

use super::{ColorChoice, OutputStream, Palette, Terminal, Verbosity, palette, wants_color};

impl Terminal {
    /// A terminal without colour, for tests of layouts.
    pub(crate) fn plain(width: Option<usize>) -> Self {
        let stream = OutputStream { is_terminal: width.is_some(), palette: Palette::Plain, width };
        Self { stdout: stream, stderr: stream, verbosity: Verbosity::Normal, height: None, pager: None }
    }
}

#[track_caller]
fn check(variables: &[(&str, &str)], choice: ColorChoice, is_terminal: bool, expected: bool) {
    let variables = variables.iter().map(|(name, value)| (name.into(), value.into())).collect();
    let environment = Environment { variables, ..Environment::default() };
    assert_eq!(wants_color(&environment, choice, is_terminal), expected);
}

#[test]
fn colour_follows_the_flag_then_the_environment_then_the_terminal() {
    check(&[], ColorChoice::Auto, true, true);
    check(&[], ColorChoice::Auto, false, false);
    check(&[("NO_COLOR", "1")], ColorChoice::Auto, true, false);
    check(&[("NO_COLOR", "")], ColorChoice::Auto, true, true);
    check(&[("TERM", "dumb")], ColorChoice::Auto, true, false);
    check(&[("CLICOLOR", "0")], ColorChoice::Auto, true, false);
    check(&[("CLICOLOR_FORCE", "1")], ColorChoice::Auto, false, true);
    check(&[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")], ColorChoice::Auto, true, false);
    check(&[("NO_COLOR", "1")], ColorChoice::Always, false, true);
    check(&[], ColorChoice::Never, true, false);
}

#[test]
fn a_terminal_says_how_many_colours_it_has() {
    let of = |depth: &str| {
        let variables = [("COLORTERM".into(), depth.into())].into();
        palette(&Environment { variables, ..Environment::default() }, ColorChoice::Auto, true)
    };
    assert_eq!([of("truecolor"), of("24bit"), of("")], [Palette::Rgb, Palette::Rgb, Palette::Indexed]);
}
