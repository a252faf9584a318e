//! Where the workspace lies, what it consists of, and how cargo is called in it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use cargo_metadata::{Metadata, MetadataCommand};

use crate::process;

const BUILD_LIMIT: Duration = Duration::from_secs(2400);

/// The workspace that this program belongs to.
pub struct Workspace {
    metadata: Metadata,
}

impl Workspace {
    /// Asks cargo about the workspace around this package.
    pub fn find() -> Result<Self> {
        let manifest = std::env::var("CARGO_MANIFEST_DIR")
            .context("start this through cargo: `cargo xtask …`")
            .map(|directory| Path::new(&directory).join("Cargo.toml"))?;
        let metadata = MetadataCommand::new()
            .manifest_path(manifest)
            .no_deps()
            .exec()
            .context("cannot read the workspace with `cargo metadata`")?;
        Ok(Self { metadata })
    }

    /// What cargo says about all dependencies on these platforms. Cargo may have to download some.
    pub fn full_metadata(&self, platforms: &[String]) -> Result<Metadata> {
        let mut options = vec!["--locked".to_owned()];
        options
            .extend(platforms.iter().flat_map(|platform| ["--filter-platform".to_owned(), platform.clone()]));
        MetadataCommand::new()
            .manifest_path(self.root().join("Cargo.toml"))
            .other_options(options)
            .exec()
            .context("cannot read the dependencies with `cargo metadata`")
    }

    /// What cargo says about the packages of the workspace, without their dependencies.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// The folder of the root manifest.
    pub fn root(&self) -> &Path {
        self.metadata.workspace_root.as_std_path()
    }

    /// Where cargo puts what it builds.
    pub fn target(&self) -> &Path {
        self.metadata.target_directory.as_std_path()
    }

    /// A program of the development build: `mortise`, or `examples/NAME`.
    pub fn built(&self, name: &str) -> PathBuf {
        self.target().join("debug").join(name)
    }

    /// A cargo command in the workspace root.
    pub fn cargo(&self, subcommand: &str) -> Command {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command.arg(subcommand).current_dir(self.root()).env("CARGO_TARGET_DIR", self.target());
        // The variables that Cargo set for this program would look like a change to build scripts.
        for (name, _) in std::env::vars_os() {
            let of_package = |name: &str| {
                name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") || name == "OUT_DIR"
            };
            if name.to_str().is_some_and(of_package) {
                command.env_remove(&name);
            }
        }
        command
    }

    /// Builds all programs and examples with the options of the workspace tests, whose artefacts are used again.
    pub fn build_development(&self) -> Result<String> {
        let mut command = self.cargo("build");
        command.args(["--workspace", "--locked", "--quiet", "--bins", "--examples"]);
        process::run_shown(&mut command, BUILD_LIMIT)?;
        Ok("programs and examples of the development profile".to_owned())
    }
}
