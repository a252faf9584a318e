//! Why a program failed, for the person who wrote it: the place in its source, and the way out.

mod traceback;

use std::path::Path;

use mortise_executor::check::{CheckMode, ShapeBasis, TypecheckReport, TypecheckRule};
use mortise_script::{FailureKind, ProgramError};
use unicode_width::UnicodeWidthStr as _;

use crate::terminal::layout::fit;
use crate::terminal::{Mark, Terminal, Tint, escape};
use traceback::{Frame, Traceback};

/// Findings of the check that are shown.
const FINDINGS: usize = 10;

/// The way out for a program that imports what is not there.
const MODULES: &str = "the standard library is built in, other packages are not; `--file MODULE.py` gives the program \
                       a module of yours";

/// What a view needs to know about the program.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShownProgram<'a> {
    /// Its name in messages: the file as it was given.
    pub(super) name: &'a str,
    /// Where it lies, if it is a file: what it opens is looked for there.
    pub(super) folder: Option<&'a Path>,
}

/// The error, the places that led to it, and what to do.
pub(super) fn failure(
    terminal: &Terminal,
    program: ShownProgram<'_>,
    error: &ProgramError,
    checked: &TypecheckReport,
) -> String {
    if error.kind == FailureKind::Check {
        return refusal(terminal, program, checked);
    }
    let mut out = match (error.kind, error.message.parse::<i64>()) {
        // One that left on purpose has said why, and where is of no interest.
        (FailureKind::Exit, Ok(status)) => {
            terminal.marked(0, Mark::Bad, &format!("The program left with status {status}"))
        }
        (FailureKind::Exit, Err(_)) => terminal.marked(0, Mark::Bad, &escape::text(&error.message)),
        _ => raised(terminal, program, error),
    };
    for way in ways_out(program, error) {
        out.push_str(&terminal.hang(&[(Some(Tint::Name), "hint: ")], None, &escape::text(&way)));
    }
    out
}

fn raised(terminal: &Terminal, program: ShownProgram<'_>, error: &ProgramError) -> String {
    let Some(traceback) = Traceback::parse(&error.traceback) else {
        let named = error.traceback.trim_end().replace("\"<program>\"", &format!("\"{}\"", program.name));
        return terminal.marked(0, Mark::Bad, &escape::text(&named));
    };
    let mut out = terminal.marked(0, Mark::Bad, &escape::text(&for_people(&traceback.error)));
    for frame in &traceback.frames {
        let place = match &frame.function {
            Some(function) => format!("{}:{} in {function}", program.name, frame.line),
            None => format!("{}:{}", program.name, frame.line),
        };
        excerpt(terminal, &place, frame, &mut out);
    }
    out
}

/// Without the advice to a model about files; a person gets another one below.
fn for_people(error: &str) -> String {
    match error.split_once(" (programs have no files") {
        Some((before, rest)) => {
            let after = rest.split_once(')').map_or("", |(_, after)| after);
            format!("{before}{after}")
        }
        None => error.to_owned(),
    }
}

/// The line of the source with its number, and a line that points into it.
fn excerpt(terminal: &Terminal, place: &str, frame: &Frame, out: &mut String) {
    out.push_str(&terminal.hang(&[(None, "  ")], Some(Tint::Dim), &escape::line(place)));
    let number = frame.line.to_string();
    let gutter = number.width() + 5;
    let room = terminal.width().map_or(usize::MAX, |width| width.saturating_sub(gutter).max(8));
    let source = fit(&escape::text(&frame.source).replace('\t', " "), room);
    let caret = match frame.caret.trim().is_empty() {
        true => "^".repeat(source.width()),
        false => frame.caret.clone(),
    };
    let lead = format!("  {number} │ ");
    out.push_str(&terminal.pieces(&[(Some(Tint::Dim), &lead), (None, &source), (None, "\n")]));
    let lead = format!("  {:1$} │ ", "", number.width());
    out.push_str(&terminal.pieces(&[(Some(Tint::Dim), &lead), (Some(Tint::Bad), &fit(&caret, room))]));
    out.push('\n');
}

/// What the person can do who runs the program.
fn ways_out(program: ShownProgram<'_>, error: &ProgramError) -> Vec<String> {
    let mut ways = Vec::new();
    match (error.kind, error.exception.as_str()) {
        (FailureKind::Time, _) => {
            ways.push("`--timeout 5m` gives the program more time; 10 minutes is the most".to_owned());
        }
        (FailureKind::Approval, _) => {
            ways.push("run it on a terminal to be asked, or give `--yes` to allow it".to_owned());
        }
        (FailureKind::Output, _) => {
            ways.push("print less, or write the result with `emit(value)`".to_owned())
        }
        (FailureKind::Memory, _) => {
            ways.push("work on one result at a time, or ask the tools for less".to_owned());
        }
        (_, "FileNotFoundError") => ways.push(file_hint(program, &error.message)),
        (_, "PermissionError" | "OSError") if error.message.contains("Read-only") => {
            ways.push("a program can't write files: print the text and redirect it, `… > file`".to_owned());
        }
        (_, "ModuleNotFoundError") => ways.push(MODULES.to_owned()),
        (_, "ToolError") if error.message.contains("is not connected") => {
            ways.push("`mortise doctor` shows which servers can be reached, and why not".to_owned());
        }
        _ => {}
    }
    ways
}

/// Names the option that gives a program a file.
fn file_hint(program: ShownProgram<'_>, message: &str) -> String {
    let named = message.rsplit_once(": '").and_then(|(_, rest)| rest.strip_suffix('\''));
    let Some(name) = named else {
        return "a program sees only the files that you give it with `--file PATH`".to_owned();
    };
    let beside = program.folder.map(|folder| folder.join(name)).filter(|path| path.is_file());
    let path = match (Path::new(name).is_file(), beside) {
        (true, _) => name.to_owned(),
        (false, Some(beside)) => beside.display().to_string(),
        (false, None) => {
            return format!(
                "a program sees only the files that you give it: `--file PATH` gives it one, which it opens by its \
                 name, here `{name}`"
            );
        }
    };
    let base =
        Path::new(name).file_name().map(|base| base.to_string_lossy().into_owned()).unwrap_or_default();
    let renamed = match base == name {
        true => String::new(),
        false => format!(", and open it as `{base}`"),
    };
    format!("a program sees only the files that you give it: add `--file {path}`{renamed}")
}

/// What the check before the run found, as far as it refuses the program.
pub(super) fn refusal(terminal: &Terminal, program: ShownProgram<'_>, checked: &TypecheckReport) -> String {
    if let Some(why) = checked.missing_check() {
        let text = format!("The program could not be checked, and no tool was called: {why}");
        let hint = "simplify the program, or run it without a check: `--check guard`";
        return terminal.marked(0, Mark::Bad, &text)
            + &terminal.hang(&[(Some(Tint::Name), "hint: ")], None, hint);
    }
    let count = checked.refusals().count();
    let problems = if count == 1 { "1 problem".to_owned() } else { format!("{count} problems") };
    let mut out =
        terminal.marked(0, Mark::Bad, &format!("{problems} found before the run; no tool was called"));
    findings(terminal, program, checked, Mark::Bad, &mut out);
    if let Some(hint) = way_past(checked) {
        out.push_str(&terminal.hang(&[(Some(Tint::Name), "hint: ")], None, hint));
    }
    out
}

/// How a refused program may run all the same. What Python itself would refuse fails without a check too.
fn way_past(checked: &TypecheckReport) -> Option<&'static str> {
    let are_all = |is_meant: fn(TypecheckRule) -> bool| checked.refusals().all(|found| is_meant(found.rule));
    if are_all(|rule| rule == TypecheckRule::UnknownModule) {
        return Some(MODULES);
    }
    if checked.mode == CheckMode::Strict && !are_all(is_pythons) {
        return Some("`--check guard` refuses only what surely fails");
    }
    are_all(is_by_declaration)
        .then_some("if what the tool declares is wrong, `--check off` runs the program as it is")
}

/// Whether Python refuses the same, whatever the tools do.
fn is_pythons(rule: TypecheckRule) -> bool {
    use TypecheckRule as Rule;
    matches!(
        rule,
        Rule::Syntax | Rule::UnknownName | Rule::UnknownModule | Rule::UnknownTool | Rule::PositionalArgument
    )
}

/// Whether only the declaration of a tool says so: a server may do otherwise.
fn is_by_declaration(rule: TypecheckRule) -> bool {
    use TypecheckRule as Rule;
    matches!(
        rule,
        Rule::UnknownKey
            | Rule::MissingArgument
            | Rule::UnknownArgument
            | Rule::WrongArgument
            | Rule::WrongType
    )
}

/// What the check found that does not refuse the program; nothing if there is nothing.
pub(super) fn warnings(terminal: &Terminal, program: ShownProgram<'_>, checked: &TypecheckReport) -> String {
    let mut out = String::new();
    findings(terminal, program, checked, Mark::Warn, &mut out);
    out
}

fn findings(
    terminal: &Terminal,
    program: ShownProgram<'_>,
    checked: &TypecheckReport,
    mark: Mark,
    out: &mut String,
) {
    let is_refusal = mark == Mark::Bad;
    let all: Vec<_> = match is_refusal {
        true => checked.refusals().collect(),
        false => checked.warnings().collect(),
    };
    for finding in all.iter().take(FINDINGS) {
        let (start, length) = finding.caret;
        let frame = Frame {
            line: u32::try_from(finding.line).unwrap_or(u32::MAX),
            function: None,
            source: finding.excerpt.clone(),
            caret: format!("{}{}", " ".repeat(start), "^".repeat(length.max(1))),
        };
        let nearest = finding.nearest.as_ref().map(|near| format!("; did you mean `{near}`?"));
        // A person at a shell has not heard of the tool that agents run programs with.
        let said =
            finding.message.replace("is not available in execute_program", "is not a tool of your servers");
        let message = format!("{said}{}", nearest.unwrap_or_default());
        out.push_str(&terminal.marked(2, mark, &escape::text(&message)));
        excerpt(terminal, &format!("{}:{}:{}", program.name, finding.line, finding.column), &frame, out);
        if let Some(declared) = &finding.declared {
            let basis = match finding.basis {
                ShapeBasis::Declared => "declared: ",
                ShapeBasis::Observed => "observed: ",
            };
            let lead = [(None, "  "), (Some(Tint::Dim), basis)];
            out.push_str(&terminal.hang(&lead, Some(Tint::Type), &escape::text(declared)));
        }
    }
    let more = all.len().saturating_sub(FINDINGS) + if is_refusal { checked.omitted } else { 0 };
    if more > 0 {
        out.push_str(&format!("  … and {more} more\n"));
    }
}

#[cfg(test)]
mod tests;
