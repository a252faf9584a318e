//! From one entry of a foreign file to one of our own.

use std::collections::BTreeMap;
use std::path::Path;

use mortise_client::environment::Environment;
use mortise_contract::text::cut;

use super::ImportedServer;
use super::tree::{ForeignItem, ForeignLanguage, ForeignNode};
use super::variables::{escape, translate};
use crate::file::{ServerKeys, TransportKind};
use crate::located::Located;
use crate::{NoteKind, Problem};

/// The tables of servers in a foreign file.
pub(super) fn tables<'a>(
    root: &'a ForeignItem,
    dialect: ForeignLanguage,
    working_directory: &Path,
) -> Vec<&'a [(String, ForeignItem)]> {
    let found = match dialect {
        ForeignLanguage::Toml => vec![root.get("mcp_servers")],
        ForeignLanguage::Yaml => vec![root.get("extensions"), root.get("mcpServers")],
        ForeignLanguage::Json => vec![
            root.get("mcpServers"),
            root.get("servers"),
            root.get("mcp").and_then(|mcp| mcp.get("servers")),
            root.get("mcp").filter(|mcp| is_opencode(mcp)),
            root.get("context_servers"),
            root.get("amp.mcpServers"),
            // Claude Code keeps the servers of one project under that project.
            root.get("projects")
                .and_then(|projects| projects.get(&working_directory.to_string_lossy()))
                .and_then(|project| project.get("mcpServers")),
        ],
    };
    found.into_iter().flatten().filter_map(ForeignItem::table).collect()
}

/// Whether servers stand directly under `mcp`, as version 1 of opencode has them. Version 2 has `servers` there.
fn is_opencode(mcp: &ForeignItem) -> bool {
    let is_server = |item: &ForeignItem| matches!(item.get("type").map(|kind| &kind.node), Some(ForeignNode::Text(kind)) if kind == "local" || kind == "remote");
    mcp.table().is_some_and(|members| members.iter().any(|(_, item)| is_server(item)))
}

pub(super) fn read_entry(
    name: &str,
    item: &ForeignItem,
    dialect: ForeignLanguage,
    folder: &Path,
    environment: &Environment,
) -> ImportedServer {
    let imported = ImportedServer {
        name: name.to_owned(),
        position: item.position,
        server: ServerKeys::default(),
        notes: Vec::new(),
        unusable: None,
        earlier: None,
    };
    let mut reader = EntryReader { imported, dialect, folder, environment };
    match item.table() {
        Some(members) => members.iter().for_each(|(key, value)| reader.member(key, value)),
        None => reader.unusable("it is not a table".to_owned()),
    }
    reader.imported
}

struct EntryReader<'a> {
    imported: ImportedServer,
    dialect: ForeignLanguage,
    folder: &'a Path,
    environment: &'a Environment,
}

impl EntryReader<'_> {
    fn member(&mut self, key: &str, value: &ForeignItem) {
        if matches!(value.node, ForeignNode::Null) {
            return;
        }
        match key {
            // Zed wrote the whole command as one table.
            "command" if value.table().is_some() => {
                for (inner, value) in value.table().into_iter().flatten() {
                    self.member(if inner == "path" { "command" } else { inner }, value);
                }
            }
            // opencode writes the program and its arguments as one list.
            "command" if let ForeignNode::List(words) = &value.node => {
                let mut words = words.iter();
                self.imported.server.command = words.next().and_then(|word| self.text(key, word));
                self.imported.server.args = Some(words.filter_map(|word| self.text(key, word)).collect());
                if self.imported.server.command.is_none() {
                    self.unusable("`command` has no program".to_owned());
                }
            }
            "command" | "cmd" => self.imported.server.command = self.text(key, value),
            "args" => self.imported.server.args = self.list(key, value),
            "env" | "environment" | "envs" => {
                let variables = self.mapping(key, value);
                self.add_variables(variables);
            }
            "cwd" => self.imported.server.cwd = self.text(key, value),
            "url" | "serverUrl" | "httpUrl" | "uri" => self.imported.server.url = self.text(key, value),
            "headers" | "http_headers" => {
                let headers = self.mapping(key, value);
                self.add_headers(headers);
            }
            "env_http_headers" if self.dialect == ForeignLanguage::Toml => {
                self.headers_from_variables(key, value)
            }
            "bearer_token_env_var" if self.dialect == ForeignLanguage::Toml => {
                self.imported.server.bearer = self.variable(key, value);
            }
            "type" | "transport" => self.transport(value),
            "disabled" => self.disabled(key, value, true),
            "enabled" => self.disabled(key, value, false),
            "startup_timeout_sec" => self.imported.server.start_timeout_seconds = self.number(key, value),
            "tool_timeout_sec" => self.imported.server.call_timeout_seconds = self.number(key, value),
            "env_vars" if self.dialect == ForeignLanguage::Toml => self.passed_variables(key, value),
            "env_keys" if self.dialect == ForeignLanguage::Yaml => self.passed_variables(key, value),
            // Zed's marker of its own format, and what Goose and Continue call an entry.
            "source" | "name" => {}
            // What only decides how the other program asks its user, or what it shows.
            "alwaysAllow" | "autoApprove" | "description" | "display_name" | "bundled" | "trust"
            | "tools" => {}
            _ => self.imported.notes.push(NoteKind::UnknownKey { key: cut(key, 80) }),
        }
    }

    fn unusable(&mut self, reason: String) {
        self.imported.unusable.get_or_insert(Problem::Unusable { reason });
    }

    fn wrong_kind<T>(&mut self, key: &str, expected: &str) -> Option<T> {
        self.unusable(format!("`{key}` is not {expected}"));
        None
    }

    /// A text with its variables in our form. Numbers and booleans count as what they look like.
    fn text(&mut self, key: &str, item: &ForeignItem) -> Option<Located<String>> {
        let text = match &item.node {
            ForeignNode::Text(text) => text.clone(),
            ForeignNode::Number(number) => number.clone(),
            ForeignNode::Bool(flag) => flag.to_string(),
            _ => return self.wrong_kind(key, "a text"),
        };
        let value = match self.dialect {
            // Codex expands nothing.
            ForeignLanguage::Toml => escape(&text),
            ForeignLanguage::Json | ForeignLanguage::Yaml => self.translated(&text)?,
        };
        Some(Located { value, position: item.position })
    }

    fn translated(&mut self, text: &str) -> Option<String> {
        match translate(text, self.folder) {
            Ok(translated) => {
                for (input, variable) in translated.inputs {
                    let note = NoteKind::Input { input, variable };
                    if !self.imported.notes.contains(&note) {
                        self.imported.notes.push(note);
                    }
                }
                Some(translated.text)
            }
            Err(unsupported) => {
                let problem = Problem::UnsupportedVariable { variable: unsupported.0 };
                self.imported.unusable.get_or_insert(problem);
                None
            }
        }
    }

    fn list(&mut self, key: &str, item: &ForeignItem) -> Option<Vec<Located<String>>> {
        let ForeignNode::List(items) = &item.node else { return self.wrong_kind(key, "a list") };
        Some(items.iter().filter_map(|item| self.text(key, item)).collect())
    }

    fn mapping(&mut self, key: &str, item: &ForeignItem) -> Option<BTreeMap<String, Located<String>>> {
        let Some(members) = item.table() else { return self.wrong_kind(key, "a table") };
        let present = members.iter().filter(|(_, value)| !matches!(value.node, ForeignNode::Null));
        Some(present.filter_map(|(name, value)| Some((name.clone(), self.text(key, value)?))).collect())
    }

    /// `${NAME}` for a value that is the name of a variable.
    fn variable(&mut self, key: &str, item: &ForeignItem) -> Option<Located<String>> {
        let ForeignNode::Text(name) = &item.node else {
            return self.wrong_kind(key, "the name of a variable");
        };
        Some(Located { value: format!("${{{name}}}"), position: item.position })
    }

    fn headers_from_variables(&mut self, key: &str, item: &ForeignItem) {
        let Some(members) = item.table() else {
            self.unusable(format!("`{key}` is not a table"));
            return;
        };
        let headers = members
            .iter()
            .filter_map(|(header, value)| Some((header.clone(), self.variable(key, value)?)))
            .collect();
        self.add_headers(Some(headers));
    }

    /// Codex names variables to pass on; one that is not set is not an error there.
    fn passed_variables(&mut self, key: &str, item: &ForeignItem) {
        let ForeignNode::List(items) = &item.node else {
            self.unusable(format!("`{key}` is not a list"));
            return;
        };
        let mut variables = BTreeMap::new();
        for item in items {
            let Some(reference) = self.variable(key, item) else { return };
            if let ForeignNode::Text(name) = &item.node
                && self.environment.variable(name).is_some()
            {
                variables.insert(name.clone(), reference);
            }
        }
        self.add_variables(Some(variables));
    }

    /// What `env` says wins over what is passed on.
    fn add_variables(&mut self, variables: Option<BTreeMap<String, Located<String>>>) {
        let known = &mut self.imported.server.env.get_or_insert_default().variables;
        for (name, value) in variables.unwrap_or_default() {
            known.entry(name).or_insert(value);
        }
    }

    fn add_headers(&mut self, headers: Option<BTreeMap<String, Located<String>>>) {
        let known = self.imported.server.headers.get_or_insert_default();
        known.extend(headers.unwrap_or_default());
    }

    fn transport(&mut self, item: &ForeignItem) {
        let kind = match &item.node {
            ForeignNode::Text(text) => match text.to_lowercase().as_str() {
                "stdio" | "local" => TransportKind::Stdio,
                "http" | "streamable-http" | "streamablehttp" | "streamable_http" | "remote" => {
                    TransportKind::Http
                }
                "sse" => TransportKind::Sse,
                "builtin" | "platform" | "frontend" | "inline_python" => {
                    return self.unusable("it is built into the other program".to_owned());
                }
                _ => return self.unusable("its transport is neither stdio nor Streamable HTTP".to_owned()),
            },
            _ => return self.unusable("its transport is not a text".to_owned()),
        };
        self.imported.server.transport = Some(Located { value: kind, position: item.position });
    }

    fn disabled(&mut self, key: &str, item: &ForeignItem, when: bool) {
        match item.node {
            ForeignNode::Bool(flag) if flag == when => self.imported.server.disabled = Some(true),
            ForeignNode::Bool(_) => {}
            _ => self.unusable(format!("`{key}` is neither true nor false")),
        }
    }

    fn number(&mut self, key: &str, item: &ForeignItem) -> Option<Located<f64>> {
        match &item.node {
            ForeignNode::Number(digits) if let Ok(value) = digits.parse() => {
                Some(Located { value, position: item.position })
            }
            _ => self.wrong_kind(key, "a number"),
        }
    }
}
