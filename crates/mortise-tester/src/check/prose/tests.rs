use super::{choices, files, pairs, paths, samples};

#[track_caller]
fn check_samples(description: &str, expected: &[&str]) {
    assert_eq!(samples(description), expected, "{description}");
}

#[test]
fn samples_stand_after_words_and_in_quotes() {
    check_samples("The city, e.g. Oslo", &["Oslo"]);
    check_samples("The city (e.g. New York, Oslo) to look up", &["New York", "Oslo"]);
    check_samples(
        "IANA name (e.g., 'America/New_York', 'Europe/London'). Use 'UTC' if unsure.",
        &["America/New_York", "Europe/London", "UTC"],
    );
    check_samples("A ticker, for example AMZN. It is upper case.", &["AMZN"]);
    check_samples("A code such as `b-1` or `b-2`", &["b-1", "b-2"]);
    check_samples("Lists local branches ('local') or all ('all').", &["local", "all"]);
    check_samples("The city's name, if that isn't known", &[]);
}

#[track_caller]
fn check_choices(refusal: &str, expected: &[&str]) {
    assert_eq!(choices(refusal, &["a".to_owned()]), expected, "{refusal}");
}

#[test]
fn refusals_name_what_they_would_take() {
    check_choices("unknown city; known: Berlin, Oslo", &["Berlin", "Oslo"]);
    check_choices(
        "unknown city 'a'. Known cities: Berlin, New York and Oslo.",
        &["Berlin", "New York", "Oslo"],
    );
    check_choices("`a` must be one of: \"metric\"|\"imperial\"", &["metric", "imperial"]);
    check_choices("Input should be 'local' or 'all'", &["local", "all"]);
    check_choices("Repository path 'a' is outside the allowed repository '/srv/repo'", &["/srv/repo"]);
    check_choices(
        "Access denied - path outside allowed directories: /x/a not in /srv/files",
        &["/x/a", "/srv/files"],
    );
    check_choices("there is no such thing", &[]);
}

#[test]
fn pairs_and_paths_are_found_in_texts_that_are_not_json() {
    let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
    assert_eq!(
        pairs("[{'name': 'products'}, {'name': 'orders'}]"),
        [pair("name", "products"), pair("name", "orders")]
    );
    assert_eq!(
        pairs("Commit: 'abc123'\nMessage: first"),
        [pair("Commit", "abc123"), pair("Message", "first")]
    );
    assert_eq!(paths("Allowed directories:\n/srv/files"), ["/srv/files"]);
    assert_eq!(files("[FILE] note.txt\n[DIR] sub\n[FILE] other.md   8 B"), ["note.txt", "other.md"]);
}
