//! Other programs' variables in our own form.

use std::path::Path;

use mortise_contract::text::cut;

use crate::expand::is_variable_name;

/// A text with its variables in our form.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Translated {
    pub(super) text: String,
    /// Questions that the other program would ask its user: the name there, the variable here.
    pub(super) inputs: Vec<(String, String)>,
}

/// A variable that has no counterpart here, as written.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unsupported(pub(super) String);

/// Brings `${env:X}`, `${userHome}`, `${workspaceFolder}` and `${input:x}` into our form.
///
/// `${X}` and `${X:-default}` are the same here and there. What is not closed is left to the expander.
pub(super) fn translate(text: &str, folder: &Path) -> Result<Translated, Unsupported> {
    let mut translated = Translated { text: String::with_capacity(text.len()), inputs: Vec::new() };
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        let Some(length) = rest[start..].find('}') else { break };
        translated.text.push_str(&rest[..start]);
        let whole = &rest[start..=start + length];
        let reference = &whole[2..whole.len() - 1];
        match translate_reference(reference, folder) {
            Some(ForeignReference::Text(text)) => translated.text.push_str(&text),
            Some(ForeignReference::Input { input, variable }) => {
                translated.text.push_str(&format!("${{{variable}}}"));
                translated.inputs.push((input, variable));
            }
            None => return Err(Unsupported(cut(whole, 80))),
        }
        rest = &rest[start + length + 1..];
    }
    translated.text.push_str(rest);
    Ok(translated)
}

enum ForeignReference {
    Text(String),
    Input { input: String, variable: String },
}

fn translate_reference(reference: &str, folder: &Path) -> Option<ForeignReference> {
    let name = reference.split(":-").next().unwrap_or(reference);
    let text = match name {
        "userHome" => "${HOME}".to_owned(),
        "workspaceFolder" => escape(&folder.to_string_lossy()),
        "workspaceFolderBasename" => escape(&folder.file_name()?.to_string_lossy()),
        "pathSeparator" | "/" => std::path::MAIN_SEPARATOR.to_string(),
        _ if is_variable_name(name) => format!("${{{reference}}}"),
        _ => {
            if let Some(variable) = reference.strip_prefix("env:") {
                let name = variable.split(":-").next().unwrap_or(variable);
                return is_variable_name(name).then(|| ForeignReference::Text(format!("${{{variable}}}")));
            }
            let input = reference.strip_prefix("input:")?;
            let variable = variable_for(input)?;
            return Some(ForeignReference::Input { input: input.to_owned(), variable });
        }
    };
    Some(ForeignReference::Text(text))
}

/// `api-key` becomes `API_KEY`.
fn variable_for(input: &str) -> Option<String> {
    let variable: String =
        input.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect();
    is_variable_name(&variable).then_some(variable)
}

/// A text that means itself: no variable is expanded in it.
pub(super) fn escape(text: &str) -> String {
    text.replace("${", "$${")
}

#[cfg(test)]
mod tests;
