use std::pin::pin;
use std::task::{Context, Poll, Waker};

use super::*;

fn places(running: usize, waiting: usize) -> Places {
    Places::new(Capacity { threads: 1, running, waiting, memory: 1 << 30 })
}

/// Polls once; the place, if it is given at once.
macro_rules! now {
    ($future:expr) => {
        match $future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(result) => Some(result),
            Poll::Pending => None,
        }
    };
}

#[tokio::test]
async fn one_past_the_places_waits_until_one_is_free() {
    let places = places(1, 10);
    let first = places.enter("a").await.unwrap();
    let mut second = pin!(places.enter("a"));
    assert!(now!(second).is_none());
    drop(first);
    assert!(now!(second).is_some_and(|place| place.is_ok()));
}

#[tokio::test]
async fn a_capacity_of_nothing_still_runs_one_at_a_time() {
    let places = Places::new(Capacity { threads: 0, running: 0, waiting: 0, memory: 0 });
    let _first = places.enter("a").await.unwrap();
    assert_eq!(places.enter("a").await.err(), Some(Full));
}

#[tokio::test]
async fn one_past_the_waiting_is_refused() {
    let places = places(1, 1);
    let _first = places.enter("a").await.unwrap();
    let mut second = pin!(places.enter("a"));
    assert!(now!(second).is_none());
    assert_eq!(places.enter("a").await.err(), Some(Full));
}

#[tokio::test]
async fn those_who_went_away_do_not_count() {
    let places = places(1, 1);
    let first = places.enter("a").await.unwrap();
    {
        let mut gone = pin!(places.enter("a"));
        assert!(now!(gone).is_none());
    }
    let mut third = pin!(places.enter("b"));
    assert!(now!(third).is_none());
    assert_eq!(places.waiting(), 1);
    drop(first);
    assert!(now!(third).is_some());
}

#[tokio::test]
async fn owners_take_turns() {
    let places = places(1, 10);
    let mut holder = Some(places.enter("a").await.unwrap());
    let mut greedy_one = pin!(places.enter("a"));
    let mut greedy_two = pin!(places.enter("a"));
    assert!(now!(greedy_one).is_none() && now!(greedy_two).is_none());
    let mut modest = pin!(places.enter("b"));
    assert!(now!(modest).is_none());
    drop(holder.take());
    let place = now!(greedy_one).unwrap().unwrap();
    drop(place);
    assert!(now!(greedy_two).is_none());
    assert!(now!(modest).is_some());
}

#[tokio::test]
async fn a_paused_or_background_program_lets_others_in() {
    let places = places(1, 10);
    let mut first = places.enter("a").await.unwrap();
    let mut second = pin!(places.enter("a"));
    assert!(now!(second).is_none());
    first.pause();
    let mut second = now!(second).unwrap().unwrap();
    first.resume();
    let mut third = pin!(places.enter("a"));
    assert!(now!(third).is_none());
    second.step_back();
    assert!(now!(third).is_none(), "the first one computes again");
    drop(first);
    assert!(now!(third).is_some());
}

#[tokio::test]
async fn memory_of_all_programs_is_bounded_and_given_back() {
    let places = Places::new(Capacity { threads: 1, running: 10, waiting: 10, memory: 3 * BASE_MEMORY });
    let mut first = places.enter("a").await.unwrap();
    assert!(first.grow(BASE_MEMORY));
    let second = places.enter("a").await.unwrap();
    assert!(!first.grow(1), "the bound is reached");
    let mut third = pin!(places.enter("a"));
    assert!(now!(third).is_none(), "no memory for a third");
    drop(first);
    drop(now!(third).unwrap());
    drop(second);
    assert_eq!(places.memory(), 0);
}

#[tokio::test]
async fn a_guest_without_a_program_takes_memory_that_nobody_needs() {
    let places = Places::new(Capacity { threads: 1, running: 1, waiting: 1, memory: 3 * BASE_MEMORY });
    let mut spare = places.spare().unwrap();
    assert_eq!(places.memory(), BASE_MEMORY);
    let program = places.enter("a").await.unwrap();
    assert!(places.spare().is_none(), "the only place is taken");
    assert!(spare.grow(1000));
    spare.pass_to(program);
    assert_eq!(places.memory(), BASE_MEMORY + 1000);
    assert!(places.spare().is_none(), "it is taken still");
    drop(spare);
    assert_eq!(places.memory(), 0);
    let spares = [places.spare(), places.spare(), places.spare()];
    assert!(spares.iter().map(Option::is_some).eq([true, true, false]), "one program must find room");
}

#[tokio::test]
async fn memory_that_is_given_back_lets_others_in() {
    let places = Places::new(Capacity { threads: 1, running: 9, waiting: 9, memory: 2 * BASE_MEMORY });
    let mut first = places.enter("a").await.unwrap();
    assert!(first.grow(1000));
    let mut second = pin!(places.enter("a"));
    assert!(now!(second).is_none());
    first.shrink(1000);
    assert!(now!(second).is_some_and(|place| place.is_ok()));
    drop(first);
    assert_eq!(places.memory(), 0);
}
