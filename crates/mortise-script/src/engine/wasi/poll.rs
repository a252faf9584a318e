//! `poll_oneoff`, which is how the interpreter sleeps. The guest is suspended meanwhile and costs no thread.

use std::time::{Duration, Instant};

use wasmtime::{Caller, Linker};

use super::{WASI, now};
use crate::engine::course::RepeatedMoment;
use crate::engine::errno::{Errno, code};
use crate::engine::guest::{Guest, Stop, burnt};
use crate::engine::memory::GuestMemory;
use crate::history::HostAction;

/// The most things to wait for at once.
const MOST_SUBSCRIPTIONS: u32 = 256;
/// Length of a subscription and of an event.
const SUBSCRIPTION: u32 = 48;
const EVENT: u32 = 32;
/// The kind of subscription that is a clock.
const CLOCK: u8 = 0;

/// One thing that the guest waits for.
struct Subscription {
    user_data: u64,
    kind: u8,
    /// How long until it is due; descriptors are always ready.
    due: Duration,
}

pub(super) fn link(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    linker.func_wrap_async(
        WASI,
        "poll_oneoff",
        |mut caller: Caller<'_, Guest>, (from, to, count, occurred): (u32, u32, u32, u32)| {
            Box::new(async move {
                let subscriptions = match read_all(&mut caller, from, count)? {
                    Ok(subscriptions) => subscriptions,
                    Err(errno) => return Ok(code(Err(errno))),
                };
                let first =
                    subscriptions.iter().map(|subscription| subscription.due).min().unwrap_or_default();
                let burnt = burnt(&caller);
                caller.data_mut().enter(burnt);
                sleep(caller.data_mut(), first).await?;
                wasmtime::Result::Ok(code(write_due(&mut caller, to, occurred, &subscriptions, first)))
            })
        },
    )?;
    Ok(())
}

/// Suspends the guest. The deadline of the run ends the longest sleep.
async fn sleep(guest: &mut Guest, time: Duration) -> Result<(), Stop> {
    if time.is_zero() {
        return Ok(());
    }
    match guest.course.repeated() {
        RepeatedMoment::Event(HostAction::TimePassed) => return Ok(()),
        RepeatedMoment::Event(_) | RepeatedMoment::Nothing => return Err(guest.course.other_moment()),
        RepeatedMoment::Over(divergence) => return Err(guest.course.stop_over(divergence)),
        RepeatedMoment::GoesOn => guest.go_on().await,
        RepeatedMoment::Live => {}
    }
    let Some(until) = Instant::now().checked_add(time) else { return std::future::pending().await };
    guest.limiter.place.lock().pause();
    guest.scheduler.sleep_until(until).await;
    guest.limiter.place.lock().resume();
    guest.course.waited(time);
    Ok(())
}

fn read_all(
    caller: &mut Caller<'_, Guest>,
    from: u32,
    count: u32,
) -> Result<Result<Vec<Subscription>, Errno>, Stop> {
    if count == 0 || count > MOST_SUBSCRIPTIONS {
        return Ok(Err(Errno::INVAL));
    }
    let mut subscriptions = Vec::new();
    for index in 0..count {
        let entry = match from.checked_add(index * SUBSCRIPTION).ok_or(Errno::FAULT) {
            Ok(at) => read_entry(caller, at),
            Err(errno) => Err(errno),
        };
        let entry = match entry {
            Ok(entry) => entry,
            Err(errno) => return Ok(Err(errno)),
        };
        let due = match entry.due {
            SubscriptionTime::After(time) => time,
            SubscriptionTime::At { clock, time } => match now(caller, clock)? {
                Ok(now) => Duration::from_nanos(time.saturating_sub(now)),
                Err(errno) => return Ok(Err(errno)),
            },
        };
        subscriptions.push(Subscription { user_data: entry.user_data, kind: entry.kind, due });
    }
    Ok(Ok(subscriptions))
}

/// A subscription as the guest wrote it.
struct SubscriptionEntry {
    user_data: u64,
    kind: u8,
    due: SubscriptionTime,
}

enum SubscriptionTime {
    After(Duration),
    At { clock: u32, time: u64 },
}

fn read_entry(caller: &mut Caller<'_, Guest>, at: u32) -> Result<SubscriptionEntry, Errno> {
    let memory = caller.data().memory.ok_or(Errno::FAULT)?;
    let memory = GuestMemory(memory.data_mut(caller));
    // One check for the whole entry keeps the additions below from overflowing.
    let entry = memory.bytes(at, SUBSCRIPTION)?;
    let kind = entry[8];
    let user_data = memory.read_u64(at)?;
    let due = if kind == CLOCK {
        let (clock, time) = (memory.read_u32(at + 16)?, memory.read_u64(at + 24)?);
        match memory.read_u16(at + 40)? & 1 == 1 {
            true => SubscriptionTime::At { clock, time },
            false => SubscriptionTime::After(Duration::from_nanos(time)),
        }
    } else {
        SubscriptionTime::After(Duration::ZERO)
    };
    Ok(SubscriptionEntry { user_data, kind, due })
}

fn write_due(
    caller: &mut Caller<'_, Guest>,
    to: u32,
    occurred: u32,
    subscriptions: &[Subscription],
    elapsed: Duration,
) -> Result<(), Errno> {
    let memory = caller.data().memory.ok_or(Errno::FAULT)?;
    let mut memory = GuestMemory(memory.data_mut(caller));
    let mut count = 0;
    for subscription in subscriptions.iter().filter(|subscription| subscription.due <= elapsed) {
        let mut event = [0_u8; EVENT as usize];
        event[..8].copy_from_slice(&subscription.user_data.to_le_bytes());
        event[10] = subscription.kind;
        memory.write(to.checked_add(count * EVENT).ok_or(Errno::FAULT)?, &event)?;
        count += 1;
    }
    memory.write_u32(occurred, count)
}
