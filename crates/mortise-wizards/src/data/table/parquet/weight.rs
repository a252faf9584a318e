//! What a Parquet page takes in memory once it is decoded, which may be far more than its bytes.
//!
//! The library believes the numbers in a page: it makes room for as many dictionary entries, lengths and levels
//! as are declared, and a run of equal levels makes a row of any length out of four bytes.

use parquet::basic::Type as PhysicalType;

/// An entry of a dictionary of texts, or a text of a row, beside its bytes.
const TEXT_BYTES: u64 = 32;
/// A value of a row with repeated values: its levels, the value, the field that is made of it, and the JSON of that.
const VALUE_BYTES: u64 = 256;
/// How often a text of such a row is copied on the way to the cell.
const COPIES: u64 = 3;
const LENGTH_BYTES: u64 = 4;

/// A page that says what can't be.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Damage {
    #[error("a dictionary of {bytes} bytes can't have {values} values")]
    Dictionary { bytes: usize, values: u32 },
    #[error("a page of {values} values can't have {lengths} lengths")]
    Lengths { lengths: u64, values: u32 },
    #[error("a page ends in the middle of its lengths")]
    CutLengths,
    #[error("the levels of a page are damaged")]
    Levels,
    #[error("a page has the encoding {encoding}, which its column does not declare")]
    Undeclared { encoding: String },
}

/// A dictionary as it is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Dictionary {
    /// What it takes beside its page.
    pub(super) bytes: u64,
    /// The length of its longest text.
    pub(super) longest: u64,
}

/// Weighs a dictionary of `values` values of a type, which has `width` bytes where its length is fixed.
pub(super) fn dictionary(
    page: &[u8],
    values: u32,
    kind: PhysicalType,
    width: i32,
) -> Result<Dictionary, Damage> {
    let width = u64::try_from(width).unwrap_or_default();
    let (least, decoded) = match kind {
        PhysicalType::BOOLEAN => (1, 1),
        PhysicalType::INT32 | PhysicalType::FLOAT => (4, 4),
        PhysicalType::INT64 | PhysicalType::DOUBLE => (8, 8),
        PhysicalType::INT96 => (12, 12),
        PhysicalType::BYTE_ARRAY => (4, TEXT_BYTES),
        PhysicalType::FIXED_LEN_BYTE_ARRAY => (width.max(1), TEXT_BYTES),
    };
    if u64::from(values) * least > page.len() as u64 {
        return Err(Damage::Dictionary { bytes: page.len(), values });
    }
    let longest = match kind {
        PhysicalType::BYTE_ARRAY => longest_text(page),
        PhysicalType::FIXED_LEN_BYTE_ARRAY => width,
        _ => 0,
    };
    Ok(Dictionary { bytes: u64::from(values) * decoded, longest })
}

/// Texts stand one after another, each behind its length.
fn longest_text(mut page: &[u8]) -> u64 {
    let mut longest = 0;
    while let Some((length, rest)) = page.split_first_chunk() {
        let length = u32::from_le_bytes(*length) as usize;
        let Some(rest) = rest.get(length..) else { break };
        longest = longest.max(length as u64);
        page = rest;
    }
    longest
}

/// What the lengths at the beginning of a page take: one list of them for texts, two where texts share their
/// beginnings.
pub(super) fn lengths(page: &[u8], values: u32, lists: usize) -> Result<u64, Damage> {
    let mut rest = page;
    let mut bytes = 0;
    for _ in 0..lists {
        let list = DeltaList::of(rest).ok_or(Damage::CutLengths)?;
        if list.count > u64::from(values) {
            return Err(Damage::Lengths { lengths: list.count, values });
        }
        bytes += list.count * LENGTH_BYTES;
        rest = list.end().ok_or(Damage::CutLengths)?;
    }
    Ok(bytes)
}

/// A list of numbers, each as its difference to the one before.
struct DeltaList<'a> {
    /// How many numbers.
    count: u64,
    /// Parts of a block.
    parts: usize,
    /// Numbers of such a part.
    length: u64,
    blocks: &'a [u8],
}

impl<'a> DeltaList<'a> {
    fn of(mut page: &'a [u8]) -> Option<Self> {
        let block = varint(&mut page)?;
        let parts = varint(&mut page)?;
        let count = varint(&mut page)?;
        // The first number stands before the blocks.
        varint(&mut page)?;
        let length = block.checked_div(parts).filter(|length| *length > 0)?;
        Some(Self { count, parts: usize::try_from(parts).ok()?, length, blocks: page })
    }

    /// What stands after it.
    fn end(&self) -> Option<&'a [u8]> {
        let mut rest = self.blocks;
        let mut left = self.count.saturating_sub(1);
        while left > 0 {
            varint(&mut rest)?;
            let (widths, data) = rest.split_at_checked(self.parts)?;
            let mut bytes = 0_u64;
            for width in widths {
                // The widths of what is not needed any more mean nothing.
                if left > 0 {
                    bytes = bytes.checked_add(u64::from(*width).checked_mul(self.length)? / 8)?;
                }
                left = left.saturating_sub(self.length);
            }
            rest = data.get(usize::try_from(bytes).ok()?..)?;
        }
        Some(rest)
    }
}

/// The values of the longest row; `levels` show where rows begin. `open` counts the values of a row that an
/// earlier page began.
pub(super) fn longest_row(
    mut levels: &[u8],
    values: u32,
    highest: i16,
    open: &mut u64,
) -> Result<u64, Damage> {
    let width = i16::BITS - highest.leading_zeros();
    let mut longest = *open;
    let mut left = u64::from(values);
    let mut add = |is_new: bool, count: u64| {
        match is_new {
            // Each value is a row of its own.
            true => *open = 1,
            false => *open += count,
        }
        longest = longest.max(*open);
    };
    while left > 0 {
        // The library gives up where they end.
        let Some(run) = varint(&mut levels) else { break };
        let run = u32::try_from(run).map_err(|_| Damage::Levels)?;
        let half = u64::from(run >> 1);
        if run & 1 == 0 {
            let (level, rest) = levels.split_at_checked(width.div_ceil(8) as usize).ok_or(Damage::Levels)?;
            levels = rest;
            let count = half.min(left);
            if count > 0 {
                add(level.iter().all(|byte| *byte == 0), count);
            }
            left -= count;
            continue;
        }
        let bytes = usize::try_from(half * u64::from(width)).map_err(|_| Damage::Levels)?;
        let (packed, rest) = levels.split_at(bytes.min(levels.len()));
        levels = rest;
        let count = (half * 8).min(left);
        for index in 0..count {
            add(level_at(packed, index, width) == 0, 1);
        }
        left -= count;
    }
    Ok(longest)
}

fn level_at(packed: &[u8], index: u64, width: u32) -> u32 {
    let bits = index * u64::from(width)..(index + 1) * u64::from(width);
    bits.enumerate().fold(0, |level, (place, bit)| {
        let byte =
            usize::try_from(bit / 8).ok().and_then(|byte| packed.get(byte)).copied().unwrap_or_default();
        level | u32::from(byte >> (bit % 8) & 1) << place
    })
}

/// What the values of a row take, of which each is a text of a dictionary or not.
pub(super) fn row(values: u64, longest_text: u64) -> u64 {
    values.saturating_mul(longest_text.saturating_mul(COPIES).saturating_add(VALUE_BYTES))
}

fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..63).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests;
