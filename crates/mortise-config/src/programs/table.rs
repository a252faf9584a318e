//! The table of programs, as their documentation described them on 18 November 2026.

use super::{EntryForm, FileScope, Location, Program, ProgramFile};

const MCP_SERVERS: &[&str] = &["mcpServers"];
const SERVERS: &[&str] = &["servers"];
const CONTEXT_SERVERS: &[&str] = &["context_servers"];
const AMP: &[&str] = &["amp.mcpServers"];
const MCP: &[&str] = &["mcp"];
const CODEX: &[&str] = &["mcp_servers"];

const fn user(location: Location, keys: &'static [&'static str]) -> ProgramFile {
    ProgramFile { scope: FileScope::User, location, keys }
}

const fn project(file: &'static str, keys: &'static [&'static str]) -> ProgramFile {
    ProgramFile { scope: FileScope::Project, location: Location::Project(file), keys }
}

/// Every program whose files mortise knows.
pub const PROGRAMS: &[Program] = &[
    Program {
        id: "claude",
        name: "Claude Code",
        files: &[
            user(
                Location::Variable {
                    variable: "CLAUDE_CONFIG_DIR",
                    file: ".claude.json",
                    home: ".claude.json",
                },
                MCP_SERVERS,
            ),
            project(".mcp.json", MCP_SERVERS),
        ],
        entry: Some(EntryForm::Typed),
        source: "https://code.claude.com/docs/en/mcp",
    },
    Program {
        id: "claude-desktop",
        name: "Claude Desktop",
        files: &[user(Location::Settings("Claude/claude_desktop_config.json"), MCP_SERVERS)],
        entry: Some(EntryForm::Plain),
        source: "https://modelcontextprotocol.io/docs/develop/connect-local-servers",
    },
    Program {
        id: "codex",
        name: "Codex",
        files: &[user(
            Location::Variable { variable: "CODEX_HOME", file: "config.toml", home: ".codex/config.toml" },
            CODEX,
        )],
        entry: Some(EntryForm::Codex),
        source: "https://developers.openai.com/codex/mcp",
    },
    Program {
        id: "cursor",
        name: "Cursor",
        files: &[
            user(Location::Home(".cursor/mcp.json"), MCP_SERVERS),
            project(".cursor/mcp.json", MCP_SERVERS),
        ],
        entry: Some(EntryForm::Plain),
        source: "https://cursor.com/docs/context/mcp",
    },
    Program {
        id: "vscode",
        name: "VS Code",
        files: &[
            user(Location::Settings("Code/User/mcp.json"), SERVERS),
            user(Location::Settings("Code/User/settings.json"), &["mcp", "servers"]),
            project(".vscode/mcp.json", SERVERS),
            project(".vscode/settings.json", &["mcp", "servers"]),
        ],
        entry: Some(EntryForm::Typed),
        source: "https://code.visualstudio.com/docs/copilot/customization/mcp-servers",
    },
    Program {
        id: "windsurf",
        name: "Windsurf",
        files: &[user(Location::Home(".codeium/windsurf/mcp_config.json"), MCP_SERVERS)],
        entry: Some(EntryForm::Plain),
        source: "https://docs.windsurf.com/windsurf/cascade/mcp",
    },
    Program {
        id: "zed",
        name: "Zed",
        files: &[
            user(Location::Config("zed/settings.json"), CONTEXT_SERVERS),
            project(".zed/settings.json", CONTEXT_SERVERS),
        ],
        entry: Some(EntryForm::Zed),
        source: "https://zed.dev/docs/ai/mcp",
    },
    Program {
        id: "gemini",
        name: "Gemini CLI",
        files: &[
            user(Location::Home(".gemini/settings.json"), MCP_SERVERS),
            project(".gemini/settings.json", MCP_SERVERS),
        ],
        entry: Some(EntryForm::Plain),
        source: "https://github.com/google-gemini/gemini-cli/blob/main/docs/tools/mcp-server.md",
    },
    Program {
        id: "copilot",
        name: "Copilot CLI",
        files: &[user(Location::Home(".copilot/mcp-config.json"), MCP_SERVERS)],
        entry: Some(EntryForm::Copilot),
        source: "https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-mcp-servers",
    },
    Program {
        id: "cline",
        name: "Cline",
        files: &[user(
            Location::Settings(
                "Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
            ),
            MCP_SERVERS,
        )],
        entry: Some(EntryForm::Plain),
        source: "https://docs.cline.bot/mcp/configuring-mcp-servers",
    },
    Program {
        id: "roo",
        name: "Roo Code",
        files: &[
            user(
                Location::Settings(
                    "Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json",
                ),
                MCP_SERVERS,
            ),
            project(".roo/mcp.json", MCP_SERVERS),
        ],
        entry: Some(EntryForm::Plain),
        source: "https://docs.roocode.com/features/mcp/using-mcp-in-roo",
    },
    Program {
        id: "kiro",
        name: "Kiro",
        files: &[
            user(Location::Home(".kiro/settings/mcp.json"), MCP_SERVERS),
            project(".kiro/settings/mcp.json", MCP_SERVERS),
        ],
        entry: Some(EntryForm::Plain),
        source: "https://kiro.dev/docs/mcp/configuration",
    },
    Program {
        id: "amazonq",
        name: "Amazon Q",
        files: &[
            user(Location::Home(".aws/amazonq/mcp.json"), MCP_SERVERS),
            project(".amazonq/mcp.json", MCP_SERVERS),
        ],
        entry: Some(EntryForm::Plain),
        source: "https://docs.aws.amazon.com/amazonq/latest/qdeveloper-ug/qdev-mcp.html",
    },
    Program {
        id: "amp",
        name: "Amp",
        files: &[user(Location::Config("amp/settings.json"), AMP), project(".amp/settings.json", AMP)],
        entry: Some(EntryForm::Plain),
        source: "https://ampcode.com/manual",
    },
    Program {
        id: "lmstudio",
        name: "LM Studio",
        files: &[user(Location::Home(".lmstudio/mcp.json"), MCP_SERVERS)],
        entry: Some(EntryForm::Plain),
        source: "https://lmstudio.ai/docs/app/mcp",
    },
    Program {
        id: "opencode",
        name: "opencode",
        files: &[
            user(Location::Config("opencode/opencode.json"), MCP),
            user(Location::Config("opencode/opencode.jsonc"), MCP),
            project("opencode.json", MCP),
            project("opencode.jsonc", MCP),
        ],
        // Versions 1 and 2 want different entries.
        entry: None,
        source: "https://opencode.ai/docs/mcp-servers",
    },
    Program {
        id: "goose",
        name: "Goose",
        files: &[user(Location::Config("goose/config.yaml"), &["extensions"])],
        entry: None,
        source: "https://block.github.io/goose/docs/guides/config-files",
    },
    Program {
        id: "continue",
        name: "Continue",
        files: &[user(Location::Home(".continue/config.yaml"), MCP_SERVERS)],
        entry: None,
        source: "https://docs.continue.dev/customize/deep-dives/mcp",
    },
];
