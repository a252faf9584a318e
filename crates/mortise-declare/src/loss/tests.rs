//! What is kept of many losses.

use serde_json::{Map, Value, json};

use super::super::typescript::tests::catalogue;
use super::*;
use crate::{LintVerdict, Provider, ProviderOptions, lint, provider_names};

fn many(counts: &[(Severity, usize)]) -> Vec<Loss> {
    let mut losses = Losses::new(SchemaSide::Input);
    for (severity, count) in counts {
        for at in 0..*count {
            losses.add(&format!("/{severity:?}/{at}"), "k", (Action::Dropped, *severity), "why").fix("do it");
        }
    }
    losses.finish()
}

/// How many of each severity are listed, and what is said about the others.
#[track_caller]
fn check(counts: &[(Severity, usize)], listed: [usize; 3], others: Option<(Severity, &str)>) {
    let mut losses = many(counts);
    let last = losses.iter().position(|loss| loss.keyword == "…").map(|at| losses.remove(at));
    let of = |severity: Severity| losses.iter().filter(|loss| loss.severity == severity).count();
    assert_eq!([of(Severity::Info), of(Severity::Warn), of(Severity::Error)], listed);
    assert_eq!(last.as_ref().map(|loss| (loss.severity, loss.reason.as_str())), others);
    assert!(losses.iter().all(|loss| loss.fix.is_some()));
}

#[test]
fn what_matters_little_gives_way() {
    use Severity::{Error, Info, Warn};
    check(&[(Info, 500)], [500, 0, 0], None);
    check(&[(Info, 600)], [500, 0, 0], Some((Info, "100 further losses are not listed")));
    check(&[(Info, 600), (Error, 1)], [499, 0, 1], Some((Info, "101 further losses are not listed")));
    check(
        &[(Warn, 300), (Info, 300), (Error, 250)],
        [0, 250, 250],
        Some((Warn, "350 further losses are not listed")),
    );
    check(&[(Warn, 600), (Info, 9)], [0, 500, 0], Some((Warn, "109 further losses are not listed")));
    check(&[(Error, 501), (Info, 1)], [0, 0, 500], Some((Error, "2 further losses are not listed")));
    check(
        &[(Info, 50_000), (Warn, 50_000)],
        [0, 500, 0],
        Some((Warn, "99500 further losses are not listed")),
    );
}

#[test]
fn losses_taken_over_count_like_the_others() {
    let mut losses = Losses::new(SchemaSide::Input);
    let mut others = Losses::new(SchemaSide::Input);
    for at in 0..600 {
        losses.add(&format!("/{at}"), "k", (Action::Dropped, Severity::Info), "why");
        others.add(&format!("/{at}"), "k", (Action::Dropped, Severity::Error), "why not");
    }
    losses.absorb(others);
    let all = losses.finish();
    let last = all.iter().find(|loss| loss.keyword == "…").unwrap();
    assert_eq!((last.severity, last.reason.as_str()), (Severity::Error, "700 further losses are not listed"));
    assert_eq!(all.iter().filter(|loss| loss.severity == Severity::Error).count(), KEPT + 1);
}

#[test]
fn the_same_loss_is_listed_once() {
    let mut losses = Losses::new(SchemaSide::Output);
    for _ in 0..2 {
        losses.add("/a", "k", (Action::Dropped, Severity::Warn), "why");
    }
    losses.add("/a", "k", (Action::Dropped, Severity::Error), "why");
    let found: Vec<Severity> = losses.finish().iter().map(|loss| loss.severity).collect();
    assert_eq!(found, [Severity::Error, Severity::Warn]);
}

#[test]
fn no_number_of_cosmetic_losses_hides_a_refusal() {
    let (mut tools, _) = catalogue();
    tools.truncate(1);
    let properties: Map<String, Value> = (0..600)
        .map(|at| (format!("p{at}"), json!({"type": "string", "description": "a\u{200b}b"})))
        .collect();
    tools[0].input_schema = json!({"type": "object", "properties": properties, "anyOf": [{"required": ["p0"]}, {"required": ["p1"]}]});
    let findings = lint(&tools, &[Provider::Anthropic], &provider_names(&tools), &ProviderOptions::default());
    let refused: Vec<&str> = findings
        .iter()
        .filter(|finding| finding.verdict == LintVerdict::Refused)
        .map(|finding| finding.loss.keyword.as_str())
        .collect();
    assert_eq!(refused, ["anyOf"]);
}
