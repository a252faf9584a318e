use super::*;

#[track_caller]
fn check_day(format: &str, text: &str, expected: Option<&str>) {
    let day = Strptime::new(format).day(text).map(|day| day.to_string());
    assert_eq!(day.as_deref(), expected, "{text} as {format}");
}

#[test]
fn days_are_read_in_any_format() {
    check_day("%d %b %Y", "05 Jan 2024", Some("2024-01-05"));
    check_day("%d %b %Y", "5 JAN 2024", Some("2024-01-05"));
    check_day("%d %b %Y", "31 Feb 2024", None);
    check_day("%B %d, %Y", "March 9, 2024", Some("2024-03-09"));
    check_day("%Y-%j", "2024-366", Some("2024-12-31"));
    check_day("%Y.%m", "2024.03", Some("2024-03-01"));
    check_day("%d%b%y", "01Jan69", Some("2069-01-01"));
    check_day("%d%b%y", "01Jan70", Some("1970-01-01"));
    check_day("100%% %Y-%m-%d", "100% 2024-01-05", Some("2024-01-05"));
}

#[test]
fn moments_have_fractions_zones_and_halves_of_days() {
    let moment = |format: &str, text: &str| Strptime::new(format).moment(text);
    assert_eq!(moment("%d %b %Y %H:%M", "02 Jan 1970 00:01"), Some((86_460_000_000, false)));
    assert_eq!(moment("%d %b %Y %I %p", "01 Jan 1970 1 PM"), Some((46_800_000_000, false)));
    assert_eq!(moment("%d %b %Y %H:%M:%S.%f", "01 Jan 1970 00:00:00.5"), Some((500_000, false)));
    assert_eq!(moment("%d %b %Y %H:%M:%S,%f", "01 Jan 1970 00:00:00,000005"), Some((5, false)));
    assert_eq!(moment("%d %b %Y %H:%M %z", "01 Jan 1970 01:00 +0100"), Some((0, true)));
    assert_eq!(moment("%d %b %Y %H:%M%z", "01 Jan 1970 00:00Z"), Some((0, true)));
    assert_eq!(moment("%d %b %Y %H:%M", "01 Jan 1970"), None);
}

#[test]
fn times_are_read_in_any_format() {
    assert_eq!(Strptime::new("%H.%M").time("01.30"), Some(5_400_000_000));
    assert_eq!(Strptime::new("%H%M%S").time("000001"), Some(1_000_000));
    assert_eq!(Strptime::new("%H%M").time("2500"), None);
}

#[test]
fn formats_have_directives_that_python_knows() {
    for format in ["%Y-%m-%d", "%d %b %Y", "%Y-%m-%d|%d/%m/%Y", "%H:%M", "100%% %Y", "%G-W%V-%u"] {
        assert!(is_time_format(format), "{format}");
    }
    for format in ["", "%", "%Q-%m", "%Y-%m-%d|", "year", "%%"] {
        assert!(!is_time_format(format), "{format}");
    }
}
