//! The codes of errors that a caller can act on.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

macro_rules! codes {
    ($(#[doc = $about:literal] $name:ident: [$($variant:ident = $text:literal, $when:literal;)*])*) => {
        $(
            #[doc = $about]
            #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
            #[non_exhaustive]
            pub enum $name {
                $(#[doc = $when] $variant,)*
            }

            impl $name {
                /// All of them, in the order of the reference.
                pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

                /// The code as it is written.
                pub fn as_str(self) -> &'static str {
                    match self {
                        $(Self::$variant => $text,)*
                    }
                }

                /// When it is raised, for the reference.
                pub fn raised_when(self) -> &'static str {
                    match self {
                        $(Self::$variant => $when,)*
                    }
                }

                /// The code that a text is.
                pub fn parse(text: &str) -> Option<Self> {
                    match text {
                        $($text => Some(Self::$variant),)*
                        _ => None,
                    }
                }
            }

            impl fmt::Display for $name {
                fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                    formatter.write_str(self.as_str())
                }
            }

            impl Serialize for $name {
                fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    serializer.serialize_str(self.as_str())
                }
            }

            impl<'de> Deserialize<'de> for $name {
                fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    let text = String::deserialize(deserializer)?;
                    Self::parse(&text).ok_or_else(|| de::Error::custom(format_args!("unknown error code `{text}`")))
                }
            }
        )*
    };
}

codes! {
    /// What went wrong, as a stable word that a program can match.
    ErrorCode: [
        ParamMissing = "ERR_PARAM_MISSING", "an argument or a required field is absent or null";
        ParamType = "ERR_PARAM_TYPE", "a value has the wrong JSON type";
        ParamRange = "ERR_PARAM_RANGE", "a value is out of bounds or not one of those allowed";
        ParamUnknown = "ERR_PARAM_UNKNOWN", "an argument is not declared";
        NoPaths = "ERR_NO_PATHS", "`sample_paths` is empty";
        NoPattern = "ERR_NO_PATTERN", "the paths have no structure to use, and a rule that only tags is not wanted";
        InsufficientSamples = "ERR_INSUFFICIENT_SAMPLES", "fewer than two paths to recognise a structure from";
        AmbiguousStructure = "ERR_AMBIGUOUS_STRUCTURE", "structures tie and can't all be listed";
        NoPrimitives = "ERR_NO_PRIMITIVES", "no folder is of a known kind";
        HintTooLong = "ERR_HINT_TOO_LONG", "a hint is longer than its kind allows";
        HintSyntax = "ERR_HINT_SYNTAX", "a hint is malformed";
        HintSegmentRange = "ERR_HINT_SEGMENT_RANGE", "a hint names a segment outside the path";
        HintConflict = "ERR_HINT_CONFLICT", "two hints disagree";
        YamlInvalid = "ERR_YAML_INVALID", "a YAML rule is wrong; the subcode says how";
        GlobInvalid = "ERR_GLOB_INVALID", "a glob does not compile, or has a placeholder that means nothing";
        RegexInvalid = "ERR_REGEX_INVALID", "a regular expression does not compile";
        RegexTooLarge = "ERR_REGEX_TOO_LARGE", "a regular expression of a written rule passes the limits";
        PythonSyntax = "ERR_PYTHON_SYNTAX", "Python code does not parse";
        PythonForbidden = "ERR_PYTHON_FORBIDDEN", "Python code imports or calls what is not allowed";
        PythonSignature = "ERR_PYTHON_SIGNATURE", "Python code has no usable `extract`";
        BridgeProtocol = "ERR_BRIDGE_PROTOCOL", "a parser does not keep the bridge protocol";
        SandboxFailed = "ERR_SANDBOX_FAILED", "code raised, or returned what it must not";
        SandboxTimeout = "ERR_SANDBOX_TIMEOUT", "code passed its time limit";
        SandboxUnavailable = "ERR_SANDBOX_UNAVAILABLE", "code must run, and there is no interpreter";
        TransformUnavailable = "ERR_TRANSFORM_UNAVAILABLE", "no transform of the library does what is asked";
        FileNotFound = "ERR_FILE_NOT_FOUND", "a file or folder does not exist";
        NotADirectory = "ERR_NOT_A_DIRECTORY", "a folder is wanted and the path is none";
        PathDenied = "ERR_PATH_DENIED", "a path lies outside the folders that may be read or written";
        Io = "ERR_IO", "reading or writing failed";
        Encoding = "ERR_ENCODING", "a file's text can't be decoded";
        FormatUnsupported = "ERR_FORMAT_UNSUPPORTED", "a kind of file that is not read or written here";
        FormatMismatch = "ERR_FORMAT_MISMATCH", "content does not parse as the format that it names";
        FormatMixed = "ERR_FORMAT_MIXED", "one result has the fields of two formats";
        FormatUnknown = "ERR_FORMAT_UNKNOWN", "content is in no format that can be detected";
        SchemaEmpty = "ERR_SCHEMA_EMPTY", "a schema has no columns";
        SchemaType = "ERR_SCHEMA_TYPE", "a column's data type is unknown";
        SchemaUnresolved = "ERR_SCHEMA_UNRESOLVED", "a question that blocks is still open";
        ColumnReserved = "ERR_COLUMN_RESERVED", "a column's name starts with `_cf_`";
        ContractNotFound = "ERR_CONTRACT_NOT_FOUND", "no contract has this id";
        ScopeNotFound = "ERR_SCOPE_NOT_FOUND", "no scope has this id";
        ApprovalStale = "ERR_APPROVAL_STALE", "the hash is not that of the proposal to approve";
        DraftNotFound = "ERR_DRAFT_NOT_FOUND", "no draft has this id";
        DraftExpired = "ERR_DRAFT_EXPIRED", "the draft's time has passed";
        DraftState = "ERR_DRAFT_STATE", "the draft's state does not allow this";
        VersionNotRising = "ERR_VERSION_NOT_RISING", "a parser of this name exists with the same or a higher version";
        ExpressionParse = "ERR_EXPRESSION_PARSE", "a semantic expression does not parse";
        PrimitiveUnknown = "ERR_PRIMITIVE_UNKNOWN", "a semantic expression names an unknown primitive";
        OutputTooLarge = "ERR_OUTPUT_TOO_LARGE", "a result passes its size limit";
        Canceled = "ERR_CANCELED", "the caller canceled";
        Timeout = "ERR_TIMEOUT", "the tool passed its time limit";
        Internal = "ERR_INTERNAL", "a bug";
        InternalContract = "ERR_INTERNAL_CONTRACT", "a tool's own result does not fit its output schema";
    ]

    /// What exactly is wrong with a YAML rule.
    Subcode: [
        YamlSyntax = "ERR_YAML_SYNTAX", "the text is not one YAML document, or uses what rules may not";
        YamlSchema = "ERR_YAML_SCHEMA", "a field is missing, unknown, or has a value that it can't have";
        YamlSemantic = "ERR_YAML_SEMANTIC", "the rule does nothing useful on the sample paths";
    ]
}
