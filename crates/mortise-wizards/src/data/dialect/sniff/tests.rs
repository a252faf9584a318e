use super::*;

fn sniffed(text: &str) -> Sniffed {
    sniff(text, true, SniffHint::default())
}

#[track_caller]
fn check(text: &str, delimiter: char, columns: usize, has_header: bool) -> Sniffed {
    let sniffed = sniffed(text);
    let found = (sniffed.dialect.delimiter, sniffed.columns, sniffed.dialect.has_header);
    assert_eq!(found, (delimiter, columns, has_header), "{text}");
    sniffed
}

#[test]
fn the_delimiter_is_the_one_that_makes_a_table() {
    check("a,b,c\n1,2,3\n4,5,6\n", ',', 3, true);
    check("a\tb\n1\t2\n", '\t', 2, true);
    check("a|b|c\n1|2|3\n", '|', 3, true);
    check("id;price\n1;2,50\n2;3,75\n", ';', 2, true);
    check("1,5;2,5\n3,5;4,5\n", ';', 2, false);
    check("name;note\nAnn;likes tea, coffee\nBob;likes cake, pie\n", ';', 2, true);
    check("root:x:0\nann:x:1000\nbob:x:1001\n", ':', 3, false);
    check("12:30:00\n12:31:00\n", ',', 1, false);
    check("value\n1\n2\n3\n", ',', 1, true);
    check("", ',', 1, false);
}

#[test]
fn quotes_hide_delimiters_and_lines() {
    let sniffed = check("id,note\n1,\"a, b\nc\"\n2,\"say \"\"hi\"\"\"\n", ',', 2, true);
    assert_eq!((sniffed.dialect.quote, sniffed.dialect.escape), (Some('"'), Escape::Doubled));
    let single = check("id,note\n1,'a, b'\n2,'c, d'\n", ',', 2, true);
    assert_eq!(single.dialect.quote, Some('\''));
    let backslash = check("id,note\n1,\"say \\\"hi\\\", ok\"\n2,\"x\"\n", ',', 2, true);
    assert_eq!(backslash.dialect.escape, Escape::Backslash);
    let path = check("id,path\n1,\"C:\\dir\\\"\n2,\"D:\\x\\\"\n", ',', 2, true);
    assert_eq!(path.dialect.escape, Escape::Doubled);
    let none = check("id,name\n1,O'Neil\n2,D'Arcy\n", ',', 2, true);
    assert_eq!(none.dialect.quote, None);
}

#[test]
fn what_stands_before_the_table_is_skipped_and_told() {
    let sniffed = check("Report of May\n\nid,name,n\n1,Ann,5\n2,Bob,6\n", ',', 3, true);
    assert_eq!(
        (sniffed.dialect.skip_lines, sniffed.preamble.as_slice()),
        (2, &["Report of May".to_owned()][..])
    );
    let comments = check("# made by x\n# on, Monday\nid,n\n1,5\n# between\n2,6\n", ',', 2, true);
    assert_eq!((comments.dialect.skip_lines, comments.dialect.comment), (0, Some('#')));
    let tags = check("tag,n\n#a,1\n#b,2\n", ',', 2, true);
    assert_eq!(tags.dialect.comment, None);
    let declared = check("sep=;\r\na;b\r\n1;2\r\n", ';', 2, true);
    assert_eq!((declared.dialect.skip_lines, declared.dialect.line_ending), (1, LineEnding::Crlf));
}

#[test]
fn ragged_rows_do_not_hide_the_table() {
    let sniffed = check("a,b,c\n1,2,3\n4,5\n6,7,8\n9,10,11,12\n", ',', 3, true);
    assert_eq!(sniffed.regularity, 0.6);
}

#[test]
fn a_header_differs_from_what_stands_below_it() {
    check("1,2\n3,4\n", ',', 2, false);
    check("name,city\nAnn,Rome\nBob,Oslo\n", ',', 2, true);
    check("Ann,Rome\nBob,Rome\nAnn,Oslo\n", ',', 2, false);
    check("yes,5\nno,6\n", ',', 2, false);
    check("a,a\n1,2\n", ',', 2, true);
    check("id,name\n", ',', 2, true);
    check("1,2\n", ',', 2, false);
    let flawed = check(",a,b\n0,1,2\n1,3,4\n", ',', 3, true);
    assert_eq!(flawed.dialect.header_confidence, 0.6);
}

#[test]
fn line_endings_are_told() {
    for (text, expected) in
        [("a,b\r\n1,2\r\n", LineEnding::Crlf), ("a,b\r1,2\r", LineEnding::Cr), ("a,b\n", LineEnding::Lf)]
    {
        assert_eq!(sniffed(text).dialect.line_ending, expected, "{text:?}");
    }
}

#[test]
fn a_named_delimiter_is_taken() {
    let hint = SniffHint { delimiter: Some('^'), tabs: false };
    let sniffed = sniff("a^b\n1^2\n", true, hint);
    assert_eq!((sniffed.dialect.delimiter, sniffed.columns), ('^', 2));
}

#[test]
fn a_quote_that_is_never_closed_is_survived() {
    let text = format!("a,b\n1,\"open\n{}", "2,3\n".repeat(2000));
    assert_eq!(sniffed(&text).dialect.delimiter, ',');
}
