//! The table itself.

use std::collections::HashSet;

use super::PROVIDER_RULES;
use crate::Provider;

#[test]
fn every_rule_has_its_own_name_a_source_and_a_day() {
    let mut seen = HashSet::new();
    for rule in PROVIDER_RULES {
        assert!(seen.insert(rule.id), "{} is there twice", rule.id);
        assert!(rule.url.starts_with("https://") && !rule.source.is_empty(), "{}", rule.id);
        let day: Vec<&str> = rule.read.split('-').collect();
        assert_eq!(day.iter().map(|part| part.len()).collect::<Vec<_>>(), [4, 2, 2], "{}", rule.id);
        assert!(rule.what.ends_with('.') && rule.what.len() > 15, "{}", rule.id);
    }
}

#[test]
fn a_limit_is_the_number_in_its_sentence() {
    for rule in PROVIDER_RULES {
        if let Some(limit) = rule.limit {
            assert!(rule.what.replace(',', "").contains(&limit.to_string()), "{}", rule.id);
        }
    }
}

#[test]
fn every_provider_has_a_rule_of_its_own() {
    for provider in Provider::ALL {
        let own = |rule: &&&super::ProviderRule| {
            rule.providers.contains(&provider) && rule.providers.len() < Provider::ALL.len()
        };
        assert!(PROVIDER_RULES.iter().filter(own).count() > 0, "{}", provider.as_str());
    }
}
