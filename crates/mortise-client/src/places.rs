//! The calls that a server may have in flight, shared among callers.
//!
//! A server takes 64 calls at once. One caller with slow calls takes 32 of them at most, the next 16, and so on: however
//! much is taken, a new caller finds a place. Large results are judged in turns of the same sort.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::oneshot;

/// Whose call it is; calls without a name are bounded by the number of places alone.
pub(crate) type Caller = Option<Arc<str>>;

#[derive(Clone, Debug)]
pub(crate) struct CallPlaces(Arc<Mutex<Occupancy>>);

#[derive(Debug)]
struct Occupancy {
    places: usize,
    taken: usize,
    by_caller: HashMap<Arc<str>, usize>,
    waiting: VecDeque<(Caller, oneshot::Sender<CallPlace>)>,
    is_closed: bool,
}

/// A call in flight, until it is dropped.
#[derive(Debug)]
pub(crate) struct CallPlace {
    places: CallPlaces,
    caller: Caller,
}

impl CallPlaces {
    pub(crate) fn new(places: usize) -> Self {
        let (by_caller, waiting) = (HashMap::new(), VecDeque::new());
        Self(Arc::new(Mutex::new(Occupancy { places, taken: 0, by_caller, waiting, is_closed: false })))
    }

    /// Waits for a place, first come first served among those whose share has room; `None` once it is closed.
    pub(crate) async fn enter(&self, caller: &Caller) -> Option<CallPlace> {
        let granted = {
            let mut occupancy = self.lock();
            if occupancy.is_closed {
                return None;
            }
            if occupancy.has_room(caller) {
                occupancy.take(caller);
                return Some(self.place(caller.clone()));
            }
            let (grant, granted) = oneshot::channel();
            occupancy.waiting.push_back((caller.clone(), grant));
            granted
        };
        granted.await.ok()
    }

    /// Grants no place any more; calls in flight go on.
    pub(crate) fn close(&self) {
        let mut occupancy = self.lock();
        occupancy.is_closed = true;
        occupancy.waiting.clear();
    }

    fn place(&self, caller: Caller) -> CallPlace {
        CallPlace { places: self.clone(), caller }
    }

    /// Gives places to the waiting calls that may have one.
    fn grant(&self) {
        loop {
            let Some((caller, grant)) = self.lock().next() else { return };
            // A caller that has just gone drops the place, which is then granted again.
            _ = grant.send(self.place(caller));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Occupancy> {
        self.0.lock()
    }
}

impl Occupancy {
    fn has_room(&self, caller: &Caller) -> bool {
        let is_within_share = caller.as_ref().is_none_or(|caller| {
            let own = self.by_caller.get(caller).copied().unwrap_or(0);
            let left_by_others = self.places - (self.taken - own);
            own < left_by_others.div_ceil(2)
        });
        is_within_share && self.taken < self.places
    }

    fn take(&mut self, caller: &Caller) {
        self.taken += 1;
        if let Some(caller) = caller {
            *self.by_caller.entry(caller.clone()).or_default() += 1;
        }
    }

    /// The first that waits and may have a place, which is taken for it.
    fn next(&mut self) -> Option<(Caller, oneshot::Sender<CallPlace>)> {
        self.waiting.retain(|(_, grant)| !grant.is_closed());
        let first = self.waiting.iter().position(|(caller, _)| self.has_room(caller))?;
        let (caller, grant) = self.waiting.remove(first)?;
        self.take(&caller);
        Some((caller, grant))
    }
}

impl Drop for CallPlace {
    fn drop(&mut self) {
        {
            let mut occupancy = self.places.lock();
            occupancy.taken -= 1;
            if let Some(caller) = &self.caller
                && let Some(own) = occupancy.by_caller.get_mut(caller)
            {
                *own -= 1;
                if *own == 0 {
                    occupancy.by_caller.remove(caller);
                }
            }
        }
        self.places.grant();
    }
}

#[cfg(test)]
mod tests;
