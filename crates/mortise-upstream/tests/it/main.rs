//! Real processes and sockets against the public interface.

mod in_process;
mod process;
mod support;
