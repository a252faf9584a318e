//! A screen as an SVG file that follows the reader's light or dark colours.

use std::fmt::Write as _;

use super::screen::{Cell, CellStyle};

const CHARACTER_WIDTH: f64 = 8.4;
const LINE_HEIGHT: f64 = 20.0;
const MARGIN: f64 = 16.0;

/// The colours of the binary itself can be read on both backgrounds.
const STYLE: &str = "\
    text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#1f2328;white-space:pre}\
    rect{fill:#fff;stroke:#d1d9e0}.b{font-weight:600}.u{text-decoration:underline}.d{fill:#59636e}\
    @media(prefers-color-scheme:dark){text{fill:#e6edf3}rect{fill:#0d1117;stroke:#3d444d}.d{fill:#9198a1}}";

/// Draws lines in a frame `columns` wide.
pub(super) fn draw(title: &str, columns: usize, lines: &[Vec<Cell>]) -> String {
    let width = columns as f64 * CHARACTER_WIDTH + 2.0 * MARGIN;
    let height = lines.len() as f64 * LINE_HEIGHT + 2.0 * MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.1} {height:.1}\" width=\"{width:.0}\" role=\"img\">\n\
         <title>{}</title>\n<style>{STYLE}</style>\n\
         <rect x=\".5\" y=\".5\" width=\"{:.1}\" height=\"{:.1}\" rx=\"8\"/>\n",
        escaped(title),
        width - 1.0,
        height - 1.0,
    );
    for (index, line) in lines.iter().enumerate() {
        let y = MARGIN + index as f64 * LINE_HEIGHT + 14.0;
        let mut column = 0;
        for run in line.chunk_by(|a, b| a.style == b.style) {
            let text: String = run.iter().map(|cell| cell.character).collect();
            if !text.trim().is_empty() {
                let x = MARGIN + column as f64 * CHARACTER_WIDTH;
                // Without a length the columns would part where a font is wider or narrower.
                let length = run.len() as f64 * CHARACTER_WIDTH;
                let look = look(run[0].style);
                let text = escaped(&text);
                writeln!(
                    svg,
                    "<text x=\"{x:.1}\" y=\"{y:.0}\" textLength=\"{length:.1}\"{look} xml:space=\"preserve\">{text}</text>"
                )
                .unwrap();
            }
            column += run.len();
        }
    }
    svg + "</svg>\n"
}

/// The attributes that make text look so.
fn look(style: CellStyle) -> String {
    let marks = [(style.is_bold, "b"), (style.is_dim, "d"), (style.is_underlined, "u")];
    let classes: Vec<&str> =
        marks.into_iter().filter_map(|(is_set, class)| is_set.then_some(class)).collect();
    let mut look =
        if classes.is_empty() { String::new() } else { format!(" class=\"{}\"", classes.join(" ")) };
    if let Some([red, green, blue]) = style.color {
        look.push_str(&format!(" style=\"fill:#{red:02x}{green:02x}{blue:02x}\""));
    }
    look
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
