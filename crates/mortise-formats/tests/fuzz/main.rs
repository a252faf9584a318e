//! Random texts against the laws of this crate: nothing panics, and what is written reads back.
//!
//! Under `cargo test` every target runs a fixed number of cases; `cargo xtask fuzz` runs each for a time.

use mortise_formats::check::check;
use mortise_formats::detect::{TextFormat, check_declared, detect};
use mortise_formats::python::{BridgeOptions, Module, check_extractor};
use mortise_formats::rules::RuleDocument;
use mortise_testkit::fuzz;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

/// Pieces that mean something to one of the parsers.
const PIECES: [&str; 58] = [
    "version: 1\n",
    "rules:\n",
    "  - name: a\n",
    "    glob: '",
    "**/",
    "*",
    "????-??-??",
    "{day}",
    "{a,b}",
    "[!x]",
    "'\n",
    "    tag: t\n",
    "    extract:\n",
    "      day: {from: segment(-2), type: date}\n",
    "from: ",
    "segment(",
    "-1)",
    "pattern: '",
    r"(\d+)",
    "(?:x",
    "default: ",
    "validate: 1..9",
    "tag_conditions: [",
    "{if: 'day.year > 5', ",
    "---\n",
    "&a ",
    "*a",
    "!!str ",
    "<<: ",
    "{",
    "}",
    "[",
    "]",
    ",",
    ": ",
    "\n",
    "  ",
    "\t",
    "\"",
    "\\",
    "#",
    "def extract(path):\n",
    "    return {}\n",
    "def parse(file_path: str):\n",
    "    yield {}\n",
    "TOPIC = 'a'\n",
    "SINK = 'csv'\n",
    "import os\n",
    "from re import ",
    "eval(",
    "lambda: ",
    "f'{",
    "async ",
    "```python\n",
    "```",
    "\u{feff}",
    "\u{2028}",
    "é",
];

fn text() -> impl Strategy<Value = String> {
    let pieces =
        vec(prop_oneof![4 => select(PIECES.to_vec()).prop_map(str::to_owned), 1 => "\\PC{0,4}"], 0..40);
    pieces.prop_map(|pieces| pieces.concat())
}

/// A text is one thing at most, and what it is found to be it may be declared to be.
#[test]
fn detection() {
    fuzz(&text(), |text| {
        let found = detect(&text);
        if let Some(found) = found {
            assert_eq!(check_declared(found, &text), Ok(()), "{text}");
        }
        for declared in [TextFormat::Json, TextFormat::Python, TextFormat::Yaml] {
            _ = check_declared(declared, &text);
        }
    });
}

/// Rules that are read are written, and read back as the same rules.
#[test]
fn rules() {
    fuzz(&text(), |text| match RuleDocument::parse(&text) {
        Ok(document) => {
            let yaml = document.to_yaml().unwrap_or_else(|error| panic!("{error}\n{text}"));
            assert_eq!(RuleDocument::parse(&yaml), Ok(document), "{yaml}");
        }
        Err(error) => assert!(error.line.is_some(), "{error}"),
    });
}

/// Code is looked at without a panic, and every finding has a line.
#[test]
fn python() {
    fuzz(&text(), |text| {
        if let Err(error) = check_extractor(&text) {
            assert!(error.line.is_some(), "{error}");
        }
        if let Ok(module) = Module::parse(&text) {
            let report = module.check_bridge(&BridgeOptions::default());
            let found = report.errors.iter().chain(&report.forbidden);
            assert!(found.into_iter().all(|error| error.line.is_some()), "{text}");
            _ = module.min_version();
        }
    });
}

/// Any result can be checked.
#[test]
fn results() {
    let field =
        select(vec!["code", "yaml_rule", "python_code", "code_preview", "metadata", "format_version"]);
    fuzz(
        &(field, text(), select(vec!["code", "yaml_rule", "hybrid", "metadata", "other"])),
        |(field, text, format)| {
            let value = json!({"format": format, field: text, "code_language": "python", "code_description": text,
            "schema_version": "extraction_rules.v1", "decision_reason": "x", "complexity": "simple"});
            let report = check(&value, None);
            assert_eq!(report.to_value()["ok"], report.holds());
            _ = check(&json!({"content": [{"type": "text", "text": text}], "isError": true}), None);
        },
    );
}
