//! Parts keep their text.

use super::{JsonObject, array, extend};

#[test]
fn members_keep_their_digits_and_order() {
    let mut object = JsonObject::default();
    object.text("z \"quoted\"", "a\nb").raw("a", " 1.10 ");
    assert_eq!(object.finish(), r#"{"z \"quoted\"":"a\nb","a":1.10}"#);
    assert_eq!(JsonObject::default().finish(), "{}");
}

#[test]
fn an_object_is_extended_without_touching_it() {
    let mut added = JsonObject::default();
    added.text("server", "s");
    assert_eq!(
        extend(r#"{ "name": "t", "n": 1e400 }"#, &mut added),
        r#"{ "name": "t", "n": 1e400,"server":"s"}"#
    );
    added.text("server", "s");
    assert_eq!(extend("{}", &mut added), r#"{"server":"s"}"#);
    assert_eq!(extend("{}", &mut JsonObject::default()), "{}");
}

#[test]
fn arrays_join_their_items() {
    assert_eq!(array(["1", "{}"]), "[1,{}]");
    assert_eq!(array([]), "[]");
}
