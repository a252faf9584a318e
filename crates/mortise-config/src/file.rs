//! `mortise.yaml` as it is written, before variables are expanded.
//!
//! The doc comments here are the descriptions in the published JSON Schema.
//! None of these types is `Debug`: they hold secrets as plain text.

pub(crate) mod approvals;
mod journal;

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, IntoDeserializer, MapAccess, SeqAccess, Visitor};

pub(crate) use self::journal::{JournalFailureKind, JournalSection, JournalSwitch};
use crate::error::Problem;
use crate::located::{Located, Position};
use approvals::{Approvals, ApprovalsForm};

/// The configuration of mortise: which MCP servers there are and how programs may use them.
#[derive(Deserialize, JsonSchema, Default)]
#[serde(deny_unknown_fields, default)]
#[schemars(title = "mortise.yaml")]
pub(crate) struct ConfigFile {
    /// The servers: a list of entries with a `name`, or a mapping from name to entry.
    #[schemars(with = "Option<ServersForm>")]
    pub(crate) servers: Option<Servers>,
    /// Which tools programs may call.
    pub(crate) tools: Option<Located<ToolsSection>>,
    /// Tools offered directly beside `execute_program`: globs over `mcp__<server>__<tool>`.
    pub(crate) expose: Option<Located<Vec<Located<String>>>>,
    /// Which calls of programs need the agreement of a person: `allow` (the default), `ask`, `deny`, or rules.
    #[schemars(with = "Option<ApprovalsForm>")]
    pub(crate) approvals: Option<Located<Approvals>>,
    /// Limits of one program.
    pub(crate) execution: Option<Located<ExecutionSection>>,
    /// How results are checked against their output schemas.
    pub(crate) validation: Option<Located<ValidationSection>>,
    /// What happens to tools that are not as `mortise.lock.json` beside this file records them.
    pub(crate) lock: Option<Located<LockKind>>,
    /// Whether runs of programs are recorded: `on` (the default), `off`, or how long they are kept.
    #[schemars(with = "Option<journal::JournalForm>")]
    pub(crate) journal: Option<Located<JournalSection>>,
    /// Whether mortise learns from results what tools return that do not declare it. Default `on`.
    pub(crate) observe: Option<Located<ObserveKind>>,
    /// Settings of the data wizards.
    pub(crate) wizards: Option<Located<WizardsSection>>,
    /// Other programs' configuration files to take servers from, relative to this file.
    pub(crate) import: Option<Vec<Located<String>>>,
}

/// One MCP server: a `command` to start, a `url` to connect to, or a built-in `sample`.
#[derive(Deserialize, JsonSchema, Default)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Server")]
pub(crate) struct ServerKeys {
    /// The name, which becomes part of the names of its tools.
    pub(crate) name: Option<Located<String>>,
    /// `stdio` (the default with `command`) or `http` (the default with `url`).
    pub(crate) transport: Option<Located<TransportKind>>,
    /// The program to start. `${VAR}` expands.
    pub(crate) command: Option<Located<String>>,
    /// Its arguments, one entry each; no shell reads them. `${VAR}` expands.
    #[schemars(with = "Option<Vec<Scalar>>")]
    pub(crate) args: Option<Vec<Located<String>>>,
    /// Variables set for the program (`${VAR}` expands), or the word `inherit` in place of `environment: inherit`.
    #[schemars(with = "Option<EnvForm>")]
    pub(crate) env: Option<Env>,
    /// What else the program sees of the environment mortise was started with. Default `clean`.
    pub(crate) environment: Option<Located<EnvironmentKind>>,
    /// The program's working directory, relative to this file.
    pub(crate) cwd: Option<Located<String>>,
    /// A built-in sample server with invented data, in place of `command` or `url`: `mortise sample --list` names them.
    pub(crate) sample: Option<Located<String>>,
    /// The Streamable HTTP endpoint. `${VAR}` expands.
    pub(crate) url: Option<Located<String>>,
    /// Headers sent with every request. `${VAR}` expands.
    #[schemars(with = "Option<BTreeMap<String, Scalar>>")]
    pub(crate) headers: Option<BTreeMap<String, Located<String>>>,
    /// A bearer token. Write `${VAR}` rather than the token itself.
    pub(crate) bearer: Option<Located<String>>,
    /// A file that holds the bearer token, relative to this file.
    pub(crate) bearer_file: Option<Located<String>>,
    /// How `mortise login` logs in.
    pub(crate) oauth: Option<Located<OAuth>>,
    /// What happens when a result breaks its output schema.
    pub(crate) mode: Option<ModeKind>,
    /// The same for single tools, by the tool's own name.
    pub(crate) tool_modes: Option<BTreeMap<String, ModeKind>>,
    /// How long starting and the first listing may take.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 600))]
    pub(crate) start_timeout_seconds: Option<Located<f64>>,
    /// How long one call may take, also in programs. Default 60, in programs `execution.tool_call_timeout_seconds`.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 600))]
    pub(crate) call_timeout_seconds: Option<Located<f64>>,
    /// Calls on the wire at once; the rest wait.
    #[schemars(range(min = 1, max = 1024))]
    pub(crate) in_flight: Option<Located<i64>>,
    /// Which protocol era to speak; `auto` asks the server.
    pub(crate) era: Option<EraKind>,
    /// Leave this server out.
    pub(crate) disabled: Option<bool>,
}

/// OAuth settings of one server.
#[derive(Deserialize, JsonSchema, Default)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct OAuth {
    /// A client registered beforehand, or the https address of a client metadata document; without one mortise registers itself.
    pub(crate) client_id: Option<Located<String>>,
    /// Its secret. Write `${VAR}` rather than the secret itself.
    pub(crate) client_secret: Option<Located<String>>,
    /// A file that holds the secret, relative to this file.
    pub(crate) client_secret_file: Option<Located<String>>,
    /// The only issuer to accept. It may lie at a private address.
    pub(crate) issuer: Option<Located<String>>,
    /// Scopes to ask for.
    pub(crate) scopes: Option<Vec<String>>,
    /// `authorization_code` (the default, in a browser) or `client_credentials` (no user).
    pub(crate) grant: Option<Located<GrantKind>>,
}

/// Which tools programs may call: `allow` or `block`, not both.
#[derive(Deserialize, JsonSchema, Default)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Tools")]
pub(crate) struct ToolsSection {
    /// Only these: globs over `mcp__<server>__<tool>`. Upper and lower case differ.
    pub(crate) allow: Option<Located<Vec<Located<String>>>>,
    /// All but these: globs over `mcp__<server>__<tool>`. Upper and lower case are the same.
    pub(crate) block: Option<Located<Vec<Located<String>>>>,
}

/// Limits of one program.
#[derive(Deserialize, JsonSchema, Default)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Execution")]
pub(crate) struct ExecutionSection {
    /// How long a program may run. Default 120.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 600))]
    pub(crate) timeout_seconds: Option<Located<f64>>,
    /// How many bytes of what it prints are kept. Default 65536.
    #[schemars(range(min = 1, max = 16777216))]
    pub(crate) max_output_bytes: Option<Located<i64>>,
    /// How many tools it may call. Default 1000.
    #[schemars(range(min = 1, max = 100000))]
    pub(crate) max_tool_calls: Option<Located<i64>>,
    /// How many calls run at once; the rest wait. Default 16.
    #[schemars(range(min = 1, max = 64))]
    pub(crate) max_concurrent_calls: Option<Located<i64>>,
    /// How long one call may take, unless its server has `call_timeout_seconds`. Default 60.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 600))]
    pub(crate) tool_call_timeout_seconds: Option<Located<f64>>,
    /// How large one result may be that enters a program. Default 16777216.
    #[schemars(range(min = 1, max = 67108864))]
    pub(crate) max_tool_result_bytes: Option<Located<i64>>,
    /// How large its emitted result may be. Default 1048576.
    #[schemars(range(min = 1, max = 67108864))]
    pub(crate) max_emitted_bytes: Option<Located<i64>>,
    /// How long its source may be. Default 262144.
    #[schemars(range(min = 1, max = 16777216))]
    pub(crate) max_source_bytes: Option<Located<i64>>,
    /// How much memory it may use. Default 268435456.
    #[schemars(range(min = 1, max = 4294967296i64))]
    pub(crate) max_memory_bytes: Option<Located<i64>>,
    /// How much memory all programs may use together. Default 2147483648.
    #[schemars(range(min = 1, max = 1099511627776i64))]
    pub(crate) max_total_memory_bytes: Option<Located<i64>>,
    /// How many programs run at once. Default 2 per core.
    #[schemars(range(min = 1, max = 1024))]
    pub(crate) max_running: Option<Located<i64>>,
    /// How many programs wait; the next is refused. Default 2000.
    #[schemars(range(min = 1, max = 100000))]
    pub(crate) max_waiting: Option<Located<i64>>,
    /// Whether the answer ends with a table of the calls. Default `off`.
    pub(crate) trace: Option<TraceKind>,
    /// How strictly a program is checked against the tools' types before it runs. Default `guard`.
    pub(crate) check: Option<CheckKind>,
}

/// How results are checked against their output schemas.
#[derive(Deserialize, JsonSchema, Default)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Validation")]
pub(crate) struct ValidationSection {
    /// What happens when a result breaks its output schema. Default `warn`.
    pub(crate) mode: Option<ModeKind>,
    /// A tool without output schema may return no structured content. Default false.
    pub(crate) forbid_unschematised: Option<bool>,
    /// Whether `format` is checked rather than an annotation. Default false.
    pub(crate) assert_formats: Option<bool>,
}

/// Settings of the data wizards.
#[derive(Deserialize, JsonSchema, Default)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Wizards")]
pub(crate) struct WizardsSection {
    /// What decides between a rule in YAML and Python.
    pub(crate) decision: Option<DecisionSection>,
    /// The same for single sources, by the `source_id` of a call.
    pub(crate) sources: Option<BTreeMap<String, DecisionSection>>,
    /// Folders that are known as categories, by what they are: `region: [emea, apac]`.
    pub(crate) words: Option<BTreeMap<String, Located<Vec<Located<String>>>>>,
    /// How long a pipeline, a backtest or a discovery may take. Default 900.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 86400))]
    pub(crate) timeout_seconds: Option<Located<f64>>,
    /// Bytes of all tables that one pipeline may write. Default 4294967296.
    #[schemars(range(min = 1))]
    pub(crate) max_output_bytes: Option<Located<i64>>,
}

/// What decides between a rule in YAML and Python.
#[derive(Deserialize, JsonSchema, Default)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "Decision")]
pub(crate) struct DecisionSection {
    /// Characters of a pattern beyond which Python is recommended. Default 100.
    #[schemars(range(min = 1, max = 10000))]
    pub(crate) recommend_regex_chars: Option<Located<i64>>,
    /// Groups of a pattern beyond which Python is recommended. Default 5.
    #[schemars(range(min = 1, max = 10000))]
    pub(crate) recommend_groups: Option<Located<i64>>,
    /// Characters of a pattern beyond which Python is needed. Default 200.
    #[schemars(range(min = 1, max = 10000))]
    pub(crate) force_regex_chars: Option<Located<i64>>,
    /// Groups of a pattern beyond which Python is needed. Default 10.
    #[schemars(range(min = 1, max = 10000))]
    pub(crate) force_groups: Option<Located<i64>>,
    /// Whether a pattern that is only recommended against stays YAML. Default true.
    pub(crate) prefer_yaml: Option<bool>,
    /// `strict` (the default) recommends Python for long patterns, `loose` does not.
    pub(crate) sensitivity: Option<SensitivityKind>,
}

/// Whether Python is recommended for long patterns.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Sensitivity")]
pub(crate) enum SensitivityKind {
    /// It is.
    Strict,
    /// It is not.
    Loose,
}

/// How a server is reached.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Transport")]
pub(crate) enum TransportKind {
    /// A child process that speaks over stdin and stdout.
    Stdio,
    /// Streamable HTTP.
    Http,
    /// HTTP+SSE of 2024-11-05: read so that it can be refused with a reason.
    #[schemars(skip)]
    Sse,
}

/// What a child sees of our environment.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Environment")]
pub(crate) enum EnvironmentKind {
    /// Only what programs need to start: PATH, HOME, locales, proxies, and the settings of npx, uvx and docker.
    Clean,
    /// Everything but `MORTISE_*`.
    Inherit,
}

/// What happens when a result breaks its output schema.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Mode")]
pub(crate) enum ModeKind {
    /// Nothing is checked.
    Off,
    /// Checked and reported; the value is never withheld.
    Warn,
    /// A violation is an error, and so is a result that can't be checked.
    Strict,
}

/// Which protocol era to speak.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Era")]
pub(crate) enum EraKind {
    /// Ask the server.
    Auto,
    /// `initialize` (2025-11-25 and before).
    Legacy,
    /// Stateless (2026-07-28).
    Modern,
}

/// How a token is obtained.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Grant")]
pub(crate) enum GrantKind {
    /// In a browser, by a user.
    AuthorizationCode,
    /// With a client id and secret, no user.
    ClientCredentials,
}

/// Whether calls are listed with the answer.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Trace")]
pub(crate) enum TraceKind {
    /// Only what the program printed.
    Off,
    /// A table of the calls follows.
    Summary,
}

/// How strictly a program is checked before it runs.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Check")]
pub(crate) enum CheckKind {
    /// Not at all.
    Off,
    /// What surely fails is refused, the rest are warnings.
    Guard,
    /// Every finding is refused, and so is a program that could not be checked.
    Strict,
}

/// What happens to tools that are not as the lock file records them.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Lock")]
pub(crate) enum LockKind {
    /// The lock file is not read.
    Off,
    /// They are offered, and the change is named.
    Warn,
    /// They are held back until `mortise lock` records them.
    Enforce,
}

/// Whether shapes of results are learned.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Observe")]
pub(crate) enum ObserveKind {
    /// Nothing is learned, kept or shown.
    Off,
    /// Types, names of fields and counts are kept in the state directory, never a value.
    On,
}

/// What stands under `env`.
#[derive(Default)]
pub(crate) struct Env {
    pub(crate) variables: BTreeMap<String, Located<String>>,
    /// The word in their place.
    pub(crate) policy: Option<EnvironmentKind>,
}

/// Variables, or one word.
#[derive(JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Env")]
#[expect(dead_code, reason = "only its schema is used")]
enum EnvForm {
    Policy(EnvironmentKind),
    Variables(BTreeMap<String, Scalar>),
}

impl<'de> Deserialize<'de> for Env {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(EnvVisitor)
    }
}

struct EnvVisitor;

impl<'de> Visitor<'de> for EnvVisitor {
    type Value = Env;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a mapping of variables, or `inherit`")
    }

    fn visit_unit<E: Error>(self) -> Result<Env, E> {
        Ok(Env::default())
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<Env, E> {
        let policy = Some(EnvironmentKind::deserialize(word.into_deserializer())?);
        Ok(Env { policy, ..Env::default() })
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Env, A::Error> {
        let variables = BTreeMap::deserialize(MapAccessDeserializer::new(map))?;
        Ok(Env { variables, policy: None })
    }
}

/// The entries of `servers`, in the order of the file.
pub(crate) struct Servers(pub(crate) Vec<ServerEntry>);

/// One entry of `servers`, with its key where they are a mapping.
pub(crate) struct ServerEntry {
    pub(crate) key: Option<Located<String>>,
    pub(crate) server: Located<ServerKeys>,
    /// Why it can't be read, and where. Nothing of it is in `server` then.
    pub(crate) mistake: Option<(Position, Problem)>,
}

impl ServerEntry {
    /// The name it goes by, as written.
    pub(crate) fn written_name(&self) -> Option<&Located<String>> {
        self.key.as_ref().or(self.server.value.name.as_ref())
    }

    fn new(key: Option<Located<String>>, server: Located<Option<ServerKeys>>) -> Self {
        let Located { value, position } = server;
        let nothing = || Problem::WrongKind { expected: "a mapping".to_owned(), found: Some("nothing") };
        let mistake = value.is_none().then(|| (position, nothing()));
        Self { key, server: Located { value: value.unwrap_or_default(), position }, mistake }
    }
}

/// A list of servers with names, or a mapping from name to server.
#[derive(JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Servers")]
#[expect(dead_code, reason = "only its schema is used")]
enum ServersForm {
    List(Vec<ServerKeys>),
    Mapping(BTreeMap<String, ServerKeys>),
}

/// A text; a number or a boolean counts as what it looks like.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum Scalar {
    Text(String),
    Number(f64),
    Flag(bool),
}

impl<'de> Deserialize<'de> for Servers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ServersVisitor)
    }
}

struct ServersVisitor;

impl<'de> Visitor<'de> for ServersVisitor {
    type Value = Servers;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list of servers or a mapping from name to server")
    }

    fn visit_unit<E: Error>(self) -> Result<Servers, E> {
        Ok(Servers(Vec::new()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Servers, A::Error> {
        let mut entries = Vec::new();
        while let Some(server) = list.next_element()? {
            entries.push(ServerEntry::new(None, server));
        }
        Ok(Servers(entries))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Servers, A::Error> {
        let mut entries = Vec::new();
        while let Some((key, server)) = map.next_entry()? {
            entries.push(ServerEntry::new(Some(key), server));
        }
        Ok(Servers(entries))
    }
}
