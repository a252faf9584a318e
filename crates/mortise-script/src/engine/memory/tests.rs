use super::*;

#[test]
fn everything_outside_the_memory_is_a_fault() {
    let mut bytes = [0_u8; 16];
    let mut memory = GuestMemory(&mut bytes);
    for (pointer, length) in [(0, 17), (16, 1), (17, 0), (u32::MAX, 1), (1, u32::MAX), (u32::MAX, u32::MAX)] {
        assert_eq!(memory.bytes(pointer, length), Err(Errno::FAULT), "{pointer} {length}");
        assert!(memory.bytes_mut(pointer, length).is_err());
    }
    assert_eq!(memory.read_u32(13), Err(Errno::FAULT));
    assert_eq!(memory.read_u64(9), Err(Errno::FAULT));
    assert_eq!(memory.write_u32(u32::MAX - 1, 1), Err(Errno::FAULT));
    assert_eq!(memory.bytes(16, 0), Ok(&[][..]));
}

#[test]
fn a_buffer_list_is_checked_entry_by_entry() {
    let mut bytes = [0_u8; 32];
    let mut memory = GuestMemory(&mut bytes);
    memory.write_u32(0, 24).unwrap();
    memory.write_u32(4, 8).unwrap();
    memory.write_u32(8, 24).unwrap();
    memory.write_u32(12, 9).unwrap();
    assert_eq!(memory.buffers(0, 1), Ok(vec![(24, 8)]));
    assert_eq!(memory.buffers(0, 2), Err(Errno::FAULT));
    assert_eq!(memory.buffers(0, 1025), Err(Errno::INVAL));
    assert_eq!(memory.buffers(u32::MAX - 3, 1), Err(Errno::FAULT));
}
