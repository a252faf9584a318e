//! The WASI preview 1 functions that the interpreter imports. There are no others: what is not here does not link.
//!
//! A guest gets its own start arguments, an empty environment, the time, randomness, output, and read-only files.
//! Everything that would change something is refused.

mod descriptors;
mod paths;
mod poll;

use wasmtime::{Caller, Linker};

use super::errno::{Errno, code};
use super::guest::{Guest, Stop, burnt, with};

/// The name under which the interpreter imports all of these.
const WASI: &str = "wasi_snapshot_preview1";

/// The most random bytes at once; the interpreter asks for 256 at a time.
const MOST_RANDOM: u32 = 64 << 10;

pub(super) fn link(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    descriptors::link(linker)?;
    paths::link(linker)?;
    poll::link(linker)?;
    link_start(linker)?;
    link_clock(linker)?;
    linker.func_wrap(WASI, "random_get", |mut caller: Caller<'_, Guest>, pointer: u32, length: u32| {
        with(&mut caller, |memory, guest| {
            if length > MOST_RANDOM {
                return Err(Errno::INVAL);
            }
            guest.course.fill_randomly(memory.bytes_mut(pointer, length)?);
            Ok(())
        })
    })?;
    linker.func_wrap(WASI, "proc_exit", |status: i32| -> wasmtime::Result<()> {
        Err(Stop::Exit(status).into())
    })?;
    linker.func_wrap(WASI, "sched_yield", || 0_i32)?;
    refuse_sockets(linker)
}

/// The arguments that start our boot code, and an environment with nothing in it.
fn link_start(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    linker.func_wrap(WASI, "args_sizes_get", |mut caller: Caller<'_, Guest>, count: u32, size: u32| {
        with(&mut caller, |memory, guest| {
            let arguments = guest.start_arguments;
            let bytes: usize = arguments.iter().map(|argument| argument.len() + 1).sum();
            memory.write_u32(count, u32::try_from(arguments.len()).map_err(|_| Errno::INVAL)?)?;
            memory.write_u32(size, u32::try_from(bytes).map_err(|_| Errno::INVAL)?)
        })
    })?;
    linker.func_wrap(
        WASI,
        "args_get",
        |mut caller: Caller<'_, Guest>, mut pointers: u32, mut text: u32| {
            with(&mut caller, |memory, guest| {
                for argument in guest.start_arguments {
                    memory.write_u32(pointers, text)?;
                    memory.write(text, argument.as_bytes())?;
                    text = text
                        .checked_add(u32::try_from(argument.len()).map_err(|_| Errno::FAULT)?)
                        .ok_or(Errno::FAULT)?;
                    memory.write(text, &[0])?;
                    text += 1;
                    pointers = pointers.checked_add(4).ok_or(Errno::FAULT)?;
                }
                Ok(())
            })
        },
    )?;
    linker.func_wrap(WASI, "environ_sizes_get", |mut caller: Caller<'_, Guest>, count: u32, size: u32| {
        with(&mut caller, |memory, _| {
            memory.write_u32(count, 0)?;
            memory.write_u32(size, 0)
        })
    })?;
    linker.func_wrap(WASI, "environ_get", |_: u32, _: u32| 0_i32)?;
    Ok(())
}

fn link_clock(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    linker.func_wrap(WASI, "clock_res_get", |mut caller: Caller<'_, Guest>, clock: u32, pointer: u32| {
        with(&mut caller, |memory, _| {
            is_time_of_day(clock)?;
            memory.write_u64(pointer, 1_000)
        })
    })?;
    linker.func_wrap(
        WASI,
        "clock_time_get",
        |mut caller: Caller<'_, Guest>, clock: u32, _: u64, pointer: u32| -> wasmtime::Result<i32> {
            let now = match now(&mut caller, clock)? {
                Ok(now) => now,
                Err(errno) => return Ok(code(Err(errno))),
            };
            Ok(with(&mut caller, |memory, _| memory.write_u64(pointer, now)))
        },
    )?;
    Ok(())
}

/// Nanoseconds of a clock, which the guest reads now.
fn now(caller: &mut Caller<'_, Guest>, clock: u32) -> Result<Result<u64, Errno>, Stop> {
    let is_time_of_day = match is_time_of_day(clock) {
        Ok(is_time_of_day) => is_time_of_day,
        Err(errno) => return Ok(Err(errno)),
    };
    let burnt = burnt(caller);
    caller.data_mut().enter(burnt);
    caller.data_mut().course.read_clock(is_time_of_day).map(Ok)
}

/// Whether a clock is the time of day; all others are the guest's steady clock.
fn is_time_of_day(clock: u32) -> Result<bool, Errno> {
    match clock {
        0 => Ok(true),
        1..=3 => Ok(false),
        _ => Err(Errno::INVAL),
    }
}

fn refuse_sockets(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    let refused = || i32::from(Errno::NOTSUP.0);
    linker.func_wrap(WASI, "sock_accept", move |_: u32, _: u32, _: u32| refused())?;
    linker.func_wrap(WASI, "sock_recv", move |_: u32, _: u32, _: u32, _: u32, _: u32, _: u32| refused())?;
    linker.func_wrap(WASI, "sock_send", move |_: u32, _: u32, _: u32, _: u32, _: u32| refused())?;
    linker.func_wrap(WASI, "sock_shutdown", move |_: u32, _: u32| refused())?;
    Ok(())
}
