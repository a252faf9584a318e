//! Whether a name can only be another one misspelt.

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
    use super::is_slip;

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
}
