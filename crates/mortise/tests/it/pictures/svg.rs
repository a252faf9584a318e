//! A screen as an SVG file that follows the reader's light or dark colours.

use std::fmt::Write as _;

use super::screen::{Cell, CellStyle, Color};

const CHARACTER_WIDTH: f64 = 8.4;
const LINE_HEIGHT: f64 = 20.0;
const MARGIN: f64 = 16.0;

/// Every colour has a contrast of at least 4.5 with its background.
const STYLE: &str = "\
    text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#1f2328;white-space:pre}\
    rect{fill:#fff;stroke:#d1d9e0}\
    .b{font-weight:600}.u{text-decoration:underline}.d{fill:#59636e}\
    .red{fill:#cf222e}.green{fill:#1a7f37}.yellow{fill:#9a6700}.blue{fill:#0969da}.magenta{fill:#8250df}.cyan{fill:#1b7c83}\
    @media(prefers-color-scheme:dark){\
    text{fill:#e6edf3}rect{fill:#0d1117;stroke:#3d444d}.d{fill:#9198a1}\
    .red{fill:#ff7b72}.green{fill:#3fb950}.yellow{fill:#d29922}.blue{fill:#58a6ff}.magenta{fill:#bc8cff}.cyan{fill:#39c5cf}}";

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
                let class = classes(run[0].style);
                let text = escaped(&text);
                writeln!(
                    svg,
                    "<text x=\"{x:.1}\" y=\"{y:.0}\" textLength=\"{length:.1}\"{class} xml:space=\"preserve\">{text}</text>"
                )
                .unwrap();
            }
            column += run.len();
        }
    }
    svg + "</svg>\n"
}

fn classes(style: CellStyle) -> String {
    let color = style.color.and_then(|color| match color {
        Color::Red => Some("red"),
        Color::Green => Some("green"),
        Color::Yellow => Some("yellow"),
        Color::Blue => Some("blue"),
        Color::Magenta => Some("magenta"),
        Color::Cyan => Some("cyan"),
        Color::Black | Color::White => None,
    });
    let parts = [
        color,
        style.is_bold.then_some("b"),
        style.is_dim.then_some("d"),
        style.is_underlined.then_some("u"),
    ];
    let classes: Vec<&str> = parts.into_iter().flatten().collect();
    if classes.is_empty() { String::new() } else { format!(" class=\"{}\"", classes.join(" ")) }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
