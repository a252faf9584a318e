//! The interpreter that the build script put into the binary: machine code and standard library.

use std::io::{self, Read, Write};

include!(concat!(env!("OUT_DIR"), "/constants.rs"));

/// The standard library, a zip file that the interpreter reads itself.
pub(super) static LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/python.zip"));

/// The machine code for this machine.
pub(super) static IMAGE: InterpreterImage<'static> = InterpreterImage {
    compressed: include_bytes!(concat!(env!("OUT_DIR"), "/python.cwasm.zst")),
    digest: IMAGE_DIGEST,
    length: IMAGE_LENGTH,
};

/// A compiled module, compressed with zstd.
pub(super) struct InterpreterImage<'a> {
    pub(super) compressed: &'a [u8],
    /// SHA-256 of the compressed bytes, in hexadecimal digits.
    pub(super) digest: &'a str,
    /// Bytes of the module.
    pub(super) length: u64,
}

impl<'a> InterpreterImage<'a> {
    pub(super) fn inflate(&self, output: &mut impl Write) -> io::Result<()> {
        let written = io::copy(&mut self.reader()?, output)?;
        if written == self.length { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }

    /// Reads the module while it is inflated.
    pub(super) fn reader(&self) -> io::Result<impl Read + use<'a>> {
        zstd::stream::read::Decoder::with_buffer(self.compressed)
    }
}

/// The settings with which the interpreter's package compiled the module. wasmtime refuses a module that was compiled
/// with others.
pub(super) fn engine_config() -> wasmtime::Config {
    let mut config = wasmtime::Config::new();
    config.consume_fuel(true);
    // Guests share the pages of the memory image until they write to them.
    config.memory_init_cow(true);
    config.memory_guaranteed_dense_image_size(128 << 20);
    config.memory_reservation(1 << 30);
    config.memory_guard_size(64 << 10);
    config
}
