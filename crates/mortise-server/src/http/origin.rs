//! Refuses requests that a foreign web page sends, by `Host` and `Origin`.
//!
//! A web page can make its visitor's browser send requests to this machine,
//! under a domain of the page that resolves to it (DNS rebinding). Such a
//! request has the page's domain as host, or the page as origin.

use std::net::IpAddr;

use http::header::{HOST, HeaderName, ORIGIN};
use http::uri::Authority;
use http::{HeaderMap, HeaderValue, Uri};

use super::HttpOptions;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Foreign {
    /// `Host` is missing or names another server.
    Host,
    /// The request comes from a foreign web page.
    Origin,
}

/// Checks where a request is addressed to and where it comes from.
pub(crate) fn check_origin(options: &HttpOptions, uri: &Uri, headers: &HeaderMap) -> Result<(), Foreign> {
    // A proxy would go by the address in the request line, so both must be ours.
    let by_uri = uri.authority().map(Authority::as_str);
    let by_header = match single(headers, &HOST) {
        Single::One(host) => Some(host.to_str().map_err(|_| Foreign::Host)?),
        Single::None => None,
        Single::Many => return Err(Foreign::Host),
    };
    let mut hosts = by_uri.into_iter().chain(by_header).peekable();
    if hosts.peek().is_none() || !hosts.all(|host| host_is_ours(options, host)) {
        return Err(Foreign::Host);
    }
    match single(headers, &ORIGIN) {
        Single::None => Ok(()),
        Single::One(origin) if origin.to_str().is_ok_and(|origin| origin_is_ours(options, origin)) => Ok(()),
        Single::One(_) | Single::Many => Err(Foreign::Origin),
    }
}

enum Single<'a> {
    None,
    One(&'a HeaderValue),
    Many,
}

fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Single<'a> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Single::None,
        (Some(value), None) => Single::One(value),
        (Some(_), Some(_)) => Single::Many,
    }
}

fn host_is_ours(options: &HttpOptions, host: &str) -> bool {
    let Some(authority) = host_and_port(host) else { return false };
    let named = options.hosts.iter().filter_map(|own| own.parse::<Authority>().ok()).any(|own| {
        own.host().eq_ignore_ascii_case(authority.host())
            && own.port_u16().is_none_or(|port| authority.port_u16() == Some(port))
    });
    named || is_always_ours(options, authority.host())
}

/// A host, with a port or without, and nothing else: `Authority` also takes a user, and `localhost:80.evil.example`.
fn host_and_port(text: &str) -> Option<Authority> {
    let authority: Authority = text.parse().ok()?;
    let rest = authority.as_str().strip_prefix(authority.host())?;
    (rest.is_empty() || authority.port_u16().is_some()).then_some(authority)
}

fn origin_is_ours(options: &HttpOptions, origin: &str) -> bool {
    let named = options.origins.iter().any(|own| own.trim_end_matches('/').eq_ignore_ascii_case(origin));
    // Another port of this machine may belong to another user, or serve pages of another program.
    let local = || {
        let (scheme, authority) = origin.split_once("://")?;
        let usual_port = match scheme {
            "http" => 80,
            "https" => 443,
            _ => return None,
        };
        let authority = host_and_port(authority)?;
        let port = authority.port_u16().unwrap_or(usual_port);
        let own = options.address;
        Some(own.ip().is_loopback() && port == own.port() && is_loopback(authority.host()))
    };
    named || local().unwrap_or(false)
}

fn is_always_ours(options: &HttpOptions, host: &str) -> bool {
    if options.address.ip().is_loopback() {
        return is_loopback(host);
    }
    // An address can't be rebound: only names are looked up.
    address(host).is_some_and(|address| !address.is_unspecified()) || is_loopback(host)
}

/// Not `localhost.`, which a page can have as its own origin, and not `0.0.0.0`.
fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost") || address(host).is_some_and(|address| address.is_loopback())
}

fn address(host: &str) -> Option<IpAddr> {
    host.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

#[cfg(test)]
mod tests;
