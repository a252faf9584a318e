//! The binary that is packed: given, or built here so that it runs on old systems too.
//!
//! On Linux a program needs at least the glibc that it was linked with. `cargo-zigbuild` links with an older one: zig
//! has the symbols of every version. Both come from PyPI, pinned in `xtask/zig/requirements.txt`.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};

use super::needs::{self, Glibc, SystemPromise};
use super::platform::ReleasePlatform;
use super::{DistArgs, needs::MACOS};
use crate::packages::PythonTools;
use crate::process;
use crate::workspace::Workspace;

const BUILD_LIMIT: Duration = Duration::from_secs(5400);

/// The binary and what its packages may promise.
pub(super) fn binary(workspace: &Workspace, args: &DistArgs) -> Result<(PathBuf, SystemPromise)> {
    let platform = ReleasePlatform::here()?;
    let (file, wanted) = match &args.binary {
        Some(file) => (file.clone(), args.glibc),
        None => {
            let glibc = args.glibc.unwrap_or(Glibc::PROMISED);
            (build(workspace, &platform, &args.profile, glibc)?, Some(glibc))
        }
    };
    let bytes = fs::read(&file).with_context(|| format!("reading {}", file.display()))?;
    Ok((file, needs::promise(&bytes, &platform, wanted)?))
}

/// Builds the binary below `target/TRIPLE/`, where the build for this machine alone is not.
fn build(workspace: &Workspace, platform: &ReleasePlatform, profile: &str, glibc: Glibc) -> Result<PathBuf> {
    let mut command = match platform.is_linux() {
        true => {
            let tools = PythonTools::install(workspace, "zig")?;
            let mut command = workspace.cargo("zigbuild");
            let target = format!("{}.{glibc}", platform.target);
            command.args(["--target", &target]).env("PATH", tools.path());
            command.env("CARGO_ZIGBUILD_ZIG_PATH", tools.file("ziglang/zig")?);
            command
        }
        false => {
            let mut command = workspace.cargo("build");
            command.args(["--target", platform.target]).env("MACOSX_DEPLOYMENT_TARGET", MACOS);
            command
        }
    };
    command.args(["--locked", "--package", "mortise", "--profile", profile]);
    process::run_shown(&mut command, BUILD_LIMIT)?;
    let folder = if profile == "dev" { "debug" } else { profile };
    Ok(workspace.target().join(platform.target).join(folder).join("mortise"))
}
