//! Load: sessions that call tools, and what came of each call.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::{Value, json};

use super::figures::{Figure, number, percentile};

/// A client's session, over whatever it speaks.
pub(super) trait Session {
    /// Sends a request and returns the answer to it.
    fn request(&mut self, method: &str, params: &Value) -> Result<Value>;

    /// Calls a tool that repeats its text.
    fn echo(&mut self, tool: &str, text: &str) -> Outcome {
        let params = json!({ "name": tool, "arguments": { "text": text } });
        judge(self.request("tools/call", &params).as_ref(), text)
    }

    /// Runs a program and returns what it printed or how it failed.
    fn run_program(&mut self, code: &str) -> Result<Value> {
        let params = json!({ "name": "execute_program", "arguments": { "code": code } });
        self.request("tools/call", &params)
    }
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Outcome {
    Right,
    Typed(String),
    Misrouted(String),
    Lost(String),
}

/// Judges the answer to a call that must carry this text.
pub(super) fn judge(answer: Result<&Value, &anyhow::Error>, text: &str) -> Outcome {
    let answer = match answer {
        Ok(answer) => answer,
        Err(error) => return Outcome::Lost(format!("{error:#}")),
    };
    let shown = answer.to_string();
    let short: String = shown.chars().take(300).collect();
    if answer.get("error").is_some() || answer["result"]["isError"] == true {
        Outcome::Typed(short)
    } else if shown.contains(text) {
        Outcome::Right
    } else {
        Outcome::Misrouted(short)
    }
}

/// How many calls came to what, and how long the right ones took.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// Milliseconds of right answers.
    pub(super) times: Vec<f64>,
    pub(super) typed: usize,
    pub(super) misrouted: usize,
    pub(super) lost: usize,
    /// Milliseconds of the slowest call, however it ended.
    pub(super) slowest: f64,
    pub(super) wall: Duration,
    pub(super) examples: Vec<String>,
}

impl Tally {
    pub(super) fn count(&mut self, outcome: Outcome, time: Duration) {
        let milliseconds = time.as_secs_f64() * 1e3;
        self.slowest = self.slowest.max(milliseconds);
        let (counter, example) = match outcome {
            Outcome::Right => return self.times.push(milliseconds),
            Outcome::Typed(text) => (&mut self.typed, text),
            Outcome::Misrouted(text) => (&mut self.misrouted, text),
            Outcome::Lost(text) => (&mut self.lost, text),
        };
        *counter += 1;
        if self.examples.len() < 3 {
            self.examples.push(example);
        }
    }

    fn add(&mut self, other: Self) {
        self.times.extend(other.times);
        self.typed += other.typed;
        self.misrouted += other.misrouted;
        self.lost += other.lost;
        self.slowest = self.slowest.max(other.slowest);
        self.examples.extend(other.examples);
        self.examples.truncate(3);
    }

    pub(super) fn calls(&self) -> usize {
        self.times.len() + self.typed + self.misrouted + self.lost
    }

    pub(super) fn rate(&self) -> f64 {
        self.times.len() as f64 / self.wall.as_secs_f64()
    }

    pub(super) fn p50(&self) -> f64 {
        percentile(&self.times, 0.5)
    }

    pub(super) fn p99(&self) -> f64 {
        percentile(&self.times, 0.99)
    }

    /// Neither lost nor misrouted; errors that say why are counted.
    pub(super) fn figures(&self) -> Vec<Figure> {
        vec![
            Figure::plain("calls", number(self.calls() as f64)),
            Figure::plain("right", number(self.times.len() as f64)),
            Figure::plain("typed", number(self.typed as f64)),
            Figure::none("misrouted", self.misrouted, &self.examples),
            Figure::none("lost", self.lost, &self.examples),
        ]
    }
}

/// Every session calls, again and again, for a time; `call` gets the session's place and a number.
pub(super) fn for_a_time<S: Session + Send>(
    sessions: &mut [S],
    time: Duration,
    call: impl Fn(&mut S, usize, usize) -> Outcome + Sync,
) -> Tally {
    let started = Instant::now();
    while_so(sessions, || started.elapsed() < time, call)
}

/// Every session calls, again and again, while something is so.
pub(super) fn while_so<S: Session + Send>(
    sessions: &mut [S],
    is_so: impl Fn() -> bool + Sync,
    call: impl Fn(&mut S, usize, usize) -> Outcome + Sync,
) -> Tally {
    let work = |place: usize, session: &mut S| {
        let mut tally = Tally::default();
        for number in 0.. {
            if !is_so() {
                break;
            }
            let sent = Instant::now();
            tally.count(call(session, place, number), sent.elapsed());
        }
        tally
    };
    in_threads(sessions, Instant::now(), work)
}

/// Starts `count` calls at a fixed rate, whatever the answers take; a call's time runs from when it was due.
pub(super) fn at_a_rate<S: Session + Send>(
    sessions: &mut [S],
    count: usize,
    rate: f64,
    call: impl Fn(&mut S, usize) -> Outcome + Sync,
) -> Tally {
    let started = Instant::now();
    let next = AtomicUsize::new(0);
    // A worker has several sessions and uses them in turn.
    let workers = WORKERS.min(sessions.len());
    let mut shares: Vec<Vec<&mut S>> = (0..workers).map(|_| Vec::new()).collect();
    for (index, session) in sessions.iter_mut().enumerate() {
        shares[index % workers].push(session);
    }
    let work = |_, share: &mut Vec<&mut S>| {
        let mut tally = Tally::default();
        let mut turn = 0;
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return tally;
            }
            let due = started + Duration::from_secs_f64(number as f64 / rate);
            thread::sleep(due.saturating_duration_since(Instant::now()));
            let place = turn % share.len();
            turn += 1;
            tally.count(call(share[place], number), due.elapsed());
        }
    };
    in_threads(&mut shares, started, work)
}

const WORKERS: usize = 64;

fn in_threads<T: Send>(
    items: &mut [T],
    started: Instant,
    work: impl Fn(usize, &mut T) -> Tally + Sync,
) -> Tally {
    let mut all = Tally::default();
    thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = items
            .iter_mut()
            .enumerate()
            .map(|(place, item)| scope.spawn(move || work(place, item)))
            .collect();
        for thread in threads {
            match thread.join() {
                Ok(tally) => all.add(tally),
                Err(_) => all.count(Outcome::Lost("a client ended".to_owned()), Duration::ZERO),
            }
        }
    });
    all.wall = started.elapsed();
    all
}

#[cfg(test)]
mod tests;
