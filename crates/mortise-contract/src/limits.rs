//! Limits as they are declared and shown, and the limits that this crate or several crates keep.
//!
//! Every crate has a module `limits` with a table made by [`limits!`](crate::limits!); the binary shows all of them.

use std::time::Duration;

/// One limit as shown by `mortise doctor --limits` and in the documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The section of the page: `program`, `upstream`, `schema`, …
    pub area: &'static str,
    /// What is limited.
    pub name: &'static str,
    /// The value with its unit, for a person.
    pub value: &'static str,
    /// The setting that changes it, if there is one.
    pub setting: Option<&'static str>,
    /// The limit of the same area below which it is shown; without one it is shown below the rows of its table.
    pub after: Option<&'static str>,
}

/// Bytes of a kibibyte.
pub const KIB: usize = 1024;
/// Bytes of a mebibyte.
pub const MIB: usize = 1024 * KIB;

/// A crate's limits: a constant for each, and `LIMITS`, the table of what is shown for them.
///
/// A row is `NAME: type = value, area, name, shown value, setting;`. A row whose shown value differs from its value
/// does not compile:
///
/// ```compile_fail
/// mortise_contract::limits! {
///     /// Levels of a rope ladder.
///     LADDER: usize = 12, "rope", "levels", "13 levels", None;
/// }
/// ```
#[macro_export]
macro_rules! limits {
    ($($(#[doc = $doc:literal])* $constant:ident: $type:ident = $value:expr, $area:literal, $name:literal, $shown:literal, $setting:expr $(, after $after:literal)?;)*) => {
        $($(#[doc = $doc])* pub const $constant: $type = $value;)*

        /// The limits of this crate, in the order in which they are shown.
        pub const LIMITS: &[$crate::limits::Limit] = &[$({
            assert!($crate::limits::amount($shown) == $crate::limits!(@amount $type $constant), $shown);
            $crate::limits::Limit {
                area: $area,
                name: $name,
                value: $shown,
                setting: $setting,
                after: $crate::limits!(@after $($after)?),
            }
        },)*];
    };
    (@amount Duration $constant:ident) => { $constant.as_secs() };
    (@amount $type:ident $constant:ident) => { $constant as u64 };
    (@after $after:literal) => { Some($after) };
    (@after) => { None };
}

/// The number that a shown value stands for: of `16 MiB` that of its bytes, of `120 s` 120.
#[doc(hidden)]
pub const fn amount(shown: &str) -> u64 {
    let bytes = shown.as_bytes();
    let (mut number, mut at) = (0, 0);
    while at < bytes.len() && bytes[at] != b' ' {
        if bytes[at] != b',' {
            assert!(bytes[at].is_ascii_digit(), "a limit begins with its number");
            number = number * 10 + (bytes[at] - b'0') as u64;
        }
        at += 1;
    }
    let (_, unit) = bytes.split_at(at);
    number
        * match unit {
            b" KiB" => 1 << 10,
            b" MiB" => 1 << 20,
            b" GiB" => 1 << 30,
            b" million" => 1_000_000,
            _ => 1,
        }
}

// The limits of programs stand here and not with the engine, since the configuration keeps them too and must not
// know the engine.
limits! {
    /// Wall clock of one program.
    PROGRAM_WALL: Duration = Duration::from_secs(120), "program", "wall clock", "120 s", Some("execution.timeout_seconds");
    /// The longest wall clock that can be set.
    PROGRAM_WALL_MAX: Duration = Duration::from_secs(600), "program", "wall clock that can be set", "600 s", None;
    /// Memory of one program.
    PROGRAM_MEMORY: usize = 256 * MIB, "program", "memory", "256 MiB", Some("execution.max_memory_bytes");
    /// Source text of one program.
    PROGRAM_SOURCE: usize = 256 * KIB, "program", "source", "256 KiB", Some("execution.max_source_bytes");
    /// Printed output kept.
    PROGRAM_OUTPUT: usize = 64 * KIB, "program", "output kept", "64 KiB", Some("execution.max_output_bytes");
    /// Tool calls of one program.
    PROGRAM_CALLS: usize = 1_000, "program", "tool calls", "1,000", Some("execution.max_tool_calls");
    /// Tool calls of one program at the same time; the rest wait.
    PROGRAM_CALLS_IN_FLIGHT: usize = 16, "program", "tool calls in flight", "16", Some("execution.max_concurrent_calls");
    /// One tool call.
    CALL_TIME: Duration = Duration::from_secs(60), "program", "one tool call", "60 s", Some("execution.tool_call_timeout_seconds");
    /// One tool result on its way into a program.
    PROGRAM_RESULT: usize = 16 * MIB, "program", "one result into a program", "16 MiB", Some("execution.max_tool_result_bytes");
    /// What a program emits as its result.
    PROGRAM_EMITTED: usize = MIB, "program", "emitted result", "1 MiB", Some("execution.max_emitted_bytes");
    /// Levels of a JSON value: nested containers plus one.
    JSON_DEPTH: usize = 128, "program", "nesting of a JSON value", "128 levels", None;
    /// Programs waiting; the next is refused.
    PROGRAMS_WAITING: usize = 2_000, "program", "waiting", "2,000", Some("execution.max_waiting");
    /// Memory of all programs together.
    PROGRAMS_MEMORY: usize = 2_048 * MIB, "program", "memory of all together", "2 GiB", Some("execution.max_total_memory_bytes");

    /// Compact text of one schema.
    SCHEMA_BYTES: usize = 256 * KIB, "schema", "size", "256 KiB", None;
    /// Nesting of one schema.
    SCHEMA_DEPTH: usize = 64, "schema", "depth", "64 levels", None;
    /// Nesting of one schema, through its references: what compiling needs of the stack.
    SCHEMA_NESTING: usize = 128, "schema", "depth with references", "128 levels", None;
    /// Ways from one embedded resource (`$id`) to another: each is compiled.
    SCHEMA_RESOURCE_WAYS: usize = 500, "schema", "ways through embedded resources", "500", None;
    /// Subschemas within each other while one value is validated: what validating needs of the stack.
    VALIDATION_DEPTH: usize = 1_000, "schema", "subschemas within each other on one value", "1,000", None;
    /// Visits of subschemas up to which all violations are looked for; beyond, the first one only.
    VIOLATIONS_WORK: u64 = 100_000, "schema", "work up to which all violations are counted", "100,000", None;
    /// Values that may be copied while violations of `anyOf` and `oneOf` are looked for.
    VIOLATIONS_COPIES: u64 = 500_000, "schema", "values copied into violations", "500,000", None;
    /// A chain of references.
    SCHEMA_REFS: usize = 32, "schema", "reference depth", "32", None;
    /// Subschemas of one schema.
    SCHEMA_SUBSCHEMAS: usize = 5_000, "schema", "subschemas", "5,000", None;
    /// Paths through one schema with its references expanded.
    SCHEMA_PATHS: u64 = 100_000, "schema", "expanded paths", "100,000", None;
    /// Expanded paths times instance nodes.
    SCHEMA_WORK: u64 = 50_000_000, "schema", "expanded paths x instance nodes", "50 million", None;
    /// Values in one `enum`.
    SCHEMA_ENUM: usize = 10_000, "schema", "values of an enum", "10,000", None;
    /// One `pattern`.
    SCHEMA_PATTERN: usize = KIB, "schema", "one pattern", "1 KiB", None;
    /// One compiled pattern.
    SCHEMA_REGEX: usize = MIB, "schema", "one compiled pattern", "1 MiB", None;
    /// All compiled patterns of one schema.
    SCHEMA_REGEX_TOTAL: usize = 8 * MIB, "schema", "all compiled patterns of a schema", "8 MiB", None;
    /// Steps back in one match of a pattern with look-around or back-references.
    SCHEMA_BACKTRACKS: usize = 10_000, "schema", "backtracking steps of one match", "10,000", None;
    /// A value to be validated, as text.
    INSTANCE_BYTES: usize = 16 * MIB, "schema", "value to be validated", "16 MiB", None;
    /// One field of a tool, resource or prompt; a larger one is kept as text only.
    FIELD_BYTES: usize = 512 * KIB, "schema", "one field of a listed tool", "512 KiB", None;
    /// Violations shown; all are counted.
    VIOLATIONS_SHOWN: usize = 10, "schema", "violations shown", "10", None;
    /// The message of one violation.
    VIOLATION_MESSAGE: usize = 2 * KIB, "schema", "message of a violation", "2 KiB", None;
    /// The excerpt of one violation.
    VIOLATION_EXCERPT: usize = 256, "schema", "excerpt of a violation", "256 bytes", None;
    /// Compiled schemas kept.
    SCHEMAS_CACHED: usize = 4_096, "schema", "compiled schemas kept", "4,096", None;

    /// How long a question to a person waits for its answer.
    APPROVAL_TIME: Duration = Duration::from_secs(300), "program", "question for approval", "300 s", Some("approvals.timeout_seconds");
    /// The longest such time that can be set.
    APPROVAL_TIME_MAX: Duration = Duration::from_secs(600), "program", "question for approval that can be set", "600 s", None;
    /// Grants that one run holds, and tools that it was refused.
    APPROVAL_GRANTS: usize = 1_000, "program", "grants of one run", "1,000", None;
    /// One recording; `mortise record` passes on what comes after that and no longer writes it.
    RECORDING_BYTES: usize = 256 * MIB, "tester", "one recording", "256 MiB", None;
    /// Levels of containers in an observed shape; deeper ones may be anything.
    OBSERVED_LEVELS: usize = 12, "observed", "levels of a shape", "12 levels", None;
    /// Fields of one observed object; one more makes it a map.
    OBSERVED_FIELDS: usize = 128, "observed", "fields of an object", "128", None;
    /// The name of an observed field; a longer one makes the object a map.
    OBSERVED_NAME: usize = 64, "observed", "name of a field", "64 bytes", None;
    /// Nodes of one observed shape, a map counted as 129 fields; a larger one loses its deepest levels.
    OBSERVED_WEIGHT: usize = 20_000, "observed", "nodes of a shape", "20,000", None;
    /// Nodes of one result that are looked at; of longer lists ever fewer elements after that.
    OBSERVED_NODES: usize = 5_000, "observed", "nodes of a result that are looked at", "5,000", None;
    /// Subschemas of an observed schema that is shown; a larger one is shown without its deepest levels.
    OBSERVED_SUBSCHEMAS: usize = 1_000, "observed", "subschemas shown", "1,000", None;

    /// A tool's name as a program calls it, and a server's key.
    NAME_CHARS: usize = 128, "name", "callable name, server name", "128 characters", None;
    /// A tool's name as an LLM provider sees it.
    PROVIDER_NAME_CHARS: usize = 64, "name", "name for a provider", "64 characters", None;
}

#[cfg(test)]
mod tests;
