use super::*;

#[test]
fn a_dictionary_has_no_more_values_than_fit() {
    let page = [&3_u32.to_le_bytes()[..], b"abc", &1_u32.to_le_bytes(), b"d"].concat();
    let texts = |values| dictionary(&page, values, PhysicalType::BYTE_ARRAY, 0);
    assert_eq!(texts(2), Ok(Dictionary { bytes: 64, longest: 3 }));
    assert_eq!(texts(4), Err(Damage::Dictionary { bytes: 12, values: 4 }));
    assert_eq!(dictionary(&page, 3, PhysicalType::INT32, 0), Ok(Dictionary { bytes: 12, longest: 0 }));
    assert_eq!(
        dictionary(&page, 6, PhysicalType::FIXED_LEN_BYTE_ARRAY, 2),
        Ok(Dictionary { bytes: 192, longest: 2 })
    );
    // A width of nothing fits any number of times.
    let widthless = dictionary(&page, u32::MAX, PhysicalType::FIXED_LEN_BYTE_ARRAY, 0);
    assert!(matches!(widthless, Err(Damage::Dictionary { .. })));
}

/// A list of differences: the header, then one block of four bytes of widths, all of which are zero.
fn list(count: &[u8]) -> Vec<u8> {
    [&[0x80, 0x01, 0x04], count, &[0x00, 0x00, 0, 0, 0, 0]].concat()
}

#[test]
fn there_are_no_more_lengths_than_values() {
    assert_eq!(lengths(&list(&[100]), 100, 1), Ok(400));
    assert_eq!(lengths(&list(&[101]), 100, 1), Err(Damage::Lengths { lengths: 101, values: 100 }));
    // The second list begins where the first ends.
    assert_eq!(lengths(&[list(&[100]), list(&[99])].concat(), 100, 2), Ok(796));
    let many = [0xff, 0xff, 0xff, 0xff, 0xff, 0x1f];
    let refused = lengths(&[list(&[100]), list(&many)].concat(), 100, 2);
    assert_eq!(refused, Err(Damage::Lengths { lengths: (1 << 40) - 1, values: 100 }));
    for cut in [&list(&[100])[..5], &[0x80, 0x01, 0x00, 0x05, 0x00], &[0x02, 0x04, 0x05, 0x00, 0, 0, 0, 0, 0]]
    {
        assert_eq!(lengths(cut, 100, 1), Err(Damage::CutLengths), "{cut:?}");
    }
    // One number needs no block.
    assert_eq!(lengths(&[0x80, 0x01, 0x04, 0x01, 0x00], 1, 1), Ok(4));
}

#[track_caller]
fn check_row(levels: &[u8], values: u32, open: u64, expected: (Result<u64, Damage>, u64)) {
    let mut row = open;
    let longest = longest_row(levels, values, 1, &mut row);
    assert_eq!((longest, row), expected);
}

#[test]
fn the_longest_row_is_found_in_runs_and_in_bits() {
    // One row of one value, then a run of 30 more.
    check_row(&[0x02, 0, 60, 1], 31, 0, (Ok(31), 31));
    // The run says more than the page has.
    check_row(&[0x02, 0, 60, 1], 5, 0, (Ok(5), 5));
    // Rows of 3, 1, 2 and 2 values in eight bits.
    check_row(&[0x03, 0b1010_0110], 8, 0, (Ok(3), 2));
    // A row that began in the page before.
    check_row(&[0x04, 1, 0x06, 0], 5, 7, (Ok(9), 1));
    check_row(&[], 5, 7, (Ok(7), 7));
    check_row(&[0x80, 0x80, 0x80, 0x80, 0x20, 0], 5, 0, (Err(Damage::Levels), 0));
    check_row(&[0x04], 5, 0, (Err(Damage::Levels), 0));
}
