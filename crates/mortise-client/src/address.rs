//! Which addresses belong to this machine or to a private network.
//!
//! Used to keep a server's redirects and metadata from reaching what only we
//! can reach (server-side request forgery).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use reqwest::Url;

/// Whether an address is anything but a public unicast address: loopback,
/// private, link-local (cloud metadata), carrier-grade NAT, unspecified,
/// multicast, documentation, or an IPv6 form that holds such an IPv4 address.
pub fn is_private_address(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => is_private_v4(v4),
        IpAddr::V6(v6) => match embedded_v4(v6) {
            Some(v4) => is_private_v4(v4),
            None => is_private_v6(v6),
        },
    }
}

fn is_private_v4(address: Ipv4Addr) -> bool {
    let [first, second, third, _] = address.octets();
    address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_broadcast()
        || address.is_documentation()
        // "This network", carrier-grade NAT, protocol assignments, benchmarks, reserved.
        || first == 0
        || (first == 100 && (64..128).contains(&second))
        || (first == 192 && second == 0 && third == 0)
        || (first == 198 && (18..20).contains(&second))
        || first >= 240
}

fn is_private_v6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    address.is_unspecified()
        || address.is_loopback()
        || address.is_multicast()
        || address.is_unique_local()
        || address.is_unicast_link_local()
        // The old site-local block, discard-only, documentation.
        || segments[0] & 0xffc0 == 0xfec0
        || segments[..4] == [0x100, 0, 0, 0]
        || segments[..2] == [0x2001, 0xdb8]
}

/// The IPv4 address that a translating or tunnelling IPv6 address leads to.
fn embedded_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let segments = address.segments();
    let joined = |high: u16, low: u16| Ipv4Addr::from(u32::from(high) << 16 | u32::from(low));
    match segments {
        // Mapped, compatible (not `::` and `::1`), NAT64.
        [0, 0, 0, 0, 0, 0xffff, high, low] => Some(joined(high, low)),
        [0, 0, 0, 0, 0, 0, high, low] if high != 0 => Some(joined(high, low)),
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some(joined(high, low)),
        // 6to4.
        [0x2002, high, low, ..] => Some(joined(high, low)),
        _ => None,
    }
}

/// Whether the host of an address is this machine by its very name: `localhost`, `127.0.0.1`, `[::1]`.
///
/// Decimal, octal and short forms of an IPv4 address are read as the URL standard does.
pub fn is_loopback_host(url: &Url) -> bool {
    url.host_str().is_some_and(is_loopback_name)
}

/// Whether a host of a parsed URL is this machine by its very name.
pub(crate) fn is_loopback_name(host: &str) -> bool {
    match host_address(host) {
        Some(address) => address.to_canonical().is_loopback(),
        None => is_localhost(host),
    }
}

/// The address that a host of a parsed URL spells out, `None` for a name.
pub fn host_address(host: &str) -> Option<IpAddr> {
    host.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

/// Whether a name means this machine: `localhost`, with or without a final dot, and names under it.
pub fn is_localhost(host: &str) -> bool {
    let host = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
    host == "localhost" || host.ends_with(".localhost")
}

#[cfg(test)]
mod tests;
