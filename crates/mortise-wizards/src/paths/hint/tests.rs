use mortise_formats::format::ErrorCode;
use proptest::prelude::*;

use super::*;

#[track_caller]
fn one(text: &str) -> Clause {
    let hint = Hint::parse(text).unwrap();
    assert_eq!(hint.clauses.len(), 1, "{hint:?}");
    hint.clauses[0].clone()
}

#[track_caller]
fn refused(text: &str, code: ErrorCode) {
    assert_eq!(Hint::parse(text).unwrap_err().error_code, code);
}

#[test]
fn structured_forms_are_read() {
    let name = |place, field: &str| Clause::Name { place, field: field.to_owned() };
    assert_eq!(one("segment(-3) = mission"), name(SegmentPlace::FromEnd(3), "mission"));
    assert_eq!(one("segment( 2 )=Client"), name(SegmentPlace::FromStart(2), "client"));
    assert_eq!(
        one("segment(-2) : integer"),
        Clause::Type { place: SegmentPlace::FromEnd(2), kind: SegmentType::Integer }
    );
    assert_eq!(
        one(r#"site = "north; side""#),
        Clause::Literal { field: "site".to_owned(), value: "north; side".to_owned() }
    );
    assert_eq!(one(r#"skip "\.tmp$""#), Clause::Skip { pattern: r"\.tmp$".to_owned() });
    assert_eq!(
        one("compute month from date"),
        Clause::Compute { field: "month".to_owned(), from: "date".to_owned() }
    );
    assert_eq!(one("@quarter_expand"), Clause::Template { template: Template::QuarterExpand });
}

#[test]
fn plain_words_for_folders_are_read() {
    let name = |place, field: &str| Clause::Name { place, field: field.to_owned() };
    assert_eq!(one("The second folder is the client name"), name(SegmentPlace::FromStart(2), "client"));
    assert_eq!(one("last folder is batch"), name(SegmentPlace::FromEnd(2), "batch"));
    assert_eq!(one("second-to-last segment is batch"), name(SegmentPlace::FromEnd(2), "batch"));
}

#[test]
fn a_noun_phrase_is_a_subject_and_a_sentence_is_not() {
    assert_eq!(Hint::parse("sales reports").unwrap().subject.as_deref(), Some("sales reports"));
    assert_eq!(
        Hint::parse("identify different things").unwrap().subject.as_deref(),
        Some("identify different things")
    );
    assert_eq!(Hint::parse("if x then y otherwise z").unwrap().subject, None);
    assert_eq!(Hint::parse("rename the column").unwrap().subject, None);
}

#[test]
fn words_count_only_whole() {
    assert!(keywords("identify different maps").is_empty());
    let words: Vec<&str> = keywords("compute start/end month").iter().map(|keyword| keyword.word()).collect();
    assert_eq!(words, ["compute", "start/end"]);
}

#[test]
fn what_is_wrong_has_its_code() {
    refused(&"x".repeat(501), ErrorCode::HintTooLong);
    refused(&format!("@{}", "x".repeat(100)), ErrorCode::HintTooLong);
    refused(&format!("site = \"{}\"", "x".repeat(300)), ErrorCode::HintTooLong);
    refused("segment(x) = y", ErrorCode::HintSyntax);
    refused("segment(0) = y", ErrorCode::HintSyntax);
    refused("segment(-1) : money", ErrorCode::HintSyntax);
    refused("site = north", ErrorCode::HintSyntax);
    refused("skip \"(\"", ErrorCode::RegexInvalid);
    refused("@quarters", ErrorCode::HintSyntax);
    refused("segment(-2) = a; segment(-2) = b", ErrorCode::HintConflict);
    refused("segment(-2) = a; segment(-3) = a", ErrorCode::HintConflict);
}

proptest! {
    #[test]
    fn any_text_is_a_hint_or_an_error(text in "\\PC{0,80}") {
        let _ = Hint::parse(&text);
    }
}
