//! How many programs run at once, and who is next.
//!
//! A program holds one of the places while it computes. It gives the place up while it waits for a tool or a
//! timer, and for good once it has computed for long: then it goes on in the background. So neither slow tools
//! nor endless loops keep others out. What bounds the number of programs alive is their memory.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mortise_contract::limits;
use tokio::sync::oneshot;

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
}

impl Default for Capacity {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Self {
            threads: cores,
            running: limits::PROGRAMS_PER_CORE * cores,
            waiting: limits::PROGRAMS_WAITING,
            memory: limits::PROGRAMS_MEMORY as u64,
        }
    }
}

/// After this much computing a program goes on in the background.
pub(crate) const BACKGROUND_AFTER: Duration = Duration::from_millis(500);

/// What one program costs before it asks for memory of its own: the part of the interpreter's memory image that
/// it changes (about 5 MiB), its stack, and room for the rest.
pub(crate) const BASE_MEMORY: u64 = 20 << 20;

/// The places.
#[derive(Clone)]
pub(crate) struct Places {
    state: Arc<Mutex<State>>,
}

/// Too many programs wait already.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Full;

/// One program's place. Dropping it frees the place and the memory.
pub(crate) struct Place {
    state: Arc<Mutex<State>>,
    standing: Standing,
    memory: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    Running,
    Paused,
    Background,
}

struct State {
    capacity: Capacity,
    running: usize,
    memory: u64,
    waiting: usize,
    /// Who waits, by owner; the owners in the order of their turns.
    queues: HashMap<String, VecDeque<oneshot::Sender<Place>>>,
    turns: VecDeque<String>,
}

impl Places {
    /// At least one program can always run.
    pub(crate) fn new(capacity: Capacity) -> Self {
        let capacity = Capacity {
            running: capacity.running.max(1),
            memory: capacity.memory.max(BASE_MEMORY),
            ..capacity
        };
        let state = State {
            capacity,
            running: 0,
            memory: 0,
            waiting: 0,
            queues: HashMap::new(),
            turns: VecDeque::new(),
        };
        Self { state: Arc::new(Mutex::new(state)) }
    }

    /// Waits for a place. Owners take turns; each owner's programs come in order.
    pub(crate) async fn enter(&self, owner: &str) -> Result<Place, Full> {
        let receiver = {
            let mut state = lock(&self.state);
            if state.turns.is_empty() && state.has_room() {
                return Ok(state.take(&self.state));
            }
            state.forget_gone();
            if state.waiting >= state.capacity.waiting {
                return Err(Full);
            }
            state.enqueue(owner)
        };
        self.fill();
        // The sender is dropped only together with the places.
        receiver.await.map_err(|_| Full)
    }

    /// Whether there is memory for one more program.
    pub(crate) fn has_memory(&self) -> bool {
        lock(&self.state).has_memory(BASE_MEMORY)
    }

    /// What a guest without a program needs: memory, but no place to compute. `None` where a program could need it.
    pub(crate) fn spare(&self) -> Option<Place> {
        let mut state = lock(&self.state);
        let is_quiet = state.turns.is_empty() && state.has_room();
        if !is_quiet || !state.has_memory(2 * BASE_MEMORY) {
            return None;
        }
        state.memory += BASE_MEMORY;
        Some(Place { state: Arc::clone(&self.state), standing: Standing::Paused, memory: BASE_MEMORY })
    }

    fn fill(&self) {
        fill(&self.state);
    }

    /// How many programs may wait.
    pub(crate) fn waiting_limit(&self) -> usize {
        lock(&self.state).capacity.waiting
    }

    /// How many programs wait for their start.
    #[cfg(test)]
    pub(crate) fn waiting(&self) -> usize {
        lock(&self.state).waiting
    }

    /// Bytes in use.
    #[cfg(test)]
    pub(crate) fn memory(&self) -> u64 {
        lock(&self.state).memory
    }
}

impl Place {
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
        {
            let mut state = lock(&self.state);
            match to {
                Standing::Running => state.running += 1,
                Standing::Paused | Standing::Background => state.running -= 1,
            }
        }
        fill(&self.state);
    }

    /// What grew here goes over to the place of the program that goes on here; the rest is freed.
    pub(crate) fn pass_to(&mut self, mut program: Self) {
        let grown = self.memory - BASE_MEMORY;
        self.memory -= grown;
        program.memory += grown;
        *self = program;
    }

    /// Asks for more memory; false when all programs together would have too much.
    pub(crate) fn grow(&mut self, bytes: u64) -> bool {
        let mut state = lock(&self.state);
        if !state.has_memory(bytes) {
            return false;
        }
        state.memory += bytes;
        self.memory += bytes;
        true
    }

    /// Gives back what [`Place::grow`] granted.
    pub(crate) fn shrink(&mut self, bytes: u64) {
        self.memory -= bytes;
        lock(&self.state).memory -= bytes;
        fill(&self.state);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        {
            let mut state = lock(&self.state);
            state.memory -= self.memory;
            if self.standing == Standing::Running {
                state.running -= 1;
            }
        }
        fill(&self.state);
    }
}

impl State {
    fn has_room(&self) -> bool {
        self.running < self.capacity.running && self.has_memory(BASE_MEMORY)
    }

    fn has_memory(&self, bytes: u64) -> bool {
        self.memory.saturating_add(bytes) <= self.capacity.memory
    }

    fn take(&mut self, shared: &Arc<Mutex<Self>>) -> Place {
        self.running += 1;
        self.memory += BASE_MEMORY;
        Place { state: Arc::clone(shared), standing: Standing::Running, memory: BASE_MEMORY }
    }

    fn enqueue(&mut self, owner: &str) -> oneshot::Receiver<Place> {
        let (sender, receiver) = oneshot::channel();
        self.waiting += 1;
        let queue = self.queues.entry(owner.to_owned()).or_default();
        if queue.is_empty() {
            self.turns.push_back(owner.to_owned());
        }
        queue.push_back(sender);
        receiver
    }

    /// The next one who still waits.
    fn next(&mut self) -> Option<oneshot::Sender<Place>> {
        while let Some(owner) = self.turns.pop_front() {
            let queue = self.queues.get_mut(&owner)?;
            let sender = queue.pop_front();
            if queue.is_empty() {
                self.queues.remove(&owner);
            } else {
                self.turns.push_back(owner);
            }
            if let Some(sender) = sender {
                self.waiting -= 1;
                if !sender.is_closed() {
                    return Some(sender);
                }
            }
        }
        None
    }

    /// Those who no longer wait must not count against those who come.
    fn forget_gone(&mut self) {
        for queue in self.queues.values_mut() {
            queue.retain(|sender| !sender.is_closed());
        }
        self.queues.retain(|_, queue| !queue.is_empty());
        self.turns.retain(|owner| self.queues.contains_key(owner));
        self.waiting = self.queues.values().map(VecDeque::len).sum();
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Gives free places to those who wait.
fn fill(shared: &Arc<Mutex<State>>) {
    loop {
        let (sender, place) = {
            let mut state = lock(shared);
            if !state.has_room() {
                return;
            }
            let Some(sender) = state.next() else { return };
            let place = state.take(shared);
            (sender, place)
        };
        // One who went away between the two steps gives the place back here.
        drop(sender.send(place));
    }
}

#[cfg(test)]
mod tests;
