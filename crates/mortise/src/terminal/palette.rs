//! What a colour means, and which colour it is.
//!
//! We don't know the background of a terminal. Every colour here has a contrast of at least 4.5 on black and on white,
//! which a test computes. Only a narrow band of brightness has that: terminals with 24-bit colour get hues of our
//! choice from it, the others the few of the 256 fixed colours that lie in it.

use comfy_table::{Attribute, Cell, Color};
use owo_colors::{OwoColorize as _, Style};

/// What a colour means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tint {
    /// A heading.
    Heading,
    /// The name of a thing.
    Name,
    /// A type.
    Type,
    /// Beside the point.
    Dim,
    /// All is well.
    Good,
    /// Something to look at.
    Warn,
    /// Something is wrong.
    Bad,
}

/// The colours that a stream can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Palette {
    /// None: a pipe, or the user asked for none.
    Plain,
    /// The 256 fixed colours.
    Indexed,
    /// Any colour.
    Rgb,
}

/// How one tint looks.
#[derive(Clone, Copy, Debug)]
struct TintLook {
    is_bold: bool,
    /// Red, green, blue, and the fixed colour for terminals that know no others. Without one, the text is only bold:
    /// none of the 256 is a yellow that can be read on white.
    rgb: Option<[u8; 3]>,
    indexed: Option<u8>,
}

impl Tint {
    fn look(self) -> TintLook {
        let look = |is_bold, rgb, indexed| TintLook { is_bold, rgb: Some(rgb), indexed };
        match self {
            Self::Heading => TintLook { is_bold: true, rgb: None, indexed: None },
            Self::Name => look(false, [0x00, 0x80, 0xa0], Some(63)),
            Self::Type => look(false, [0x87, 0x61, 0xd0], Some(98)),
            Self::Dim => look(false, [0x76, 0x76, 0x76], Some(243)),
            Self::Good => look(false, [0x16, 0x87, 0x3a], Some(29)),
            Self::Warn => look(true, [0xa0, 0x6b, 0x00], None),
            Self::Bad => look(true, [0xe0, 0x30, 0x30], Some(131)),
        }
    }
}

impl Palette {
    /// `text` in the colour of `tint`.
    pub(super) fn paint(self, tint: Tint, text: &str) -> String {
        if self == Self::Plain || text.is_empty() {
            return text.to_owned();
        }
        let look = tint.look();
        let style = if look.is_bold { Style::new().bold() } else { Style::new() };
        let style = match (self, look.rgb, look.indexed) {
            (Self::Rgb, Some([red, green, blue]), _) => style.truecolor(red, green, blue),
            (Self::Indexed, _, Some(index)) => style.color(owo_colors::XtermColors::from(index)),
            _ => style,
        };
        text.style(style).to_string()
    }

    /// A cell of a table in the colour of `tint`.
    pub(super) fn cell(self, tint: Option<Tint>, text: &str) -> Cell {
        let cell = Cell::new(text);
        let Some(look) = tint.filter(|_| self != Self::Plain).map(Tint::look) else { return cell };
        let cell = if look.is_bold { cell.add_attribute(Attribute::Bold) } else { cell };
        match (self, look.rgb, look.indexed) {
            (Self::Rgb, Some([r, g, b]), _) => cell.fg(Color::Rgb { r, g, b }),
            (Self::Indexed, _, Some(index)) => cell.fg(Color::AnsiValue(index)),
            _ => cell,
        }
    }
}

#[cfg(test)]
mod tests;
