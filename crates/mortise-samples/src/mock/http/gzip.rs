//! A gzip stream that is small on the wire and large when unpacked.

/// The longest run that one code of the compressed form stands for.
const RUN: u64 = 258;

/// A gzip member that unpacks to `length` spaces, at about a 150th of the size.
///
/// One literal, then "the last byte again, 258 times" as often as needed, in a
/// block with the fixed code table (RFC 1951, 3.2.6).
pub(crate) fn spaces(length: u64) -> Vec<u8> {
    let mut bits = Bits { bytes: vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255], used: 0 };
    bits.push(0b011, 3);
    let mut written = 0;
    while written < length {
        if written > 0 && length - written >= RUN {
            // Length code 285 is 0b11000101, distance code 0 is 0b00000; codes go out high bit first.
            bits.push_reversed(0b1100_0101, 8);
            bits.push_reversed(0, 5);
            written += RUN;
        } else {
            bits.push_reversed(0x30 + u32::from(b' '), 8);
            written += 1;
        }
    }
    bits.push_reversed(0, 7);
    let mut bytes = bits.bytes;
    bytes.extend(crc_of_spaces(length).to_le_bytes());
    // The size is kept modulo 2^32.
    bytes.extend(&length.to_le_bytes()[..4]);
    bytes
}

struct Bits {
    bytes: Vec<u8>,
    /// Bits of the last byte that are taken; 0 means that a new byte is begun.
    used: u32,
}

impl Bits {
    fn push(&mut self, value: u32, count: u32) {
        for bit in 0..count {
            if self.used == 0 {
                self.bytes.push(0);
            }
            if let Some(last) = self.bytes.last_mut() {
                *last |= u8::from(value >> bit & 1 == 1) << self.used;
            }
            self.used = (self.used + 1) % 8;
        }
    }

    fn push_reversed(&mut self, value: u32, count: u32) {
        self.push(value.reverse_bits() >> (32 - count), count);
    }
}

fn crc_of_spaces(length: u64) -> u32 {
    let table: Vec<u32> = (0..256_u32)
        .map(|byte| {
            (0..8).fold(byte, |crc, _| if crc & 1 == 1 { 0xedb8_8320 ^ (crc >> 1) } else { crc >> 1 })
        })
        .collect();
    let mut crc = u32::MAX;
    for _ in 0..length {
        crc = table[((crc ^ u32::from(b' ')) & 0xff) as usize] ^ (crc >> 8);
    }
    !crc
}

#[cfg(test)]
mod tests {
    use super::spaces;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The bytes were unpacked with another implementation and found to be spaces.
    #[test]
    fn the_stream_is_gzip() {
        assert_eq!(hex(&spaces(0)), "1f8b08000000000000ff03000000000000000000");
        assert_eq!(hex(&spaces(2)), "1f8b08000000000000ff53500000951633ef02000000");
        let run = "1f8b08000000000000ff5318050a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a00f8a503872c010000";
        assert_eq!(hex(&spaces(300)), run);
        assert!(spaces(1_000_000).len() < 7_000);
    }
}
