//! What the course of a guest depends on: recorded as it happens, or taken from a recording.

use std::sync::Arc;
use std::time::{Duration, Instant};

use mortise_contract::text::hex;

use super::clock::{GuestClock, nanoseconds, time_of_day};
use super::guest::Stop;
use super::interpreter;
use super::random::GuestRandom;
use crate::history::{
    AfterHistory, BootPath, Divergence, GuestStart, HostAction, HostEvent, Repeating, RunHistory, RunRecorder,
};

/// The course of one guest.
pub(super) struct RunCourse {
    clock: GuestClock,
    random: GuestRandom,
    boot: BootPath,
    /// Moments so far; see [`HostEvent::moment`].
    moments: u64,
    /// What the guest had computed at the last moment, in units of fuel.
    burnt: u64,
    origin: CourseOrigin,
}

/// Where a program's course comes from.
#[derive(Default)]
pub(super) struct CourseOrigin {
    /// The randomness of a run that is not repeated.
    pub(super) seed: [u8; 32],
    pub(super) recorder: Option<Arc<dyn RunRecorder>>,
    /// How the guest of a repeated run began.
    pub(super) start: Option<GuestStart>,
    /// `None` once the run goes on after its recording.
    pub(super) repeating: Option<Repeating>,
}

impl CourseOrigin {
    /// The course of a new run or of one that repeats another. `None` where the system has no randomness.
    pub(super) fn of(recorder: Option<Arc<dyn RunRecorder>>, history: Option<&RunHistory>) -> Option<Self> {
        let mut seed = [0; 32];
        match history {
            Some(history) => Some(Self {
                seed,
                recorder,
                start: Some(history.start.clone()),
                repeating: Some(Repeating::new(history)),
            }),
            None => {
                getrandom::fill(&mut seed).ok()?;
                Some(Self { seed, recorder, ..Self::default() })
            }
        }
    }
}

/// What the recording has for a moment.
pub(super) enum RepeatedMoment {
    /// The run is not repeated, or no longer.
    Live,
    /// The recording has ended, and the run goes on.
    GoesOn,
    /// The recording has ended, and so did the run.
    Over(Divergence),
    /// Nothing happened at this moment.
    Nothing,
    /// This happened.
    Event(HostAction),
}

impl RunCourse {
    pub(super) fn new(boot: BootPath, origin: CourseOrigin) -> Self {
        let (clock, random) = (GuestClock::default(), GuestRandom::of_boot());
        Self { clock, random, boot, moments: 0, burnt: 0, origin }
    }

    /// A guest that started ahead gets its program.
    pub(super) fn give(&mut self, origin: CourseOrigin) {
        self.origin = origin;
    }

    /// The program begins with this message, unless a recorded run began with another one.
    pub(super) fn begin(&mut self, message: Vec<u8>) -> Vec<u8> {
        if let Some(start) = &self.origin.start {
            self.random = GuestRandom::new(seed_of(&start.seed));
            self.clock.set_day(self.burnt, start.wall_ns);
            return start.message.clone().into_bytes();
        }
        let wall_ns = time_of_day();
        self.random = GuestRandom::new(self.origin.seed);
        self.clock.set_day(self.burnt, wall_ns);
        self.clock.follow(self.burnt, Instant::now());
        if let Some(recorder) = &self.origin.recorder {
            recorder.started(&GuestStart {
                seed: hex(&self.origin.seed),
                boot: self.boot,
                wall_ns,
                interpreter: interpreter::IMAGE.digest.to_owned(),
                message: String::from_utf8_lossy(&message).into_owned(),
            });
        }
        message
    }

    pub(super) fn fill_randomly(&mut self, bytes: &mut [u8]) {
        self.random.fill(bytes);
    }

    /// Whatever follows happens at a new moment, when the guest has computed this much.
    pub(super) fn enter(&mut self, burnt: u64) {
        self.burnt = burnt;
        self.moments += 1;
    }

    /// A new moment of which it is not known how much the guest has computed.
    pub(super) fn enter_unmeasured(&mut self) {
        self.moments += 1;
    }

    /// What the recording has for this moment. What it has is done by that: the clock is set.
    pub(super) fn repeated(&mut self) -> RepeatedMoment {
        let Some(repeating) = &mut self.origin.repeating else { return RepeatedMoment::Live };
        while let Some(event) = repeating.event_at(self.moments) {
            if !matches!(event.what, HostAction::MemoryRefused) {
                self.clock.set(self.burnt, event.clock);
            }
            match event.what {
                // What follows in the recording happened at the same moment.
                HostAction::Continued(day) => self.clock.set_day_origin(day),
                what => return RepeatedMoment::Event(what),
            }
        }
        match (repeating.is_over(), repeating.after()) {
            (false, _) => RepeatedMoment::Nothing,
            (true, AfterHistory::GoOn) => RepeatedMoment::GoesOn,
            (true, AfterHistory::End | AfterHistory::EndedByHost { .. }) => {
                RepeatedMoment::Over(repeating.waits())
            }
        }
    }

    /// What stops a guest that waits where the recording ends.
    pub(super) fn stop_over(&self, divergence: Divergence) -> Stop {
        match self.origin.repeating.as_ref().map(Repeating::after) {
            Some(AfterHistory::EndedByHost { .. }) => Stop::EndedByHost,
            _ => Stop::Diverged(Box::new(divergence)),
        }
    }

    /// What stops a guest that wants something else than it got at this moment of the recording.
    pub(super) fn other_moment(&self) -> Stop {
        Stop::Diverged(Box::new(Divergence::Moment { moment: self.moments }))
    }

    /// Leaves the recording behind: time passes again.
    pub(super) fn go_on(&mut self) {
        self.origin.repeating = None;
        self.clock.follow(self.burnt, Instant::now());
        self.clock.set_day(self.burnt, time_of_day());
        let day = self.clock.day_origin();
        self.record(HostAction::Continued(day));
    }

    pub(super) fn repeating_mut(&mut self) -> Option<&mut Repeating> {
        self.origin.repeating.as_mut()
    }

    /// What it means that the guest ends now.
    pub(super) fn ended_early(&self) -> Option<Divergence> {
        self.origin.repeating.as_ref().and_then(Repeating::ended_early)
    }

    pub(super) fn is_repeating(&self) -> bool {
        self.origin.repeating.is_some()
    }

    /// Records what happened at this moment, after which the clock shows real time.
    pub(super) fn happened(&mut self, what: HostAction) {
        self.clock.catch_up(self.burnt, Instant::now(), 0);
        self.record(what);
    }

    /// Records that the guest waited this long.
    pub(super) fn waited(&mut self, time: Duration) {
        let least = self.clock.steady(self.burnt).saturating_add(nanoseconds(time));
        self.clock.catch_up(self.burnt, Instant::now(), least);
        self.record(HostAction::TimePassed);
    }

    pub(super) fn record(&self, what: HostAction) {
        if let Some(recorder) = &self.origin.recorder {
            let clock = self.clock.steady(self.burnt);
            recorder.happened(&HostEvent { moment: self.moments, clock, what });
        }
    }

    /// Nanoseconds of the steady clock or, as the time of day, since 1970.
    pub(super) fn read_clock(&mut self, is_time_of_day: bool) -> Result<u64, Stop> {
        match self.repeated() {
            RepeatedMoment::Event(HostAction::ClockSet) => {}
            RepeatedMoment::Event(_) => return Err(self.other_moment()),
            RepeatedMoment::Live => {
                let now = Instant::now();
                if self.clock.is_behind(self.burnt, now) {
                    self.happened(HostAction::ClockSet);
                }
            }
            RepeatedMoment::GoesOn | RepeatedMoment::Over(_) | RepeatedMoment::Nothing => {}
        }
        Ok(if is_time_of_day { self.clock.day(self.burnt) } else { self.clock.steady(self.burnt) })
    }

    /// Makes the clock stand still while `waiting` takes its time.
    pub(super) fn hold(&mut self) {
        self.clock.hold();
    }

    /// Lets the clock go on from where it stands.
    pub(super) fn release(&mut self) {
        self.clock.follow(self.burnt, Instant::now());
    }
}

/// The bytes behind the digits of a seed. What is not a digit counts as zero: then the run differs, which is reported.
fn seed_of(digits: &str) -> [u8; 32] {
    let mut seed = [0; 32];
    for (byte, pair) in seed.iter_mut().zip(digits.as_bytes().chunks(2)) {
        let pair = std::str::from_utf8(pair).unwrap_or_default();
        *byte = u8::from_str_radix(pair, 16).unwrap_or_default();
    }
    seed
}
