//! One column of a proposal, with its evidence.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{date_question, null_question, rounded};
use crate::answer::DecisionQuestion;
use crate::data::data_type::DataType;
use crate::data::infer::{AlternativeType, CounterExample, InferredColumn, NearMiss, ResolvedType};
use crate::data::table::ParquetColumn;

/// A column of a proposal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiscoveredColumn {
    /// Its name
    pub name: String,
    /// Its type
    pub data_type: DataType,
    /// How dates and times are written, for `strptime`; several are separated by `|`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// Whether values are missing
    pub nullable: bool,
    /// Its first different values
    pub sample_values: Vec<String>,
    /// Rows without a value, from 0 to 100
    pub null_percentage: f64,
    /// Whether it may be something else
    pub is_ambiguous: bool,
    /// What else it may be
    pub alternative_types: Vec<String>,
    /// Why it is what it is
    pub constraint: Constraint,
    /// A type that nearly all values have
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub near_miss: Option<NearMiss>,
    /// Words that seem to mean a missing value
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggested_null_tokens: Vec<String>,
}

/// What is known about a column's type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Constraint {
    /// null, boolean, integer, float, date, timestamp, time, duration or string
    pub resolved_type: String,
    /// From 0 to 1
    pub confidence: f64,
    /// The values that speak
    pub evidence: TypeEvidence,
    /// What was taken for granted
    pub assumptions: Vec<String>,
    /// Whether only a person can say how the values are read
    pub needs_human_decision: bool,
    /// What to ask
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub human_question: Option<DecisionQuestion>,
    /// What else it may be
    pub alternatives: Vec<AlternativeType>,
}

/// The values that speak for a type and against the others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TypeEvidence {
    /// The first different values
    pub sample_values: Vec<String>,
    /// The first values that struck out each type
    pub eliminated_types: Vec<CounterExample>,
    /// Values that have the type, from 0 to 100
    pub match_percentage: f64,
}

pub(super) fn from_values(id: &str, name: &str, column: &InferredColumn) -> DiscoveredColumn {
    let needs_human_decision = column.needs_decision();
    let human_question = match needs_human_decision {
        true => Some(date_question(id, name, column)),
        false => null_question(id, name, column),
    };
    let mut alternatives = column.alternatives.clone();
    alternatives.extend(column.without_null_tokens.map(|without| {
        let words = column.suggested_null_tokens.join(", ");
        AlternativeType::new(without.as_str(), format!("if {words} mean that there is no value"))
    }));
    let mut assumptions = column.assumptions.clone();
    if column.resolved == ResolvedType::Null {
        assumptions.push("without any value the column is text".to_owned());
    }
    let near_miss = column.near_miss.clone().map(|near| NearMiss { share: rounded(near.share), ..near });
    DiscoveredColumn {
        name: name.to_owned(),
        data_type: column.data_type,
        format: column.format.clone(),
        nullable: column.null_rows > 0,
        sample_values: column.sample_values.clone(),
        null_percentage: percentage(column.null_rows, column.rows),
        is_ambiguous: needs_human_decision || !alternatives.is_empty(),
        alternative_types: alternatives.iter().map(|other| other.type_name.clone()).collect(),
        constraint: Constraint {
            resolved_type: column.resolved.as_str().to_owned(),
            confidence: column.confidence,
            evidence: TypeEvidence {
                sample_values: column.sample_values.clone(),
                eliminated_types: column.eliminated.clone(),
                match_percentage: rounded(column.match_share * 100.0),
            },
            assumptions,
            needs_human_decision,
            human_question,
            alternatives,
        },
        near_miss,
        suggested_null_tokens: column.suggested_null_tokens.clone(),
    }
}

/// A column of a file that says itself what its types are.
pub(super) fn from_footer(name: &str, schema: &ParquetColumn, column: &InferredColumn) -> DiscoveredColumn {
    let resolved = match schema.data_type {
        DataType::Int64 | DataType::Int32 => "integer",
        DataType::Float64 | DataType::Float32 => "float",
        other => other.as_str(),
    };
    let format = match schema.data_type {
        DataType::Date => Some("%Y-%m-%d".to_owned()),
        DataType::Timestamp => Some("%Y-%m-%dT%H:%M:%S.%f".to_owned()),
        _ => None,
    };
    DiscoveredColumn {
        name: name.to_owned(),
        data_type: schema.data_type,
        format,
        nullable: schema.nullable && schema.nulls != Some(0),
        sample_values: column.sample_values.clone(),
        null_percentage: percentage(column.null_rows, column.rows),
        is_ambiguous: false,
        alternative_types: Vec::new(),
        constraint: Constraint {
            resolved_type: resolved.to_owned(),
            confidence: 1.0,
            evidence: TypeEvidence {
                sample_values: column.sample_values.clone(),
                eliminated_types: Vec::new(),
                match_percentage: 100.0,
            },
            assumptions: vec!["the file's own schema is right".to_owned()],
            needs_human_decision: false,
            human_question: None,
            alternatives: Vec::new(),
        },
        near_miss: None,
        suggested_null_tokens: Vec::new(),
    }
}

fn percentage(part: u64, all: u64) -> f64 {
    if all == 0 { 0.0 } else { rounded(part as f64 * 100.0 / all as f64) }
}
