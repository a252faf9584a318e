//! Whether a licence expression can be met with a list of allowed licences.

/// True if some choice among the alternatives of the expression uses only allowed licences.
/// The old form `MIT/Apache-2.0` is read as a choice.
pub(super) fn allowed(expression: &str, allow: &[String]) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let tokens: Vec<&str> = spaced.split_whitespace().collect();
    let mut reader = Reader { tokens: &tokens, allow };
    let result = reader.any();
    result && reader.tokens.is_empty()
}

struct Reader<'a> {
    tokens: &'a [&'a str],
    allow: &'a [String],
}

impl<'a> Reader<'a> {
    fn any(&mut self) -> bool {
        let mut result = self.all();
        while self.take("OR") {
            // Both sides are read to the end before they are combined.
            let other = self.all();
            result = result || other;
        }
        result
    }

    fn all(&mut self) -> bool {
        let mut result = self.one();
        while self.take("AND") {
            let other = self.one();
            result = result && other;
        }
        result
    }

    fn one(&mut self) -> bool {
        if self.take("(") {
            let result = self.any();
            return self.take(")") && result;
        }
        let Some(name) = self.next() else { return false };
        if self.take("WITH") {
            let Some(exception) = self.next() else { return false };
            let whole = format!("{name} WITH {exception}");
            return self.allow.contains(&whole);
        }
        self.allow.iter().any(|allowed| allowed == name)
    }

    fn next(&mut self) -> Option<&'a str> {
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        Some(first)
    }

    fn take(&mut self, token: &str) -> bool {
        let found = self.tokens.first() == Some(&token);
        if found {
            self.tokens = &self.tokens[1..];
        }
        found
    }
}

#[cfg(test)]
mod tests;
