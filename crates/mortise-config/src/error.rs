//! Why a configuration can't be used: where, what, and what to do about it.

use std::io;
use std::path::PathBuf;

use mortise_contract::ServerName;
use mortise_contract::name::NameError;
use mortise_contract::text::nearest;

use crate::expand::ExpandError;
use crate::located::ConfigPlace;
use crate::trust::{TrustError, Untrusted};

/// Why no configuration could be loaded.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A file can't be read.
    #[error("cannot read `{}`", path.display())]
    Read {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// Files were read and say something that can't be done. All findings, in the order of the files.
    #[error("{}", lines(.0))]
    Invalid(Vec<Finding>),
    /// A project's file was not trusted yet, or has changed since.
    #[error(transparent)]
    Untrusted(Box<Untrusted>),
    /// What was trusted can't be looked up.
    #[error("cannot tell whether the configuration is trusted")]
    Trust(#[from] TrustError),
    /// Our own processes nest too deep: most likely a server entry starts us again.
    #[error("{depth} mortise processes have started one another; the limit is {limit}")]
    TooDeep {
        /// How many there are.
        depth: u32,
        /// How many there may be.
        limit: u32,
    },
}

impl ConfigError {
    /// What the reader can do now, one sentence each.
    pub fn hints(&self) -> Vec<String> {
        match self {
            Self::Read { source, .. } if source.kind() == io::ErrorKind::NotFound => {
                vec!["`mortise list` shows which servers are configured without it".to_owned()]
            }
            Self::Read { .. } => Vec::new(),
            Self::Trust(error) => error.hint().into_iter().collect(),
            Self::Invalid(findings) => hints(findings),
            Self::Untrusted(untrusted) => vec![untrusted.hint()],
            Self::TooDeep { .. } => {
                vec!["look for a server entry whose command leads back to mortise, and remove it".to_owned()]
            }
        }
    }
}

/// What the reader can do about all of it, nothing twice.
pub(super) fn hints(findings: &[Finding]) -> Vec<String> {
    let mut hints: Vec<String> = Vec::new();
    for hint in findings.iter().filter_map(|finding| finding.problem.hint()) {
        if !hints.contains(&hint) {
            hints.push(hint);
        }
    }
    hints
}

fn lines(findings: &[Finding]) -> String {
    let lines: Vec<String> = findings.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

/// One thing that is wrong, and where.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct Finding {
    /// File, line and column.
    pub place: ConfigPlace,
    pub problem: Problem,
}

/// What is wrong at one place of a configuration file. No variant carries a value that may be secret.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The text is not YAML.
    #[error("not YAML: {message}")]
    Syntax { message: String },
    /// A key that means nothing here.
    #[error("unknown key `{key}`")]
    UnknownKey {
        key: String,
        /// What may stand here.
        known: Vec<&'static str>,
    },
    /// A word that is none of those a key takes.
    #[error("unknown value `{value}`")]
    UnknownValue {
        /// The word.
        value: String,
        /// What may stand here.
        known: Vec<&'static str>,
    },
    /// A value of the wrong kind.
    #[error("expected {expected}{}", found.map(|found| format!(", found {found}")).unwrap_or_default())]
    WrongKind {
        /// What should stand here.
        expected: String,
        /// The kind of value that stands here.
        found: Option<&'static str>,
    },
    /// A key that stands twice in one mapping.
    #[error("the key `{key}` stands here twice")]
    DuplicateKey { key: String },
    /// A YAML tag.
    #[error("the tag `{tag}` is not allowed")]
    Tag {
        /// The tag as written.
        tag: String,
    },
    /// A bound on the file was passed.
    #[error("the file passes the limit of {limit} {what}")]
    Limit {
        what: &'static str,
        /// How many there may be.
        limit: usize,
    },
    /// A second YAML document.
    #[error("a second document begins here; a configuration is one document")]
    SecondDocument,
    /// An entry of the list `servers` without a name.
    #[error("this server has no `name`")]
    NoName,
    /// A name that no server can have.
    #[error("{0}")]
    BadName(#[source] NameError),
    /// A mapping entry with a `name` that differs from its key.
    #[error("`name` is `{name}` but the key is `{key}`")]
    NameDiffers {
        /// The key in `servers`.
        key: String,
        /// The value of `name`.
        name: String,
    },
    /// Two servers with one name.
    #[error("the server `{name}` is already defined at {first}")]
    DuplicateServer {
        name: ServerName,
        /// Where it stands first.
        first: ConfigPlace,
    },
    /// An entry that says neither what to start nor where to connect.
    #[error("neither `command` nor `url` is set")]
    NoTransport,
    /// A key that the chosen transport needs.
    #[error("{transport} transport requires `{key}`")]
    Requires {
        /// `stdio` or `http`.
        transport: &'static str,
        /// The missing key.
        key: &'static str,
    },
    /// A key that the chosen transport can't use.
    #[error("`{key}` means nothing with {transport}")]
    NotForTransport {
        /// `stdio transport`, `http transport` or `sample`.
        transport: &'static str,
        key: &'static str,
    },
    /// The old HTTP+SSE transport.
    #[error("the HTTP+SSE transport of 2024-11-05 is not supported, only Streamable HTTP is")]
    Sse,
    /// Two keys of which only one may be set.
    #[error("`{first}` and `{second}` are mutually exclusive")]
    MutuallyExclusive {
        /// The key that comes first in the message.
        first: &'static str,
        /// The key that may not stand beside it.
        second: &'static str,
    },
    /// Client credentials without a client.
    #[error("`grant: client_credentials` requires `client_id` and `client_secret`")]
    GrantNeedsClient,
    /// A variable that can't be put in.
    #[error("{0}")]
    Variable(#[source] ExpandError),
    /// A number that must be larger than zero.
    #[error("`{key}` must be larger than zero")]
    NotPositive { key: &'static str },
    /// A number past its maximum.
    #[error("`{key}` can be at most {maximum}")]
    TooLarge {
        key: &'static str,
        /// The largest value.
        maximum: u64,
    },
    /// An address that can't be connected to.
    #[error("`{key}` is not an http or https address: {reason}")]
    BadUrl {
        key: &'static str,
        /// Why, without the address itself.
        reason: String,
    },
    /// A header that HTTP does not allow.
    #[error("the header `{header}` has {part} that HTTP does not allow")]
    BadHeader {
        /// The header's name.
        header: String,
        /// `a name` or `a value`.
        part: &'static str,
    },
    /// An environment variable that no process can have.
    #[error("`{key}` can't be set as an environment variable")]
    BadVariableName { key: String },
    /// A variable that only we set.
    #[error("`{key}` is set by mortise itself")]
    ReservedVariable { key: String },
    /// A text that can't be used there, such as an empty one.
    #[error("`{key}` {reason}")]
    BadText {
        key: &'static str,
        /// `is empty`, `has a NUL character in it`.
        reason: &'static str,
    },
    /// A JSON Schema that can't be compiled.
    #[error("`{key}` is not a JSON Schema that can be used: {reason}")]
    BadSchema {
        key: &'static str,
        /// The reason, as the end of a sentence.
        reason: String,
    },
    /// A file with a secret that can't be used.
    #[error("cannot read `{}` for `{key}`: {reason}", path.display())]
    SecretFile {
        key: &'static str,
        path: PathBuf,
        /// The reason, as the end of a sentence.
        reason: String,
    },
    /// A section that two of the given files have.
    #[error("`{section}` is already set in `{}`", other.display())]
    SectionTwice {
        section: &'static str,
        /// The other file.
        other: PathBuf,
    },
    /// An entry of another program's file that can't be used.
    #[error("{reason}")]
    Unusable {
        /// The reason, as the end of a sentence.
        reason: String,
    },
    /// A variable that only the program knows that wrote the file.
    #[error("`{variable}` means nothing outside the program that wrote it")]
    UnsupportedVariable {
        /// The variable as written.
        variable: String,
    },
    /// A file of another program that can't be read.
    #[error("not {language}: {message}")]
    Foreign {
        /// `JSON` or `TOML`.
        language: &'static str,
        message: String,
    },
    /// A file in which no servers are found.
    #[error("there are no servers in this file")]
    NothingToImport,
    /// A file in `import:` that can't be used.
    #[error("cannot import `{}`: {reason}", path.display())]
    Import {
        path: PathBuf,
        /// The reason, as the end of a sentence.
        reason: String,
    },
}

impl Problem {
    /// What the reader can do now.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::UnknownKey { key, known } => suggestion(key, known, "keys")?,
            Self::UnknownValue { value, known } => suggestion(value, known, "values")?,
            Self::Tag { .. } => "write the plain value; tags are never needed here".to_owned(),
            Self::NoName => "give every entry of the list `servers` a `name`".to_owned(),
            Self::DuplicateServer { .. } | Self::DuplicateKey { .. } => {
                "rename or remove one of them".to_owned()
            }
            Self::NoTransport => "add `command` to start a program, or `url` to connect over HTTP".to_owned(),
            Self::Sse => "set `transport: http` and the server's Streamable HTTP address".to_owned(),
            Self::MutuallyExclusive { .. } => "keep one of the two".to_owned(),
            Self::Variable(error) => error.hint(),
            Self::BadUrl { .. } => "write it as `https://host/path`".to_owned(),
            Self::ReservedVariable { .. } => "remove it from `env`".to_owned(),
            Self::NothingToImport => {
                "servers are looked for under `mcpServers`, `servers`, `mcp.servers`, `context_servers` and \
                 `[mcp_servers]`"
                    .to_owned()
            }
            Self::SectionTwice { .. } => "keep the section in one of the files".to_owned(),
            _ => return None,
        })
    }
}

/// The nearest known word, or all of them.
fn suggestion(word: &str, known: &[&'static str], what: &str) -> Option<String> {
    if known.is_empty() {
        return None;
    }
    let lower = word.to_lowercase();
    // `timeout` for `timeout_seconds` is far by letters and near by meaning.
    if let Some(longer) = known.iter().find(|candidate| candidate.starts_with(&format!("{lower}_"))) {
        return Some(format!("did you mean `{longer}`?"));
    }
    Some(match nearest(word, known.iter().copied()) {
        Some(candidate) => format!("did you mean `{candidate}`?"),
        None => format!("known {what}: {}", known.join(", ")),
    })
}
