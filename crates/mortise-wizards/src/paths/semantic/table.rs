//! The table of primitives, as it is listed for a caller.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where a primitive comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Domain {
    /// For any folder of files.
    Core,
    /// Hospitals: directions of messages.
    Healthcare,
    /// Missions, sorties, sensors.
    Defense,
    /// What the operator configured.
    User,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct PrimitiveEntry {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    pub(crate) domain: Domain,
    pub(crate) variants: &'static [&'static str],
    pub(crate) examples: &'static [&'static str],
    pub(crate) usage: &'static str,
    pub(crate) example_expression: &'static str,
}

pub(super) fn find(name: &str) -> Option<&'static PrimitiveEntry> {
    TABLE.iter().find(|entry| entry.name == name)
}

/// All rows, the most telling first.
pub(crate) fn primitives() -> &'static [PrimitiveEntry] {
    TABLE
}

const TABLE: &[PrimitiveEntry] = &[
    PrimitiveEntry {
        name: "files",
        description: "The file itself, always the last step; with an extension only files of that kind",
        domain: Domain::Core,
        variants: &[],
        examples: &["telemetry_001.csv"],
        usage: "`files` or `files(csv)`",
        example_expression: "year_folder > files(csv)",
    },
    PrimitiveEntry {
        name: "dated_hierarchy",
        description: "A date in one folder, or spread over two or three",
        domain: Domain::Core,
        variants: &["iso", "compact", "year_month", "european", "us", "nested", "quarter"],
        examples: &["2024-01-15", "20240115", "2024-01", "15-01-2024", "2024/01/15", "2024/Q1"],
        usage: "one of `iso`, `compact`, `year_month`, `european`, `us`, `nested`, `quarter`",
        example_expression: "dated_hierarchy(iso) > files",
    },
    PrimitiveEntry {
        name: "period_folder",
        description: "A quarter, half or week of a year",
        domain: Domain::Core,
        variants: &["quarter", "half", "week"],
        examples: &["Q1", "H2", "W05"],
        usage: "one of `quarter`, `half`, `week`",
        example_expression: "period_folder(quarter) > files",
    },
    PrimitiveEntry {
        name: "year_folder",
        description: "A year from 1900 to 2100, or a fiscal year",
        domain: Domain::Core,
        variants: &["FY", "FY2"],
        examples: &["2024", "FY2024", "FY24"],
        usage: "no argument, `FY` for `FY2024` or `FY2` for `FY24`",
        example_expression: "year_folder > files",
    },
    PrimitiveEntry {
        name: "month_folder",
        description: "A month as two digits, or as an English word",
        domain: Domain::Core,
        variants: &["word"],
        examples: &["01", "Jan", "January"],
        usage: "no argument, or `word` for month names",
        example_expression: "year_folder > month_folder > files",
    },
    PrimitiveEntry {
        name: "day_folder",
        description: "A day of a month",
        domain: Domain::Core,
        variants: &["Day"],
        examples: &["15", "Day15"],
        usage: "no argument, or `Day` for `Day15`",
        example_expression: "day_folder(Day) > files",
    },
    PrimitiveEntry {
        name: "version_folder",
        description: "A version",
        domain: Domain::Core,
        variants: &["release", "bare"],
        examples: &["v2.3", "release-2.3", "2.3.1"],
        usage: "no argument for `v2.3`, `release` for `release-2.3`, or `bare`",
        example_expression: "version_folder > files",
    },
    PrimitiveEntry {
        name: "partition",
        description: "A folder of the form key=value",
        domain: Domain::Core,
        variants: &["integer", "date"],
        examples: &["year=2024", "region=eu"],
        usage: "the key, and `integer` or `date` when all values are",
        example_expression: "partition(year, integer) > files(parquet)",
    },
    PrimitiveEntry {
        name: "entity_folder",
        description: "One of many things of a kind: a prefix, `_` or `-`, and which one",
        domain: Domain::Core,
        variants: &["dash", "mixed"],
        examples: &["mission_042", "CLIENT-ABC"],
        usage: "the prefix as it is written, and `dash` or `mixed` where `_` is not what follows it",
        example_expression: "entity_folder(mission) > files",
    },
    PrimitiveEntry {
        name: "direction_marker",
        description: "A kind of message with its direction",
        domain: Domain::Healthcare,
        variants: &[],
        examples: &["ADT_Inbound", "ORU_Outbound"],
        usage: "no argument",
        example_expression: "direction_marker > year_folder > files(hl7)",
    },
    PrimitiveEntry {
        name: "env_marker",
        description: "An environment: prod, staging, dev, test or qa",
        domain: Domain::Core,
        variants: &[],
        examples: &["prod", "staging"],
        usage: "the names in alphabetical order",
        example_expression: "env_marker(dev, prod) > files",
    },
    PrimitiveEntry {
        name: "category_folder",
        description: "A usual word for what is inside: reports, logs, raw, processed …",
        domain: Domain::Core,
        variants: &[],
        examples: &["reports", "raw"],
        usage: "the words in alphabetical order",
        example_expression: "category_folder(processed, raw) > files",
    },
    PrimitiveEntry {
        name: "numeric_sequence",
        description: "Digits only: an id or a counter",
        domain: Domain::Core,
        variants: &["0"],
        examples: &["12345", "007"],
        usage: "an optional name, and `0` where zeros lead",
        example_expression: "numeric_sequence(order) > files",
    },
    PrimitiveEntry {
        name: "literal",
        description: "One constant folder",
        domain: Domain::Core,
        variants: &[],
        examples: &["invoices"],
        usage: "the folder's name in quotes",
        example_expression: "literal(\"invoices\") > year_folder > files",
    },
    PrimitiveEntry {
        name: "any_folder",
        description: "Any folder, optionally with a name for its field",
        domain: Domain::Core,
        variants: &[],
        examples: &["acme"],
        usage: "no argument, or a field name",
        example_expression: "any_folder(client) > files",
    },
    PrimitiveEntry {
        name: "entity_folder(mission)",
        description: "A mission, sortie or sensor; written as an entity folder with that prefix",
        domain: Domain::Defense,
        variants: &["mission", "sortie", "sensor"],
        examples: &["mission_042", "sortie-7", "sensor_a1"],
        usage: "the prefix as it is written",
        example_expression: "entity_folder(sortie, dash) > files",
    },
];
