use super::*;

fn formats(text: &str) -> Vec<&'static str> {
    let fits = fitting(text);
    DateFormat::all().filter(|format| fits & (1 << format.index()) != 0).map(DateFormat::as_str).collect()
}

#[test]
fn every_format_that_reads_a_real_day_is_found() {
    for (text, expected) in [
        ("2024-01-15", &["%Y-%m-%d"] as &[&str]),
        ("2024-1-5", &["%Y-%m-%d"]),
        ("15/05/2024", &["%d/%m/%Y"]),
        ("05/06/2024", &["%d/%m/%Y", "%m/%d/%Y"]),
        ("1/5/2024", &["%d/%m/%Y", "%m/%d/%Y"]),
        ("31/05/24", &["%d/%m/%y", "%y/%m/%d"]),
        ("05/06/07", &["%d/%m/%y", "%m/%d/%y", "%y/%m/%d"]),
        ("15.05.2024", &["%d.%m.%Y"]),
        ("12-25-24", &["%m-%d-%y"]),
        ("20240115", &["%Y%m%d"]),
        ("240115", &["%y%m%d"]),
        ("2024-02-30", &[]),
        ("29/02/2023", &[]),
        ("1/5/24", &[]),
        ("2024-01/15", &[]),
        ("2024-01-", &[]),
        ("12345678901", &[]),
        ("ab-cd-efgh", &[]),
        ("２０２４", &[]),
    ] {
        assert_eq!(formats(text), expected, "{text}");
    }
}

#[test]
fn two_digit_years_turn_at_seventy() {
    let year = |text: &str| DateFormat::parse("%d/%m/%y").unwrap().read(text).map(|day| day.year());
    assert_eq!((year("01/01/70"), year("01/01/69")), (Some(1970), Some(2069)));
}

#[test]
fn times_are_real_times() {
    for (text, expected) in [
        ("23:59", Some("%H:%M")),
        ("00:00:59", Some("%H:%M:%S")),
        ("12:30:00.25", Some("%H:%M:%S.%f")),
        ("3:45 PM", Some("%I:%M %p")),
        ("12:00:00 am", Some("%I:%M:%S %p")),
        ("24:00", None),
        ("25:00", None),
        ("12:60", None),
        ("1:30", None),
        ("12:30:00.123456", Some("%H:%M:%S.%f")),
        ("12:30:00.1234567", None),
        ("12:30:00.", None),
        ("13:00 PM", None),
        ("12:30:61", None),
        ("a:b", None),
    ] {
        assert_eq!(time_of_day(text).map(|time| time.format.text()).as_deref(), expected, "{text}");
    }
    let hours = |text: &str| time_of_day(text).map(|time| time.micros / 3_600_000_000);
    assert_eq!((hours("12:00 AM"), hours("12:00 PM"), hours("3:00 PM")), (Some(0), Some(12), Some(15)));
}

#[test]
fn moments_have_a_day_a_time_and_maybe_a_zone() {
    for (text, expected) in [
        ("2024-01-15T10:00:00Z", Some("%Y-%m-%dT%H:%M:%S%z")),
        ("2024-01-15 10:00", Some("%Y-%m-%d %H:%M")),
        ("2024-01-15 10:00:00.123456+02:00", Some("%Y-%m-%d %H:%M:%S.%f%z")),
        ("2024-01-15 10:00:00 -0500", Some("%Y-%m-%d %H:%M:%S %z")),
        ("2024-01-15 10:00:00 PM", Some("%Y-%m-%d %I:%M:%S %p")),
        ("2024-01-15 10:00:00.1234567", None),
        ("Note: see 10:00", None),
        ("2024-01-15", None),
        ("2024-01-15T10:00:00+25:00", None),
    ] {
        let format = moment(text).and_then(|moment| {
            DateFormat::parse("%Y-%m-%d")?.read(moment.day).map(|_| moment.format.text(DateFormat(0)))
        });
        assert_eq!(format.as_deref(), expected, "{text}");
    }
    assert_eq!(moment("2024-01-15T10:00:00-05:30").unwrap().offset, Some(-330));
}
