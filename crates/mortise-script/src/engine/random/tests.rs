use super::GuestRandom;

#[test]
fn one_seed_gives_the_same_bytes_however_they_are_asked_for() {
    let (mut whole, mut parts, mut other) = ([0; 100], [0; 100], [0; 100]);
    GuestRandom::new([7; 32]).fill(&mut whole);
    let mut random = GuestRandom::new([7; 32]);
    for part in parts.chunks_mut(33) {
        random.fill(part);
    }
    assert_eq!(whole, parts);
    GuestRandom::new([8; 32]).fill(&mut other);
    assert_ne!(whole, other);
}
