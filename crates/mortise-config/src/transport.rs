//! How one entry is reached: the checks of `command` and `url` and all that belongs to them.

use std::collections::BTreeMap;

use http::{HeaderName, HeaderValue};
use mortise_client::address::is_loopback_host;
use mortise_client::bounded_file;
use mortise_client::environment::MORTISE_DEPTH;
use mortise_client::secret::Secret;
use mortise_client::server_config::{EnvPolicy, HttpConfig, InProcess, OAuthConfig, StdioConfig, Transport};
use mortise_contract::ServerName;
use url::Url;

use crate::Problem;
use crate::file::{GrantKind, OAuth, ServerKeys, TransportKind};
use crate::located::{Located, Position};
use crate::note::NoteKind;
use crate::resolve::Resolver;

/// Bytes of a file that holds one secret.
const MAX_SECRET_BYTES: u64 = 64 * 1024;

impl Resolver<'_> {
    /// What the entry starts or contacts; what is wrong with it is found and gives `None`.
    pub(super) fn transport(
        &mut self,
        name: &ServerName,
        server: &ServerKeys,
        position: Position,
    ) -> Option<Transport> {
        if let Some(sample) = &server.sample {
            return self.sample(server, sample, position).map(Transport::InProcess);
        }
        match self.transport_kind(server, position)? {
            TransportKind::Stdio => self.stdio(server, position).map(Transport::Stdio),
            TransportKind::Http => self.http(name, server, position).map(Transport::Http),
            TransportKind::Sse => None,
        }
    }

    fn transport_kind(&mut self, server: &ServerKeys, position: Position) -> Option<TransportKind> {
        match (&server.transport, &server.command, &server.url) {
            (Some(Located { value: TransportKind::Sse, position }), _, _) => {
                self.find(*position, Problem::Sse);
                None
            }
            (Some(kind), _, _) => Some(kind.value),
            (None, Some(_), Some(url)) => {
                self.find(url.position, Problem::MutuallyExclusive { first: "command", second: "url" });
                None
            }
            (None, Some(_), None) => Some(TransportKind::Stdio),
            (None, None, Some(_)) => Some(TransportKind::Http),
            (None, None, None) => {
                self.find(position, Problem::NoTransport);
                None
            }
        }
    }

    fn sample(
        &mut self,
        server: &ServerKeys,
        sample: &Located<String>,
        position: Position,
    ) -> Option<InProcess> {
        let transport = [("transport", server.transport.is_some())];
        let others = transport.into_iter().chain(stdio_only(server)).chain(http_only(server));
        self.refuse_keys("`sample`", others, position);
        let known = &self.environment.samples;
        match known.get(sample.value.as_str()) {
            Some(server) => Some(server.clone()),
            None => {
                let known = known.keys().copied().collect();
                self.find(sample.position, Problem::UnknownValue { value: sample.value.clone(), known });
                None
            }
        }
    }

    fn stdio(&mut self, server: &ServerKeys, position: Position) -> Option<StdioConfig> {
        self.refuse_keys("stdio transport", http_only(server), position);
        let Some(command) = &server.command else {
            self.find(position, Problem::Requires { transport: "stdio", key: "command" });
            return None;
        };
        let program = self.word("command", command);
        let args: Vec<Option<String>> =
            server.args.iter().flatten().map(|argument| self.argument(argument)).collect();
        let env = self.variables(server.env.as_ref().map(|env| &env.variables));
        let env_policy = self.env_policy(server);
        let cwd = server.cwd.as_ref().map(|cwd| self.path(&cwd.value));
        let program = program?;
        // A bare name is looked up in PATH; anything with a separator is a path, seen from the file.
        let is_path = program.contains('/') || program.contains(std::path::MAIN_SEPARATOR);
        let command = if is_path { self.path(&program).to_string_lossy().into_owned() } else { program };
        Some(StdioConfig { command, args: args.into_iter().collect::<Option<_>>()?, env, env_policy, cwd })
    }

    fn http(&mut self, name: &ServerName, server: &ServerKeys, position: Position) -> Option<HttpConfig> {
        self.refuse_keys("http transport", stdio_only(server), position);
        let Some(url) = &server.url else {
            self.find(position, Problem::Requires { transport: "http", key: "url" });
            return None;
        };
        let address = self.url("url", url);
        let headers = self.headers(server.headers.as_ref());
        let bearer = self.secret(("bearer", &server.bearer), ("bearer_file", &server.bearer_file));
        let oauth = server.oauth.as_ref().map(|oauth| self.oauth(oauth));
        self.refuse_two_credentials(server, &headers);
        let address = address?;
        let has_credential = bearer.is_some() || headers.contains_key("authorization");
        if has_credential && address.scheme() == "http" && !is_loopback_host(&address) {
            self.note(url.position, name.as_str(), NoteKind::PlainHttpCredential);
        }
        Some(HttpConfig { url: address.into(), headers, bearer, oauth })
    }

    /// What the program sees of our environment, which `env` or `environment` sets.
    fn env_policy(&mut self, server: &ServerKeys) -> EnvPolicy {
        let word = server.env.as_ref().and_then(|env| env.policy);
        if let (Some(_), Some(environment)) = (word, &server.environment) {
            self.find(
                environment.position,
                Problem::MutuallyExclusive { first: "env", second: "environment" },
            );
        }
        word.or(server.environment.as_ref().map(|kind| kind.value)).map(EnvPolicy::from).unwrap_or_default()
    }

    fn refuse_keys(
        &mut self,
        transport: &'static str,
        keys: impl IntoIterator<Item = (&'static str, bool)>,
        position: Position,
    ) {
        for (key, _) in keys.into_iter().filter(|(_, is_set)| *is_set) {
            self.find(position, Problem::NotForTransport { transport, key });
        }
    }

    fn refuse_two_credentials(&mut self, server: &ServerKeys, headers: &BTreeMap<String, Secret>) {
        let bearer = server.bearer.as_ref().or(server.bearer_file.as_ref()).map(|bearer| bearer.position);
        let oauth = server.oauth.as_ref().map(|oauth| oauth.position);
        let authorization = headers.contains_key("authorization");
        let pairs = [
            ("bearer", "oauth", bearer.and(oauth)),
            ("headers.Authorization", "bearer", bearer.filter(|_| authorization)),
            ("headers.Authorization", "oauth", oauth.filter(|_| authorization)),
        ];
        for (first, second, position) in pairs {
            if let Some(position) = position {
                self.find(position, Problem::MutuallyExclusive { first, second });
            }
        }
    }

    /// An expanded text that is not empty and fits into an argument vector.
    fn word(&mut self, key: &'static str, text: &Located<String>) -> Option<String> {
        let expanded = self.argument(text)?;
        if expanded.is_empty() {
            self.find(text.position, Problem::BadText { key, reason: "is empty" });
            return None;
        }
        Some(expanded)
    }

    fn argument(&mut self, text: &Located<String>) -> Option<String> {
        let expanded = self.expand(text)?;
        if expanded.contains('\0') {
            let reason = "has a NUL character in it";
            self.find(text.position, Problem::BadText { key: "args", reason });
            return None;
        }
        Some(expanded)
    }

    fn variables(&mut self, given: Option<&BTreeMap<String, Located<String>>>) -> BTreeMap<String, Secret> {
        let mut variables = BTreeMap::new();
        for (key, value) in given.into_iter().flatten() {
            if key == MORTISE_DEPTH {
                self.find(value.position, Problem::ReservedVariable { key: key.clone() });
            } else if key.is_empty() || key.contains(['=', '\0']) {
                // Behind the sign may stand what was meant to be the value.
                let key = key.split('=').next().unwrap_or_default().to_owned();
                self.find(value.position, Problem::BadVariableName { key });
            } else if let Some(value) = self.argument(value) {
                variables.insert(key.clone(), Secret::new(value));
            }
        }
        variables
    }

    fn url(&mut self, key: &'static str, url: &Located<String>) -> Option<Url> {
        let expanded = self.expand(url)?;
        let reason = match Url::parse(&expanded) {
            Ok(address) if !matches!(address.scheme(), "http" | "https") => {
                format!("its scheme is `{}`", address.scheme())
            }
            Ok(address) => return Some(address),
            Err(error) => error.to_string(),
        };
        self.find(url.position, Problem::BadUrl { key, reason });
        None
    }

    /// Headers by their lower-case names.
    fn headers(&mut self, given: Option<&BTreeMap<String, Located<String>>>) -> BTreeMap<String, Secret> {
        let mut headers = BTreeMap::new();
        for (header, value) in given.into_iter().flatten() {
            let bad = |part| Problem::BadHeader { header: header.clone(), part };
            let Ok(header_name) = HeaderName::from_bytes(header.as_bytes()) else {
                self.find(value.position, bad("a name"));
                continue;
            };
            let Some(expanded) = self.expand(value) else { continue };
            if HeaderValue::from_str(&expanded).is_err() {
                self.find(value.position, bad("a value"));
                continue;
            }
            if headers.insert(header_name.as_str().to_owned(), Secret::new(expanded)).is_some() {
                self.find(value.position, Problem::DuplicateKey { key: header.clone() });
            }
        }
        headers
    }

    fn oauth(&mut self, oauth: &Located<OAuth>) -> OAuthConfig {
        let file = &oauth.value;
        let client_secret = self
            .secret(("client_secret", &file.client_secret), ("client_secret_file", &file.client_secret_file));
        let client_id = file.client_id.as_ref().and_then(|id| self.word("client_id", id));
        let grant = file.grant.as_ref();
        let client_credentials = grant.is_some_and(|grant| grant.value == GrantKind::ClientCredentials);
        let has_both =
            file.client_id.is_some() && (file.client_secret.is_some() || file.client_secret_file.is_some());
        if let Some(grant) = grant.filter(|_| client_credentials && !has_both) {
            self.find(grant.position, Problem::GrantNeedsClient);
        }
        let issuer = file.issuer.as_ref().and_then(|issuer| self.url("oauth.issuer", issuer));
        let issuer = issuer.map(|issuer| issuer.as_str().to_owned());
        let scopes = file.scopes.clone().unwrap_or_default();
        OAuthConfig { client_id, client_secret, scopes, issuer, client_credentials }
    }

    /// A secret that stands in the file itself or in a separate file.
    fn secret(
        &mut self,
        (key, text): (&'static str, &Option<Located<String>>),
        (file_key, file): (&'static str, &Option<Located<String>>),
    ) -> Option<Secret> {
        match (text, file) {
            (Some(_), Some(file)) => {
                self.find(file.position, Problem::MutuallyExclusive { first: key, second: file_key });
                None
            }
            (Some(text), None) => {
                let secret = self.word(key, text)?;
                self.token(key, text.position, secret)
            }
            (None, Some(file)) => {
                let secret = self.secret_file(file_key, file)?;
                self.token(file_key, file.position, secret)
            }
            (None, None) => None,
        }
    }

    fn secret_file(&mut self, key: &'static str, file: &Located<String>) -> Option<String> {
        let path = self.path(&file.value);
        match bounded_file::read(&path, MAX_SECRET_BYTES) {
            Ok(text) => Some(text.trim_end_matches(['\r', '\n']).to_owned()),
            Err(error) => {
                self.find(file.position, Problem::SecretFile { key, path, reason: error.to_string() });
                None
            }
        }
    }

    /// A secret is sent in a header, so it must fit into one.
    fn token(&mut self, key: &'static str, position: Position, secret: String) -> Option<Secret> {
        let reason = if secret.is_empty() {
            "is empty"
        } else if HeaderValue::from_str(&secret).is_err() {
            "has a character that HTTP does not allow"
        } else {
            return Some(Secret::new(secret));
        };
        self.find(position, Problem::BadText { key, reason });
        None
    }
}

/// The keys that mean something only for a program that is started, and whether they are set.
fn stdio_only(server: &ServerKeys) -> [(&'static str, bool); 5] {
    [
        ("command", server.command.is_some()),
        ("args", server.args.is_some()),
        ("env", server.env.is_some()),
        ("environment", server.environment.is_some()),
        ("cwd", server.cwd.is_some()),
    ]
}

/// The keys that mean something only over HTTP, and whether they are set.
fn http_only(server: &ServerKeys) -> [(&'static str, bool); 5] {
    [
        ("url", server.url.is_some()),
        ("headers", server.headers.is_some()),
        ("bearer", server.bearer.is_some()),
        ("bearer_file", server.bearer_file.is_some()),
        ("oauth", server.oauth.is_some()),
    ]
}
