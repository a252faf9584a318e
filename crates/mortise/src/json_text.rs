//! JSON objects written member by member, so that parts keep the text they came with.

use serde_json::Value;

/// A JSON object under construction.
#[derive(Debug, Default)]
pub(crate) struct JsonObject(String);

impl JsonObject {
    /// Adds a member whose value is JSON text already.
    pub(crate) fn raw(&mut self, name: &str, json: &str) -> &mut Self {
        self.0.push(if self.0.is_empty() { '{' } else { ',' });
        self.0.push_str(&Value::from(name).to_string());
        self.0.push(':');
        self.0.push_str(json.trim());
        self
    }

    /// Adds a text.
    pub(crate) fn text(&mut self, name: &str, text: &str) -> &mut Self {
        self.raw(name, &Value::from(text).to_string())
    }

    /// Adds any value.
    pub(crate) fn value(&mut self, name: &str, value: &Value) -> &mut Self {
        self.raw(name, &value.to_string())
    }

    /// The object's text.
    pub(crate) fn finish(&mut self) -> String {
        match self.0.is_empty() {
            true => "{}".to_owned(),
            false => std::mem::take(&mut self.0) + "}",
        }
    }
}

/// A JSON array of texts that are JSON already.
pub(crate) fn array<'a>(items: impl IntoIterator<Item = &'a str>) -> String {
    let items: Vec<&str> = items.into_iter().collect();
    format!("[{}]", items.join(","))
}

/// Adds members at the end of an object's text, which stays as it is.
///
/// A name that it has already stands twice then; readers take the last one, which is ours.
pub(crate) fn extend(object: &str, members: &mut JsonObject) -> String {
    let added = members.finish();
    let (Some(body), Some(added)) = (
        object.trim().strip_suffix('}').map(str::trim_end),
        added.strip_prefix('{').filter(|added| *added != "}"),
    ) else {
        return object.trim().to_owned();
    };
    let separator = if body.ends_with('{') { "" } else { "," };
    format!("{body}{separator}{added}")
}

#[cfg(test)]
mod tests;

/// Anything that serde can write.
pub(crate) fn of(value: &impl serde::Serialize) -> Result<String, crate::failure::Failure> {
    serde_json::to_string(value)
        .map_err(|error| crate::failure::Failure::from_error(crate::exit::Exit::Bug, &error))
}
