use super::*;

fn rule(glob: &str) -> String {
    format!("{{name: path_data_extraction_rule, glob: '{glob}', tag: t}}")
}

fn unmatched_paths(rules: Vec<String>) -> Vec<String> {
    let files = ["a/1.csv", "b/2.csv", "c/3.csv", "d/4.csv"].map(str::to_owned).to_vec();
    let done = list(&ReviewMaterial { files, rules }, ReviewKind::UnmatchedFiles).unwrap();
    done.result.items.into_iter().filter_map(|item| item.path).collect()
}

#[test]
fn rules_of_one_name_are_all_applied() {
    assert_eq!(unmatched_paths(vec![rule("a/*.csv"), rule("b/*.csv"), rule("c/*.csv")]), ["d/4.csv"]);
    // The same rule twice is one rule.
    assert_eq!(unmatched_paths(vec![rule("a/*.csv"); 2]).len(), 3);
}

#[test]
fn a_long_name_is_cut_for_its_number() {
    let long = "r".repeat(64);
    let known = ExtractionRule::tagging(long.clone(), "*", "t");
    let free = free_name(&[known], &long);
    assert_eq!((free.len(), free.ends_with("r_2")), (64, true), "{free}");
}
