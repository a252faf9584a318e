//! `mortise schema`: JSON Schemas of our own formats.

use clap::{Args, ValueEnum};
use mortise_config::Config;
use mortise_contract::lock::LockFile;
use mortise_formats::format::{FormatKind, error_schema, flat_schema};
use mortise_tester::changes::SnapshotComparison;
use mortise_tester::changes::waiver::Waivers;
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::pretty;

/// Arguments of `mortise schema`.
#[derive(Clone, Debug, Args)]
pub(crate) struct SchemaArgs {
    /// The format
    #[arg(value_enum)]
    format: SchemaName,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum SchemaName {
    /// The configuration file, mortise.yaml
    Config,
    /// The lock file, mortise.lock.json
    Lock,
    /// The file with waivers, mortise.waivers.yaml
    Waivers,
    /// What `mortise diff --json` prints
    Diff,
    /// Extraction rules, as the wizards write them
    ExtractionRules,
    /// The results of tools in each of the four output formats
    OutputFormats,
    /// What the wizards say in the place of a result
    ErrorBody,
}

/// Prints the schema.
pub(crate) fn run(app: &App, args: &SchemaArgs) -> Result<Exit, Failure> {
    let schema = match args.format {
        SchemaName::Config => Config::json_schema(),
        SchemaName::Lock => LockFile::json_schema(),
        SchemaName::Waivers => Waivers::json_schema(),
        SchemaName::Diff => SnapshotComparison::json_schema(),
        SchemaName::ExtractionRules => mortise_formats::rules::schema(),
        SchemaName::OutputFormats => output_formats(),
        SchemaName::ErrorBody => error_schema(),
    };
    app.print(&(pretty::indent(&schema.to_string()) + "\n"))?;
    Ok(Exit::Ok)
}

/// One schema for all four, by what `format` says.
fn output_formats() -> Value {
    let definition = |kind: FormatKind| {
        let mut schema = flat_schema(kind);
        if let Some(members) = schema.as_object_mut() {
            members.remove("$schema");
        }
        (kind.as_str().to_owned(), schema)
    };
    let definitions: Map<String, Value> = FormatKind::ALL.into_iter().map(definition).collect();
    let one_of: Vec<Value> =
        FormatKind::ALL.iter().map(|kind| json!({"$ref": format!("#/$defs/{kind}")})).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:mortise:schema:output_formats.v1",
        "title": "output_formats.v1",
        "oneOf": one_of,
        "$defs": definitions,
    })
}
