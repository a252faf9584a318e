//! What several wizards take: columns of a schema, a parser's code, files.

use mortise_formats::format::{ErrorBody, ErrorCode};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::data::data_type::{Column, DataType};
use crate::data::strptime::is_time_format;
use crate::parsers::check::shortened;
use crate::parsers::plan::{ParserPlan, SinkKind};
use crate::parsers::planning::WantedColumn;
use crate::parsers::subject::Method;
use crate::parsers::validate::Static;
use crate::parsers::value::is_dated;
use crate::store::DraftKind;
use crate::tool::blocking;
use crate::tool::room::fitting;
use crate::wizards::Wizards;

/// A schema as a caller gives it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct GivenSchema {
    /// The data's name; topic and parser name come from it
    pub(super) name: String,
    /// At least one column
    pub(super) columns: Vec<GivenColumn>,
    /// What the data is
    #[serde(default)]
    pub(super) description: Option<String>,
}

/// A column as a caller gives it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct GivenColumn {
    /// As in the file's header
    pub(super) name: String,
    /// int64, int32, float64, float32, string, boolean, date, timestamp, time or binary
    pub(super) data_type: String,
    /// Whether a value may be missing
    #[serde(default)]
    pub(super) nullable: bool,
    /// How dates and times are written, for strptime
    #[serde(default)]
    pub(super) format: Option<String>,
    /// Another name in the output
    #[serde(default)]
    pub(super) rename_to: Option<String>,
}

const MOST_COLUMNS: usize = 2_000;

/// The columns of a schema, or what is wrong with them.
pub(super) fn wanted(schema: &GivenSchema, field: &str) -> Result<Vec<WantedColumn>, ErrorBody> {
    if schema.name.trim().is_empty() {
        return Err(unnamed("the schema").at_field(format!("{field}.name")));
    }
    if schema.columns.is_empty() {
        return Err(ErrorBody::new(
            ErrorCode::SchemaEmpty,
            format!("`{}` has no columns", shortened(&schema.name)),
            "give at least one column with `name` and `data_type`",
        )
        .at_field(format!("{field}.columns")));
    }
    if schema.columns.len() > MOST_COLUMNS {
        let reason = format!("{} columns are more than {MOST_COLUMNS}", schema.columns.len());
        return Err(ErrorBody::new(ErrorCode::ParamRange, reason, "leave out columns that are not needed")
            .at_field(format!("{field}.columns")));
    }
    let one = |(index, column): (usize, &GivenColumn)| {
        let at = |part: &str| format!("{field}.columns[{index}].{part}");
        if column.name.trim().is_empty() {
            return Err(unnamed("the column").at_field(at("name")));
        }
        if column.rename_to.as_ref().is_some_and(|name| name.trim().is_empty()) {
            return Err(unnamed("the column of the output").at_field(at("rename_to")));
        }
        let Some(data_type) = DataType::parse(&column.data_type) else {
            let known: Vec<&str> = DataType::ALL.into_iter().map(DataType::as_str).collect();
            let reason = format!("`{}` is no type of a column", shortened(&column.data_type));
            return Err(ErrorBody::new(
                ErrorCode::SchemaType,
                reason,
                format!("use one of {}", known.join(", ")),
            )
            .at_field(at("data_type")));
        };
        if let Some(format) = column.format.as_deref()
            && (is_dated(data_type) || data_type == DataType::Time)
            && !is_time_format(format)
        {
            return Err(no_time_format(format).at_field(at("format")));
        }
        Ok(WantedColumn {
            column: Column {
                name: column.name.clone(),
                data_type,
                nullable: column.nullable,
                format: column.format.clone(),
            },
            rename_to: column.rename_to.clone(),
        })
    };
    let wanted = schema.columns.iter().enumerate().map(one).collect::<Result<Vec<_>, _>>()?;
    check_names(&wanted, field)?;
    Ok(wanted)
}

fn unnamed(what: &str) -> ErrorBody {
    ErrorBody::new(ErrorCode::ParamRange, format!("{what} has no name"), "give it a name")
}

/// A format that is none, without its field.
pub(super) fn no_time_format(text: &str) -> ErrorBody {
    ErrorBody::new(
        ErrorCode::ParamRange,
        format!("`{}` is no format for strptime", shortened(text)),
        "use directives such as `%Y-%m-%d`, and `|` between formats",
    )
}

/// Names of the output: none twice, none of those that lineage uses.
pub(super) fn check_names(wanted: &[WantedColumn], field: &str) -> Result<(), ErrorBody> {
    let mut seen = std::collections::BTreeSet::new();
    for (index, column) in wanted.iter().enumerate() {
        let (name, place) = (column.output_name(), format!("{field}.columns[{index}].name"));
        if name.starts_with("_cf_") {
            let reason = format!("`{}` begins with `_cf_`, which is kept for lineage", shortened(name));
            return Err(ErrorBody::new(
                ErrorCode::ColumnReserved,
                reason,
                "give it another name with `rename_to`",
            )
            .at_field(place));
        }
        if !seen.insert(name) {
            let reason = format!("two columns of the output are called `{}`", shortened(name));
            return Err(ErrorBody::new(
                ErrorCode::ParamRange,
                reason,
                "give one of them another name with `rename_to`",
            )
            .at_field(place));
        }
    }
    Ok(())
}

pub(super) struct Code {
    pub(super) text: String,
    /// Modules that it may import besides the usual.
    pub(super) extra_imports: Vec<String>,
    /// What columns of its rows hold, if it is a draft that was made from them.
    pub(super) columns: Vec<Column>,
}

/// The fact of a draft that names such modules.
pub(super) const EXTRA_IMPORTS: &str = "extra_imports";

/// The name of the columns among the facts of a draft.
pub(super) const COLUMNS_FACT: &str = "columns";

/// The columns of a plan as they are kept with its draft. Those that always have a value tell their types themselves.
pub(super) fn columns_to_keep(plan: &ParserPlan) -> Vec<Column> {
    // A manifest with many drafts is read whole.
    const MOST_BYTES: usize = 64_000;
    let optional = plan.columns.iter().filter(|column| column.nullable);
    let columns = optional.map(|column| Column {
        name: column.name.clone(),
        data_type: column.data_type,
        nullable: true,
        format: column.format.clone(),
    });
    fitting(columns, MOST_BYTES).0
}

fn kept_columns(facts: &serde_json::Value) -> Vec<Column> {
    let columns = facts.get(COLUMNS_FACT).cloned().unwrap_or_default();
    serde_json::from_value(columns).unwrap_or_default()
}

/// The code of a call: given, or a draft's.
pub(super) async fn code(
    wizards: &std::sync::Arc<Wizards>,
    parser_code: Option<String>,
    draft_id: Option<String>,
) -> Result<Option<Code>, ErrorBody> {
    match (parser_code, draft_id) {
        (Some(_), Some(_)) => Err(ErrorBody::new(
            ErrorCode::ParamRange,
            "both `parser_code` and `draft_id` are given",
            "give one of them",
        )
        .at_field("draft_id")),
        (Some(text), None) => Ok(Some(Code { text, extra_imports: Vec::new(), columns: Vec::new() })),
        (None, None) => Ok(None),
        (None, Some(id)) => {
            let drafts = std::sync::Arc::clone(&wizards.drafts);
            blocking(move |_| {
                let (entry, files) = drafts.get(&id)?;
                let code = files.into_iter().find(|(name, _)| name == "parser.py").map(|(_, code)| code);
                match (entry.kind, code) {
                    (DraftKind::Parser, Some(text)) => {
                        let extra = entry.facts.get(EXTRA_IMPORTS).cloned().unwrap_or_default();
                        let extra_imports = serde_json::from_value(extra).unwrap_or_default();
                        Ok(Some(Code { text, extra_imports, columns: kept_columns(&entry.facts) }))
                    }
                    _ => Err(ErrorBody::new(
                        ErrorCode::ParamRange,
                        format!("draft `{id}` is no parser"),
                        "call list_drafts with `kind` parser",
                    )
                    .at_field("draft_id")),
                }
            })
            .await
        }
    }
}

/// Why files can't be read.
pub(super) enum MethodError {
    /// The call or its code is wrong.
    Refused(ErrorBody),
    /// The code can't be run here.
    Unavailable(ErrorBody),
}

impl From<MethodError> for ErrorBody {
    fn from(error: MethodError) -> Self {
        match error {
            MethodError::Refused(error) | MethodError::Unavailable(error) => error,
        }
    }
}

/// What reads the files, a parser or the built-in reader, and the sink that the parser declares.
pub(super) async fn method(
    wizards: &Wizards,
    code: Option<Code>,
    has_contract: bool,
) -> Result<(Method, Option<SinkKind>), MethodError> {
    let Some(code) = code else {
        return match has_contract {
            true => Ok((Method::Reader, None)),
            false => Err(MethodError::Refused(
                ErrorBody::new(
                    ErrorCode::ParamMissing,
                    "neither `parser_code` nor `draft_id` nor `contract_id` is given",
                    "give the `draft_id` of generate_parser",
                )
                .at_field("draft_id"),
            )),
        };
    };
    let looked = Static::check(&code.text, &code.extra_imports);
    if let Some(error) = looked.error() {
        return Err(MethodError::Refused(error));
    }
    if let [module, ..] = looked.foreign() {
        let reason = format!("`{module}` is not part of the embedded interpreter");
        let suggestion = "use generate_parser, whose parsers need only the standard library";
        return Err(MethodError::Unavailable(ErrorBody::new(
            ErrorCode::SandboxUnavailable,
            reason,
            suggestion,
        )));
    }
    let sink = looked.bridge.and_then(|bridge| bridge.sink).and_then(|sink| SinkKind::parse(&sink));
    let engine = wizards.engine().await.map_err(MethodError::Unavailable)?;
    Ok((Method::Parser { engine, code: code.text, columns: code.columns }, sink))
}
