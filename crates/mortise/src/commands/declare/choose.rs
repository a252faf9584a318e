//! Which tools were asked for.

use mortise_client::tool_filter::Glob;
use mortise_contract::NameMap;
use mortise_declare::ToolDefinition;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::find::nearest;

/// Leaves the tools that a pattern means; without patterns all of them.
pub(super) fn keep(
    tools: &mut Vec<ToolDefinition>,
    names: &NameMap,
    patterns: &[&str],
) -> Result<(), Failure> {
    if patterns.is_empty() {
        return Ok(());
    }
    let mut wanted = vec![false; tools.len()];
    for pattern in patterns {
        let glob = Glob::new(*pattern);
        let mut found = false;
        for (tool, wanted) in tools.iter().zip(&mut wanted) {
            if words(tool, names).iter().any(|word| word == pattern || glob.matches(word)) {
                *wanted = true;
                found = true;
            }
        }
        if !found {
            return Err(unknown(pattern, tools));
        }
    }
    let mut wanted = wanted.into_iter();
    tools.retain(|_| wanted.next().unwrap_or(false));
    Ok(())
}

/// Everything that a tool can be called by.
fn words(tool: &ToolDefinition, names: &NameMap) -> Vec<String> {
    let mut words =
        vec![tool.server.to_string(), tool.tool.to_string(), format!("{}/{}", tool.server, tool.tool)];
    words.extend(names.callable(&tool.server, &tool.tool).map(ToString::to_string));
    words
}

fn unknown(pattern: &str, tools: &[ToolDefinition]) -> Failure {
    let failure = Failure::new(Exit::Usage, format!("there is no server and no tool `{pattern}`"));
    let known = tools.iter().flat_map(|tool| [tool.server.as_str(), tool.tool.as_str()]);
    match nearest(pattern, known) {
        Some(near) => failure.hint(format!("did you mean `{near}`?")),
        None => failure.hint("`mortise tools` lists what there is"),
    }
}
