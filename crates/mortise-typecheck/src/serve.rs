//! A checker's process: requests on one stream, reports on another.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::sync::Arc;

use mortise_contract::{Contract, RawJson};
use parking_lot::Mutex;

use crate::checker::Checker;
use crate::wire::{self, CheckAnswer, ToChecker};

/// Checks programs until the input ends, then returns at once, also while a check is under way.
///
/// The caller ends the process then: whatever became of the process that started this one, its end of the pipe is
/// closed, and no check goes on without it.
pub fn serve(mut input: impl Read, output: impl Write + Send + 'static) -> io::Result<()> {
    let mut started = None;
    let output = Arc::new(Mutex::new(output));
    let mut contracts = HashMap::new();
    while let Some(message) = wire::read(&mut input)? {
        if let ToChecker::Limit { memory } = message {
            limit(memory)?;
            continue;
        }
        // After the limit, which is the first message: what the thread takes before it would not count.
        let checker = match &started {
            Some(checker) => checker,
            None => started.insert(Checker::start()?),
        };
        match message {
            ToChecker::Limit { .. } => {}
            ToChecker::WarmUp => checker.warm_up(),
            ToChecker::WarmUpFor { source } => checker.warm_up_for(&source),
            ToChecker::Contract { digest, text } => {
                // A contract that was read once is read again the same way.
                if let Some(contract) = RawJson::parse(&text).ok().and_then(|raw| Contract::parse(raw).ok()) {
                    contracts.insert(digest, Arc::new(contract));
                }
            }
            ToChecker::Check(request) => {
                let output = output.clone();
                let answer = move |report| {
                    let answer = CheckAnswer { report, resident: resident() };
                    let mut output = output.lock();
                    // If nothing reads it any more, the input ends too.
                    _ = wire::write(&answer, &mut *output);
                };
                checker.submit(request.with(&contracts), Box::new(answer));
            }
        }
    }
    Ok(())
}

/// Bounds the address space of this process, and leaves no core file behind when it is exceeded.
#[cfg(unix)]
fn limit(memory: u64) -> io::Result<()> {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let most = |bytes| Rlimit { current: Some(bytes), maximum: Some(bytes) };
    setrlimit(Resource::Core, most(0))?;
    setrlimit(Resource::As, most(memory))?;
    Ok(())
}

#[cfg(not(unix))]
fn limit(_: u64) -> io::Result<()> {
    Ok(())
}

/// Memory of this process in bytes, by Linux's count of its pages.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kib * 1024)
}

#[cfg(test)]
mod tests;
