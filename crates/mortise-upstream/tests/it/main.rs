//! Real processes and sockets against the public interface.

mod process;
mod support;
