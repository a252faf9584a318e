//! Gives memory that is no longer used back to the system.
//!
//! glibc keeps what was freed for later. Once a large block was freed, it takes blocks of that size from its heaps too,
//! which shrink only at their ends: after an hour of large results a quiet gateway holds what it had at its busiest.
#![cfg_attr(
    all(target_os = "linux", target_env = "gnu"),
    expect(unsafe_code, reason = "the settings of the allocator are reached through libc only")
)]

/// Blocks from this size on are mapped one by one, and unmapped when they are freed.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const MAPPED_FROM: libc::c_int = 512 << 10;

/// Sets the allocator up to keep little. To be called before other threads start.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn keep_little() {
    // Each heap keeps free memory of its own; the default is eight for every core.
    let heaps = std::thread::available_parallelism().map_or(2, usize::from).max(2);
    let heaps = libc::c_int::try_from(heaps).unwrap_or(libc::c_int::MAX);
    // SAFETY: both calls take numbers, and no other thread allocates yet.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, MAPPED_FROM);
        libc::mallopt(libc::M_ARENA_MAX, heaps);
    }
}

/// Gives back what is free inside of the heaps. It can take some milliseconds.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn give_back() {
    // SAFETY: it takes its own locks, and touches only memory that is free.
    unsafe { libc::malloc_trim(0) };
}

/// Other allocators give memory back by themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn keep_little() {}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn give_back() {}

#[cfg(test)]
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod tests;
