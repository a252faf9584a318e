//! Times and sizes in units that a person reads, and counted things.

use std::time::Duration;

/// `340 ms`, `1.2 s`, `2 min 5 s`.
pub(crate) fn time(duration: Duration) -> String {
    let milliseconds = duration.as_millis();
    let tenths = (milliseconds + 50) / 100;
    match milliseconds {
        0..1_000 => format!("{milliseconds} ms"),
        1_000..59_950 => format!("{}.{} s", tenths / 10, tenths % 10),
        _ => {
            let seconds = (milliseconds + 500) / 1_000;
            match (seconds / 60, seconds % 60) {
                (minutes, 0) => format!("{minutes} min"),
                (minutes, seconds) => format!("{minutes} min {seconds} s"),
            }
        }
    }
}

/// `12 B`, `3.4 kB`, `120 MB`, in powers of a thousand.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    if bytes < 1_000 {
        return format!("{bytes} B");
    }
    let mut tenths = (bytes + 50) / 100;
    let mut unit = 0;
    while tenths >= 10_000 && unit + 1 < UNITS.len() {
        tenths = (tenths + 500) / 1_000;
        unit += 1;
    }
    match tenths {
        0..1_000 => format!("{}.{} {}", tenths / 10, tenths % 10, UNITS[unit]),
        _ => format!("{} {}", (tenths + 5) / 10, UNITS[unit]),
    }
}

/// `1 call`, `2 calls`.
pub(crate) fn counted(count: usize, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests;
