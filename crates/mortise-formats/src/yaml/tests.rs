use super::*;

#[track_caller]
fn check_error(text: &str, expected: &str) {
    let error = parse(text, Extent::Data).expect_err("must be refused");
    assert_eq!(error.to_string(), expected);
}

#[test]
fn values_know_their_places() {
    let YamlNode { tree: Tree::Map(entries), .. } =
        parse("a: 1\nb:\n  - {c: 'x'}\n", Extent::Data).expect("reads")
    else {
        panic!("a mapping")
    };
    let (key, node) = &entries[1];
    assert_eq!((key.name.as_str(), key.at), ("b", YamlPosition { line: 2, column: 1 }));
    let Tree::List(items) = &node.tree else { panic!("a list") };
    assert_eq!(items[0].at, YamlPosition { line: 3, column: 5 });
}

#[test]
fn what_is_no_plain_data_is_refused_with_its_place() {
    check_error(
        "a: 1\na: 2\n",
        "ERR_YAML_INVALID (ERR_YAML_SYNTAX) on line 2, column 1: the key `a` is there twice",
    );
    check_error(
        "a: &x 1\nb: *x\n",
        "ERR_YAML_INVALID (ERR_YAML_SYNTAX) on line 1, column 7: an anchor; values are written out",
    );
    check_error(
        "a:\n  <<: {b: 1}\n",
        "ERR_YAML_INVALID (ERR_YAML_SYNTAX) on line 2, column 3: a merge key; values are written out",
    );
    check_error(
        "a: 1\n---\nb: 1\n",
        "ERR_YAML_INVALID (ERR_YAML_SYNTAX) on line 2, column 1: a second document starts here; expected one",
    );
    check_error(
        "a: !!str 1\n",
        "ERR_YAML_INVALID (ERR_YAML_SYNTAX) on line 1, column 10: the tag `tag:yaml.org,2002:str`; values have no tags",
    );
    check_error(
        "? [a]\n: 1\n",
        "ERR_YAML_INVALID (ERR_YAML_SYNTAX) on line 1, column 3: a list or mapping as a key; keys are words",
    );
}

#[test]
fn a_bad_escape_says_how_to_write_it() {
    let error = parse("p: \"\\d\"\n", Extent::Data).expect_err("must be refused");
    assert_eq!((error.line, error.column), (Some(1), Some(4)));
    assert_eq!(error.suggestion, "write regular expressions in single quotes: '\\d'");
}

#[test]
fn bounds_hold_at_the_limit_and_not_past_it() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert!(parse(&nested(MAX_DEPTH), Extent::Data).is_ok());
    assert!(parse(&nested(MAX_DEPTH + 1), Extent::Data).is_err());
    let long = |items: usize| format!("[{}]", "a,".repeat(items));
    assert!(parse(&long(MAX_NODES - 1), Extent::Data).is_ok());
    assert!(parse(&long(MAX_NODES), Extent::Data).is_err());
    let sized = |bytes: usize| "a".repeat(bytes);
    assert!(parse(&sized(MAX_BYTES), Extent::Data).is_ok());
    assert!(parse(&sized(MAX_BYTES + 1), Extent::Data).is_err());
}

#[test]
fn anything_goes_where_a_text_is_only_looked_at() {
    assert!(parse("a: &x !t 1\nb: *x\n", Extent::Any).is_ok());
}
