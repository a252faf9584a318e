//! JSON objects put together from the texts of their members, so that every digit survives.

use serde_json::Value;

use super::RawJson;

/// An object under construction: members in order, each value verbatim. Invariant: no name occurs twice.
///
/// ```
/// use mortise_contract::json::{RawJson, RawObject};
///
/// let sent = RawJson::parse(r#"{"price": 1.10, "old": true}"#)?;
/// let mut object = RawObject::of(&sent).unwrap_or_default();
/// object.remove("old");
/// object.set("currency", RawJson::string("EUR"));
/// assert_eq!(object.into_json().text(), r#"{"price":1.10,"currency":"EUR"}"#);
/// # Ok::<(), mortise_contract::json::JsonError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawObject(Vec<(String, RawJson)>);

impl RawObject {
    /// The members of an object as their sender wrote them; of a repeated name the last value, which parsers keep.
    ///
    /// `None` for anything but an object.
    pub fn of(raw: &RawJson) -> Option<Self> {
        Some(raw.members().ok()?.into_iter().collect())
    }

    /// Sets a member, in its place if it is there.
    pub fn set(&mut self, name: &str, value: RawJson) {
        match self.0.iter_mut().find(|(own, _)| own == name) {
            Some((_, own)) => *own = value,
            None => self.0.push((name.to_owned(), value)),
        }
    }

    /// The object with this member set.
    #[must_use]
    pub fn with(mut self, name: &str, value: RawJson) -> Self {
        self.set(name, value);
        self
    }

    /// The value of a member.
    pub fn get(&self, name: &str) -> Option<&RawJson> {
        self.0.iter().find(|(own, _)| own == name).map(|(_, value)| value)
    }

    /// Takes a member out.
    pub fn remove(&mut self, name: &str) -> Option<RawJson> {
        let at = self.0.iter().position(|(own, _)| own == name)?;
        Some(self.0.remove(at).1)
    }

    /// Whether there are no members.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The members in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &RawJson)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// The object as one text.
    pub fn into_json(self) -> RawJson {
        RawJson::object(self.iter())
    }
}

impl Extend<(String, RawJson)> for RawObject {
    fn extend<T: IntoIterator<Item = (String, RawJson)>>(&mut self, members: T) {
        members.into_iter().for_each(|(name, value)| self.set(&name, value));
    }
}

impl FromIterator<(String, RawJson)> for RawObject {
    fn from_iter<T: IntoIterator<Item = (String, RawJson)>>(members: T) -> Self {
        let mut object = Self::default();
        object.extend(members);
        object
    }
}

impl IntoIterator for RawObject {
    type Item = (String, RawJson);
    type IntoIter = std::vec::IntoIter<(String, RawJson)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl RawJson {
    /// `null`.
    pub fn null() -> Self {
        Self::whole("null".into())
    }

    /// A string.
    pub fn string(text: &str) -> Self {
        Self::whole(Value::from(text).to_string().into())
    }

    /// An array of these values, each verbatim.
    pub fn array<'a>(items: impl IntoIterator<Item = &'a RawJson>) -> Self {
        let mut text = String::from("[");
        for item in items {
            if text.len() > 1 {
                text.push(',');
            }
            text.push_str(item.text());
        }
        text.push(']');
        Self::whole(text.into())
    }

    /// An object with these members, each verbatim.
    pub fn object<'a>(members: impl IntoIterator<Item = (&'a str, &'a RawJson)>) -> Self {
        let mut text = String::from("{");
        for (name, value) in members {
            if text.len() > 1 {
                text.push(',');
            }
            text.push_str(&Value::from(name).to_string());
            text.push(':');
            text.push_str(value.text());
        }
        text.push('}');
        Self::whole(text.into())
    }

    /// The value without white space between tokens.
    #[must_use]
    pub fn compact(&self) -> Self {
        let text = self.text();
        if ![' ', '\n', '\r', '\t'].iter().any(|gap| text.contains(*gap)) {
            return self.clone();
        }
        let mut compact = String::with_capacity(text.len());
        let (mut in_string, mut escaped) = (false, false);
        for character in text.chars() {
            if in_string {
                compact.push(character);
                (in_string, escaped) = match character {
                    _ if escaped => (true, false),
                    '\\' => (true, true),
                    '"' => (false, false),
                    _ => (true, false),
                };
            } else if !character.is_ascii_whitespace() {
                in_string = character == '"';
                compact.push(character);
            }
        }
        Self::whole(compact.into())
    }

    /// The value without line breaks, which would end a frame. In JSON they stand only between tokens.
    #[must_use]
    pub fn on_one_line(self) -> Self {
        // One character at a time: the standard library looks for it without decoding the text.
        match self.text().contains('\n') || self.text().contains('\r') {
            true => Self::whole(self.text().replace(['\n', '\r'], " ").into()),
            false => self,
        }
    }
}

impl From<&Value> for RawJson {
    /// The compact text of a value built in code. [`RawJson::from_value`] also bounds its depth.
    fn from(value: &Value) -> Self {
        Self::whole(value.to_string().into())
    }
}
