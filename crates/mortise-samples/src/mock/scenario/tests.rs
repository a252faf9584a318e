//! Scenario names, numbers and refusals.

use std::collections::HashSet;

use super::{ScenarioError, plan, scenarios};

#[test]
fn names_are_unique_and_every_scenario_says_what_it_does() {
    let mut names = HashSet::new();
    for scenario in scenarios() {
        assert!(names.insert(scenario.name), "{} twice", scenario.name);
        assert!(!scenario.about.is_empty() && !scenario.about.contains('\n'), "{}", scenario.name);
        assert!(scenario.number.is_none_or(|number| number.default <= number.max), "{}", scenario.name);
    }
    assert!(names.len() > 100);
}

#[test]
fn every_scenario_applies_with_its_default() {
    for scenario in scenarios() {
        plan([scenario.name]).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[track_caller]
fn refused(wanted: &str, message: &str) {
    let error = plan([wanted]).err().unwrap();
    assert_eq!(error.to_string(), message);
}

#[test]
fn a_wrong_scenario_is_refused_by_name() {
    refused("slwo", "there is no scenario `slwo`");
    refused("ok=1", "scenario `ok` takes no number, not `1`");
    refused("slow=soon", "scenario `slow` takes MS from 0 to 3600000, not `soon`");
    refused("chaos=101", "scenario `chaos` takes PERCENT from 0 to 100, not `101`");
}

#[test]
fn a_near_miss_is_suggested() {
    let similar = |name: &str| match plan([name]).err() {
        Some(ScenarioError::Unknown { similar, .. }) => similar,
        other => panic!("{other:?}"),
    };
    assert_eq!(similar("wrong_id"), Some("wrong-id"));
    assert_eq!(similar("zzz"), None);
}
