use super::*;

#[test]
fn topics_are_plain_words() {
    for (name, expected) in [
        ("Sales Data 2024", "sales_data_2024"),
        ("2024 sales", "t_2024_sales"),
        ("  --", "data"),
        ("Größe/été", "gr_e_t"),
        ("a\"b\n'c", "a_b_c"),
        ("", "data"),
    ] {
        assert_eq!(topic(name), expected, "{name}");
    }
    assert!(topic(&"x".repeat(500)).len() <= 66);
}
