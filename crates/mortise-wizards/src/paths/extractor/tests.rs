use proptest::prelude::*;

use super::*;
use crate::paths::engine::ExtractionStatus;
use crate::paths::python::module;

fn paths(given: &[String]) -> Vec<RulePath> {
    given.iter().filter_map(|path| RulePath::parse(path)).collect()
}

fn propose(given: &[&str], hint: &str) -> ExtractorProposal {
    let given: Vec<String> = given.iter().map(|&path| path.to_owned()).collect();
    ExtractorProposal::of(&paths(&given), &Hint::parse(hint).unwrap(), &DecisionConfig::default()).unwrap()
}

#[test]
fn clauses_choose_from_the_library() {
    let weeks = ["2024/W01/x.csv", "2024/W02/x.csv"];
    let summary = |hint: &str, given: &[&str]| {
        let proposal = propose(given, hint);
        proposal.transforms.iter().map(Transform::summary).collect::<Vec<_>>()
    };
    assert_eq!(summary("expand the week", &weeks), ["week expansion (start_date, end_date)"]);
    assert_eq!(summary("@week_expand", &weeks), ["week expansion (start_date, end_date)"]);
    let days = ["m_1/2024-01-15/x.csv", "m_2/2024-01-16/x.csv"];
    assert_eq!(summary("compute weekday from date", &days), ["date parts (date_weekday)"]);
    assert_eq!(summary("combine m_id and date into key with \"-\"", &days), ["joined fields (key)"]);
    assert_eq!(summary("map m_id 1 to one, 2 to two", &days), ["value mapping (m_id_label)"]);
    let fiscal = propose(&["FY24/x.csv", "FY25/x.csv"], "expand the fiscal year, which starts in April");
    assert!(matches!(fiscal.transforms[0], Transform::Fiscal { start_month: 4, .. }));
}

#[test]
fn a_choice_by_equality_is_a_choice() {
    let sites = ["site=n/x.csv", "site=s/x.csv"];
    for hint in [
        "if site is n then north otherwise south",
        "if site = n then north else south",
        "if site==n then north otherwise south",
    ] {
        let proposal = propose(&sites, hint);
        let [Transform::LiteralMap { pairs, otherwise, .. }] = proposal.transforms.as_slice() else {
            panic!("{hint}: {:?}", proposal.transforms);
        };
        assert_eq!(pairs, &[("n".to_owned(), "north".to_owned())], "{hint}");
        assert_eq!(otherwise.as_deref(), Some("south"));
        let reason = "the hint asks to decide by condition on values of `site` (`if`)";
        assert!(proposal.reason.contains(reason), "{}", proposal.reason);
    }
    let undone = propose(&sites, "decide when site changes");
    let reason = "the hint asks to decide by condition on `site` (`when`), which needs code";
    assert!(undone.reason.contains(reason), "{}", undone.reason);
}

#[test]
fn a_hint_that_names_no_field_is_a_question() {
    let proposal = propose(&["m_1/x.csv", "m_2/x.csv"], "calculate the revenue");
    assert!(proposal.transforms.is_empty());
    assert_eq!(proposal.questions[0].id, "hint_field");
}

#[test]
fn many_paths_are_thinned_out_by_depth() {
    let given: Vec<String> = (0..2000)
        .map(|number| if number % 100 == 0 { format!("a/{number}.csv") } else { format!("a/b/{number}.csv") })
        .collect();
    let sample = stratified(&paths(&given));
    assert!(sample.len() <= 500 && sample.len() > 490, "{}", sample.len());
    assert!(sample.iter().any(|path| path.depth() == 2));
}

fn tree() -> impl Strategy<Value = Vec<String>> {
    let level = prop_oneof![
        Just("entity"),
        Just("iso"),
        Just("year"),
        Just("partition"),
        Just("version"),
        Just("numeric"),
        Just("constant"),
    ];
    (proptest::collection::vec(level, 1..4), 10..40usize).prop_map(|(levels, count)| {
        (0..count)
            .map(|number| {
                let folders: Vec<String> = levels
                    .iter()
                    .enumerate()
                    .map(|(depth, level)| match *level {
                        "entity" => format!("site{depth}_{number:03}"),
                        "iso" => format!("2024-{:02}-{:02}", number % 12 + 1, number % 28 + 1),
                        "year" => format!("{}", 2000 + number % 30),
                        "partition" => format!("k{depth}={number}"),
                        "version" => format!("v{}.{}", number % 9, number),
                        "numeric" => format!("{}", 100_000 + number),
                        _ => format!("fixed{depth}"),
                    })
                    .collect();
                format!("root/{}/f.csv", folders.join("/"))
            })
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn held_out_paths_of_regular_trees_are_complete(given in tree()) {
        let paths = paths(&given);
        let (hint, config) = (Hint::default(), DecisionConfig::default());
        let found = holdout(&paths, &hint, &config).unwrap();
        prop_assert_eq!(found.complete, found.total, "{:?}", given);
        let proposal = ExtractorProposal::of(&paths, &hint, &config).unwrap();
        let rules = RuleSet::new(&proposal.document).unwrap();
        prop_assert!(paths.iter().all(|path| rules.extract_path(path).status == ExtractionStatus::Complete));
    }

    #[test]
    fn any_paths_and_hint_give_a_rule_or_an_error_and_no_foreign_code(
        given in proptest::collection::vec("[a-zA-Z0-9_=%.\"'\\\\\n{}\\[\\]*-]{1,12}/\\PC{1,20}/[a-z0-9_.\"-]{1,20}", 1..6),
        hint in "\\PC{0,40}",
    ) {
        let paths = paths(&given);
        prop_assume!(!paths.is_empty());
        let hint = Hint::parse(&hint).unwrap_or_default();
        let config = DecisionConfig::default();
        let Ok(proposal) = ExtractorProposal::of(&paths, &hint, &config) else { return Ok(()) };
        let yaml = proposal.document.to_yaml().unwrap();
        prop_assert_eq!(&RuleDocument::parse(&yaml).unwrap(), &proposal.document);
        let again = ExtractorProposal::of(&paths, &hint, &config).unwrap();
        prop_assert_eq!(again.document.to_yaml().unwrap(), yaml);
        let code = module(proposal.rule().unwrap(), &given[0], &proposal.transforms);
        prop_assert!(mortise_formats::python::check_extractor(&code).is_ok(), "{}", code);
    }
}
