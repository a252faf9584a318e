//! What is a token, and who has it.

use super::*;

#[test]
fn a_token_is_long_and_visible() {
    Token::parse("0123456789abcdef").unwrap();
    assert_eq!(
        Token::parse("0123456789abcde").unwrap_err(),
        TokenError::TooShort { length: 15, minimum: 16 }
    );
    assert_eq!(Token::parse("0123456789 abcdef").unwrap_err(), TokenError::BadCharacter { position: 11 });
    Token::parse(&"x".repeat(8_192)).unwrap();
    assert_eq!(
        Token::parse(&"x".repeat(8_193)).unwrap_err(),
        TokenError::TooLong { length: 8_193, maximum: 8_192 }
    );
    assert_eq!(Token::parse("").unwrap_err(), TokenError::TooShort { length: 0, minimum: 16 });
}

#[test]
fn only_the_whole_token_is_admitted() {
    let token = Token::parse("0123456789abcdef").unwrap();
    let admits = |text: &str| token.admits(Some(text));
    assert!(admits("Bearer 0123456789abcdef"));
    assert!(admits("bearer  0123456789abcdef"));
    for text in [
        "Bearer 0123456789abcde",
        "Bearer 0123456789abcdef0",
        "Bearer 0123456789abcdeF",
        "Basic 0123456789abcdef",
        "0123456789abcdef",
        "Bearer",
        "",
    ] {
        assert!(!admits(text), "{text}");
    }
    assert!(!token.admits(None));
}

#[test]
fn every_new_token_is_another_one() {
    let (one, other) = (Token::generate(), Token::generate());
    assert_ne!(one.expose(), other.expose());
    assert_eq!(Token::parse(one.expose()).unwrap().expose().len(), 64);
    assert!(one.admits(Some(&format!("Bearer {}", one.expose()))));
}

#[test]
fn a_token_is_not_shown() {
    assert_eq!(format!("{:?}", Token::parse("0123456789abcdef").unwrap()), "Token");
}
