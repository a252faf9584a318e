//! The HTTP client: TLS, proxies, redirects.

use std::path::Path;
use std::sync::Arc;

use reqwest::redirect::{Attempt, Policy};
use reqwest::{Client, NoProxy, Proxy, StatusCode, Url};
use rustls::crypto::CryptoProvider;
use rustls::{ClientConfig, RootCertStore};

use crate::address::is_loopback_host;
use crate::environment::Environment;
use crate::guard::{AddressGuard, PrivateAddressError};
use crate::limits;
use crate::pool::Reach;

/// Why no client can be built. Addresses and values are left out: they may hold secrets.
#[derive(Debug, thiserror::Error)]
pub(super) enum HttpClientError {
    #[error(transparent)]
    PrivateAddress(#[from] PrivateAddressError),
    #[error("`{variable}` is not a usable proxy address")]
    Proxy { variable: &'static str },
    #[error("no certificate found by SSL_CERT_FILE or SSL_CERT_DIR{}", cause.as_ref().map(|cause| format!(": {cause}")).unwrap_or_default())]
    NoCertificate { cause: Option<rustls_native_certs::Error> },
    #[error("the system's certificates can't be used: {0}")]
    SystemCertificates(rustls::Error),
    #[error(transparent)]
    Tls(rustls::Error),
    #[error(transparent)]
    Build(#[from] reqwest::Error),
}

/// A client for `url` under what the environment says about proxies and certificates.
pub(super) fn build(url: &Url, environment: &Environment, reach: Reach) -> Result<Client, HttpClientError> {
    let mut builder = Client::builder()
        .tls_backend_preconfigured(tls(url, environment)?)
        .connect_timeout(limits::HTTP_CONNECT)
        .redirect(Policy::custom(redirect))
        .referer(false)
        .no_proxy();
    if reach == Reach::Public {
        let guard = AddressGuard::public();
        guard.check(url)?;
        builder = builder.dns_resolver(Arc::new(guard));
    } else if !is_loopback_host(url) {
        for proxy in proxies(environment)? {
            builder = builder.proxy(proxy);
        }
    }
    Ok(builder.build()?)
}

/// Follows only what keeps the message, the origin and the number of hops.
fn redirect(attempt: Attempt<'_>) -> reqwest::redirect::Action {
    let keeps_body =
        matches!(attempt.status(), StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT);
    let same_origin =
        attempt.previous().first().is_some_and(|first| first.origin() == attempt.url().origin());
    if !keeps_body || !same_origin || attempt.previous().len() > limits::REDIRECTS {
        attempt.stop()
    } else {
        attempt.follow()
    }
}

fn proxies(environment: &Environment) -> Result<Vec<Proxy>, HttpClientError> {
    let variable = |upper: &str, lower: &str| {
        let found = environment.variable(lower).or_else(|| environment.variable(upper))?;
        found.to_str().filter(|value| !value.is_empty()).map(str::to_owned)
    };
    let exceptions = variable("NO_PROXY", "no_proxy").and_then(|list| NoProxy::from_string(&list));
    let mut proxies = Vec::new();
    let mut add = |upper: &'static str, lower: &str, make: fn(String) -> reqwest::Result<Proxy>| {
        if let Some(address) = variable(upper, lower) {
            let proxy = make(address).map_err(|_| HttpClientError::Proxy { variable: upper })?;
            proxies.push(proxy.no_proxy(exceptions.clone()));
        }
        Ok::<(), HttpClientError>(())
    };
    add("HTTPS_PROXY", "https_proxy", Proxy::https)?;
    add("HTTP_PROXY", "http_proxy", Proxy::http)?;
    add("ALL_PROXY", "all_proxy", Proxy::all)?;
    Ok(proxies)
}

fn tls(url: &Url, environment: &Environment) -> Result<ClientConfig, HttpClientError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(HttpClientError::Tls)?;
    if url.scheme() == "http" {
        // A redirect can't leave the origin, so no certificate will ever be looked at.
        return Ok(builder.with_root_certificates(RootCertStore::empty()).with_no_client_auth());
    }
    let file = environment.variable("SSL_CERT_FILE");
    let directory = environment.variable("SSL_CERT_DIR");
    if file.is_some() || directory.is_some() {
        let roots = roots(file.map(Path::new), directory.map(Path::new))?;
        return Ok(with_http2(builder.with_root_certificates(roots).with_no_client_auth()));
    }
    let verifier = platform_verifier(provider)?;
    Ok(with_http2(builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth()))
}

fn with_http2(mut config: ClientConfig) -> ClientConfig {
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    config
}

fn platform_verifier(
    provider: Arc<CryptoProvider>,
) -> Result<Arc<rustls_platform_verifier::Verifier>, HttpClientError> {
    let verifier = rustls_platform_verifier::Verifier::new(provider);
    verifier.map(Arc::new).map_err(HttpClientError::SystemCertificates)
}

fn roots(file: Option<&Path>, directory: Option<&Path>) -> Result<RootCertStore, HttpClientError> {
    let found = rustls_native_certs::load_certs_from_paths(file, directory);
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(found.certs);
    if roots.is_empty() {
        return Err(HttpClientError::NoCertificate { cause: found.errors.into_iter().next() });
    }
    Ok(roots)
}
