//! Tells the program which commit it was built from, and lays it out so that a start reads little of it.

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=MORTISE_COMMIT");
    let commit = std::env::var("MORTISE_COMMIT").ok().or_else(commit).unwrap_or_else(|| "unknown".to_owned());
    println!("cargo:rustc-env=MORTISE_COMMIT={commit}");
    if links_as_usual() {
        // What runs before `main` lies together then, and a start does not touch pages all over the program for it.
        println!("cargo:rustc-link-arg-bins=-Wl,-z,keep-text-section-prefix");
        if reads_packed_relocations() {
            println!("cargo:rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
        }
    }
}

/// Whether the linker is the one that Rust brings for this system. One that somebody chose is left alone, and so is
/// everything where `MORTISE_PLAIN_LINK` is set.
fn links_as_usual() -> bool {
    println!("cargo:rerun-if-env-changed=MORTISE_PLAIN_LINK");
    let variable = |name| std::env::var(name).unwrap_or_default();
    let flags = variable("CARGO_ENCODED_RUSTFLAGS");
    variable("TARGET") == "x86_64-unknown-linux-gnu"
        && variable("HOST") == variable("TARGET")
        && variable("MORTISE_PLAIN_LINK").is_empty()
        && variable("RUSTC_LINKER").is_empty()
        && !["link-arg", "linker", "fuse-ld"].iter().any(|word| flags.contains(word))
}

/// Whether the loader of this machine knows packed relocations, as glibc does since 2.36.
///
/// The program has a hundred thousand of them, three megabytes that every start reads. Packed they take some
/// kilobytes. What is built on an older system runs on older systems too and is left alone.
fn reads_packed_relocations() -> bool {
    let version = output("getconf", &["GNU_LIBC_VERSION"]).unwrap_or_default();
    let numbers = version.strip_prefix("glibc ").and_then(|version| version.split_once('.'));
    let Some((major, minor)) = numbers else { return false };
    matches!((major.parse::<u32>(), minor.parse::<u32>()), (Ok(2), Ok(36..)) | (Ok(3..), Ok(_)))
}

/// The commit, if this directory is the project's own checkout and not merely inside someone else's.
fn commit() -> Option<String> {
    git(&["ls-files", "--error-unmatch", "build.rs"])?;
    let head = git(&["symbolic-ref", "--quiet", "HEAD"]);
    for name in ["HEAD", "packed-refs"].into_iter().chain(head.as_deref()) {
        if let Some(path) = git(&["rev-parse", "--git-path", name])
            && std::path::Path::new(&path).exists()
        {
            println!("cargo:rerun-if-changed={path}");
        }
    }
    git(&["rev-parse", "--short=12", "HEAD"])
}

fn git(arguments: &[&str]) -> Option<String> {
    output("git", arguments)
}

fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
