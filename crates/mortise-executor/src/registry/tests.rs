use super::*;

#[test]
fn counting_letters_rules_out_nothing_that_is_near() {
    let words = [
        "",
        "a",
        "aa",
        "ab",
        "ba",
        "echo",
        "ehco",
        "ecko",
        "choe",
        "echoes",
        "get_weather",
        "get_weahter",
        "weather_get",
        "gett_weather",
        "get-weather",
        "größe",
        "grosse",
        "größee",
    ];
    for one in words {
        for other in words {
            let exact = strsim::osa_distance(one, other);
            for most in 0..12 {
                let told = Spelled::new(one).distance(other, most);
                let is_far = exact > most || one.len().abs_diff(other.len()) > Spelled::MORE;
                assert_eq!(told, (!is_far).then_some(exact), "{one} {other} {most}");
            }
        }
    }
}

#[test]
fn long_names_are_not_compared() {
    let long = "a".repeat(257);
    assert_eq!(Spelled::new(&long).distance(&long, 9), None);
    let most = "a".repeat(256);
    assert_eq!(Spelled::new(&most).distance(&most, 9), Some(0));
}
