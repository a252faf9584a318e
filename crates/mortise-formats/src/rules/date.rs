//! Days as texts: formats and the calendar.

/// A day as `2024-01-15`.
pub(super) const ISO_FORMAT: &str = "%Y-%m-%d";

/// Whether a strftime format says year, month and day, with directives that rules may use.
///
/// Allowed are `%Y %y %m %b %B %d %F %H %M %S %%`.
pub fn is_date_format(format: &str) -> bool {
    let (mut year, mut month, mut day) = (false, false, false);
    let mut characters = format.chars();
    while let Some(character) = characters.next() {
        if character != '%' {
            continue;
        }
        match characters.next() {
            Some('Y' | 'y') => year = true,
            Some('m' | 'b' | 'B') => month = true,
            Some('d') => day = true,
            Some('F') => (year, month, day) = (true, true, true),
            Some('H' | 'M' | 'S' | '%') => {}
            _ => return false,
        }
    }
    year && month && day
}

/// Whether a text is a day of the calendar as `YYYY-MM-DD`.
pub fn is_iso_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    let shaped = bytes.len() == 10
        && bytes.iter().enumerate().all(|(index, byte)| match index {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    if !shaped {
        return false;
    }
    let part = |range: std::ops::Range<usize>| text[range].parse::<u32>().unwrap_or(0);
    let (year, month, day) = (part(0..4), part(5..7), part(8..10));
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => 0,
    };
    (1..=days).contains(&day)
}
