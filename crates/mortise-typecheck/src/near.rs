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

/// Names that look like a slip of another and are words themselves: `county` beside `country`.
const WORDS: [&str; 9] = ["angel", "county", "desert", "form", "from", "latter", "local", "trail", "trial"];
const VOWELS: [char; 5] = ['a', 'e', 'i', 'o', 'u'];

/// Whether a name can only be another one misspelt: two letters swapped, a letter doubled or left out in the middle, or
/// the same letters in another style. `uri` for `url`, `ids` for `id` and `update` for `updated` are names too.
pub(crate) fn is_slip(name: &str, meant: &str) -> bool {
    let plain = |text: &str| text.to_lowercase().replace(['_', '-'], "");
    if name != meant && plain(name) == plain(meant) {
        return true;
    }
    let (name, meant) = (name.to_lowercase(), meant.to_lowercase());
    if WORDS.contains(&name.as_str()) {
        return false;
    }
    let (name, meant): (Vec<char>, Vec<char>) = (name.chars().collect(), meant.chars().collect());
    let same = name.iter().zip(&meant).take_while(|(one, other)| one == other).count();
    let is_inside = |letters: &[char]| same > 0 && same + 1 < letters.len();
    if name.len() == meant.len() {
        let is_swapped =
            same + 1 < name.len() && name[same] == meant[same + 1] && name[same + 1] == meant[same];
        return is_swapped && name[same + 2..] == meant[same + 2..] && name.len() >= 4;
    }
    if name.len() + 1 == meant.len() && name[same..] == meant[same + 1..] {
        let lost = meant[same];
        let is_vowel = |at: usize| meant.get(at).is_some_and(|letter| VOWELS.contains(letter));
        let is_doubled = same > 0 && meant[same - 1] == lost;
        let is_lone_vowel = same > 0 && is_vowel(same) && !is_vowel(same - 1) && !is_vowel(same + 1);
        let is_last = same + 1 == meant.len();
        return match meant.len() {
            0..5 => false,
            5..7 => is_doubled || (is_lone_vowel && !is_last),
            _ => is_doubled || is_inside(&meant) || (is_last && lost == 'e'),
        };
    }
    if name.len() == meant.len() + 1 && name[same + 1..] == meant[same..] {
        let is_doubled = same > 0 && name[same] == name[same - 1];
        return meant.len() >= 4 && is_doubled && name[same] != 's' || meant.len() >= 6 && is_inside(&name);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{is_slip, nearest};

    #[test]
    fn a_slip_is_not_another_name() {
        for (name, meant) in [
            ("nmae", "name"),
            ("revenu", "revenue"),
            ("reveneu", "revenue"),
            ("revene", "revenue"),
            ("totall", "total"),
            ("ammount", "amount"),
            ("adress", "address"),
            ("symbl", "symbol"),
            ("prce", "price"),
            ("fullName", "full_name"),
            ("placedAt", "placed_at"),
            ("REVENUE", "revenue"),
            ("descripton", "description"),
        ] {
            assert!(is_slip(name, meant), "{name} for {meant}");
        }
        for (name, meant) in [
            ("uri", "url"),
            ("ids", "id"),
            ("id", "ids"),
            ("tag", "tags"),
            ("users", "user"),
            ("update", "updated"),
            ("closed", "close"),
            ("prize", "price"),
            ("content", "context"),
            ("county", "country"),
            ("local", "locale"),
            ("form", "from"),
            ("date", "data"),
            ("mail", "email"),
            ("ctime", "mtime"),
            ("state", "status"),
            ("count", "country"),
            ("title", "titles"),
            ("tile", "title"),
            ("iid", "id"),
            ("name", "name"),
            ("expires", "expired"),
            ("address", "addresses"),
        ] {
            assert!(!is_slip(name, meant), "{name} for {meant}");
        }
    }

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
