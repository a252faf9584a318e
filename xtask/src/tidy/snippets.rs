//! Rust in the README and the guides is taken from examples, which are compiled; here the two are compared.

use super::Finding;
use super::files::{Tree, TreeFile};

const READ: &str = "CONTRIBUTING.md, \"Documentation\"";

/// Every Rust block must name its file in the first line, `// crates/…/examples/NAME.rs`, and hold that file
/// without its opening comment.
pub(super) fn findings(tree: &Tree) -> Vec<Finding> {
    let is_page = |file: &&TreeFile| file.path == "README.md" || file.path.starts_with("docs/guides/");
    tree.files.iter().filter(is_page).flat_map(|page| page_findings(tree, page)).collect()
}

fn page_findings(tree: &Tree, page: &TreeFile) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (line, block) in blocks(&page.text) {
        let place = format!("{}:{line}", page.path);
        let (first, rest) = block.split_once('\n').unwrap_or((block, ""));
        let Some(path) = first.strip_prefix("// ") else {
            let problem = "a Rust block begins with `// ` and the example it is taken from";
            findings.push(Finding::new(place, problem, READ));
            continue;
        };
        match tree.text(path.trim()) {
            None => findings.push(Finding::new(place, format!("there is no example `{path}`"), READ)),
            Some(example) if without_opening(example) == rest.trim() => {}
            Some(_) => {
                findings.push(Finding::new(place, format!("this is not what `{path}` says; copy it"), READ))
            }
        }
    }
    findings
}

/// The Rust blocks of a page with the line each begins at.
fn blocks(page: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut rest = page;
    while let Some(start) = rest.find("```rust\n") {
        let inside = &rest[start + "```rust\n".len()..];
        let end = inside.find("```").unwrap_or(inside.len());
        let line = page[..page.len() - inside.len()].matches('\n').count();
        found.push((line, &inside[..end]));
        rest = &inside[end..];
    }
    found
}

fn without_opening(example: &str) -> String {
    // A page shows neither the file's comment nor the lints that it allows.
    let is_head = |line: &&str| line.starts_with("//!") || line.starts_with("#![");
    let code: Vec<&str> = example.lines().skip_while(is_head).collect();
    code.join("\n").trim().to_owned()
}
