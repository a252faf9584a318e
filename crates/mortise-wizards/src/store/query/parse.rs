//! Reads a query.

use super::{Comparison, Condition, Literal, Order, Query};

/// Why a text is no query here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// Something else was expected.
    #[error("expected {expected} at character {at}, found {found}")]
    Unexpected {
        /// What could have come.
        expected: &'static str,
        /// Where, from 1.
        at: usize,
        /// What came.
        found: String,
    },
    /// A part of SQL that is not here.
    #[error("`{word}` is not possible here: a query is SELECT columns, WHERE, ORDER BY and LIMIT")]
    Unsupported {
        /// The word.
        word: String,
    },
    /// Too long or too deep.
    #[error("the query is too long or nests too deeply")]
    TooLarge,
}

/// The longest query.
const LONGEST: usize = 10_000;

/// The deepest nesting of conditions.
const DEEPEST: usize = 50;

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Word(String),
    Quoted(String),
    Text(String),
    Number(f64),
    Sign(&'static str),
}

/// Reads a query.
///
/// # Errors
///
/// What is not possible, and where.
pub fn parse(text: &str) -> Result<Query, QueryError> {
    if text.len() > LONGEST {
        return Err(QueryError::TooLarge);
    }
    let tokens = tokens(text)?;
    let mut reader = Reader { tokens, place: 0, end: text.chars().count() + 1, depth: 0 };
    let query = reader.query()?;
    reader.take_sign(";");
    match reader.peek() {
        None => Ok(query),
        Some(Token::Word(word)) => Err(QueryError::Unsupported { word: word.to_uppercase() }),
        Some(_) => Err(reader.unexpected("the end of the query")),
    }
}

fn tokens(text: &str) -> Result<Vec<(usize, Token)>, QueryError> {
    const SIGNS: [&str; 13] = ["<=", ">=", "<>", "!=", "=", "<", ">", "(", ")", ",", "*", ";", "."];
    let characters: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(&character) = characters.get(at) {
        let start = at + 1;
        if character.is_whitespace() {
            at += 1;
            continue;
        }
        if matches!(character, '\'' | '"' | '`') {
            let (inner, next) = quoted(&characters, at).ok_or(QueryError::Unexpected {
                expected: "a closing quote",
                at: start,
                found: "the end of the query".to_owned(),
            })?;
            let token = if character == '\'' { Token::Text(inner) } else { Token::Quoted(inner) };
            tokens.push((start, token));
            at = next;
            continue;
        }
        let number = character.is_ascii_digit()
            || (matches!(character, '-' | '+') && characters.get(at + 1).is_some_and(char::is_ascii_digit));
        if number {
            let part = |c: &&char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+');
            let word: String = characters[at..].iter().take_while(part).collect();
            let value = word.parse().map_err(|_| QueryError::Unexpected {
                expected: "a number",
                at: start,
                found: format!("`{word}`"),
            })?;
            at += word.chars().count();
            tokens.push((start, Token::Number(value)));
            continue;
        }
        if character.is_alphanumeric() || character == '_' {
            let word: String =
                characters[at..].iter().take_while(|c| c.is_alphanumeric() || **c == '_').collect();
            at += word.chars().count();
            tokens.push((start, Token::Word(word)));
            continue;
        }
        let sign =
            SIGNS.into_iter().find(|sign| characters[at..].iter().take(sign.len()).copied().eq(sign.chars()));
        let Some(sign) = sign else {
            return Err(QueryError::Unexpected {
                expected: "a query",
                at: start,
                found: format!("`{character}`"),
            });
        };
        at += sign.len();
        tokens.push((start, Token::Sign(sign)));
    }
    Ok(tokens)
}

/// What is between two quotes, which may be doubled inside, and the place after it.
fn quoted(characters: &[char], at: usize) -> Option<(String, usize)> {
    let quote = characters[at];
    let mut inner = String::new();
    let mut at = at + 1;
    loop {
        match characters.get(at)? {
            character if *character == quote && characters.get(at + 1) == Some(&quote) => {
                inner.push(quote);
                at += 2;
            }
            character if *character == quote => return Some((inner, at + 1)),
            character => {
                inner.push(*character);
                at += 1;
            }
        }
    }
}

struct Reader {
    tokens: Vec<(usize, Token)>,
    place: usize,
    end: usize,
    depth: usize,
}

impl Reader {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.place).map(|(_, token)| token)
    }

    fn unexpected(&self, expected: &'static str) -> QueryError {
        let (at, found) = match self.tokens.get(self.place) {
            None => (self.end, "the end of the query".to_owned()),
            Some((at, token)) => (
                *at,
                match token {
                    Token::Word(word) | Token::Quoted(word) => format!("`{word}`"),
                    Token::Text(text) => format!("'{text}'"),
                    Token::Number(number) => number.to_string(),
                    Token::Sign(sign) => format!("`{sign}`"),
                },
            ),
        };
        QueryError::Unexpected { expected, at, found }
    }

    fn take_word(&mut self, wanted: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Word(word)) if word.eq_ignore_ascii_case(wanted));
        self.place += usize::from(found);
        found
    }

    fn take_sign(&mut self, wanted: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Sign(sign)) if *sign == wanted);
        self.place += usize::from(found);
        found
    }

    fn name(&mut self, expected: &'static str) -> Result<String, QueryError> {
        const KEYWORDS: [&str; 8] = ["select", "from", "where", "order", "limit", "and", "or", "not"];
        match self.peek() {
            Some(Token::Word(word)) if !KEYWORDS.contains(&word.to_lowercase().as_str()) => {
                let word = word.clone();
                self.place += 1;
                match self.peek() {
                    Some(Token::Sign("(")) => Err(QueryError::Unsupported { word: format!("{word}()") }),
                    _ => Ok(word),
                }
            }
            Some(Token::Quoted(word)) => {
                let word = word.clone();
                self.place += 1;
                Ok(word)
            }
            _ => Err(self.unexpected(expected)),
        }
    }

    fn query(&mut self) -> Result<Query, QueryError> {
        if !self.take_word("select") {
            return match self.peek() {
                Some(Token::Word(word)) => Err(QueryError::Unsupported { word: word.to_uppercase() }),
                _ => Err(self.unexpected("SELECT")),
            };
        }
        let mut query = Query { columns: self.columns()?, ..Query::default() };
        if self.take_word("from") {
            query.table = Some(match self.peek() {
                Some(Token::Text(name)) => {
                    let name = name.clone();
                    self.place += 1;
                    name
                }
                _ => self.name("a table")?,
            });
            if let Some(Token::Sign(",")) = self.peek() {
                return Err(QueryError::Unsupported { word: "JOIN".to_owned() });
            }
        }
        if self.take_word("where") {
            query.condition = Some(self.alternatives()?);
        }
        if self.take_word("order") {
            if !self.take_word("by") {
                return Err(self.unexpected("BY"));
            }
            query.order = self.order()?;
        }
        if self.take_word("limit") {
            query.limit = Some(self.count()?);
        }
        Ok(query)
    }

    fn columns(&mut self) -> Result<Option<Vec<String>>, QueryError> {
        if self.take_sign("*") {
            return Ok(None);
        }
        let mut columns = vec![self.name("a column or `*`")?];
        while self.take_sign(",") {
            columns.push(self.name("a column")?);
        }
        Ok(Some(columns))
    }

    fn order(&mut self) -> Result<Vec<Order>, QueryError> {
        let mut order = Vec::new();
        loop {
            let column = self.name("a column")?;
            let descending = self.take_word("desc");
            if !descending {
                self.take_word("asc");
            }
            order.push(Order { column, descending });
            if !self.take_sign(",") {
                return Ok(order);
            }
        }
    }

    fn count(&mut self) -> Result<usize, QueryError> {
        match self.peek() {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
            Some(Token::Number(number)) if *number >= 0.0 && number.fract() == 0.0 && *number <= 1e9 => {
                let count = *number as usize;
                self.place += 1;
                Ok(count)
            }
            _ => Err(self.unexpected("a whole number")),
        }
    }

    fn alternatives(&mut self) -> Result<Condition, QueryError> {
        let mut condition = self.conjunction()?;
        while self.take_word("or") {
            condition = Condition::Or(Box::new(condition), Box::new(self.conjunction()?));
        }
        Ok(condition)
    }

    fn conjunction(&mut self) -> Result<Condition, QueryError> {
        let mut condition = self.one()?;
        while self.take_word("and") {
            condition = Condition::And(Box::new(condition), Box::new(self.one()?));
        }
        Ok(condition)
    }

    fn one(&mut self) -> Result<Condition, QueryError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(QueryError::TooLarge);
        }
        let condition = if self.take_word("not") {
            Condition::Not(Box::new(self.one()?))
        } else if self.take_sign("(") {
            let inner = self.alternatives()?;
            if !self.take_sign(")") {
                return Err(self.unexpected("`)`"));
            }
            inner
        } else {
            self.comparison()?
        };
        self.depth -= 1;
        Ok(condition)
    }

    fn comparison(&mut self) -> Result<Condition, QueryError> {
        let column = self.name("a column")?;
        if self.take_word("is") {
            let negated = self.take_word("not");
            if !self.take_word("null") {
                return Err(self.unexpected("NULL"));
            }
            let condition = Condition::IsNull(column);
            return Ok(if negated { Condition::Not(Box::new(condition)) } else { condition });
        }
        let negated = self.take_word("not");
        let wrapped = |condition| if negated { Condition::Not(Box::new(condition)) } else { condition };
        if self.take_word("in") {
            return Ok(wrapped(Condition::In(column, self.literals()?)));
        }
        if self.take_word("like") {
            return match self.literal()? {
                Literal::Text(pattern) => Ok(wrapped(Condition::Like(column, pattern))),
                _ => Err(self.unexpected("a pattern in quotes")),
            };
        }
        const OPERATORS: [(&str, Comparison); 7] = [
            ("=", Comparison::Equal),
            ("!=", Comparison::Unequal),
            ("<>", Comparison::Unequal),
            ("<", Comparison::Less),
            ("<=", Comparison::AtMost),
            (">", Comparison::More),
            (">=", Comparison::AtLeast),
        ];
        for (sign, comparison) in OPERATORS {
            if !negated && self.take_sign(sign) {
                return Ok(Condition::Compare(column, comparison, self.literal()?));
            }
        }
        Err(self.unexpected("a comparison"))
    }

    fn literals(&mut self) -> Result<Vec<Literal>, QueryError> {
        if !self.take_sign("(") {
            return Err(self.unexpected("`(`"));
        }
        let mut literals = vec![self.literal()?];
        while self.take_sign(",") {
            literals.push(self.literal()?);
        }
        match self.take_sign(")") {
            true => Ok(literals),
            false => Err(self.unexpected("`)`")),
        }
    }

    fn literal(&mut self) -> Result<Literal, QueryError> {
        let literal = match self.peek() {
            Some(Token::Number(number)) => Literal::Number(*number),
            Some(Token::Text(text)) => Literal::Text(text.clone()),
            Some(Token::Word(word)) if word.eq_ignore_ascii_case("true") => Literal::Boolean(true),
            Some(Token::Word(word)) if word.eq_ignore_ascii_case("false") => Literal::Boolean(false),
            Some(Token::Word(word)) if word.eq_ignore_ascii_case("select") => {
                return Err(QueryError::Unsupported { word: "a SELECT inside".to_owned() });
            }
            _ => return Err(self.unexpected("a number, or text in single quotes")),
        };
        self.place += 1;
        Ok(literal)
    }
}
