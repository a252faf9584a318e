//! Public, private and odd addresses.

use super::*;

#[test]
fn only_public_addresses_are_public() {
    for (address, expected) in [
        ("8.8.8.8", false),
        ("1.1.1.1", false),
        ("100.63.255.255", false),
        ("100.128.0.1", false),
        ("172.15.0.1", false),
        ("172.32.0.1", false),
        ("192.0.1.1", false),
        ("198.17.0.1", false),
        ("2606:4700::1111", false),
        ("::ffff:8.8.8.8", false),
        ("64:ff9b::8.8.8.8", false),
        ("0.0.0.0", true),
        ("0.1.2.3", true),
        ("10.0.0.1", true),
        ("100.64.0.1", true),
        ("127.0.0.1", true),
        ("127.8.8.8", true),
        ("169.254.169.254", true),
        ("172.16.0.1", true),
        ("192.0.0.8", true),
        ("192.168.1.1", true),
        ("192.0.2.1", true),
        ("198.18.0.1", true),
        ("224.0.0.1", true),
        ("240.0.0.1", true),
        ("255.255.255.255", true),
        ("::", true),
        ("::1", true),
        ("::ffff:127.0.0.1", true),
        ("::ffff:169.254.169.254", true),
        ("::127.0.0.1", true),
        ("64:ff9b::10.0.0.1", true),
        ("2002:7f00:1::", true),
        ("fe80::1", true),
        ("fec0::1", true),
        ("fd00:ec2::254", true),
        ("ff02::1", true),
        ("2001:db8::1", true),
        ("100::1", true),
    ] {
        assert_eq!(is_private_address(address.parse().unwrap()), expected, "{address}");
    }
}

#[test]
fn this_machine_is_known_by_all_its_spellings() {
    for (url, expected) in [
        ("http://localhost/", true),
        ("http://LOCALHOST.:8080/", true),
        ("http://api.localhost/", true),
        ("http://127.0.0.1/", true),
        ("http://127.1/", true),
        ("http://2130706433/", true),
        ("http://0x7f.0.0.1/", true),
        ("http://0177.0.0.1/", true),
        ("http://[::1]/", true),
        ("http://[::ffff:127.0.0.1]/", true),
        ("http://localhost.example.com/", false),
        ("http://notlocalhost/", false),
        ("http://10.0.0.1/", false),
        ("http://127.0.0.1.example.com/", false),
        ("http://0.0.0.0/", false),
    ] {
        assert_eq!(is_loopback_host(&Url::parse(url).unwrap()), expected, "{url}");
    }
}
