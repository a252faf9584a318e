//! Which hosts may be contacted on behalf of one configured server.
//!
//! A server can name other addresses to us: in a redirect, in its OAuth
//! metadata. The operator named the server and not those, so they must be
//! public. A name is judged by the addresses it resolves to, at the moment of
//! connecting, so that a name that changes its mind leads nowhere either.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{ClientBuilder, Url, redirect};

use crate::address::{host_address, is_localhost, is_loopback_name, is_private_address};
use crate::environment::Environment;

/// What may be contacted on behalf of one server. Cheap to clone.
#[derive(Clone, Debug)]
pub struct AddressGuard {
    rules: Arc<Rules>,
}

#[derive(Debug)]
struct Rules {
    /// Hosts that the operator named, and those of proxies.
    named: Vec<String>,
    /// Whether the operator named this machine; then its other ports and names are allowed too.
    loopback: bool,
}

/// An address that was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{host}` is a private address and not one that was allowed")]
pub struct PrivateAddressError {
    /// The host as it was given.
    pub host: String,
}

impl AddressGuard {
    /// A guard for the addresses that the operator wrote down.
    pub fn new<'a>(named: impl IntoIterator<Item = &'a Url>, environment: &Environment) -> Self {
        let hosts: Vec<String> = named.into_iter().filter_map(Url::host_str).map(normal).collect();
        let loopback = hosts.iter().any(|host| is_loopback_name(host));
        let named = hosts.into_iter().chain(proxy_hosts(environment)).collect();
        Self { rules: Arc::new(Rules { named, loopback }) }
    }

    /// A guard for addresses that strangers name: only public ones are allowed.
    pub fn public() -> Self {
        Self { rules: Arc::new(Rules { named: Vec::new(), loopback: false }) }
    }

    /// Checks the address itself. Names are judged again when they are resolved.
    pub fn check(&self, url: &Url) -> Result<(), PrivateAddressError> {
        let Some(host) = url.host_str().map(normal) else {
            return Err(PrivateAddressError { host: url.scheme().to_owned() });
        };
        let is_allowed = match host_address(&host) {
            Some(address) => self.allows(&host, address),
            None => !is_localhost(&host) || self.rules.loopback || self.is_named(&host),
        };
        if is_allowed { Ok(()) } else { Err(PrivateAddressError { host }) }
    }

    /// Whether `host` may be reached at `address`.
    pub fn allows(&self, host: &str, address: IpAddr) -> bool {
        !is_private_address(address)
            || self.is_named(&normal(host))
            || (self.rules.loopback && address.to_canonical().is_loopback())
    }

    /// An HTTP client that keeps to the guard and follows no redirect.
    pub fn client(&self) -> ClientBuilder {
        // A second installation fails, and then there already is one.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder()
            .redirect(redirect::Policy::none())
            .dns_resolver(Arc::new(self.clone()));
        // A proxy has a loopback of its own and can't reach ours.
        if self.rules.loopback { client.no_proxy() } else { client }
    }

    fn is_named(&self, host: &str) -> bool {
        self.rules.named.iter().any(|named| named == host)
    }
}

impl Resolve for AddressGuard {
    fn resolve(&self, name: Name) -> Resolving {
        let guard = self.clone();
        let host = name.as_str().to_owned();
        Box::pin(async move {
            let found = tokio::net::lookup_host((host.as_str(), 0)).await?;
            let allowed: Vec<SocketAddr> =
                found.filter(|address| guard.allows(&host, address.ip())).collect();
            if allowed.is_empty() {
                return Err(PrivateAddressError { host }.into());
            }
            let addresses: Addrs = Box::new(allowed.into_iter());
            Ok(addresses)
        })
    }
}

/// The host of a URL without brackets, final dot or capitals.
fn normal(host: &str) -> String {
    host.trim_start_matches('[').trim_end_matches([']', '.']).to_ascii_lowercase()
}

/// A request through a proxy resolves the proxy's name only.
fn proxy_hosts(environment: &Environment) -> Vec<String> {
    const VARIABLES: [&str; 3] = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
    let spelled = VARIABLES.iter().flat_map(|name| [(*name).to_owned(), name.to_lowercase()]);
    spelled
        .filter_map(|name| {
            let value = environment.variable(&name)?.to_str()?;
            let with_scheme =
                if value.contains("://") { value.to_owned() } else { format!("http://{value}") };
            Url::parse(&with_scheme).ok()?.host_str().map(normal)
        })
        .collect()
}

#[cfg(test)]
mod tests;
