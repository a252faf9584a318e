//! A gzip stream that is small on the wire and large when unpacked.

use std::io::{self, Read as _};

use flate2::Compression;
use flate2::read::GzEncoder;

/// A gzip member that unpacks to `length` spaces, at about a thousandth of the size.
pub(crate) fn spaces(length: u64) -> Vec<u8> {
    let mut packed = Vec::new();
    let spaces = io::repeat(b' ').take(length);
    // Memory takes all that is written to it.
    let _ = GzEncoder::new(spaces, Compression::best()).read_to_end(&mut packed);
    packed
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::spaces;

    #[test]
    fn the_stream_is_gzip() {
        for length in [0_u32, 2, 300, 1_000_000] {
            let packed = spaces(length.into());
            let mut unpacked = String::new();
            flate2::read::GzDecoder::new(&packed[..]).read_to_string(&mut unpacked).unwrap();
            assert_eq!(unpacked, " ".repeat(length as usize));
            assert!(packed.len() < 100 + length as usize / 500);
        }
    }
}
