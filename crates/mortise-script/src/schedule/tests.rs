use std::sync::mpsc;

use super::*;

/// Gives the thread back once, as a guest does at the end of its slice.
async fn next_slice() {
    let mut given = false;
    std::future::poll_fn(|context| {
        if std::mem::replace(&mut given, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Says that it was dropped.
struct Dropped(mpsc::Sender<()>);
impl Drop for Dropped {
    fn drop(&mut self) {
        let _ = self.0.send(());
    }
}

/// Four programs that have computed for long and a small one, on a scheduler without threads: what counts is whose
/// turn it is.
struct Turns {
    shared: Arc<SchedulerState>,
    endless: Vec<GuestTask>,
    small: GuestTask,
}

impl Turns {
    fn new() -> Self {
        let shared = Arc::new(SchedulerState { queue: Mutex::default(), changed: Condvar::new() });
        let handle = SchedulerHandle { shared: Arc::clone(&shared) };
        let endless: Vec<GuestTask> = (0..4).map(|_| handle.spawn(std::future::pending())).collect();
        let long = u64::try_from(LEVEL_BOUNDS[0].as_nanos()).unwrap();
        for _ in &endless {
            let cell = shared.lock().pick().unwrap();
            cell.computed.store(long, Ordering::Relaxed);
            shared.push(cell);
        }
        let small = handle.spawn(std::future::pending());
        Self { shared, endless, small }
    }

    /// The next one has its turn and is not done after it.
    fn next(&self) -> Arc<Cell> {
        let cell = self.shared.lock().pick().unwrap();
        self.shared.push(Arc::clone(&cell));
        cell
    }
}

#[test]
fn a_small_program_passes_endless_ones() {
    let turns = Turns::new();
    let (mut own, mut others) = (0, 0);
    while own < 5 {
        match Arc::ptr_eq(&turns.next(), &turns.small.cell) {
            true => own += 1,
            false => others += 1,
        }
    }
    // Taking turns as an equal, it would have let the others go first twenty times.
    assert!(others <= 1, "{others}");
}

#[test]
fn a_stream_of_small_programs_starves_no_large_one() {
    let turns = Turns::new();
    let mut seen: HashMap<u64, usize> = HashMap::new();
    for _ in 0..8 * TURN_ROUND {
        *seen.entry(turns.next().number).or_default() += 1;
    }
    for task in &turns.endless {
        assert!(seen.get(&task.cell.number).is_some_and(|turns| *turns >= 2), "{seen:?}");
    }
}

#[test]
fn dropping_the_task_drops_the_program_wherever_it_is() {
    let scheduler = Scheduler::start(1).unwrap();
    let (send, dropped) = mpsc::channel();
    let guard = Dropped(send.clone());
    let idle = scheduler.handle().spawn(async move {
        let _guard = guard;
        std::future::pending::<()>().await;
    });
    let guard = Dropped(send);
    let busy = scheduler.handle().spawn(async move {
        let _guard = guard;
        loop {
            next_slice().await;
        }
    });
    drop(idle);
    dropped.recv().unwrap();
    drop(busy);
    dropped.recv().unwrap();
}

#[test]
fn a_panic_ends_only_its_own_program() {
    let scheduler = Scheduler::start(1).unwrap();
    let (send, dropped) = mpsc::channel();
    let guard = Dropped(send.clone());
    let _panics = scheduler.handle().spawn(async move {
        let _guard = guard;
        std::panic::resume_unwind(Box::new("a program"));
    });
    dropped.recv().unwrap();
    let _next = scheduler.handle().spawn(async move { send.send(()).unwrap() });
    dropped.recv().unwrap();
}

#[test]
fn dropping_the_scheduler_drops_every_program() {
    let scheduler = Scheduler::start(2).unwrap();
    let handle = scheduler.handle();
    let (send, dropped) = mpsc::channel();
    let mut tasks = Vec::new();
    for number in 0..6 {
        let guard = Dropped(send.clone());
        tasks.push(handle.spawn(async move {
            let _guard = guard;
            if number % 2 == 0 {
                std::future::pending::<()>().await;
            }
            loop {
                next_slice().await;
            }
        }));
    }
    // Some wait in no queue by then, which makes no difference.
    let (say, heard) = mpsc::channel();
    let _last = handle.spawn(async move { say.send(()).unwrap() });
    heard.recv().unwrap();
    drop(scheduler);
    for _ in 0..6 {
        dropped.recv().unwrap();
    }
    let guard = Dropped(send);
    let _late = handle.spawn(async move {
        let _guard = guard;
        std::future::pending::<()>().await;
    });
    dropped.recv().unwrap();
}

#[test]
fn timers_fire_in_order_and_not_early() {
    // On a busy machine two threads can be late together, and then either may send first.
    let scheduler = Scheduler::start(1).unwrap();
    let handle = scheduler.handle();
    let (send, fired) = mpsc::channel();
    let start = Instant::now();
    let tasks: Vec<_> = [30, 10, 20]
        .into_iter()
        .map(|after| {
            let (send, sleep) = (send.clone(), handle.sleep_until(start + Duration::from_millis(after)));
            handle.spawn(async move {
                sleep.await;
                send.send((after, start.elapsed())).unwrap();
            })
        })
        .collect();
    let fired: Vec<_> = (0..3).map(|_| fired.recv().unwrap()).collect();
    assert_eq!(fired.iter().map(|(after, _)| *after).collect::<Vec<_>>(), [10, 20, 30]);
    assert!(fired.iter().all(|(after, elapsed)| *elapsed >= Duration::from_millis(*after)));
    drop(tasks);
}

#[test]
fn a_dropped_timer_leaves_nothing_behind() {
    let scheduler = Scheduler::start(1).unwrap();
    let handle = scheduler.handle();
    let mut sleep = Box::pin(handle.sleep_until(Instant::now() + Duration::from_secs(3600)));
    assert!(sleep.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    assert_eq!(handle.shared.lock().timers.len(), 1);
    drop(sleep);
    assert_eq!(handle.shared.lock().timers.len(), 0);
}
