//! Every colour can be read on black and on white.

use super::{Palette, Tint};

const TINTS: [Tint; 7] =
    [Tint::Heading, Tint::Name, Tint::Type, Tint::Dim, Tint::Good, Tint::Warn, Tint::Bad];

/// The colours of the 6×6×6 cube and of the grey ramp, as xterm defines them.
fn fixed(index: u8) -> [u8; 3] {
    const LEVELS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    match index {
        232.. => [8 + 10 * (index - 232); 3],
        16.. => [(index - 16) / 36, (index - 16) / 6 % 6, (index - 16) % 6].map(|at| LEVELS[usize::from(at)]),
        _ => panic!("{index} is a colour that every terminal chooses for itself"),
    }
}

/// The relative luminance of WCAG 2.
fn luminance(rgb: [u8; 3]) -> f64 {
    let linear = |part: u8| {
        let part = f64::from(part) / 255.0;
        if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    };
    let [red, green, blue] = rgb.map(linear);
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

#[test]
fn every_colour_can_be_read_on_black_and_on_white() {
    for tint in TINTS {
        let look = tint.look();
        for rgb in look.rgb.into_iter().chain(look.indexed.map(fixed)) {
            let luminance = luminance(rgb);
            let (on_black, on_white) = ((luminance + 0.05) / 0.05, 1.05 / (luminance + 0.05));
            assert!(on_black >= 4.5 && on_white >= 4.5, "{tint:?} {rgb:?}: {on_black:.2}, {on_white:.2}");
        }
    }
}

#[test]
fn a_palette_writes_what_its_terminal_knows() {
    assert_eq!(Palette::Plain.paint(Tint::Good, "x"), "x");
    assert_eq!(Palette::Indexed.paint(Tint::Good, "x"), "\u{1b}[38;5;29mx\u{1b}[0m");
    assert_eq!(Palette::Rgb.paint(Tint::Good, "x"), "\u{1b}[38;2;22;135;58mx\u{1b}[0m");
    assert_eq!(Palette::Indexed.paint(Tint::Warn, "x"), "\u{1b}[1mx\u{1b}[0m");
}

#[test]
fn what_is_good_broken_or_doubtful_looks_different_everywhere() {
    for palette in [Palette::Indexed, Palette::Rgb] {
        let mut looks: Vec<String> = TINTS[1..].iter().map(|tint| palette.paint(*tint, "x")).collect();
        looks.sort();
        looks.dedup();
        assert_eq!(looks.len(), TINTS.len() - 1, "{palette:?}");
    }
}
