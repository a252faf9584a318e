//! The comparison as Markdown, for a comment on a pull request.
//!
//! Servers choose names, values and texts. All of it stands in code spans and code blocks whose
//! fences are longer than any inside, so that nothing becomes a link, a mention or HTML.

use std::fmt::Write as _;

use mortise_contract::diff::{Level, Role};
use mortise_contract::lock::About;
use serde_json::Value;

use super::{ChangeStanding, Counts, ItemKind, SeenChange, ServerChanges, SnapshotComparison};

/// Characters of one value or text.
const SHOWN: usize = 1_000;
/// Changes that are written out; GitHub takes 65,536 characters in a comment.
const CHANGES: usize = 100;

impl SnapshotComparison {
    /// The report for a comment.
    pub fn to_markdown(&self) -> String {
        let mut out = format!("## Contract changes: {}\n", summary(self.counts()));
        if !self.is_empty() {
            _ = writeln!(out, "\nSuggested version: **{}**. Strictness: {}.", self.bump(), self.strictness);
        }
        let mut left = CHANGES;
        for server in self.servers.iter().filter(|server| !server.items.is_empty()) {
            self::server(server, &mut left, &mut out);
        }
        let notes = self.counts().notes;
        match notes {
            0 => {}
            1 => out.push_str("\nOne change that breaks nothing is left out.\n"),
            _ => _ = writeln!(out, "\n{notes} changes that break nothing are left out."),
        }
        for waiver in &self.expired {
            _ = writeln!(
                out,
                "\nThe waiver of `{}` for {} ended on {}: {}",
                waiver.rule,
                code(&waiver.item),
                waiver.until,
                code(&waiver.reason)
            );
        }
        out
    }
}

/// `2 breaking, 1 warning, 3 safe`.
fn summary(counts: Counts) -> String {
    let parts = [
        (counts.breaking, "breaking"),
        (counts.waived, "waived"),
        (counts.warnings, "to look at"),
        (counts.safe, "safe"),
    ];
    let told: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
    match (told.is_empty(), counts.notes) {
        (true, 0) => "none".to_owned(),
        (true, _) => "only words".to_owned(),
        (false, _) => told.join(", "),
    }
}

fn server(server: &ServerChanges, left: &mut usize, out: &mut String) {
    let version = |about: &Option<About>| about.as_ref().and_then(|about| about.version.clone());
    _ = write!(out, "\n### {}", code(&server.name));
    match (version(&server.old), version(&server.new)) {
        (Some(old), Some(new)) if old != new => _ = write!(out, " {} → {}", code(&old), code(&new)),
        _ => {}
    }
    out.push('\n');
    for item in &server.items {
        let shown: Vec<&SeenChange> = item
            .changes
            .iter()
            .filter(|seen| seen.change.level != Level::Info || seen.standing != ChangeStanding::Passes)
            .collect();
        if shown.is_empty() {
            continue;
        }
        if *left == 0 {
            continue;
        }
        if item.kind != ItemKind::Server {
            _ = writeln!(out, "\n#### {} {}", item.kind.as_str().replace('_', " "), code(&item.name));
        }
        out.push('\n');
        for seen in shown.into_iter().take(*left) {
            *left -= 1;
            change(seen, out);
        }
        if *left == 0 {
            _ = writeln!(out, "\nMore is left out here; the report in JSON has everything.");
        }
    }
}

fn change(seen: &SeenChange, out: &mut String) {
    let sign = match seen.word() {
        "breaking" => "❌ **breaking**",
        "waived" => "🟡 waived",
        "warning" => "⚠️ warning",
        "safe" => "✅ safe",
        _ => "note",
    };
    _ = write!(out, "- {sign} {}", code(&seen.change.message));
    if !seen.change.pointer.is_empty() {
        _ = write!(out, " at {}", code(&seen.change.pointer));
    }
    _ = writeln!(out, " ({})", seen.change.rule);
    if let ChangeStanding::Waived { reason, until } = &seen.standing {
        _ = writeln!(out, "  until {until}: {}", code(reason));
    }
    if let Some(witness) = &seen.change.witness {
        let what = match seen.change.role {
            Some(Role::Output) => "can come now, could not before:",
            _ => "was accepted, is refused now:",
        };
        block(what, "json", &witness.to_string(), out);
    }
    if let (Some(before), Some(after)) = (&seen.before, &seen.after) {
        block("before:", "text", &text(before), out);
        block("after:", "text", &text(after), out);
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A code span on one line.
fn code(text: &str) -> String {
    let line = cut(text).split_whitespace().collect::<Vec<_>>().join(" ");
    let fence = "`".repeat(longest_run(&line) + 1);
    // A span whose first or last character is a fence needs a space, and an empty one is none.
    match line.is_empty() || line.starts_with('`') || line.ends_with('`') {
        true => format!("{fence} {line} {fence}"),
        false => format!("{fence}{line}{fence}"),
    }
}

/// A code block inside a list item.
fn block(what: &str, language: &str, text: &str, out: &mut String) {
    let text = cut(text);
    let fence = "`".repeat((longest_run(&text) + 1).max(3));
    _ = writeln!(out, "\n  {what}\n  {fence}{language}");
    for line in text.lines() {
        _ = writeln!(out, "  {line}");
    }
    _ = writeln!(out, "  {fence}");
}

fn longest_run(text: &str) -> usize {
    text.split(|character| character != '`').map(str::len).max().unwrap_or(0)
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
