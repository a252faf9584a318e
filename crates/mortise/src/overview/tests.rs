use super::*;

#[test]
fn ages_are_read_at_a_glance() {
    let shown = |seconds| ago(Duration::from_secs(seconds));
    assert_eq!(
        [shown(0), shown(60), shown(3_599), shown(7_200), shown(86_400), shown(900_000)],
        ["just now", "1 min ago", "59 min ago", "2 h ago", "1 day ago", "10 days ago"]
    );
}

#[test]
fn a_state_has_a_mark_and_words() {
    let seen = ServerState::Seen { tools: 1, age: Duration::ZERO };
    assert_eq!((seen.mark(), seen.words().as_str()), (Mark::Good, "1 tool, seen just now"));
    let unusable = ServerState::Unusable("`${TOKEN}` is not set".to_owned());
    assert_eq!((unusable.mark(), unusable.label()), (Mark::Bad, "unusable"));
}
