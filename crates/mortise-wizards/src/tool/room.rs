//! How much of a list fits into a result.

use serde::Serialize;

/// The first items whose JSON fits into `bytes`, and how many are left over.
pub(crate) fn fitting<T: Serialize>(items: impl IntoIterator<Item = T>, bytes: usize) -> (Vec<T>, usize) {
    let (mut kept, mut left) = (Vec::new(), bytes);
    let mut items = items.into_iter();
    for item in items.by_ref() {
        match left.checked_sub(size(&item)) {
            Some(rest) => left = rest,
            None => return (kept, items.count() + 1),
        }
        kept.push(item);
    }
    (kept, 0)
}

/// What a value takes in a list.
pub(crate) fn size(value: &(impl Serialize + ?Sized)) -> usize {
    serde_json::to_string(value).map_or(0, |text| text.len() + 1)
}

#[cfg(test)]
mod tests {
    use super::fitting;

    #[test]
    fn the_first_that_fit_are_kept_and_the_rest_is_counted() {
        assert_eq!(fitting(["a", "b", "c"], 8), (vec!["a", "b"], 1));
        assert_eq!(fitting(["a", "b", "c"], 12), (vec!["a", "b", "c"], 0));
        assert_eq!(fitting(["too long", "b", "c"], 8), (vec![], 3));
        assert_eq!(fitting([""; 0], 0), (vec![], 0));
    }
}
