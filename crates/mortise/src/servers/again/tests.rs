//! Commands that can be pasted into a shell.

use serde_json::json;

use super::{ArgumentChecks, SameServers};

#[test]
fn the_same_servers_are_named_again() {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    let same = SameServers { options: Vec::new(), command: words(&["npx", "-y", "a server"]) };
    assert_eq!(
        same.call("echo", &json!({"text": "it's"}), ArgumentChecks::On).join(" "),
        r#"mortise call echo --args "{\"text\":\"it's\"}" -- npx -y 'a server'"#
    );
    let same = SameServers { options: words(&["--samples"]), command: Vec::new() };
    assert_eq!(
        same.call("weather/ping", &json!({}), ArgumentChecks::Off).join(" "),
        "mortise call weather/ping --no-validate --samples"
    );
}
