//! Words that mean that there is no value.

/// The words that mean a missing value: by default the empty text, `null` in any case, `NA` and `N/A`.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct NullTokens {
    /// Instead of the usual ones.
    own: Option<Vec<String>>,
}

impl NullTokens {
    /// These words and no others.
    pub fn only(words: impl IntoIterator<Item = String>) -> Self {
        Self { own: Some(words.into_iter().collect()) }
    }

    /// The words as they are written. Where [`Self::has_null_in_any_case`], `null` is missing besides.
    pub fn words(&self) -> Vec<String> {
        match &self.own {
            Some(words) => words.clone(),
            None => ["", "NA", "N/A"].map(str::to_owned).to_vec(),
        }
    }

    /// Whether `null` means a missing value, in upper or lower case.
    pub fn has_null_in_any_case(&self) -> bool {
        self.own.is_none()
    }

    /// Whether a text without spaces around it means a missing value.
    pub fn contains(&self, text: &str) -> bool {
        match &self.own {
            Some(words) => words.iter().any(|word| word == text),
            None => match text.len() {
                0 => true,
                2 => text == "NA",
                3 => text == "N/A",
                4 => text.eq_ignore_ascii_case("null"),
                _ => false,
            },
        }
    }
}

/// Whether a word is often a missing value, though not always: a person is asked.
pub(crate) fn is_suspect(text: &str) -> bool {
    matches!(
        text,
        "-" | "--" | "None" | "none" | "NONE" | "NaN" | "nan" | "#N/A" | "n/a" | "na" | "?" | "." | "#NULL!"
    )
}
