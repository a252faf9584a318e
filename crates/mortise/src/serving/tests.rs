//! Addresses as people write them.

use super::parse_address;

#[test]
fn a_port_alone_is_one_of_this_machine() {
    for text in ["8080", ":8080", "localhost:8080", "127.0.0.1:8080"] {
        assert_eq!(parse_address(text).unwrap().to_string(), "127.0.0.1:8080", "{text}");
    }
    assert_eq!(parse_address("[::1]:0").unwrap().to_string(), "[::1]:0");
    assert_eq!(parse_address("0.0.0.0:80").unwrap().to_string(), "0.0.0.0:80");
    for text in ["", "99999", "127.0.0.1", "example.com:80", "http://127.0.0.1:8080"] {
        assert!(parse_address(text).is_err(), "{text}");
    }
}
