//! What a server might write: nearly right, or not at all.

use proptest::prelude::*;

/// Pieces that messages are made of; `@` stands for the id of the request that waits.
const PIECES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    "\n",
    "\r\n",
    "\r",
    "@",
    "\"@\"",
    "null",
    "true",
    "-1",
    "1.5",
    "1e400",
    "99999999999999999999999999",
    "\"jsonrpc\":\"2.0\"",
    "\"id\":@",
    "\"id\":\"@\"",
    "\"id\":null",
    "\"id\":7",
    "\"result\":{}",
    "\"result\":null",
    "\"result\":{\"content\":[]}",
    "\"error\":{\"code\":1,\"message\":\"m\"}",
    "\"error\":7",
    "\"method\":\"ping\"",
    "\"method\":\"roots/list\"",
    "\"method\":\"notifications/progress\"",
    "\"method\":\"notifications/message\"",
    "\"method\":\"notifications/tools/list_changed\"",
    "\"method\":\"notifications/cancelled\"",
    "\"params\":{\"requestId\":@}",
    "\"params\":{\"progressToken\":@}",
    "\"params\":[]",
    "é",
    "\u{1F600}",
    "\u{feff}",
    "\u{1b}[31m",
    "data: ",
    "event: ",
    "id: ",
    ": ",
];

/// Whole messages, as they should be and not.
fn message() -> impl Strategy<Value = String> {
    prop_oneof![
        2 => Just("{\"jsonrpc\":\"2.0\",\"id\":@,\"result\":{\"content\":[]}}".to_owned()),
        1 => prop::collection::vec(prop::sample::select(PIECES.to_vec()), 1..6)
            .prop_map(|members| format!("{{{}}}", members.join(","))),
        1 => prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..12).prop_map(|pieces| pieces.concat()),
        1 => (0usize..300).prop_map(|depth| format!("{{\"id\":@,\"result\":{}{}}}", "[".repeat(depth), "]".repeat(depth))),
    ]
}

/// Some messages, each ended or not.
pub(crate) fn text() -> impl Strategy<Value = String> {
    let end = prop::sample::select(vec!["\n", "\r\n", "\n\n", ""]);
    prop::collection::vec((message(), end), 0..6)
        .prop_map(|messages| messages.into_iter().map(|(message, end)| message + end).collect())
}

/// The same with some bytes that are no text.
pub(crate) fn bytes() -> impl Strategy<Value = Vec<u8>> {
    (text(), prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3)).prop_map(
        |(text, changes)| {
            let mut bytes = text.into_bytes();
            for (place, byte) in changes {
                if !bytes.is_empty() {
                    let place = place.index(bytes.len());
                    bytes[place] = byte;
                }
            }
            bytes
        },
    )
}
