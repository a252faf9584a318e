//! What a check finds: a rule, a place, the evidence, and what to do about it.

use std::collections::BTreeMap;

use mortise_client::secret::Secrets;

use super::FindingEvidence;

/// How grave a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum FindingSeverity {
    /// Good to know.
    Info,
    /// Likely to cause trouble.
    Warning,
    /// Broken.
    Error,
}

impl FindingSeverity {
    /// The name used in JSON and in messages.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

macro_rules! rules {
    ($($(#[doc = $doc:literal])* $rule:ident: $severity:ident, $code:literal, $fix:literal;)*) => {
        /// What a finding is an instance of.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum CheckRule {
            $($(#[doc = $doc])* $rule,)*
        }

        impl CheckRule {
            /// All rules.
            pub const ALL: &[Self] = &[$(Self::$rule,)*];

            /// The stable word for it.
            pub fn code(self) -> &'static str {
                match self { $(Self::$rule => $code,)* }
            }

            /// How grave it is.
            pub fn severity(self) -> FindingSeverity {
                match self { $(Self::$rule => FindingSeverity::$severity,)* }
            }

            /// What to do about it.
            pub fn fix(self) -> &'static str {
                match self { $(Self::$rule => $fix,)* }
            }

            /// What it says, in one sentence.
            pub fn about(self) -> &'static str {
                match self { $(Self::$rule => concat!($($doc),*).trim_ascii_start(),)* }
            }
        }
    };
}

rules! {
    /// The server can't be reached.
    Unreachable: Error, "unreachable", "start the server, or correct its command or address";
    /// The server wants a login.
    AuthorizationRequired: Error, "authorization_required", "log in with `mortise login`, or configure a token";
    /// No tool was called, so nothing is known about results.
    NothingChecked: Error, "nothing_checked", "add readOnlyHint to tools that only read, name tools with --call, or write cases";
    /// No call succeeded and no case passed, so nothing is known about results.
    NothingVerified: Error, "nothing_verified", "write a case with arguments that a tool knows, or name such values in the input schemas";
    /// A result breaks the tool's output schema.
    ContractViolation: Error, "contract_violation", "return what the output schema says, or correct the schema";
    /// A case does not come out as expected.
    CaseFailed: Error, "case_failed", "mend the tool, or correct the case";
    /// A tool that was recorded is gone.
    MissingTool: Error, "missing_tool", "bring the tool back, or record again once its end is meant";
    /// A declaration is not as it was recorded.
    DeclarationDrift: Error, "declaration_drift", "declare what was declared, or record again once the change is meant";
    /// A request that succeeded when it was recorded fails now.
    NewError: Error, "new_error", "answer as before, or record again once the change is meant";
    /// An answer is not as it was recorded.
    ResultDrift: Error, "result_drift", "answer as before, or record again once the change is meant";
    /// The server ended during a call.
    Crashed: Error, "crashed", "handle the arguments instead of ending";
    /// A call got no answer in time.
    TimedOut: Error, "timed_out", "answer sooner, or allow more time with --timeout";
    /// The server answered valid arguments with an internal error.
    InternalError: Error, "internal_error", "answer with a result that has isError and says what went wrong";
    /// A message of the server breaks the protocol.
    ProtocolFault: Error, "protocol_fault", "send what the protocol says; the excerpt shows what came";
    /// The server writes something else than messages to stdout.
    StdoutNoise: Warning, "stdout_noise", "write logs to stderr; stdout belongs to the protocol";
    /// An element of the tool list is not a usable tool.
    RejectedTool: Error, "rejected_tool", "correct the declaration";
    /// The official clients can't read the list of tools, and show none of them.
    UnreadableList: Error, "unreadable_list", "declare the tool in the form of the protocol version; up to 2025-11-25 a schema has an object at its root";
    /// A schema can't be used to check anything.
    SchemaUnusable: Error, "schema_unusable", "make it a valid schema without external references";
    /// A result could not be checked, though its schema can be used.
    Unchecked: Warning, "unchecked", "send structured content that every JSON parser reads, and less of it at once";
    /// A key occurs twice in one object, so that readers differ about its value.
    DuplicateKey: Warning, "duplicate_key", "write every key once";
    /// An output schema accepts nearly anything.
    LooseSchema: Warning, "loose_schema", "declare properties with types, and which of them are required";
    /// A tool has no output schema.
    NoOutputSchema: Info, "no_output_schema", "declare an outputSchema, so that callers know what comes back";
    /// A declaration is odd.
    OddDeclaration: Warning, "odd_declaration", "correct the declaration at the place named";
    /// A tool can't be declared to every provider of models.
    Portability: Warning, "portability", "declare it in the words that every provider takes";
    /// The text of a result says something else than its structured content.
    TextDisagrees: Warning, "text_disagrees", "put the JSON of the structured content into a text block, for older clients";
    /// A result has no structured content, though its text would conform.
    OnlyText: Warning, "only_text", "return the value as structuredContent too";
    /// A value breaks a format that the schema names.
    FormatMismatch: Warning, "format_mismatch", "write the value in the format, or drop the format";
    /// Arguments that break the input schema were accepted.
    InvalidAccepted: Warning, "invalid_accepted", "refuse them with isError or code -32602, or loosen the input schema";
    /// Arguments that keep the input schema were refused as invalid.
    ValidRefused: Warning, "valid_refused", "say in the input schema what is accepted";
    /// No call of the tool succeeded, so it is unverified.
    NeverSucceeded: Warning, "never_succeeded", "write a case with arguments that the tool knows, or name such values in the input schema";
    /// An answer took long.
    Slow: Warning, "slow", "answer sooner, in pages, or with progress";
    /// Declared fields, values or branches never occurred.
    NeverSeen: Info, "never_seen", "drop what never occurs, or add a case that shows it";
    /// Fields occurred that are not declared.
    Undeclared: Info, "undeclared", "declare them, or set additionalProperties to false and leave them out";
}

/// One finding. The same rule at the same place is one finding, however often it occurs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckFinding {
    pub rule: CheckRule,
    /// How grave it is here; for most rules it is always the same.
    pub severity: FindingSeverity,
    /// The tool, if it is about one.
    pub tool: Option<String>,
    pub message: String,
    pub evidence: FindingEvidence,
    /// What to do about it.
    pub fix: &'static str,
    /// How often it occurred.
    pub count: u64,
    key: String,
}

impl CheckFinding {
    pub(crate) fn new(rule: CheckRule, tool: Option<&str>, message: impl Into<String>) -> Self {
        Self {
            rule,
            severity: rule.severity(),
            tool: tool.map(str::to_owned),
            message: message.into(),
            evidence: FindingEvidence::default(),
            fix: rule.fix(),
            count: 1,
            key: String::new(),
        }
    }

    pub(crate) fn severity(mut self, severity: FindingSeverity) -> Self {
        self.severity = severity;
        self
    }

    pub(crate) fn evidence(mut self, evidence: FindingEvidence) -> Self {
        self.evidence = evidence;
        self
    }

    pub(crate) fn fix(mut self, fix: Option<&'static str>) -> Self {
        self.fix = fix.unwrap_or(self.fix);
        self
    }

    /// Distinguishes this finding from others of the same rule and tool.
    pub(crate) fn key(mut self, key: impl Into<String>) -> Self {
        self.key = key.into();
        self
    }

    /// Identifies the finding among all of its server; the same in every run.
    pub fn fingerprint(&self) -> String {
        let tool = self.tool.as_deref().unwrap_or_default();
        format!("{tool}#{}#{}", self.rule.code(), self.key)
    }

    /// The finding as it can be shown to anybody: without the server's secrets, and cut.
    pub(crate) fn shown(mut self, secrets: &Secrets) -> Self {
        self.message = secrets.hide(&self.message).into_owned();
        self.key = secrets.hide_certain_in_name(&self.key).into_owned();
        self.tool = self.tool.map(|tool| secrets.hide_certain_in_name(&tool).into_owned());
        self.evidence = self.evidence.shown(secrets);
        self
    }
}

/// Findings, each once, in order of gravity and place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings(
    BTreeMap<(std::cmp::Reverse<FindingSeverity>, CheckRule, Option<String>, String), CheckFinding>,
);

impl Findings {
    pub(crate) fn add(&mut self, finding: CheckFinding) {
        let severity = std::cmp::Reverse(finding.severity);
        let key = (severity, finding.rule, finding.tool.clone(), finding.key.clone());
        self.0.entry(key).and_modify(|known| known.count += 1).or_insert(finding);
    }

    /// All of them, gravest first.
    pub fn iter(&self) -> impl Iterator<Item = &CheckFinding> {
        self.0.values()
    }

    /// How many there are of a severity.
    pub fn count(&self, severity: FindingSeverity) -> usize {
        self.iter().filter(|finding| finding.severity == severity).count()
    }

    /// Whether there is one of a rule.
    pub fn has(&self, rule: CheckRule) -> bool {
        self.iter().any(|finding| finding.rule == rule)
    }
}
