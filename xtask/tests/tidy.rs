//! The workspace keeps its own rules.

use xtask::tidy;
use xtask::workspace::Workspace;

#[test]
fn the_workspace_is_tidy() {
    let workspace = Workspace::find().unwrap();
    let findings: Vec<String> = tidy::findings(&workspace).unwrap().iter().map(ToString::to_string).collect();
    assert!(findings.is_empty(), "\n{}\n", findings.join("\n"));
}
