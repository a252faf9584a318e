//! A client of the two main wizards: reads the first content block of a `tools/call` result.
//!
//! `wizard_client generate_extractor < result.json` shows the rule, and the code only with its reason;
//! `wizard_client generate_parser < result.json` shows the parser and how its tests went.

use std::io::{Read as _, Write as _};

use mortise_contract::result::ContentKind;
use mortise_contract::{RawJson, ToolResult};
use mortise_formats::format::{ErrorBody, ParserOutput, PathfinderOutput};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let tool = std::env::args().nth(1).unwrap_or_default();
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let result = ToolResult::parse(RawJson::parse(&text)?)?;
    let Some(ContentKind::Text(output)) = result.content.first().map(|block| &block.kind) else {
        return Err("the first content block is not text".into());
    };
    let mut out = std::io::stdout().lock();
    if result.is_error {
        let error = ErrorBody::parse(output)?;
        writeln!(out, "{error}\nhint: {}", error.suggestion)?;
        return Ok(());
    }
    match tool.as_str() {
        "generate_extractor" => show_rule(&mut out, &PathfinderOutput::parse(output)?)?,
        "generate_parser" => show_parser(&mut out, &ParserOutput::parse(output)?)?,
        _ => return Err("say whose result it is: generate_extractor or generate_parser".into()),
    }
    Ok(())
}

/// The rule comes first; code is shown with the reason for it, and never run from here.
fn show_rule(out: &mut impl std::io::Write, output: &PathfinderOutput) -> std::io::Result<()> {
    writeln!(out, "{}", output.yaml_rule)?;
    if let Some(code) = &output.python_code {
        writeln!(out, "Complex logic required: {}", output.decision_reason)?;
        writeln!(out, "Generated code:\n{code}")?;
    }
    Ok(())
}

fn show_parser(out: &mut impl std::io::Write, output: &ParserOutput) -> std::io::Result<()> {
    writeln!(out, "{}", output.code)?;
    let results = &output.validation_results;
    let cases = &results.test_cases;
    writeln!(out, "{}: {} passed, {} failed", output.code_description, cases.passed, cases.failed)?;
    match results.skip_reason.as_deref() {
        Some(reason) => writeln!(out, "not run: {reason}"),
        None => Ok(()),
    }
}
