//! Questions for approval, put to the person at the terminal.

use std::sync::Arc;

use mortise_contract::approval::{AllowedCalls, ApprovalAnswer, ApprovalQuestion};
use mortise_executor::approvals::{ApprovalAsker, ApprovalFuture, NoAnswer};
use tokio::sync::{mpsc, oneshot};

use crate::app::App;
use crate::failure::Failure;
use crate::input;
use crate::terminal::{Mark, escape};

/// The questions of one run, as they come.
pub(super) type Questions = mpsc::Receiver<TerminalQuestion>;

/// A question and the way back for its answer.
pub(super) struct TerminalQuestion {
    question: ApprovalQuestion,
    answer: oneshot::Sender<ApprovalAnswer>,
}

/// Who answers the questions of a run: `--yes`, the terminal if there is one, else nothing does.
pub(super) fn channel(app: &App, yes: bool) -> (Option<Arc<dyn ApprovalAsker>>, Questions) {
    // A run asks one question at a time.
    let (sender, questions) = mpsc::channel(1);
    let asker: Option<Arc<dyn ApprovalAsker>> = match yes {
        true => Some(Arc::new(YesAsker)),
        false if app.terminal.is_interactive() => Some(Arc::new(TerminalAsker(sender))),
        false => None,
    };
    (asker, questions)
}

/// Shows a question on stderr and reads the answer: `y`, a number of calls, or anything else for no.
pub(super) async fn answer(app: &App, asked: TerminalQuestion) -> Result<(), Failure> {
    let terminal = app.terminal.for_stderr();
    let text = asked.question.text();
    for (number, line) in text.lines().enumerate() {
        let shown = match number {
            0 => terminal.marked(0, Mark::Warn, &escape::line(line)),
            _ if line == "Allow?" => "Allow? [y/N, or the number of calls of each tool] ".to_owned(),
            _ => terminal.hang(&[(None, "  ")], None, &escape::line(line)),
        };
        app.terminal.stderr(&shown);
    }
    let typed = input::line().await?.unwrap_or_default();
    // The run may have ended meanwhile.
    let _ = asked.answer.send(read_answer(&typed));
    Ok(())
}

fn read_answer(typed: &str) -> ApprovalAnswer {
    let typed = typed.trim().to_lowercase();
    let at_most = typed.parse::<u64>().ok().filter(|calls| *calls > 0);
    match at_most.is_some() || typed == "y" || typed == "yes" {
        true => ApprovalAnswer::Allow(AllowedCalls { at_most, ..AllowedCalls::default() }),
        false => ApprovalAnswer::Deny,
    }
}

/// Passes questions on to the loop that owns the terminal.
#[derive(Debug)]
struct TerminalAsker(mpsc::Sender<TerminalQuestion>);

impl ApprovalAsker for TerminalAsker {
    fn who(&self) -> String {
        "the person at the terminal".to_owned()
    }

    fn ask<'a>(&'a self, question: &'a ApprovalQuestion) -> ApprovalFuture<'a> {
        Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            let question = TerminalQuestion { question: question.clone(), answer };
            let closed = || NoAnswer("the terminal can't be read".to_owned());
            self.0.send(question).await.map_err(|_| closed())?;
            answered.await.map_err(|_| closed())
        })
    }
}

/// Allows what is asked: the user said so on the command line.
#[derive(Debug)]
struct YesAsker;

impl ApprovalAsker for YesAsker {
    fn who(&self) -> String {
        "--yes".to_owned()
    }

    fn ask<'a>(&'a self, _: &'a ApprovalQuestion) -> ApprovalFuture<'a> {
        Box::pin(std::future::ready(Ok(ApprovalAnswer::Allow(AllowedCalls::default()))))
    }
}

#[cfg(test)]
mod tests {
    use mortise_contract::approval::{AllowedCalls, ApprovalAnswer};

    use super::read_answer;

    #[test]
    fn only_yes_or_a_number_allows() {
        let allow = |at_most| ApprovalAnswer::Allow(AllowedCalls { at_most, ..AllowedCalls::default() });
        for (typed, expected) in [
            ("y", allow(None)),
            (" YES \n", allow(None)),
            ("20", allow(Some(20))),
            ("0", ApprovalAnswer::Deny),
            ("-3", ApprovalAnswer::Deny),
            ("", ApprovalAnswer::Deny),
            ("n", ApprovalAnswer::Deny),
            ("yeah", ApprovalAnswer::Deny),
        ] {
            assert_eq!(read_answer(typed), expected, "{typed:?}");
        }
    }
}
