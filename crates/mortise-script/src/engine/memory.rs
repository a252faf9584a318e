//! Checked access to a guest's memory. Every pointer and length comes from the guest and may be a lie.

use super::errno::Errno;

/// A guest's whole memory.
pub(super) struct GuestMemory<'a>(pub(super) &'a mut [u8]);

/// The most buffers one read or write may name.
const MOST_BUFFERS: u32 = 1024;

impl GuestMemory<'_> {
    pub(super) fn bytes(&self, pointer: u32, length: u32) -> Result<&[u8], Errno> {
        let start = pointer as usize;
        let end = start.checked_add(length as usize).ok_or(Errno::FAULT)?;
        self.0.get(start..end).ok_or(Errno::FAULT)
    }

    pub(super) fn bytes_mut(&mut self, pointer: u32, length: u32) -> Result<&mut [u8], Errno> {
        let start = pointer as usize;
        let end = start.checked_add(length as usize).ok_or(Errno::FAULT)?;
        self.0.get_mut(start..end).ok_or(Errno::FAULT)
    }

    pub(super) fn text(&self, pointer: u32, length: u32) -> Result<&str, Errno> {
        std::str::from_utf8(self.bytes(pointer, length)?).map_err(|_| Errno::ILSEQ)
    }

    pub(super) fn read_u16(&self, pointer: u32) -> Result<u16, Errno> {
        Ok(u16::from_le_bytes(self.array(pointer)?))
    }

    pub(super) fn read_u32(&self, pointer: u32) -> Result<u32, Errno> {
        Ok(u32::from_le_bytes(self.array(pointer)?))
    }

    pub(super) fn read_u64(&self, pointer: u32) -> Result<u64, Errno> {
        Ok(u64::from_le_bytes(self.array(pointer)?))
    }

    pub(super) fn write(&mut self, pointer: u32, bytes: &[u8]) -> Result<(), Errno> {
        let length = u32::try_from(bytes.len()).map_err(|_| Errno::FAULT)?;
        self.bytes_mut(pointer, length)?.copy_from_slice(bytes);
        Ok(())
    }

    pub(super) fn write_u32(&mut self, pointer: u32, value: u32) -> Result<(), Errno> {
        self.write(pointer, &value.to_le_bytes())
    }

    pub(super) fn write_u64(&mut self, pointer: u32, value: u64) -> Result<(), Errno> {
        self.write(pointer, &value.to_le_bytes())
    }

    /// The buffers of a vectored read or write, as pointer and length, each inside the memory.
    pub(super) fn buffers(&self, pointer: u32, count: u32) -> Result<Vec<(u32, u32)>, Errno> {
        if count > MOST_BUFFERS {
            return Err(Errno::INVAL);
        }
        (0..count)
            .map(|index| {
                let entry = pointer.checked_add(index * 8).ok_or(Errno::FAULT)?;
                let (start, length) = (self.read_u32(entry)?, self.read_u32(entry.wrapping_add(4))?);
                self.bytes(start, length)?;
                Ok((start, length))
            })
            .collect()
    }

    fn array<const N: usize>(&self, pointer: u32) -> Result<[u8; N], Errno> {
        let length = u32::try_from(N).map_err(|_| Errno::FAULT)?;
        self.bytes(pointer, length)?.try_into().map_err(|_| Errno::FAULT)
    }
}

#[cfg(test)]
mod tests;
