//! Two runs compared: where they part, and their calls side by side.

use std::collections::BTreeSet;

use mortise_contract::text::cut;
use mortise_executor::journal::KeptRun;
use serde::Serialize;

use super::calls::{KeptCall, calls};
use super::show::output;
use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::table::{Fit, TableColumn, TerminalTable};
use crate::terminal::units::counted;
use crate::terminal::{Mark, Terminal, Tint, escape};

/// Calls that are shown side by side.
const ROWS: usize = 50;
/// Characters of a cell.
const CELL: usize = 120;

/// What two runs have in common, and what not. Numbers of lines and calls begin at 1.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct RunDifference {
    same: bool,
    /// The first line in which the programs differ.
    program_line: Option<usize>,
    /// The first call that differs.
    call: Option<CallDifference>,
    /// The first line in which the outputs differ.
    output_line: Option<usize>,
    /// Whether they ended differently.
    state: bool,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
struct CallDifference {
    id: u64,
    what: DifferentPart,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
enum DifferentPart {
    /// One of the runs does not have it.
    Missing,
    Tool,
    Arguments,
    Result,
}

/// Prints the difference.
pub(super) fn run(app: &App, first: &KeptRun, second: &KeptRun) -> Result<Exit, Failure> {
    let difference = compare(first, second);
    if app.global.json {
        let text = serde_json::to_string(&difference)
            .map_err(|error| Failure::new(Exit::Bug, "the difference can't be written").because(&error))?;
        app.print_json(&text)?;
        return Ok(Exit::Ok);
    }
    app.print_paged(&page(&app.terminal, first, second, &difference))?;
    Ok(Exit::Ok)
}

fn compare(first: &KeptRun, second: &KeptRun) -> RunDifference {
    let (left, right) = (calls(first), calls(second));
    let ids: BTreeSet<u64> = left.keys().chain(right.keys()).copied().collect();
    let call = ids.into_iter().find_map(|id| {
        let what = different_part(left.get(&id), right.get(&id))?;
        Some(CallDifference { id, what })
    });
    let program_line = first_different_line(&first.begun.source, &second.begun.source);
    let output_line = first_different_line(&output(first), &output(second));
    let state = first.state != second.state;
    let same = program_line.is_none() && call.is_none() && output_line.is_none() && !state;
    RunDifference { same, program_line, call, output_line, state }
}

fn different_part(left: Option<&KeptCall<'_>>, right: Option<&KeptCall<'_>>) -> Option<DifferentPart> {
    let (Some(left), Some(right)) = (left, right) else { return Some(DifferentPart::Missing) };
    if left.tool() != right.tool() {
        return Some(DifferentPart::Tool);
    }
    if left.arguments() != right.arguments() {
        return Some(DifferentPart::Arguments);
    }
    (left.result() != right.result()).then_some(DifferentPart::Result)
}

fn first_different_line(left: &str, right: &str) -> Option<usize> {
    if left == right {
        return None;
    }
    let same = left.split('\n').zip(right.split('\n')).take_while(|(left, right)| left == right).count();
    Some(same + 1)
}

fn page(terminal: &Terminal, first: &KeptRun, second: &KeptRun, difference: &RunDifference) -> String {
    let mut out = String::new();
    if difference.same {
        out.push_str(&terminal.marked(0, Mark::Good, "both runs did the same"));
        return out;
    }
    let verdict = |is_same: bool| if is_same { Mark::Good } else { Mark::Bad };
    let line = |out: &mut String, is_same: bool, text: &str| {
        out.push_str(&terminal.marked(0, verdict(is_same), text))
    };
    match difference.program_line {
        None => line(&mut out, true, "the programs are the same"),
        Some(number) => {
            line(&mut out, false, &format!("the programs differ from line {number} on"));
            out.push_str(&both(terminal, &first.begun.source, &second.begun.source, number));
        }
    }
    match &difference.call {
        None => line(&mut out, true, &format!("{}, the same in both", counted(calls(first).len(), "call"))),
        Some(call) => {
            let part: &str = call.what.into();
            let text = match call.what {
                DifferentPart::Missing => format!("call {} is in one run only", call.id),
                _ => format!("call {} is the first that differs, by its {part}", call.id),
            };
            line(&mut out, false, &text);
        }
    }
    match difference.output_line {
        None => line(&mut out, true, "the outputs are the same"),
        Some(number) => {
            line(&mut out, false, &format!("the outputs differ from line {number} on"));
            out.push_str(&both(terminal, &output(first), &output(second), number));
        }
    }
    if difference.state {
        let text = format!("the first {}, the second {}", first.state.as_str(), second.state.as_str());
        line(&mut out, false, &text);
    }
    if difference.call.is_some() {
        out.push('\n');
        out.push_str(&side_by_side(first, second).render(terminal));
    }
    out
}

/// One line of two texts.
fn both(terminal: &Terminal, left: &str, right: &str, number: usize) -> String {
    let line = |text: &str| cut(text.split('\n').nth(number - 1).unwrap_or("(no such line)"), CELL);
    [(Tint::Bad, "    - ", line(left)), (Tint::Good, "    + ", line(right))]
        .map(|(tint, lead, text)| terminal.hang(&[(Some(tint), lead)], None, &escape::line(&text)))
        .concat()
}

fn side_by_side(first: &KeptRun, second: &KeptRun) -> TerminalTable {
    let columns = [
        TableColumn { title: "", tint: None, fit: Fit::Fixed },
        TableColumn { title: "Call", tint: Some(Tint::Dim), fit: Fit::Fixed },
        TableColumn { title: "First", tint: None, fit: Fit::Wraps },
        TableColumn { title: "Second", tint: None, fit: Fit::Wraps },
    ];
    let mut table = TerminalTable::new(&columns, 0).right_aligned(&[1]);
    let (left, right) = (calls(first), calls(second));
    let ids: BTreeSet<u64> = left.keys().chain(right.keys()).copied().collect();
    let first_different = ids.iter().position(|id| different_part(left.get(id), right.get(id)).is_some());
    // Some of those before the first difference, so that a reader sees where it is.
    let skipped = first_different.unwrap_or_default().saturating_sub(5);
    for id in ids.into_iter().skip(skipped).take(ROWS) {
        let (left, right) = (left.get(&id), right.get(&id));
        let mark = if different_part(left, right).is_some() { Mark::Bad } else { Mark::Good };
        table.marked_row(mark, [id.to_string(), cell(left), cell(right)]);
    }
    table
}

/// `shop/list_orders {"status":"open"} → [1]`.
fn cell(call: Option<&KeptCall<'_>>) -> String {
    let Some(call) = call else { return String::new() };
    let result = call.result().unwrap_or("no answer is recorded");
    let (arguments, result) = (cut(call.arguments(), CELL), cut(result, CELL));
    escape::line(&format!("{} {arguments} → {result}", call.tool()))
}
