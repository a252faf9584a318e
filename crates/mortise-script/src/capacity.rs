//! How many programs run at once, which is next, and how much memory they have.
//!
//! A program holds one of the places while it computes. It gives the place up while it waits for a tool or a
//! timer, and for good once it has computed for long: then it goes on in the background. So neither slow tools
//! nor endless loops keep others out. What bounds the number of programs alive is their memory: `memory` counts it.

mod memory;

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use mortise_contract::limits;
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::oneshot;

use self::memory::Books;

pub(crate) use self::memory::{Charge, MemoryAccount, NoMemory};
use crate::limits::PROGRAMS_PER_CORE;

/// What all programs together may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// Threads on which programs compute.
    pub threads: usize,
    /// Programs that compute at once, background ones not counted.
    pub running: usize,
    /// Programs that wait for their start; one more is refused.
    pub waiting: usize,
    /// Bytes of memory of all programs together.
    pub memory: u64,
    /// How much of the memory and of the queue one owner may have.
    pub share: Share,
}

/// How much of what is there one owner may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Share {
    /// All of it: every program runs on behalf of one user.
    #[default]
    Whole,
    /// Half of what the other owners leave. However much one takes, the next finds as much again.
    Half,
}

impl Default for Capacity {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Self {
            threads: cores,
            running: PROGRAMS_PER_CORE * cores,
            waiting: limits::PROGRAMS_WAITING,
            memory: limits::PROGRAMS_MEMORY as u64,
            share: Share::Whole,
        }
    }
}

/// After this much computing a program goes on in the background.
pub(crate) const BACKGROUND_AFTER: Duration = Duration::from_millis(500);

/// What one program costs before it asks for memory of its own: the part of the interpreter's memory image that
/// it changes (about 5 MiB), its stack, and room for the rest.
pub(crate) const BASE_MEMORY: u64 = 20 << 20;

/// How far a program may grow within its base, so that a small one never fails for want of memory.
pub(crate) const PREPAID: u64 = 4 << 20;

/// The programs that may compute, and those that wait.
#[derive(Clone)]
pub(crate) struct RunPlaces {
    occupancy: Arc<Mutex<RunOccupancy>>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct QueueFull;

/// One program's place. Dropping it frees the place and the memory.
pub(crate) struct RunPlace {
    standing: Standing,
    memory: Charge,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    Running,
    Paused,
    Background,
}

/// What is taken of a capacity, and the queue for the rest.
struct RunOccupancy {
    capacity: Capacity,
    running: usize,
    books: Books,
    waiting: usize,
    /// Programs that wait, by owner; the owners in the order of their turns.
    queues: HashMap<Arc<str>, VecDeque<Applicant>>,
    turns: VecDeque<Arc<str>>,
}

/// One program that waits for its place.
struct Applicant {
    account: MemoryAccount,
    granted: oneshot::Sender<RunPlace>,
}

impl RunPlaces {
    /// At least one program can always run.
    pub(crate) fn new(capacity: Capacity) -> Self {
        let capacity = Capacity {
            running: capacity.running.max(1),
            memory: capacity.memory.max(BASE_MEMORY),
            ..capacity
        };
        let occupancy = RunOccupancy {
            capacity,
            running: 0,
            books: Books::default(),
            waiting: 0,
            queues: HashMap::new(),
            turns: VecDeque::new(),
        };
        Self { occupancy: Arc::new(Mutex::new(occupancy)) }
    }

    /// Waits for a place. Owners take turns; each owner's programs come in order. One whose share is used up lets
    /// the others pass. Beside its own memory at most `most_kept` bytes are kept for the program.
    pub(crate) async fn enter(&self, owner: &str, most_kept: u64) -> Result<RunPlace, QueueFull> {
        let owner: Arc<str> = owner.into();
        let account = MemoryAccount { prepaid: PREPAID, ..self.account(Some(Arc::clone(&owner)), most_kept) };
        let granted = {
            let mut occupancy = self.lock();
            occupancy.forget_gone();
            if occupancy.next_turn().is_none() && occupancy.can_start(&owner) {
                return Ok(occupancy.start(account));
            }
            if !occupancy.can_wait(&owner) {
                return Err(QueueFull);
            }
            occupancy.enqueue(owner, account)
        };
        self.fill();
        // The sender is dropped only together with the places.
        granted.await.map_err(|_| QueueFull)
    }

    /// Whether there is memory for one more program.
    pub(crate) fn has_memory(&self) -> bool {
        self.lock().has_memory(BASE_MEMORY)
    }

    /// What a guest without a program needs: memory, but no place to compute. `None` where a program could need it.
    pub(crate) fn spare(&self) -> Option<RunPlace> {
        let account = self.account(None, 0);
        let mut occupancy = self.lock();
        let is_quiet = occupancy.turns.is_empty() && occupancy.running < occupancy.capacity.running;
        if !is_quiet || !occupancy.has_memory(2 * BASE_MEMORY) {
            return None;
        }
        occupancy.books.add(None, BASE_MEMORY);
        Some(RunPlace { standing: Standing::Paused, memory: account.place() })
    }

    /// Gives free places to programs that wait.
    fn fill(&self) {
        loop {
            let (granted, place) = {
                let mut occupancy = self.lock();
                let Some(applicant) = occupancy.next() else { return };
                (applicant.granted, occupancy.start(applicant.account))
            };
            // One that went away between the two steps gives the place back here.
            drop(granted.send(place));
        }
    }

    /// An account of a program of this owner, or of none, for which at most `most_kept` bytes are kept.
    pub(crate) fn account(&self, owner: Option<Arc<str>>, most_kept: u64) -> MemoryAccount {
        let (used, kept) = (Arc::default(), Arc::default());
        MemoryAccount { places: self.clone(), owner, prepaid: 0, used, kept, most_kept }
    }

    fn lock(&self) -> MutexGuard<'_, RunOccupancy> {
        self.occupancy.lock()
    }

    pub(crate) fn waiting_limit(&self) -> usize {
        self.lock().capacity.waiting
    }

    /// How many programs wait for their start.
    #[cfg(test)]
    pub(crate) fn waiting(&self) -> usize {
        self.lock().waiting
    }

    #[cfg(test)]
    pub(crate) fn memory(&self) -> u64 {
        self.lock().books.total()
    }
}

impl RunPlace {
    /// The program waits for something: others may compute.
    pub(crate) fn pause(&mut self) {
        self.change(Standing::Running, Standing::Paused);
    }

    /// The program goes on, at once: it had its turn.
    pub(crate) fn resume(&mut self) {
        self.change(Standing::Paused, Standing::Running);
    }

    /// The program has computed for long and no longer keeps others out.
    pub(crate) fn step_back(&mut self) {
        self.change(Standing::Running, Standing::Background);
    }

    fn change(&mut self, from: Standing, to: Standing) {
        if self.standing != from {
            return;
        }
        self.standing = to;
        let places = &self.account().places;
        {
            let mut occupancy = places.lock();
            match to {
                Standing::Running => occupancy.running += 1,
                Standing::Paused | Standing::Background => occupancy.running -= 1,
            }
        }
        places.fill();
    }

    /// What grew here goes over to the place of the program that goes on here; the rest is freed.
    pub(crate) fn pass_to(&mut self, mut program: Self) {
        program.memory.take_over(&mut self.memory);
        *self = program;
    }

    /// Asks for more memory of the program's own.
    pub(crate) fn grow(&mut self, bytes: u64) -> Result<(), NoMemory> {
        self.memory.grow(bytes)
    }

    /// Pays for what is kept for the program.
    pub(crate) fn account(&self) -> &MemoryAccount {
        self.memory.account()
    }
}

impl Drop for RunPlace {
    fn drop(&mut self) {
        if self.standing == Standing::Running {
            self.account().places.lock().running -= 1;
            self.account().places.fill();
        }
    }
}

impl RunOccupancy {
    fn has_memory(&self, bytes: u64) -> bool {
        self.books.check(&self.capacity, None, bytes).is_ok()
    }

    fn can_start(&self, owner: &str) -> bool {
        self.running < self.capacity.running && self.books.can_start(&self.capacity, owner)
    }

    fn can_wait(&self, owner: &str) -> bool {
        let own = self.queues.get(owner).map_or(0, VecDeque::len);
        let all = self.waiting + 1;
        all <= self.capacity.waiting
            && (own == 0
                || self.capacity.share.allows(own as u64 + 1, all as u64, self.capacity.waiting as u64))
    }

    fn start(&mut self, account: MemoryAccount) -> RunPlace {
        self.running += 1;
        self.books.add(account.owner.as_ref(), BASE_MEMORY);
        RunPlace { standing: Standing::Running, memory: account.place() }
    }

    fn enqueue(&mut self, owner: Arc<str>, account: MemoryAccount) -> oneshot::Receiver<RunPlace> {
        let (granted, receiver) = oneshot::channel();
        self.waiting += 1;
        let queue = self.queues.entry(Arc::clone(&owner)).or_default();
        if queue.is_empty() {
            self.turns.push_back(owner);
        }
        queue.push_back(Applicant { account, granted });
        receiver
    }

    /// The first owner in the order of turns whose next program can start.
    fn next_turn(&self) -> Option<usize> {
        self.turns.iter().position(|owner| self.can_start(owner))
    }

    /// The next program that still waits and can start.
    fn next(&mut self) -> Option<Applicant> {
        while let Some(owner) = self.next_turn().and_then(|turn| self.turns.remove(turn)) {
            let queue = self.queues.get_mut(&owner)?;
            let applicant = queue.pop_front();
            if queue.is_empty() {
                self.queues.remove(&owner);
            } else {
                self.turns.push_back(owner);
            }
            if let Some(applicant) = applicant {
                self.waiting -= 1;
                if !applicant.granted.is_closed() {
                    return Some(applicant);
                }
            }
        }
        None
    }

    /// Programs that no longer wait must not count against those that come.
    fn forget_gone(&mut self) {
        for queue in self.queues.values_mut() {
            queue.retain(|applicant| !applicant.granted.is_closed());
        }
        self.queues.retain(|_, queue| !queue.is_empty());
        self.turns.retain(|owner| self.queues.contains_key(owner));
        self.waiting = self.queues.values().map(VecDeque::len).sum();
    }
}

#[cfg(test)]
mod tests;
