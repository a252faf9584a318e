//! `docs/benchmarks.md`: one section for each part, replaced when that part runs. `docs/faults.md` is made the same way.

use std::fs;

use super::Part;
use super::plot::PLOTS;

/// The section of a part, with the command that measures it again.
pub(super) fn section(part: Part, rounds: usize, text: &str) -> String {
    format!(
        "## {}\n\n{}{}\n\n`cargo xtask bench {} --rounds {rounds}` on {}.\n",
        title(part),
        picture(part),
        text.trim_end(),
        part.name(),
        machine()
    )
}

/// The plot of a part, if it has one.
fn picture(part: Part) -> String {
    let plot = PLOTS.iter().find(|plot| plot.part == part.name());
    plot.map(|plot| format!("![{}](pictures/{}.svg)\n\n", plot.title, plot.name)).unwrap_or_default()
}

pub(super) fn title(part: Part) -> &'static str {
    match part {
        Part::Calls => "A validated call",
        Part::Validation => "Validation alone",
        Part::Commands => "Commands as processes",
        Part::Memory => "Memory of a call",
        Part::Many => "Ten thousand tools",
        Part::Tester => "The tester",
        Part::Check => "The check before a program runs",
        Part::Codemode => "Programs over tools",
        Part::Journal => "Recording runs",
        Part::Wizards => "The data wizards",
    }
}

pub(super) const HEAD: &str = "# Benchmarks\n\n\
    `cargo xtask bench` writes this page and draws the plots. It installs the other systems itself, in the versions that \
    `xtask/interop/` and `xtask/bench/` pin. All systems of a section run in one session, in turn, after one round that \
    is not counted. Times are medians. A ratio is the median over the rounds; the range in parentheses is its 95 % \
    interval by bootstrap. CPU is user and system time together. The medians are in \
    [benchmarks.json](benchmarks.json), the raw numbers in `target/bench/`.\n";

/// A page of sections by title, some of them new and the others as they are in `old`.
pub(crate) fn page(head: &str, old: &str, new: &[(&str, String)], titles: &[&str]) -> String {
    let mut page = head.to_owned();
    for title in titles {
        let fresh = new.iter().find(|(it, _)| it == title).map(|(_, section)| section.trim_end());
        if let Some(section) = fresh.or_else(|| kept(old, title)) {
            page.push_str(&format!("\n{section}\n"));
        }
    }
    // Sections that are written by hand stay at the end.
    let headings = old.lines().filter_map(|line| line.strip_prefix("## "));
    for title in headings.filter(|title| !titles.contains(title)) {
        if let Some(section) = kept(old, title) {
            page.push_str(&format!("\n{section}\n"));
        }
    }
    page
}

/// The section with this title.
fn kept<'a>(page: &'a str, title: &str) -> Option<&'a str> {
    let heading = format!("## {title}\n");
    let start =
        page.match_indices(&heading).map(|(at, _)| at).find(|at| *at == 0 || page[..*at].ends_with('\n'))?;
    let body = &page[start + heading.len()..];
    let end = body.find("\n## ").map_or(page.len(), |end| start + heading.len() + end);
    Some(page[start..end].trim_end())
}

pub(crate) fn machine() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let model = model.map_or("an unnamed processor", |(_, name)| name);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{model}, {cores} threads, {}", std::env::consts::OS)
}

#[cfg(test)]
mod tests;
