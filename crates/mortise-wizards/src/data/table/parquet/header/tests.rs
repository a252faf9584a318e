use super::*;

/// A data page of 21 bytes, 12 compressed, with statistics, as the library writes it.
const PAGE: &[u8] = &[
    0x15, 0x00, 0x15, 0x2a, 0x15, 0x18, 0x2c, 0x15, 0x02, 0x15, 0x00, 0x15, 0x06, 0x15, 0x06, 0x1c, 0x18,
    0x01, b'a', 0x18, 0x01, b'b', 0x00, 0x00, 0x00,
];

#[track_caller]
fn check(header: &[u8], expected: Result<u64, io::ErrorKind>) {
    let mut input = header.to_vec();
    input.extend_from_slice(b"content");
    let read = read(input.as_slice());
    assert_eq!(read.map(|header| header.page_bytes).map_err(|error| error.kind()), expected);
}

/// The page with a field changed.
fn with(place: usize, old: &[u8], new: &[u8]) -> Vec<u8> {
    assert_eq!(&PAGE[place..place + old.len()], old);
    [&PAGE[..place], new, &PAGE[place + old.len()..]].concat()
}

#[test]
fn the_larger_size_is_told_and_the_content_left() {
    let mut input = [PAGE, b"content"].concat();
    assert_eq!(read(input.as_slice()).unwrap(), Header { bytes: PAGE.to_vec(), page_bytes: 21 });
    input.truncate(PAGE.len() - 1);
    assert_eq!(read(input.as_slice()).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    check(&with(5, &[0x18], &[0x7a]), Ok(61));
    check(&with(3, &[0x2a], &[0xfe, 0xff, 0xff, 0xff, 0x0f]), Ok(2_147_483_647));
}

#[test]
fn what_two_readers_could_see_differently_is_damage() {
    let damaged = Err(io::ErrorKind::InvalidData);
    // A size that is negative, or only fits when its upper bits are cut off.
    check(&with(3, &[0x2a], &[0x29]), damaged);
    check(&with(3, &[0x2a], &[0x80, 0x80, 0x80, 0x80, 0x10]), damaged);
    // The size as bytes, which hide a second size; and a number of the page the same way.
    check(&with(2, &[0x15], &[0x18]), damaged);
    check(&with(7, &[0x15], &[0x18]), damaged);
    // A list, an index page, a number without an end.
    check(&with(24, &[0x00], &[0x59, 0x15, 0x00]), damaged);
    check(&with(6, &[0x2c], &[0x3c]), damaged);
    check(&with(3, &[0x2a], &[0xff; 11]), damaged);
    // Structures without an end.
    check(&[0x9c; 100], damaged);
    // The size a second time: the larger one counts.
    check(&with(24, &[0x00], &[0x05, 0x04, 0xc8, 0x01, 0x00]), Ok(100));
}

#[test]
fn a_header_has_an_end() {
    let long = with(16, &[0x18, 0x01, b'a'], &[0x18, 0x80, 0x80, 0x80, 0x01]);
    let input = long.as_slice().chain(io::repeat(0));
    assert_eq!(read(input).unwrap_err().kind(), io::ErrorKind::InvalidData);
}
