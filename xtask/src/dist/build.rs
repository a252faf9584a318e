//! The binary that is packed: given, or built here so that it runs on old systems too.
//!
//! On Linux a program needs at least the glibc that it was linked with. `cargo-zigbuild` links with an older one: zig
//! has the symbols of every version. Both come from PyPI, pinned in `xtask/zig/requirements.txt`.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

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

/// Links the development build again, as a release is linked: with zig and the oldest glibc that packages promise.
///
/// Only our last crate is compiled for it. Returns the binary and what it needs.
pub(super) fn relink(workspace: &Workspace) -> Result<(PathBuf, SystemPromise)> {
    let platform = ReleasePlatform::here()?;
    ensure!(platform.is_linux(), "only Linux binaries are linked with zig");
    let tools = PythonTools::install(workspace, "zig")?;
    let folder = workspace.target().join("dist-relinked");
    fs::create_dir_all(&folder).with_context(|| format!("making {}", folder.display()))?;
    let linker = folder.join("cc");
    let target = format!("{}.{}", platform.target.replace("-unknown", ""), Glibc::PROMISED);
    fs::write(&linker, format!("#!/bin/sh\nexec cargo-zigbuild zig cc -- -target {target} \"$@\"\n"))?;
    #[cfg(unix)]
    fs::set_permissions(&linker, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    let mut command = workspace.cargo("build");
    let variable = format!("CARGO_TARGET_{}_LINKER", platform.target.to_uppercase().replace('-', "_"));
    command.args(["--locked", "--package", "mortise"]).env("PATH", tools.path()).env(variable, &linker);
    // The usual options of our linking ask for a newer glibc.
    command.env("CARGO_ZIGBUILD_ZIG_PATH", tools.file("ziglang/zig")?).env("MORTISE_PLAIN_LINK", "1");
    process::run_shown(&mut command, BUILD_LIMIT)?;
    let file = folder.join("mortise");
    fs::copy(workspace.built("mortise"), &file)?;
    let bytes = fs::read(&file)?;
    Ok((file, needs::promise(&bytes, &platform, Some(Glibc::PROMISED))?))
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
