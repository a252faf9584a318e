//! Asks a person at a terminal for the arguments that a tool requires.

use mortise_contract::shape::Field;
use mortise_contract::{Contract, Shape};

use super::{ArgumentNames, Pair, assemble, check, explain, fields};
use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input;
use crate::shell_word::shell_word;
use crate::terminal::{Mark, Tint, escape};

/// Asks for every required argument until its answer fits, then shows the command that gives the same answers.
///
/// `tool` is the tool as the user named it. A tool that requires nothing is asked nothing.
pub(crate) async fn ask(app: &App, tool: &str, contract: &Contract) -> Result<Vec<Pair>, Failure> {
    let shape = contract.input_schema().map_or(Shape::Any, Shape::of);
    let required: Vec<&Field> = fields(&shape).into_iter().filter(|field| field.required).collect();
    let mut pairs = Vec::new();
    let mut again = format!("mortise call {tool}");
    for field in required {
        let answer = ask_one(app, contract, field).await?;
        let answer = answer.ok_or_else(|| {
            Failure::new(Exit::Usage, format!("`{}` was not answered", field.name))
                .hint(format!("give it as an argument: {}", super::example(tool, contract)))
        })?;
        again.push_str(&format!(" {}", shell_word(&format!("{}={answer}", field.name))));
        pairs.push(Pair::text(&field.name, answer));
    }
    if !pairs.is_empty() {
        app.terminal.note(&format!("the same without questions: {again}"));
    }
    Ok(pairs)
}

/// An answer that fits; `None` at the end of the input.
async fn ask_one(app: &App, contract: &Contract, field: &Field) -> Result<Option<String>, Failure> {
    let terminal = app.terminal.for_stderr();
    let about: Vec<String> = [field.description.as_deref(), field.notes.as_deref()]
        .into_iter()
        .flatten()
        .map(escape::line)
        .collect();
    if !about.is_empty() {
        terminal.stderr(&format!("{}\n", terminal.paint(Tint::Dim, &about.join(" · "))));
    }
    let name = terminal.paint(Tint::Name, &escape::line(&field.name));
    let question = format!("{name} ({}): ", escape::line(&explain::wanted(&field.shape)));
    loop {
        terminal.stderr(&question);
        let Some(answer) = input::line().await? else {
            terminal.stderr("\n");
            return Ok(None);
        };
        let pair = Pair::text(&field.name, &answer);
        let fault = match answer.is_empty() {
            true => Some(format!("`{}` is required", field.name)),
            false => match assemble(contract.input_schema(), None, &[pair], ArgumentNames::Free) {
                Err(failure) => Some(failure.on_terminal()),
                Ok(arguments) => check::fault(contract, &field.name, &arguments),
            },
        };
        let Some(fault) = fault else { return Ok(Some(answer)) };
        terminal.stderr(&format!("{} {}\n", terminal.mark(Mark::Bad), escape::line(&fault)));
    }
}
