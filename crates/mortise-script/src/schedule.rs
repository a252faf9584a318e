//! The threads on which programs compute, and whose turn it is.
//!
//! Programs must not compute on the runtime that carries the protocol, or one endless loop would delay every
//! answer. They compute here, in slices of about a millisecond. A program that has computed little goes
//! first, so large programs don't slow a small one. Equals take turns.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};

/// Programs that have computed less than the first bound go first, then those below the second, and so on.
const LEVEL_BOUNDS: [Duration; 3] =
    [Duration::from_millis(50), Duration::from_millis(500), Duration::from_secs(5)];

/// Every eighth pick takes the program that has computed most, so that small programs never starve a large one.
const TURN_ROUND: u64 = 8;

type Body = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The threads. Dropping it drops every program and waits for the threads.
pub(crate) struct Scheduler {
    shared: Arc<SchedulerState>,
    threads: Vec<JoinHandle<()>>,
}

/// Sets timers and starts programs; holds no thread alive.
#[derive(Clone)]
pub(crate) struct SchedulerHandle {
    shared: Arc<SchedulerState>,
}

/// One program on the scheduler. Dropping it drops the program, wherever it is.
pub(crate) struct GuestTask {
    cell: Arc<Cell>,
}

struct SchedulerState {
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    levels: [VecDeque<Arc<Cell>>; LEVEL_BOUNDS.len() + 1],
    timers: BTreeMap<(Instant, u64), Waker>,
    next_timer: u64,
    picks: u64,
    /// Every program, also those that wait in no queue.
    programs: HashMap<u64, Weak<Cell>>,
    next_program: u64,
    closed: bool,
}

struct Cell {
    number: u64,
    shared: Arc<SchedulerState>,
    body: Mutex<Option<Body>>,
    state: AtomicU8,
    abandoned: AtomicBool,
    computed: AtomicU64,
}

/// Nothing to do until it is woken.
const IDLE: u8 = 0;
const QUEUED: u8 = 1;
const RUNNING: u8 = 2;
/// On a thread, and woken meanwhile.
const WOKEN: u8 = 3;

impl Scheduler {
    pub(crate) fn start(threads: usize) -> std::io::Result<Self> {
        let shared = Arc::new(SchedulerState { queue: Mutex::default(), changed: Condvar::new() });
        let mut scheduler = Self { shared, threads: Vec::with_capacity(threads) };
        for number in 0..threads {
            let shared = Arc::clone(&scheduler.shared);
            let thread = std::thread::Builder::new()
                .name(format!("program-{number}"))
                .spawn(move || run_programs(&shared))?;
            scheduler.threads.push(thread);
        }
        Ok(scheduler)
    }

    pub(crate) fn handle(&self) -> SchedulerHandle {
        SchedulerHandle { shared: Arc::clone(&self.shared) }
    }
}

impl Drop for Scheduler {
    fn drop(&mut self) {
        let left = {
            let mut queue = self.shared.lock();
            queue.closed = true;
            (std::mem::take(&mut queue.levels), std::mem::take(&mut queue.timers))
        };
        // Not under the lock: the last handle on a program may be among them.
        drop(left);
        self.shared.changed.notify_all();
        for thread in self.threads.drain(..) {
            // A thread that panicked has nothing left to wait for.
            let _ = thread.join();
        }
        // Now none is on a thread any more.
        let programs = std::mem::take(&mut self.shared.lock().programs);
        for cell in programs.into_values().filter_map(|cell| cell.upgrade()) {
            cell.take_body();
        }
    }
}

impl SchedulerHandle {
    /// Puts a program in the queue.
    pub(crate) fn spawn(&self, body: impl Future<Output = ()> + Send + 'static) -> GuestTask {
        let number = {
            let mut queue = self.shared.lock();
            queue.next_program += 1;
            queue.next_program
        };
        let cell = Arc::new(Cell {
            number,
            shared: Arc::clone(&self.shared),
            body: Mutex::new(Some(Box::pin(body))),
            state: AtomicU8::new(IDLE),
            abandoned: AtomicBool::new(false),
            computed: AtomicU64::new(0),
        });
        self.shared.lock().programs.insert(number, Arc::downgrade(&cell));
        Arc::clone(&cell).wake();
        GuestTask { cell }
    }

    /// Waits until `deadline`, by the real clock.
    pub(crate) fn sleep_until(&self, deadline: Instant) -> Sleep {
        Sleep { shared: Arc::clone(&self.shared), deadline, key: None }
    }
}

impl GuestTask {
    pub(crate) fn computed(&self) -> Duration {
        self.cell.computed()
    }

    /// Its number among all programs of the scheduler.
    #[cfg(test)]
    pub(crate) fn number(&self) -> u64 {
        self.cell.number
    }
}

impl Drop for GuestTask {
    fn drop(&mut self) {
        self.cell.shared.lock().programs.remove(&self.cell.number);
        self.cell.abandoned.store(true, Ordering::Release);
        // A thread of ours drops the body: unwinding a guest can take a while.
        Arc::clone(&self.cell).wake();
    }
}

impl Cell {
    fn computed(&self) -> Duration {
        Duration::from_nanos(self.computed.load(Ordering::Relaxed))
    }

    fn level(&self) -> usize {
        let computed = self.computed();
        LEVEL_BOUNDS.iter().take_while(|bound| computed >= **bound).count()
    }

    fn take_body(&self) -> Option<Body> {
        self.body.lock().take()
    }

    /// One slice of computing.
    fn run_slice(self: &Arc<Self>) {
        self.state.store(RUNNING, Ordering::Release);
        let Some(mut body) = self.take_body() else { return };
        if self.abandoned.load(Ordering::Acquire) {
            drop(body);
            return;
        }
        let waker = Waker::from(Arc::clone(self));
        let start = Instant::now();
        // A panic ends this program only. The run sees that the channel of its end is closed.
        let polled = std::panic::catch_unwind(AssertUnwindSafe(|| {
            body.as_mut().poll(&mut Context::from_waker(&waker))
        }));
        let slice = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.computed.fetch_add(slice, Ordering::Relaxed);
        if !matches!(polled, Ok(Poll::Pending)) {
            return;
        }
        *self.body.lock() = Some(body);
        if self.state.compare_exchange(RUNNING, IDLE, Ordering::AcqRel, Ordering::Acquire).is_err() {
            self.state.store(QUEUED, Ordering::Release);
            self.shared.push(Arc::clone(self));
        }
    }
}

impl Wake for Cell {
    fn wake(self: Arc<Self>) {
        loop {
            let state = self.state.load(Ordering::Acquire);
            let next = match state {
                IDLE => QUEUED,
                RUNNING => WOKEN,
                _ => return,
            };
            if self.state.compare_exchange(state, next, Ordering::AcqRel, Ordering::Acquire).is_ok() {
                if next == QUEUED {
                    let shared = Arc::clone(&self.shared);
                    shared.push(self);
                }
                return;
            }
        }
    }
}

impl SchedulerState {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock()
    }

    fn push(&self, cell: Arc<Cell>) {
        let mut queue = self.lock();
        if queue.closed {
            drop(queue);
            cell.take_body();
            return;
        }
        let level = cell.level();
        queue.levels[level].push_back(cell);
        drop(queue);
        self.changed.notify_one();
    }

    /// Wakes what is due; gives the time until the next timer.
    fn fire_timers(&self) -> Option<Duration> {
        let mut due = Vec::new();
        let next = {
            let mut queue = self.lock();
            let now = Instant::now();
            while let Some(entry) = queue.timers.first_entry() {
                if entry.key().0 > now {
                    break;
                }
                due.push(entry.remove());
            }
            queue.timers.first_key_value().map(|((at, _), _)| at.saturating_duration_since(now))
        };
        due.into_iter().for_each(Waker::wake);
        next
    }
}

impl Queue {
    fn pick(&mut self) -> Option<Arc<Cell>> {
        self.picks += 1;
        if self.picks.is_multiple_of(TURN_ROUND) {
            self.levels.iter_mut().rev().find_map(VecDeque::pop_front)
        } else {
            self.levels.iter_mut().find_map(VecDeque::pop_front)
        }
    }
}

/// What each thread does until the scheduler is dropped.
fn run_programs(shared: &SchedulerState) {
    loop {
        let next_timer = shared.fire_timers();
        let mut queue = shared.lock();
        if queue.closed {
            return;
        }
        if let Some(cell) = queue.pick() {
            drop(queue);
            cell.run_slice();
            continue;
        }
        // Timers or programs may have come between the two locks; both notify, and a spurious round is cheap.
        let wait = next_timer.unwrap_or(Duration::from_secs(60));
        shared.changed.wait_for(&mut queue, wait);
    }
}

pub(crate) struct Sleep {
    shared: Arc<SchedulerState>,
    deadline: Instant,
    key: Option<(Instant, u64)>,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if Instant::now() >= self.deadline {
            return Poll::Ready(());
        }
        let shared = Arc::clone(&self.shared);
        let mut queue = shared.lock();
        let key = match self.key {
            Some(key) if queue.timers.contains_key(&key) => key,
            _ => {
                queue.next_timer += 1;
                (self.deadline, queue.next_timer)
            }
        };
        let is_new = self.key != Some(key);
        if is_new || !queue.timers.get(&key).is_some_and(|waker| waker.will_wake(context.waker())) {
            queue.timers.insert(key, context.waker().clone());
        }
        drop(queue);
        self.key = Some(key);
        if is_new {
            shared.changed.notify_one();
        }
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            self.shared.lock().timers.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests;
