//! `docs/benchmarks.md` from the sections of one run.

use std::fs;

use anyhow::Result;

use super::Part;

pub(super) fn section(part: Part, text: &str) -> String {
    let title = match part {
        Part::Calls => "A validated call",
        Part::Validation => "Validation alone",
        Part::Commands => "Commands as processes",
        Part::Memory => "Memory of a call",
        Part::Many => "Ten thousand tools",
        Part::Tester => "The diff of a thousand tools",
    };
    format!("## {title}\n\n{}\n", text.trim_end())
}

pub(super) fn page(sections: &[String], rounds: usize) -> Result<String> {
    let machine = machine();
    Ok(format!(
        "# Benchmarks\n\n\
         Written by `cargo xtask bench`, which installs the other systems itself. All systems of a section run in one \
         session, in turn, {rounds} rounds after one that is not counted. A ratio is the median over the rounds, with \
         the 95 % interval of a bootstrap in parentheses. CPU is user and system time together. The raw numbers stay in \
         `target/bench/`.\n\n\
         Measured on {machine}, with the versions that `xtask/interop/` and `xtask/bench/` pin.\n\n{}",
        sections.join("\n")
    ))
}

fn machine() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let model = model.map_or("an unnamed processor", |(_, name)| name);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{model}, {cores} threads, {}", std::env::consts::OS)
}
