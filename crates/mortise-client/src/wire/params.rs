//! The members of a request's `params`, with the arguments of a call shared and not copied.

use mortise_contract::RawJson;

/// The members of `params`, without braces and without `_meta`; may be none.
#[derive(Clone, Debug, Default)]
pub(crate) struct RequestParams {
    head: String,
    /// The value that stands after the head. Arguments may be large, and their call holds them anyway.
    arguments: Option<RawJson>,
    tail: String,
}

impl RequestParams {
    /// `head`, which ends with `"arguments":`, then the arguments, then `tail`.
    pub(crate) fn with_arguments(head: String, arguments: RawJson, tail: String) -> Self {
        Self { head, arguments: Some(arguments), tail }
    }

    /// These members and `more`, which begins with a comma.
    pub(crate) fn and(&self, more: &str) -> Self {
        Self { tail: format!("{}{more}", self.tail), ..self.clone() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn len(&self) -> usize {
        self.parts().map(str::len).sum()
    }

    /// The texts that make up the members, in order.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &str> {
        let arguments = self.arguments.as_ref().map_or("", RawJson::text);
        [self.head.as_str(), arguments, self.tail.as_str()].into_iter()
    }
}

impl From<String> for RequestParams {
    fn from(head: String) -> Self {
        Self { head, ..Self::default() }
    }
}
