//! The name that was meant.

/// The nearest of some names: at most two letters off, and less than half of the longer name.
///
/// Two letters swapped count as one, and case does not count. Short names are near nothing: `ip` is no misspelt `id`.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let distance = |other: &str| {
        if name.to_lowercase() == other.to_lowercase() {
            return Some(0);
        }
        let distance = strsim::osa_distance(name, other);
        let longer = name.chars().count().max(other.chars().count());
        (distance <= 2 && distance * 2 < longer).then_some(distance)
    };
    known
        .into_iter()
        .filter(|other| *other != name && other.len().abs_diff(name.len()) <= 8)
        .filter_map(|other| Some((distance(other)?, other)))
        .min()
        .map(|(_, other)| other)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_misspelt_name_is_near_and_a_short_one_is_not() {
        let known = ["revenue", "id", "full_name", "name"];
        let rows = [
            ("revenu", Some("revenue")),
            ("revneue", Some("revenue")),
            ("fullName", Some("full_name")),
            ("nmae", Some("name")),
            ("ip", None),
            ("Id", Some("id")),
            ("REVENUE", Some("revenue")),
            ("profit", None),
            ("revenue", None),
        ];
        for (name, expected) in rows {
            assert_eq!(nearest(name, known), expected, "{name}");
        }
    }
}
