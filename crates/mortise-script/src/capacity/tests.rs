use std::pin::pin;
use std::task::{Context, Poll, Waker};

use super::*;

/// More than any test keeps.
const MOST_KEPT: u64 = 1 << 40;

fn places(running: usize, waiting: usize) -> RunPlaces {
    RunPlaces::new(Capacity { threads: 1, running, waiting, memory: 1 << 30, share: Share::Whole })
}

/// Room for `programs` programs, and for as many as like to wait.
fn shared(programs: u64) -> RunPlaces {
    let memory = programs * BASE_MEMORY;
    RunPlaces::new(Capacity { threads: 1, running: 100, waiting: 100, memory, share: Share::Half })
}

fn grows(place: &mut RunPlace, bytes: u64) -> bool {
    place.grow(bytes).is_ok()
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
    let first = places.enter("a", MOST_KEPT).await.unwrap();
    let mut second = pin!(places.enter("a", MOST_KEPT));
    assert!(now!(second).is_none());
    drop(first);
    assert!(now!(second).is_some_and(|place| place.is_ok()));
}

#[tokio::test]
async fn a_capacity_of_nothing_still_runs_one_at_a_time() {
    let places =
        RunPlaces::new(Capacity { threads: 0, running: 0, waiting: 0, memory: 0, share: Share::Whole });
    let _first = places.enter("a", MOST_KEPT).await.unwrap();
    assert_eq!(places.enter("a", MOST_KEPT).await.err(), Some(QueueFull));
}

#[tokio::test]
async fn one_past_the_waiting_is_refused() {
    let places = places(1, 1);
    let _first = places.enter("a", MOST_KEPT).await.unwrap();
    let mut second = pin!(places.enter("a", MOST_KEPT));
    assert!(now!(second).is_none());
    assert_eq!(places.enter("a", MOST_KEPT).await.err(), Some(QueueFull));
}

#[tokio::test]
async fn those_who_went_away_do_not_count() {
    let places = places(1, 1);
    let first = places.enter("a", MOST_KEPT).await.unwrap();
    {
        let mut gone = pin!(places.enter("a", MOST_KEPT));
        assert!(now!(gone).is_none());
    }
    let mut third = pin!(places.enter("b", MOST_KEPT));
    assert!(now!(third).is_none());
    assert_eq!(places.waiting(), 1);
    drop(first);
    assert!(now!(third).is_some());
}

#[tokio::test]
async fn owners_take_turns() {
    let places = places(1, 10);
    let mut holder = Some(places.enter("a", MOST_KEPT).await.unwrap());
    let mut greedy_one = pin!(places.enter("a", MOST_KEPT));
    let mut greedy_two = pin!(places.enter("a", MOST_KEPT));
    assert!(now!(greedy_one).is_none() && now!(greedy_two).is_none());
    let mut modest = pin!(places.enter("b", MOST_KEPT));
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
    let mut first = places.enter("a", MOST_KEPT).await.unwrap();
    let mut second = pin!(places.enter("a", MOST_KEPT));
    assert!(now!(second).is_none());
    first.pause();
    let mut second = now!(second).unwrap().unwrap();
    first.resume();
    let mut third = pin!(places.enter("a", MOST_KEPT));
    assert!(now!(third).is_none());
    second.step_back();
    assert!(now!(third).is_none(), "the first one computes again");
    drop(first);
    assert!(now!(third).is_some());
}

#[tokio::test]
async fn memory_of_all_programs_is_bounded_and_given_back() {
    let places = RunPlaces::new(Capacity {
        threads: 1,
        running: 10,
        waiting: 10,
        memory: 3 * BASE_MEMORY,
        share: Share::Whole,
    });
    let mut first = places.enter("a", MOST_KEPT).await.unwrap();
    assert!(grows(&mut first, PREPAID + BASE_MEMORY));
    let second = places.enter("a", MOST_KEPT).await.unwrap();
    assert!(!grows(&mut first, 1), "the bound is reached");
    let mut third = pin!(places.enter("a", MOST_KEPT));
    assert!(now!(third).is_none(), "no memory for a third");
    drop(first);
    drop(now!(third).unwrap());
    drop(second);
    assert_eq!(places.memory(), 0);
}

#[tokio::test]
async fn a_guest_without_a_program_takes_memory_that_nobody_needs() {
    let places = RunPlaces::new(Capacity {
        threads: 1,
        running: 1,
        waiting: 1,
        memory: 3 * BASE_MEMORY,
        share: Share::Whole,
    });
    let mut spare = places.spare().unwrap();
    assert_eq!(places.memory(), BASE_MEMORY);
    let program = places.enter("a", MOST_KEPT).await.unwrap();
    assert!(places.spare().is_none(), "the only place is taken");
    assert!(grows(&mut spare, PREPAID + 1000));
    spare.pass_to(program);
    assert_eq!(places.memory(), BASE_MEMORY + 1000);
    assert!(places.spare().is_none(), "it is taken still");
    drop(spare);
    assert_eq!(places.memory(), 0);
    let spares = [places.spare(), places.spare(), places.spare()];
    assert!(spares.iter().map(Option::is_some).eq([true, true, false]), "one program must find room");
}

#[tokio::test]
async fn what_is_kept_for_a_program_counts_until_it_is_dropped() {
    const MOST: u64 = PREPAID + 1000;
    let places = RunPlaces::new(Capacity { running: 9, memory: 2 * BASE_MEMORY, ..Capacity::default() });
    let first = places.enter("a", MOST).await.unwrap();
    let kept = first.account().keep(MOST).unwrap();
    assert_eq!(places.memory(), BASE_MEMORY + 1000);
    assert_eq!(first.account().keep(1).err(), Some(NoMemory::Kept { held: MOST, limit: MOST }));
    let mut second = pin!(places.enter("a", MOST));
    assert!(now!(second).is_none(), "what is kept leaves no room for a second program");
    drop(first);
    assert_eq!(places.memory(), 1000 + BASE_MEMORY, "what is kept outlives its program");
    drop(kept);
    assert!(now!(second).is_some_and(|place| place.is_ok()));
    assert_eq!(places.memory(), 0);
}

#[tokio::test]
async fn one_owner_holds_at_most_half_of_what_the_others_leave() {
    let places = shared(8);
    let mut greedy = places.enter("greedy", MOST_KEPT).await.unwrap();
    assert!(grows(&mut greedy, PREPAID + 3 * BASE_MEMORY));
    let half = NoMemory::Session { held: 4 * BASE_MEMORY, limit: 4 * BASE_MEMORY };
    assert_eq!(greedy.grow(1), Err(half));
    assert_eq!(greedy.account().keep(1).err(), Some(half), "kept or its own, it is the same memory");
    let mut other = places.enter("other", MOST_KEPT).await.unwrap();
    assert!(grows(&mut other, PREPAID + BASE_MEMORY));
    assert_eq!(other.grow(1), Err(NoMemory::Session { held: 2 * BASE_MEMORY, limit: 2 * BASE_MEMORY }));
    drop(greedy);
    assert!(grows(&mut other, 2 * BASE_MEMORY), "it may have more as soon as others have less");
}

#[tokio::test]
async fn an_owner_whose_share_is_used_up_waits_and_lets_others_pass() {
    let places = shared(6);
    let _first = places.enter("greedy", MOST_KEPT).await.unwrap();
    let second = places.enter("greedy", MOST_KEPT).await.unwrap();
    let mut third = pin!(places.enter("greedy", MOST_KEPT));
    assert!(now!(third).is_none());
    let mut others = Vec::new();
    for owner in ["one", "two"] {
        let mut other = Box::pin(places.enter(owner, MOST_KEPT));
        others.push(now!(other).expect("a first program starts wherever there is room").unwrap());
    }
    assert!(now!(third).is_none());
    drop(others);
    assert!(now!(third).is_none(), "its share is used up still");
    drop(second);
    assert!(now!(third).is_some_and(|place| place.is_ok()));
}

#[tokio::test]
async fn programs_that_start_leave_room_for_those_that_run() {
    let places = shared(100);
    let mut running = Vec::new();
    for owner in ["one", "two", "three"] {
        while let Some(place) = now!(Box::pin(places.enter(owner, MOST_KEPT))) {
            running.push(place.unwrap());
        }
    }
    for place in &mut running {
        place.grow(PREPAID / 2).unwrap();
        drop(place.account().keep(PREPAID / 2).unwrap());
    }
}

#[tokio::test]
async fn a_small_program_goes_on_however_much_others_hold() {
    let places = shared(16);
    let mut holders = Vec::new();
    for owner in ["one", "two", "three"] {
        let mut place = places.enter(owner, MOST_KEPT).await.unwrap();
        while grows(&mut place, BASE_MEMORY / 4) {}
        holders.push(place);
    }
    let mut small = places.enter("small", MOST_KEPT).await.unwrap();
    assert!(grows(&mut small, BASE_MEMORY / 2));
}

#[tokio::test]
async fn one_owner_takes_at_most_half_of_the_queue() {
    let capacity = Capacity { running: 1, waiting: 4, share: Share::Half, ..Capacity::default() };
    let places = RunPlaces::new(capacity);
    let _running = places.enter("greedy", MOST_KEPT).await.unwrap();
    let mut waiting = [pin!(places.enter("greedy", MOST_KEPT)), pin!(places.enter("greedy", MOST_KEPT))];
    for place in &mut waiting {
        assert!(now!(place).is_none());
    }
    assert_eq!(places.enter("greedy", MOST_KEPT).await.err(), Some(QueueFull));
    let mut other = pin!(places.enter("other", MOST_KEPT));
    assert!(now!(other).is_none(), "it waits and is not refused");
}

#[tokio::test]
async fn where_there_is_one_user_it_has_everything() {
    let places = RunPlaces::new(Capacity { memory: 4 * BASE_MEMORY, ..Capacity::default() });
    let mut only = places.enter("only", MOST_KEPT).await.unwrap();
    assert!(grows(&mut only, PREPAID + 3 * BASE_MEMORY));
    let all = 4 * BASE_MEMORY;
    assert_eq!(only.grow(1), Err(NoMemory::All { held: all, limit: all }));
}
