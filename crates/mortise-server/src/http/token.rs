//! The secret that clients must know.

use mortise_contract::text::hex;
use subtle::ConstantTimeEq as _;

use crate::random;

/// Shortest token, in bytes.
const TOKEN_MINIMUM: usize = 16;

/// Longest token, in bytes: many HTTP clients and proxies send no longer header.
const TOKEN_MAXIMUM: usize = 8 * 1024;

/// A bearer token. Invariant: 16 to 8192 visible ASCII characters. `Debug` does not show it.
#[derive(Clone)]
pub struct Token(String);

/// Why a string is not a token. The string itself is not shown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// Too easy to guess.
    #[error("the token has {length} characters; at least {minimum} are needed")]
    TooShort {
        /// Characters found.
        length: usize,
        /// Characters needed.
        minimum: usize,
    },
    /// No client could send it.
    #[error("the token has {length} characters; at most {maximum} fit into a header")]
    TooLong {
        /// Characters found.
        length: usize,
        /// Characters allowed.
        maximum: usize,
    },
    /// Not fit for an HTTP header.
    #[error("the token has a character other than visible ASCII, at position {position}")]
    BadCharacter {
        /// Which one, counted from 1.
        position: usize,
    },
}

impl Token {
    /// Checks a token.
    ///
    /// # Errors
    ///
    /// When it is short or long, or has characters that a header can't carry.
    pub fn parse(text: &str) -> Result<Self, TokenError> {
        if let Some(at) = text.bytes().position(|byte| !byte.is_ascii_graphic()) {
            return Err(TokenError::BadCharacter { position: at + 1 });
        }
        if text.len() < TOKEN_MINIMUM {
            return Err(TokenError::TooShort { length: text.len(), minimum: TOKEN_MINIMUM });
        }
        if text.len() > TOKEN_MAXIMUM {
            return Err(TokenError::TooLong { length: text.len(), maximum: TOKEN_MAXIMUM });
        }
        Ok(Self(text.to_owned()))
    }

    /// A new token of 256 random bits.
    pub fn generate() -> Self {
        Self(hex(&random::bytes::<32>()))
    }

    /// The secret itself, to be handed to a client.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Whether an `Authorization` header carries the token; takes the same time wherever they differ.
    pub fn admits(&self, authorization: Option<&str>) -> bool {
        let Some((scheme, token)) = authorization.and_then(|text| text.split_once(' ')) else {
            return false;
        };
        scheme.eq_ignore_ascii_case("bearer") && bool::from(token.trim().as_bytes().ct_eq(self.0.as_bytes()))
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Token")
    }
}

#[cfg(test)]
mod tests;
