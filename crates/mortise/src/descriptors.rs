//! Keeps descriptors that we were started with from the processes that we start.

use std::os::fd::BorrowedFd;

use rustix::io::{FdFlags, fcntl_getfd, fcntl_setfd};

/// Marks all descriptors but the standard streams as closed in children.
///
/// What Rust opens is marked from the start. What our own parent left open is not, and a server must not get it.
pub(crate) fn keep_from_children() {
    let folder = if cfg!(target_os = "linux") { "/proc/self/fd" } else { "/dev/fd" };
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let numbers = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    for number in numbers.filter(|number| *number > 2) {
        #[expect(
            unsafe_code,
            reason = "the descriptor is open: it was just listed, and no other thread runs yet"
        )]
        let descriptor = unsafe { BorrowedFd::borrow_raw(number) };
        if let Ok(flags) = fcntl_getfd(descriptor) {
            _ = fcntl_setfd(descriptor, flags | FdFlags::CLOEXEC);
        }
    }
}
