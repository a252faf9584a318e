//! Who gets a place, and who waits.

use futures::FutureExt as _;

use super::*;

fn caller(name: &str) -> Caller {
    Some(name.into())
}

/// Takes places for as long as there is one at once.
fn fill(places: &CallPlaces, caller: &Caller) -> Vec<CallPlace> {
    std::iter::from_fn(|| places.enter(caller).now_or_never().flatten()).collect()
}

#[test]
fn however_much_others_hold_a_new_caller_finds_a_place() {
    let places = CallPlaces::new(64);
    let held = ["a", "b", "c", "d", "e", "f", "g"].map(|name| fill(&places, &caller(name)));
    assert_eq!(held.each_ref().map(Vec::len), [32, 16, 8, 4, 2, 1, 1]);
}

#[test]
fn calls_without_a_caller_get_all_places() {
    let places = CallPlaces::new(3);
    assert_eq!(fill(&places, &None).len(), 3);
    let places = CallPlaces::new(1);
    assert_eq!(fill(&places, &caller("a")).len(), 1);
}

#[tokio::test]
async fn a_place_goes_to_the_first_whose_share_has_room() {
    let places = CallPlaces::new(4);
    let (a, b) = (caller("a"), caller("b"));
    let mut of_a = fill(&places, &a);
    let mut of_b = fill(&places, &b);
    assert_eq!((of_a.len(), of_b.len()), (2, 1));
    let (third_of_a, second_of_b) = (places.enter(&a), places.enter(&b));
    tokio::pin!(third_of_a, second_of_b);
    assert!(third_of_a.as_mut().now_or_never().is_none());
    assert!(second_of_b.as_mut().now_or_never().is_none());
    // `a` holds one and may hold two again; `b` waits behind it with a full share.
    of_a.pop();
    of_a.push(third_of_a.await.unwrap());
    assert!(second_of_b.as_mut().now_or_never().is_none());
    of_a.clear();
    of_b.push(second_of_b.await.unwrap());
}

#[tokio::test]
async fn a_caller_that_no_longer_waits_keeps_no_place() {
    let places = CallPlaces::new(1);
    let held = places.enter(&None).await.unwrap();
    let mut gone = Box::pin(places.enter(&None));
    assert!(gone.as_mut().now_or_never().is_none());
    let waits = places.enter(&None);
    tokio::pin!(waits);
    assert!(waits.as_mut().now_or_never().is_none());
    drop(gone);
    drop(held);
    drop(waits.await.unwrap());

    // It was granted the place and goes before it takes it.
    let held = places.enter(&None).await.unwrap();
    let mut gone = Box::pin(places.enter(&None));
    assert!(gone.as_mut().now_or_never().is_none());
    drop(held);
    drop(gone);
    assert!(places.enter(&None).now_or_never().flatten().is_some());
}

#[tokio::test]
async fn once_closed_nobody_gets_a_place() {
    let places = CallPlaces::new(1);
    let held = places.enter(&None).await.unwrap();
    let waits = places.enter(&None);
    tokio::pin!(waits);
    assert!(waits.as_mut().now_or_never().is_none());
    places.close();
    assert!(waits.await.is_none());
    drop(held);
    assert!(places.enter(&None).await.is_none());
}
