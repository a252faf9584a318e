//! The text of a query, and what is changed in it before SQLite sees it.
//!
//! SQLite's SQL is accepted as it is. Beyond that a query may leave out `FROM`, rows without a value are sorted last,
//! and columns are found by names that SQLite can't tell apart or takes for keywords.

use std::borrow::Cow;
use std::ops::Range;

use super::QueryError;

/// Bytes of a query.
const LONGEST: usize = 10_000;

/// A query, cut into tokens.
#[derive(Clone, Debug)]
pub(crate) struct QueryText<'a> {
    sql: &'a str,
    tokens: Vec<SqlToken>,
}

#[derive(Clone, Debug)]
struct SqlToken {
    kind: SqlTokenKind,
    at: Range<usize>,
    /// How many parentheses are open around it.
    depth: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SqlTokenKind {
    /// A keyword, a name or a number.
    Word,
    QuotedName,
    /// A keyword of SQLite that names a column here.
    BareColumn,
    Text,
    Sign,
}

/// The columns of the queried file, as declared to SQLite.
#[derive(Debug, Default)]
pub(super) struct KnownNames {
    /// The table of a query without `FROM`.
    pub table: String,
    /// The names of all columns.
    pub columns: Vec<String>,
    /// Columns that have another name in SQLite, which ignores case.
    pub renamed: Vec<(String, String)>,
    /// Columns of truth values, which SQLite keeps as numbers.
    pub booleans: Vec<String>,
}

impl<'a> QueryText<'a> {
    /// Refuses what is too long, has several statements, or does not begin with `SELECT` or `WITH`.
    pub(crate) fn parse(sql: &'a str) -> Result<Self, QueryError> {
        if sql.len() > LONGEST {
            return Err(QueryError::TooLong);
        }
        let mut text = Self { sql, tokens: tokens(sql) };
        if let Some(end) = text.tokens.iter().position(|token| &sql[token.at.clone()] == ";") {
            if text.tokens[end..].iter().any(|token| &sql[token.at.clone()] != ";") {
                return Err(QueryError::SeveralStatements);
            }
            text.tokens.truncate(end);
        }
        match text.tokens.first() {
            Some(_) if text.is_word(0, "select") || text.is_word(0, "with") => Ok(text),
            Some(first) => Err(QueryError::NotARead { word: sql[first.at.clone()].to_uppercase() }),
            None => Err(QueryError::NotARead { word: String::new() }),
        }
    }

    pub(super) fn sql(&self) -> &'a str {
        self.sql
    }

    /// Whether a table or column of this name may be meant; SQLite ignores case.
    pub(super) fn mentions(&self, name: &str) -> bool {
        (0..self.tokens.len()).any(|place| self.name(place).is_some_and(|own| own.eq_ignore_ascii_case(name)))
    }

    /// The first table that the query names.
    pub(super) fn table(&self) -> Option<String> {
        let after_from = (1..self.tokens.len()).filter(|place| self.is_from(place - 1));
        let named = |place: usize| match self.tokens[place].kind {
            SqlTokenKind::Text => Some(self.unquoted(place)),
            _ => self.name(place),
        };
        after_from.filter_map(named).next().map(Cow::into_owned)
    }

    /// The number after `LIMIT`, if the query ends with it.
    pub(super) fn limit(&self) -> Option<usize> {
        let number = self.limit_place()?;
        self.sql[self.tokens[number].at.clone()].parse().ok()
    }

    fn limit_place(&self) -> Option<usize> {
        let last = self.tokens.len().checked_sub(1)?;
        let is_number = self.sql[self.tokens[last].at.clone()].bytes().all(|byte| byte.is_ascii_digit());
        (is_number && last > 0 && self.is_clause(last - 1, "limit")).then_some(last)
    }

    /// The query with bare keywords taken for columns wherever a column has that name.
    pub(super) fn with_bare_columns(&self, columns: &[String]) -> Self {
        const NEVER_NAMES: [&str; 15] = [
            "select", "from", "where", "order", "limit", "and", "or", "not", "by", "is", "in", "like",
            "null", "asc", "desc",
        ];
        let mut text = self.clone();
        for token in &mut text.tokens {
            let word = &self.sql[token.at.clone()];
            let is_keyword = NEVER_NAMES.iter().any(|keyword| word.eq_ignore_ascii_case(keyword));
            if token.kind == SqlTokenKind::Word && !is_keyword && columns.iter().any(|column| column == word)
            {
                token.kind = SqlTokenKind::BareColumn;
            }
        }
        text
    }

    /// What SQLite is given, for at most `rows` rows and one that shows that there are more.
    pub(super) fn for_sqlite(&self, known: &KnownNames, rows: usize) -> String {
        let end = self.tokens.last().map_or(0, |token| token.at.end);
        let mut edits: Vec<(Range<usize>, String)> = self.name_edits(known);
        if self.is_word(0, "select") && !self.top_level().any(|place| self.is_from(place)) {
            const CLAUSES: [&str; 9] =
                ["where", "group", "having", "window", "order", "limit", "union", "except", "intersect"];
            let next = self.top_level().find(|place| CLAUSES.iter().any(|word| self.is_word(*place, word)));
            let at = next.map_or(end, |place| self.tokens[place].at.start);
            edits.push((at..at, format!(" FROM {} ", quoted(&known.table))));
        }
        edits.extend(self.sorted_ends().into_iter().map(|at| (at..at, " NULLS LAST".to_owned())));
        match self.limit_place() {
            Some(place) => edits.push((self.tokens[place].at.clone(), (rows + 1).to_string())),
            None if self.top_level().any(|place| self.is_clause(place, "limit")) => {}
            None => edits.push((end..end, format!(" LIMIT {}", rows + 1))),
        }
        edits.sort_by_key(|(at, _)| at.start);
        let (mut sql, mut done) = (String::new(), 0);
        for (at, replacement) in edits {
            sql.push_str(&self.sql[done..at.start]);
            sql.push_str(&replacement);
            done = at.end;
        }
        sql + &self.sql[done..end]
    }

    fn name_edits(&self, known: &KnownNames) -> Vec<(Range<usize>, String)> {
        let mut edits = Vec::new();
        for (place, token) in self.tokens.iter().enumerate() {
            if let Some(name) = self.name(place) {
                let renamed = known.renamed.iter().find(|(own, _)| *own == name);
                match renamed {
                    Some((_, internal)) => edits.push((token.at.clone(), quoted(internal))),
                    None if token.kind == SqlTokenKind::BareColumn => {
                        edits.push((token.at.clone(), quoted(&name)));
                    }
                    None => {}
                }
            } else if token.kind == SqlTokenKind::Text && self.is_compared_boolean(place, known) {
                let truth = self.unquoted(place).to_lowercase();
                if matches!(truth.as_str(), "true" | "false") {
                    edits.push((token.at.clone(), truth));
                }
            }
        }
        edits
    }

    /// Whether the text in this place comes after a column of truth values and `=`, `!=`, `<>` or the like.
    fn is_compared_boolean(&self, place: usize, known: &KnownNames) -> bool {
        let is_operator = |place: &usize| {
            let sign = &self.sql[self.tokens[*place].at.clone()];
            matches!(sign, "=" | "!" | "<" | ">")
        };
        let operators = (0..place).rev().take_while(is_operator).count();
        let column = place.checked_sub(operators + 1).and_then(|place| self.name(place));
        operators > 0
            && column.is_some_and(|name| known.booleans.iter().any(|own| own.eq_ignore_ascii_case(&name)))
    }

    /// Where the terms of the query's own `ORDER BY` end that do not say where missing values go.
    fn sorted_ends(&self) -> Vec<usize> {
        let Some(order) = self.top_level().filter(|place| self.is_word(*place, "order")).last() else {
            return Vec::new();
        };
        let terms: Vec<usize> = (order..self.tokens.len())
            .take_while(|place| self.tokens[*place].depth > 0 || !self.is_word(*place, "limit"))
            .collect();
        let is_last = |place: usize| match self.tokens.get(place + 1) {
            _ if Some(&place) == terms.last() => true,
            Some(next) => next.depth == 0 && &self.sql[next.at.clone()] == ",",
            None => true,
        };
        let says_nulls = |place: usize| place > 0 && self.is_word(place - 1, "nulls");
        let ends = terms.iter().skip(2).copied().filter(|place| is_last(*place) && !says_nulls(*place));
        ends.map(|place| self.tokens[place].at.end).collect()
    }

    fn top_level(&self) -> impl Iterator<Item = usize> {
        (0..self.tokens.len()).filter(|place| self.tokens[*place].depth == 0)
    }

    fn is_word(&self, place: usize, word: &str) -> bool {
        let token = &self.tokens[place];
        token.kind == SqlTokenKind::Word && self.sql[token.at.clone()].eq_ignore_ascii_case(word)
    }

    fn is_clause(&self, place: usize, word: &str) -> bool {
        self.tokens[place].depth == 0 && self.is_word(place, word)
    }

    /// `FROM` that names a table, and not that of `IS DISTINCT FROM`.
    fn is_from(&self, place: usize) -> bool {
        self.is_word(place, "from") && !(place > 0 && self.is_word(place - 1, "distinct"))
    }

    /// The name in this place, or a word that may be one.
    fn name(&self, place: usize) -> Option<Cow<'a, str>> {
        let token = &self.tokens[place];
        match token.kind {
            SqlTokenKind::Word | SqlTokenKind::BareColumn => Some(Cow::Borrowed(&self.sql[token.at.clone()])),
            SqlTokenKind::QuotedName => Some(self.unquoted(place)),
            SqlTokenKind::Text | SqlTokenKind::Sign => None,
        }
    }

    fn unquoted(&self, place: usize) -> Cow<'a, str> {
        let text = &self.sql[self.tokens[place].at.clone()];
        let quote = &text[..1];
        let inner = text.get(1..text.len() - 1).unwrap_or_default();
        Cow::Owned(inner.replace(&quote.repeat(2), quote))
    }
}

/// A name as SQLite reads it, whatever is in it.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The tokens without white space and comments.
fn tokens(sql: &str) -> Vec<SqlToken> {
    let (mut tokens, mut at, mut depth) = (Vec::new(), 0, 0_usize);
    let is_in_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$') || !c.is_ascii();
    while let Some(first) = sql[at..].chars().next() {
        let rest = &sql[at..];
        let until =
            |end: &str, from: usize| rest[from..].find(end).map_or(rest.len(), |to| from + to + end.len());
        let (kind, length) = match first {
            _ if first.is_whitespace() => (None, first.len_utf8()),
            _ if rest.starts_with("--") => (None, until("\n", 2)),
            _ if rest.starts_with("/*") => (None, until("*/", 2)),
            '\'' => (Some(SqlTokenKind::Text), quoted_length(rest, '\'')),
            '"' | '`' => (Some(SqlTokenKind::QuotedName), quoted_length(rest, first)),
            '[' => (Some(SqlTokenKind::QuotedName), until("]", 1)),
            _ if is_in_word(first) => {
                let length = rest.find(|c: char| !is_in_word(c)).unwrap_or(rest.len());
                (Some(SqlTokenKind::Word), length)
            }
            _ => (Some(SqlTokenKind::Sign), first.len_utf8()),
        };
        if first == ')' {
            depth = depth.saturating_sub(1);
        }
        if let Some(kind) = kind {
            tokens.push(SqlToken { kind, at: at..at + length, depth });
        }
        if first == '(' {
            depth += 1;
        }
        at += length;
    }
    tokens
}

/// The length of what is between quotes, which may be doubled inside; all of the rest where no quote ends it.
fn quoted_length(rest: &str, quote: char) -> usize {
    let mut places = rest.char_indices().skip(1).peekable();
    while let Some((place, character)) = places.next() {
        if character == quote && places.next_if(|(_, next)| *next == quote).is_none() {
            return place + 1;
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests;
