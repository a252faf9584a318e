//! How a server is reached over Streamable HTTP, and how to log in to it.

use std::collections::BTreeMap;
use std::fmt;

use reqwest::Url;

use crate::secret::Secret;

/// A Streamable HTTP endpoint.
///
/// `Debug` shows only the origin of the address, since tokens are found in paths and queries.
#[derive(Clone, PartialEq)]
pub struct HttpConfig {
    /// The endpoint.
    pub url: String,
    /// Headers sent with every request.
    pub headers: BTreeMap<String, Secret>,
    /// A bearer token sent to this origin only.
    pub bearer: Option<Secret>,
    /// OAuth settings; `None` still logs in with tokens kept by `mortise login`.
    pub oauth: Option<OAuthConfig>,
}

impl HttpConfig {
    /// An endpoint without headers or credentials.
    pub fn new(url: impl Into<String>) -> Self {
        Self { url: url.into(), headers: BTreeMap::new(), bearer: None, oauth: None }
    }

    /// `https://host:port` of the address: what can be shown of it.
    pub fn origin(&self) -> String {
        match Url::parse(&self.url) {
            Ok(url) => url.origin().ascii_serialization(),
            Err(_) => "an address that is not a URL".to_owned(),
        }
    }
}

impl fmt::Debug for HttpConfig {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("HttpConfig")
            .field("origin", &self.origin())
            .field("headers", &self.headers)
            .field("bearer", &self.bearer)
            .field("oauth", &self.oauth)
            .finish()
    }
}

/// OAuth settings of one server.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct OAuthConfig {
    /// A client registered beforehand.
    pub client_id: Option<String>,
    /// Its secret.
    pub client_secret: Option<Secret>,
    /// Scopes to ask for.
    pub scopes: Vec<String>,
    /// The only issuer to accept; its host may lie at a private address.
    pub issuer: Option<String>,
    /// Use the client-credentials grant instead of the authorization-code grant.
    pub client_credentials: bool,
}
