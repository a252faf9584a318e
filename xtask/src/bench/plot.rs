//! Plots of the figures as SVG files: one bar for each system, ours in colour.

use std::fmt::Write as _;

use anyhow::{Context, Result};

use super::figures::{BenchFigure, BenchFigures};

/// A picture below `docs/pictures/` and what it shows.
pub(crate) struct Plot {
    pub(crate) name: &'static str,
    /// The part of the benchmarks whose figures it shows.
    pub(super) part: &'static str,
    /// For readers who can't see it.
    pub(super) title: &'static str,
    panels: &'static [Panel],
}

/// One group of bars with a scale of its own.
struct Panel {
    title: &'static str,
    measure: Measure,
    /// What a bar is called, and the series it shows.
    bars: &'static [(&'static str, &'static str)],
}

/// Which figure a bar shows.
#[derive(Clone, Copy)]
enum Measure {
    Wall,
    Memory,
}

/// All plots.
pub(crate) const PLOTS: &[Plot] = &[
    Plot {
        name: "bench-commands",
        part: "commands",
        title: "One tool call from a shell: mortise beside Inspector and fastmcp",
        panels: &[Panel {
            title: "One call from a shell, the server's start and end included",
            measure: Measure::Wall,
            bars: &[
                ("mortise call", "call: mortise"),
                ("raw client, no checks", "call: raw client"),
                ("Inspector CLI", "call: Inspector CLI"),
                ("fastmcp CLI", "call: fastmcp CLI"),
            ],
        }],
    },
    Plot {
        name: "bench-tester",
        part: "tester",
        title: "A list and twenty calls: mortise check beside Inspector and fastmcp",
        panels: &[Panel {
            title: "A list of tools and twenty calls",
            measure: Measure::Wall,
            bars: &[
                ("mortise check", "mortise check"),
                ("Inspector CLI", "Inspector CLI"),
                ("fastmcp CLI", "fastmcp CLI"),
            ],
        }],
    },
    Plot {
        name: "bench-validation",
        part: "validation",
        title: "From the text of a result to the verdict: mortise beside Ajv",
        panels: &[
            Panel {
                title: "A flat object, from text to verdict",
                measure: Measure::Wall,
                bars: &[
                    ("mortise", "whole: flat-object: mortise-contract"),
                    ("Ajv", "whole: flat-object: Ajv"),
                ],
            },
            Panel {
                title: "Rows with tagged variants",
                measure: Measure::Wall,
                bars: &[
                    ("mortise", "whole: tagged-variants: mortise-contract"),
                    ("Ajv", "whole: tagged-variants: Ajv"),
                ],
            },
            Panel {
                title: "A recursive tree",
                measure: Measure::Wall,
                bars: &[
                    ("mortise", "whole: recursive-tree: mortise-contract"),
                    ("Ajv", "whole: recursive-tree: Ajv"),
                ],
            },
        ],
    },
    Plot {
        name: "bench-codemode",
        part: "codemode",
        title: "Programs over tools: mortise serve beside other gateways",
        panels: &[
            Panel {
                title: "First answer, from the start of the process",
                measure: Measure::Wall,
                bars: &[
                    ("mortise", "first answer after: mortise"),
                    ("direct calls", "first answer after: direct"),
                    ("UTCP code-mode", "first answer after: UTCP code-mode"),
                    ("Vercel code-mode", "first answer after: Vercel code-mode"),
                    ("Cloudflare codemode", "first answer after: Cloudflare codemode"),
                    ("FastMCP CodeMode", "first answer after: FastMCP CodeMode"),
                ],
            },
            Panel {
                title: "A program with 100 calls in sequence",
                measure: Measure::Wall,
                bars: &[
                    ("mortise", "100 calls in sequence: mortise"),
                    ("direct calls", "100 calls in sequence: direct"),
                    ("UTCP code-mode", "100 calls in sequence: UTCP code-mode"),
                    ("Vercel code-mode", "100 calls in sequence: Vercel code-mode"),
                    ("Cloudflare codemode", "100 calls in sequence: Cloudflare codemode"),
                    ("FastMCP CodeMode", "100 calls in sequence: FastMCP CodeMode"),
                ],
            },
            Panel {
                title: "Peak memory of the gateway",
                measure: Measure::Memory,
                bars: &[
                    ("mortise", "100 calls in sequence: mortise"),
                    ("UTCP code-mode", "100 calls in sequence: UTCP code-mode"),
                    ("FastMCP CodeMode", "100 calls in sequence: FastMCP CodeMode"),
                    ("Vercel code-mode", "100 calls in sequence: Vercel code-mode"),
                    ("Cloudflare codemode", "100 calls in sequence: Cloudflare codemode"),
                ],
            },
        ],
    },
];

const WIDTH: f64 = 720.0;
/// Where the bars begin and how long the longest is.
const BAR_START: f64 = 190.0;
const BAR_LENGTH: f64 = 430.0;
const BAR_HEIGHT: f64 = 18.0;
const ROW: f64 = 26.0;
const TITLE: f64 = 36.0;
const MARGIN: f64 = 12.0;

/// Text and bars have a contrast of at least 4.5 with their background.
const STYLE: &str = "\
    text{font:13px system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif;fill:#1f2328}.t{font-weight:600;font-size:14px}\
    .l{text-anchor:end}.r{fill:#fff;stroke:#d1d9e0}.o{fill:#818b98}.m{fill:#0969da}\
    @media(prefers-color-scheme:dark){text{fill:#e6edf3}.r{fill:#0d1117;stroke:#3d444d}.o{fill:#656c76}.m{fill:#58a6ff}}";

impl Plot {
    /// Its path in the repository.
    pub(crate) fn path(&self) -> String {
        format!("docs/pictures/{}.svg", self.name)
    }

    /// Draws the plot from what was measured. A system that was left out has no bar.
    pub(crate) fn draw(&self, figures: &BenchFigures) -> Result<String> {
        let rows: usize = self.panels.iter().map(|panel| panel.known(self.part, figures).len()).sum();
        let height = 2.0 * MARGIN + self.panels.len() as f64 * TITLE + rows as f64 * ROW;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH:.0} {height:.0}\" width=\"{WIDTH:.0}\" role=\"img\">\n\
             <title>{}</title>\n<style>{STYLE}</style>\n\
             <rect class=\"r\" x=\".5\" y=\".5\" width=\"{:.0}\" height=\"{:.0}\" rx=\"8\"/>\n",
            self.title,
            WIDTH - 1.0,
            height - 1.0
        );
        let mut top = MARGIN;
        for panel in self.panels {
            let bars = panel.known(self.part, figures);
            let largest = bars.iter().map(|(_, value)| *value).fold(0.0, f64::max);
            let (first, _) = bars.first().with_context(|| format!("nothing is known for {}", panel.title))?;
            writeln!(svg, "<text class=\"t\" x=\"16\" y=\"{:.0}\">{}</text>", top + 22.0, panel.title)?;
            top += TITLE;
            for (label, value) in &bars {
                let class = if label == first { "m" } else { "o" };
                let length = (value / largest * BAR_LENGTH).max(2.0);
                let text = panel.measure.shown(*value);
                writeln!(
                    svg,
                    "<text class=\"l\" x=\"{:.0}\" y=\"{:.0}\">{label}</text>\
                     <rect class=\"{class}\" x=\"{BAR_START:.0}\" y=\"{top:.0}\" width=\"{length:.1}\" height=\"{BAR_HEIGHT:.0}\" rx=\"2\"/>\
                     <text x=\"{:.1}\" y=\"{:.0}\">{text}</text>",
                    BAR_START - 10.0,
                    top + 14.0,
                    BAR_START + length + 8.0,
                    top + 14.0
                )?;
                top += ROW;
            }
        }
        Ok(svg + "</svg>\n")
    }
}

impl Panel {
    /// The bars that were measured.
    fn known(&self, part: &str, figures: &BenchFigures) -> Vec<(&'static str, f64)> {
        let value = |system: &str| figures.get(part, system).map(|figure| self.measure.of(figure));
        self.bars.iter().filter_map(|(label, system)| Some((*label, value(system)?))).collect()
    }
}

impl Measure {
    fn of(self, figure: BenchFigure) -> f64 {
        match self {
            Self::Wall => figure.wall_ms,
            Self::Memory => figure.peak_mib,
        }
    }

    fn shown(self, value: f64) -> String {
        match self {
            Self::Memory => format!("{value:.0} MiB"),
            Self::Wall => time(value),
        }
    }
}

/// A time in a unit that a person reads: `0.6 µs`, `283 ms`, `1.27 s`.
pub(super) fn time(milliseconds: f64) -> String {
    match milliseconds {
        ms if ms >= 10_000.0 => format!("{:.0} s", ms / 1e3),
        ms if ms >= 1_000.0 => format!("{:.2} s", ms / 1e3),
        ms if ms >= 10.0 => format!("{ms:.0} ms"),
        ms if ms >= 1.0 => format!("{ms:.1} ms"),
        ms if ms >= 0.01 => format!("{:.0} µs", ms * 1e3),
        ms if ms >= 0.000_1 => format!("{:.1} µs", ms * 1e3),
        ms => format!("{:.0} ns", ms * 1e6),
    }
}

#[cfg(test)]
mod tests;
