//! Cases drafted from calls that succeeded.

use std::fmt::Write as _;

use serde_json::Value;

use super::{CaseFile, ServerReport};

const HEADING: &str = "\
# Drafted by `mortise check`: each call succeeded and kept its contract.
# Add `expect` to say what its result must be.
version: 1
";

impl ServerReport {
    /// A case file with one case for each verified tool; `None` if there is no such tool.
    ///
    /// Calls whose arguments a case file can't hold are left out.
    pub fn drafted_cases(&self) -> Option<String> {
        let cases: String = self
            .working
            .iter()
            .map(|(tool, arguments)| (case(tool, arguments), arguments))
            .filter(|(case, arguments)| reads_back(&self.server, case, arguments))
            .map(|(case, _)| case)
            .collect();
        (!cases.is_empty()).then(|| file(&self.server, &cases))
    }
}

fn file(server: &str, cases: &str) -> String {
    format!("{HEADING}server: {}\ncases:\n{cases}", Value::from(server))
}

/// Texts are written as JSON: YAML reads it, and takes none of them for a number or a truth value.
fn case(tool: &str, arguments: &Value) -> String {
    let mut text = String::new();
    _ = writeln!(text, "  - call: {}", Value::from(tool));
    _ = writeln!(text, "    arguments: {arguments}");
    text
}

/// Whether a case is read as the call that it was made of. One that holds `${` is not.
fn reads_back(server: &str, case: &str, arguments: &Value) -> bool {
    let Ok(read) = CaseFile::parse(&file(server, case), "") else { return false };
    !case.contains("${") && read.cases.iter().all(|case| Value::Object(case.arguments.clone()) == *arguments)
}

#[cfg(test)]
mod tests;
