use super::did_you_mean;

#[track_caller]
fn check(word: &str, expected: Option<&str>) {
    assert_eq!(did_you_mean(word, ["pattern", "capture", "tag", "from"]), expected);
}

#[test]
fn the_nearest_word_within_two_edits_is_meant() {
    check("patern", Some("pattern"));
    check("Patern", Some("pattern"));
    check("form", Some("from"));
    check("tags", Some("tag"));
    check("glob", None);
    check("xy", None);
}
