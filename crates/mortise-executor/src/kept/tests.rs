use mortise_contract::RawJson;

use super::{
    KeptBounds, KeptEntry, KeptError, KeptName, KeptOwner, KeptReason, KeptValues, MemoryKeptValues,
    NewKeptValue,
};

const SMALL: KeptBounds =
    KeptBounds { values: 3, bytes: 100, outputs: 2, outputs_bytes: 50, total: 150, age_ms: 1_000 };

fn name(text: &str) -> KeptName {
    KeptName::parse(text).unwrap()
}

fn value(caller: &str, text: &str, json: &str, reason: KeptReason) -> NewKeptValue {
    let value = RawJson::parse(json).unwrap();
    NewKeptValue { caller: caller.to_owned(), name: name(text), value, reason }
}

fn string(length: usize) -> String {
    format!("\"{}\"", "x".repeat(length - 2))
}

/// An entry of this many bytes that was used then.
fn entry(caller: &str, text: &str, bytes: usize, reason: KeptReason, used_ms: u64) -> KeptEntry {
    KeptEntry::of(&value(caller, text, &string(bytes), reason), used_ms)
}

#[track_caller]
fn check_shape(json: &str, shape: &str) {
    let described = KeptEntry::of(&value("", "v", json, KeptReason::Asked), 0);
    assert_eq!(described.shape, shape);
}

#[test]
fn shapes_are_in_pythons_words() {
    check_shape(r#"[{"id": 1, "total": 2.50}, {"id": 2}]"#, "list of 2 dict (id, total)");
    check_shape("[]", "empty list");
    check_shape("[[1], [2]]", "list of 2 list");
    check_shape("{}", "empty dict");
    check_shape(r#""naïve""#, "str of 5 characters");
    check_shape("12345678901234567890", "int");
    check_shape("1.10", "float");
    check_shape("true", "bool");
    check_shape("null", "None");
    check_shape(
        r#"{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1}"#,
        "dict (a, b, c, d, e, f, g, h, … 9 keys)",
    );
}

#[test]
fn previews_are_one_printable_line() {
    let json = format!("[\"\u{9b}31m\",\n  {}]", string(500));
    let shown = KeptEntry::of(&value("", "v", &json, KeptReason::Asked), 0).preview;
    assert!(!shown.contains(['\n', '\u{9b}']), "{shown}");
    assert!(shown.chars().count() <= 201, "{shown}");
}

#[test]
fn names_are_plain() {
    for good in ["a", "orders-2026.v2", "output-7k2m9q4x0abc", &"x".repeat(64)] {
        assert_eq!(KeptName::from_uri(&name(good).uri()).as_ref(), Some(&name(good)));
    }
    for bad in ["", "a b", "../x", "é", "a\n", &"x".repeat(65)] {
        assert!(KeptName::parse(bad).is_err(), "{bad:?}");
    }
}

#[test]
fn outputs_make_room_for_outputs_and_for_values() {
    use KeptReason::{Asked, CutOutput};
    let kept = [
        entry("a", "old", 20, CutOutput, 1),
        entry("a", "new", 20, CutOutput, 2),
        entry("b", "other", 20, CutOutput, 0),
    ];
    let room = |new| SMALL.make_room(&kept, &new);
    assert_eq!(room(value("a", "n", &string(10), CutOutput)), Ok(vec![name("old")]));
    assert_eq!(room(value("a", "n", &string(40), CutOutput)), Ok(vec![name("old"), name("new")]));
    assert_eq!(room(value("a", "new", &string(30), CutOutput)), Ok(vec![]), "it replaces itself");
    assert_eq!(room(value("a", "n", &string(100), Asked)), Ok(vec![name("old")]), "all callers together");
    assert!(matches!(room(value("a", "n", &string(60), CutOutput)), Err(KeptError::Full { .. })));
}

#[test]
fn values_that_were_asked_for_are_refused_and_never_removed() {
    use KeptReason::Asked;
    let kept = [entry("a", "one", 40, Asked, 1), entry("a", "two", 40, Asked, 2)];
    let room = |new| SMALL.make_room(&kept, &new).map_err(|error| error.to_string());
    assert_eq!(room(value("a", "three", &string(20), Asked)), Ok(vec![]));
    assert_eq!(
        room(value("a", "three", &string(21), Asked)).unwrap_err(),
        "`three` is not kept: it has 21 bytes, 80 are kept already, and the limit is 100; keep less, or let the operator \
         remove values with `mortise kept remove`"
    );
    assert_eq!(room(value("a", "one", &string(60), Asked)), Ok(vec![]), "it replaces itself");
    assert!(room(value("b", "one", &string(80), Asked)).unwrap_err().contains("all callers together"));
}

#[tokio::test]
async fn each_caller_sees_its_own_values() {
    let store = MemoryKeptValues::default();
    store.keep(value("a", "orders", "[1.10]", KeptReason::Asked)).await.unwrap();
    store.keep(value("b", "orders", "[2]", KeptReason::Asked)).await.unwrap();
    assert_eq!(store.load("a", &name("orders")).await.unwrap().text(), "[1.10]");
    let listed = store.list(KeptOwner::Caller("b".to_owned())).await.unwrap();
    assert_eq!(listed.iter().map(|entry| entry.caller.as_str()).collect::<Vec<_>>(), ["b"]);
    let error = store.load("a", &name("ordres")).await.unwrap_err();
    assert_eq!(error.to_string(), "nothing is kept as `ordres`; did you mean `orders`?");
    let error = store.load("c", &name("orders")).await.unwrap_err();
    assert_eq!(error.to_string(), "nothing is kept as `orders`");
    assert!(store.remove("a", &name("orders")).await.unwrap());
    assert!(!store.remove("a", &name("orders")).await.unwrap());
    assert_eq!(store.list(KeptOwner::Everyone).await.unwrap().len(), 1);
}

#[test]
fn values_expire_after_their_last_use() {
    let store = MemoryKeptValues::with_bounds(SMALL);
    store.keep_now(value("a", "v", "1", KeptReason::Asked), 0).unwrap();
    assert!(store.load_now("a", &name("v"), 1_000).is_ok());
    assert!(store.load_now("a", &name("v"), 2_000).is_ok());
    assert!(store.load_now("a", &name("v"), 3_001).is_err());
}
