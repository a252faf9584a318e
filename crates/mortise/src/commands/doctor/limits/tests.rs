//! The table as a whole: areas, places and settings.

use std::collections::HashSet;

use mortise_config::Config;

use super::{AREAS, all};

#[test]
fn no_limit_is_shown_twice_and_every_area_is_known() {
    let mut seen = HashSet::new();
    for limit in all() {
        assert!(seen.insert((limit.area, limit.name)), "{} {}", limit.area, limit.name);
        assert!(AREAS.contains(&limit.area), "{}", limit.area);
    }
}

#[test]
fn a_limit_is_shown_below_the_one_that_it_names() {
    let limits = all();
    for (above, limit) in limits.iter().zip(&limits[1..]) {
        if let Some(name) = limit.after {
            assert_eq!((above.area, above.name), (limit.area, name), "{}", limit.name);
        }
    }
}

#[test]
fn every_setting_that_a_limit_names_exists() {
    let schema = Config::json_schema();
    for limit in all() {
        let Some(setting) = limit.setting else { continue };
        let pointer = match setting.split_once('.').unwrap() {
            ("execution", key) => format!("/$defs/Execution/properties/{key}"),
            ("approvals", key) => format!("/$defs/Approvals/properties/{key}"),
            ("journal", key) => format!("/$defs/Journal/properties/{key}"),
            ("wizards", key) => format!("/$defs/Wizards/properties/{key}"),
            ("servers", key) => format!("/$defs/Server/properties/{}", key.trim_start_matches("*.")),
            other => panic!("{other:?}"),
        };
        assert!(schema.pointer(&pointer).is_some(), "{setting}");
    }
}
