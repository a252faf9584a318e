//! Rules about workflows: an action is named by the commit that was read, since its owner can move a tag.

use super::Finding;
use super::files::{Tree, TreeFile};

const READ: &str = "CONTRIBUTING.md, \"Workflows\"";

pub(super) fn findings(tree: &Tree) -> Vec<Finding> {
    let yaml = |file: &&TreeFile| file.path.ends_with(".yml") || file.path.ends_with(".yaml");
    let workflows = tree.files.iter().filter(|file| file.path.starts_with(".github/")).filter(yaml);
    workflows.flat_map(workflow).collect()
}

fn workflow(file: &TreeFile) -> Vec<Finding> {
    let uses = file.text.lines().enumerate().filter_map(|(index, line)| Some((index, used(line)?)));
    uses.filter(|(_, action)| !is_pinned(action))
        .map(|(index, action)| {
            let problem = format!("`{action}` can change: write `OWNER/NAME@FULL_COMMIT # VERSION`");
            Finding::new(format!("{}:{}", file.path, index + 1), problem, READ)
        })
        .collect()
}

/// What a line `uses:`, in block or flow style, quoted or not.
fn used(line: &str) -> Option<&str> {
    let before_comment = line.trim_start();
    let (key, action) = before_comment.split_once("uses")?;
    let at_key = key.chars().all(|character| matches!(character, '-' | ' ' | '{' | '"' | '\'' | '?'));
    let action = action.trim_start_matches(['"', '\'']).trim_start().strip_prefix(':')?;
    at_key.then(|| action.trim())
}

fn is_pinned(action: &str) -> bool {
    let Some((name, version)) = action.split_once(" # ") else { return false };
    let commit = name.split_once('@').map_or("", |(_, commit)| commit.trim());
    let hexadecimal = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    commit.len() == 40 && commit.bytes().all(hexadecimal) && version.trim().starts_with('v')
}
