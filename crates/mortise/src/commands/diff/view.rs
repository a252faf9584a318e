//! The comparison for people.

use std::fmt::Write as _;

use mortise_contract::diff::{Level, Proof, Role};
use mortise_contract::lock::About;
use mortise_tester::changes::{
    ChangeStanding, Counts, ItemChanges, ItemKind, SeenChange, ServerChanges, SnapshotComparison,
};
use serde_json::Value;

use crate::terminal::{Mark, Terminal, Tint, escape};

/// Characters of a witness; the rest is in the JSON.
const WITNESS: usize = 400;
/// Lines of a text before and after.
const LINES: usize = 40;

/// What is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DiffDetail {
    /// What breaks, may break or is new.
    Changes,
    /// Everything.
    All,
    /// What models and approvals go by, with the words before and after.
    Trust,
}

/// All servers with their changes, and the sum.
pub(crate) fn view(terminal: &Terminal, comparison: &SnapshotComparison, detail: DiffDetail) -> String {
    let mut out = String::new();
    for server in &comparison.servers {
        self::server(terminal, server, detail, &mut out);
    }
    if !out.is_empty() {
        out.push('\n');
    }
    if detail == DiffDetail::Trust && out.is_empty() {
        return terminal.marked(0, Mark::Good, "No words or hints changed");
    }
    let counts = comparison.counts();
    let mark = match (counts.breaking, counts.warnings) {
        (0, 0) => Mark::Good,
        (0, _) => Mark::Warn,
        _ => Mark::Bad,
    };
    let sum = match comparison.is_empty() && !comparison.is_same() {
        true => "nothing changed of what both sides have".to_owned(),
        false => summary(counts),
    };
    let version = match comparison.is_empty() {
        true => String::new(),
        false => format!(" · suggested version: {}", comparison.bump()),
    };
    out.push_str(&terminal.marked(0, mark, &format!("{}{version}", capitalized(&sum))));
    if detail == DiffDetail::Changes && counts.notes > 0 {
        let hidden = match counts.notes {
            1 => "1 note is not shown; --all shows it".to_owned(),
            notes => format!("{notes} notes are not shown; --all shows them"),
        };
        _ = writeln!(out, "{}", terminal.paint(Tint::Dim, &hidden));
    }
    out
}

/// `2 breaking, 1 warning, 3 safe, 4 notes`.
pub(crate) fn summary(counts: Counts) -> String {
    let plural = |count: usize, word: &str| match count {
        1 => format!("1 {word}"),
        count => format!("{count} {word}s"),
    };
    let parts = [
        (counts.breaking, format!("{} breaking", counts.breaking)),
        (counts.waived, format!("{} waived", counts.waived)),
        (counts.warnings, plural(counts.warnings, "warning")),
        (counts.safe, format!("{} safe", counts.safe)),
        (counts.notes, plural(counts.notes, "note")),
    ];
    let told: Vec<String> = parts.into_iter().filter(|(count, _)| *count > 0).map(|(_, text)| text).collect();
    match told.is_empty() {
        true => "nothing changed".to_owned(),
        false => told.join(", "),
    }
}

fn server(terminal: &Terminal, server: &ServerChanges, detail: DiffDetail, out: &mut String) {
    let mut body = String::new();
    for item in &server.items {
        self::item(terminal, item, detail, &mut body);
    }
    for what in &server.not_compared {
        let text = format!("the {what} are not compared: only one side has them");
        _ = writeln!(
            body,
            "  {}",
            terminal.paint(Tint::Dim, &text.replace("the server are", "capabilities are"))
        );
    }
    if body.is_empty() {
        return;
    }
    if !out.is_empty() {
        out.push('\n');
    }
    let name = terminal.paint(Tint::Heading, &escape::line(&server.name));
    match versions(server) {
        Some(versions) => _ = writeln!(out, "{name}  {}", terminal.paint(Tint::Dim, &versions)),
        None => _ = writeln!(out, "{name}"),
    }
    out.push_str(&body);
}

/// `its-own-name 1.0 → 1.1`, as far as it says so.
fn versions(server: &ServerChanges) -> Option<String> {
    let said = |about: &Option<About>, part: fn(&About) -> Option<&String>| {
        Some(escape::line(part(about.as_ref()?)?))
    };
    let name = |about| said(about, |about| about.name.as_ref());
    let version = |about| said(about, |about| about.version.as_ref());
    let own = name(&server.new).or_else(|| name(&server.old)).filter(|own| *own != server.name);
    let version = match (version(&server.old), version(&server.new)) {
        (Some(old), Some(new)) if old != new => Some(format!("{old} → {new}")),
        (old, new) => new.or(old),
    };
    let parts: Vec<String> = [own, version].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

fn is_shown(seen: &SeenChange, detail: DiffDetail) -> bool {
    match detail {
        DiffDetail::All => true,
        DiffDetail::Trust => seen.is_of_trust(),
        DiffDetail::Changes => seen.change.level != Level::Info || seen.standing != ChangeStanding::Passes,
    }
}

fn item(terminal: &Terminal, item: &ItemChanges, detail: DiffDetail, out: &mut String) {
    let mut shown = item.changes.iter().filter(|seen| is_shown(seen, detail)).peekable();
    if shown.peek().is_none() {
        return;
    }
    let kind = match item.kind {
        ItemKind::Tool => "",
        ItemKind::Server => "  the server itself",
        ItemKind::Resource => "  resource",
        ItemKind::ResourceTemplate => "  resource template",
        ItemKind::Prompt => "  prompt",
    };
    let name = terminal.paint(Tint::Name, &escape::line(&item.name));
    _ = writeln!(out, "  {name}{}", terminal.paint(Tint::Dim, kind));
    for seen in shown {
        change(terminal, seen, detail, out);
    }
}

fn change(terminal: &Terminal, seen: &SeenChange, detail: DiffDetail, out: &mut String) {
    let (mark, word) = match seen.word() {
        "breaking" => (Mark::Bad, "breaking"),
        "waived" => (Mark::Warn, "waived"),
        "warning" => (Mark::Warn, "warning"),
        "safe" => (Mark::Good, "safe"),
        _ => (Mark::Note, "note"),
    };
    let sign = format!("{} {word:<8}", mark.sign());
    let lead = [(None, "    "), (Some(mark.tint()), sign.as_str()), (None, "  ")];
    out.push_str(&terminal.hang(&lead, None, &escape::line(&seen.change.message)));
    let indent = " ".repeat(16);
    let mut more = |tint: Option<Tint>, text: &str| {
        out.push_str(&terminal.hang(&[(None, &indent)], tint, text));
    };
    let place = match seen.change.pointer.is_empty() {
        true => seen.change.rule.to_string(),
        false => format!("{} · {}", escape::line(&seen.change.pointer), seen.change.rule),
    };
    more(Some(Tint::Dim), &place);
    if let Some(witness) = &seen.change.witness {
        let what = match seen.change.role {
            Some(Role::Output) => "can come now, could not before:",
            _ => "was accepted, is refused now:",
        };
        more(None, &format!("{what} {}", cut(&escape::json(&witness.to_string()), WITNESS)));
    }
    match seen.change.proof {
        Proof::NotProven => more(None, "not proven: no value was found that shows a break"),
        Proof::ProvenSafe => more(None, "looks like a break, and is proven to be none"),
        Proof::ByRule | Proof::Witnessed => {}
    }
    if let ChangeStanding::Waived { reason, until } = &seen.standing {
        more(None, &format!("until {until}: {}", escape::line(reason)));
    }
    if detail == DiffDetail::Trust {
        words(terminal, seen, out);
    }
}

/// The lines that went and came.
fn words(terminal: &Terminal, seen: &SeenChange, out: &mut String) {
    let text = |value: &Option<Value>| match value {
        None => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    let (before, after) = (text(&seen.before), text(&seen.after));
    let (before, after): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let same_start = before.iter().zip(&after).take_while(|(before, after)| before == after).count();
    let (before, after) = (&before[same_start..], &after[same_start..]);
    let same_end =
        before.iter().rev().zip(after.iter().rev()).take_while(|(before, after)| before == after).count();
    for (lines, sign, tint) in [(before, '-', Tint::Bad), (after, '+', Tint::Good)] {
        let lines = &lines[..lines.len() - same_end];
        for line in lines.iter().take(LINES) {
            let lead = format!("{:16}{sign} ", "");
            out.push_str(&terminal.hang(&[(Some(tint), &lead)], Some(tint), &escape::text(line)));
        }
        if lines.len() > LINES {
            _ = writeln!(out, "                {sign} and {} lines more", lines.len() - LINES);
        }
    }
}

/// With a capital at its start.
fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn cut(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((end, _)) => format!("{}… (whole in --json)", &text[..end]),
        None => text.to_owned(),
    }
}
