//! The stacks that guests compute on, and how much memory each has taken.
//!
//! A stack takes address space for its whole length and memory for the pages that were ever used. A program decides
//! how deep it goes, so those pages count as its memory.
#![expect(unsafe_code, reason = "wasmtime takes a stack of ours as raw memory")]

use std::cell::RefCell;
use std::ops::Range;
use std::ptr::{NonNull, null_mut};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use wasmtime::{StackCreator, StackMemory};

/// Stack is counted in steps of this size. The first step is part of what every program costs.
const STEP: usize = 1 << 20;

thread_local! {
    /// The gauge of the guest that computes on this thread: the stack that it is given is measured there.
    static CURRENT: RefCell<Option<Arc<StackGauge>>> = const { RefCell::new(None) };
}

/// How much of one guest's stack holds memory.
#[derive(Default)]
pub(super) struct StackGauge {
    /// Where the stack is, while there is one.
    range: Mutex<Option<Range<usize>>>,
    /// Bytes from its top that were used and counted.
    counted: AtomicUsize,
}

impl StackGauge {
    /// Runs one slice of the guest.
    pub(super) fn during<T>(self: &Arc<Self>, slice: impl FnOnce() -> T) -> T {
        CURRENT.set(Some(Arc::clone(self)));
        let result = slice();
        CURRENT.set(None);
        result
    }

    /// Bytes that the stack has taken since this was last asked.
    pub(super) fn grown(&self) -> u64 {
        // Held meanwhile, so that the stack does not go.
        let range = self.range.lock();
        let Some(range) = &*range else { return 0 };
        let before = self.counted.load(Ordering::Relaxed).max(STEP);
        let mut counted = before;
        // Every page of a frame is touched when it is entered, so the pages in use have no gaps.
        while counted < range.len() && is_resident(range.end - counted - page_size()) {
            counted += STEP;
        }
        self.counted.store(counted, Ordering::Relaxed);
        (counted - before) as u64
    }
}

/// Makes stacks as wasmtime does, and notes where they are.
pub(super) struct MeasuredStacks;

struct MeasuredStack {
    mapping: NonNull<u8>,
    length: usize,
    gauge: Option<Arc<StackGauge>>,
}

// SAFETY: a stack is a private mapping that nothing but its owner uses; it may be used from any one thread.
unsafe impl Send for MeasuredStack {}
// SAFETY: through a shared reference only its addresses can be read.
unsafe impl Sync for MeasuredStack {}

// SAFETY: every stack is a mapping of its own, page aligned, zero filled, with a guard page at its bottom.
unsafe impl StackCreator for MeasuredStacks {
    fn new_stack(&self, size: usize, _zeroed: bool) -> wasmtime::Result<Box<dyn StackMemory>> {
        let page = page_size();
        let length = size.next_multiple_of(page) + page;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new anonymous mapping anywhere replaces nothing.
        let start = unsafe { libc::mmap(null_mut(), length, libc::PROT_NONE, flags, -1, 0) };
        let mapping = match NonNull::new(start.cast::<u8>()) {
            Some(mapping) if start != libc::MAP_FAILED => mapping,
            _ => return Err(std::io::Error::last_os_error().into()),
        };
        let mut stack = MeasuredStack { mapping, length, gauge: None };
        // SAFETY: the range lies within the mapping just made; its first page stays closed.
        let opened = unsafe {
            libc::mprotect(start.byte_add(page), length - page, libc::PROT_READ | libc::PROT_WRITE)
        };
        if opened != 0 {
            return Err(std::io::Error::last_os_error().into());
        }
        stack.gauge = CURRENT.with_borrow(Clone::clone);
        if let Some(gauge) = &stack.gauge {
            *gauge.range.lock() = Some(stack.range());
        }
        Ok(Box::new(stack))
    }
}

// SAFETY: the addresses are those of the mapping, which lives as long as this.
unsafe impl StackMemory for MeasuredStack {
    fn top(&self) -> *mut u8 {
        self.mapping.as_ptr().wrapping_byte_add(self.length)
    }

    fn range(&self) -> Range<usize> {
        let start = self.mapping.addr().get();
        start + page_size()..start + self.length
    }

    fn guard_range(&self) -> Range<*mut u8> {
        let start = self.mapping.as_ptr();
        start..start.wrapping_byte_add(page_size())
    }
}

impl Drop for MeasuredStack {
    fn drop(&mut self) {
        if let Some(gauge) = &self.gauge {
            *gauge.range.lock() = None;
        }
        // SAFETY: the mapping is ours, and wasmtime has dropped all that used it.
        unsafe { libc::munmap(self.mapping.as_ptr().cast(), self.length) };
    }
}

/// Whether the page at this address of a mapping of ours holds memory.
fn is_resident(address: usize) -> bool {
    let mut state = 0_u8;
    // SAFETY: the kernel writes one byte for one page, and only reads its own tables for it.
    let asked = unsafe { libc::mincore(address as *mut libc::c_void, 1, &raw mut state) };
    asked == 0 && state & 1 == 1
}

fn page_size() -> usize {
    // SAFETY: it reads a number that never changes.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(size).unwrap_or(4096)
}

#[cfg(test)]
mod tests;
