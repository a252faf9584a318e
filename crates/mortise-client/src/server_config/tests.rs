//! What may be shown of a server, and what may not.

use super::*;

#[test]
fn debug_shows_neither_arguments_nor_headers_nor_the_path_of_an_address() {
    let mut stdio = StdioConfig::new("serve", vec!["--token=canary-1".to_owned()]);
    stdio.env.insert("KEY".to_owned(), Secret::new("canary-2"));
    let mut http = HttpConfig::new("https://user:canary-3@example.com:8443/canary-4?key=canary-5");
    http.headers.insert("X-Key".to_owned(), Secret::new("canary-6"));
    http.bearer = Some(Secret::new("canary-7"));
    http.oauth = Some(OAuthConfig { client_secret: Some(Secret::new("canary-8")), ..OAuthConfig::default() });

    let shown = format!("{stdio:?} {http:?}");
    assert!(!shown.contains("canary"), "{shown}");
    assert!(shown.contains("https://example.com:8443"), "{shown}");
}
