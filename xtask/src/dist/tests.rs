use std::io::Read as _;

use flate2::read::{DeflateDecoder, GzDecoder};

use super::archive::tar_gz;
use super::entry::{PackageEntry, Packing};
use super::needs::{Glibc, SystemNeeds, SystemPromise, promise};
use super::notes::{NotesOf, notes};
use super::platform::{ALL, ReleasePlatform};
use super::{filled, zip};

fn entries() -> Vec<PackageEntry> {
    vec![
        PackageEntry::program("a/mortise", "#!/bin/sh\n"),
        PackageEntry::plain("a/README.md", "words\n".repeat(100)),
    ]
}

#[test]
fn an_archive_has_no_times_and_no_owners() {
    let bytes = tar_gz(&entries(), Packing::Best).expect("an archive");
    assert_eq!(bytes, tar_gz(&entries(), Packing::Best).expect("the same archive"));
    // The time in the header of gzip.
    assert_eq!(bytes[4..8], [0, 0, 0, 0]);
    let mut archive = tar::Archive::new(GzDecoder::new(bytes.as_slice()));
    let mut seen = Vec::new();
    for entry in archive.entries().expect("entries") {
        let entry = entry.expect("an entry");
        let header = entry.header();
        assert_eq!((header.mtime().ok(), header.uid().ok(), header.gid().ok()), (Some(0), Some(0), Some(0)));
        seen.push((entry.path().expect("a path").display().to_string(), header.mode().ok()));
    }
    assert_eq!(seen, [("a/mortise".to_owned(), Some(0o755)), ("a/README.md".to_owned(), Some(0o644))]);
}

#[test]
fn a_zip_file_holds_what_was_packed() {
    for packing in [Packing::Best, Packing::Stored] {
        let bytes = zip::zip(&entries(), packing).expect("a zip file");
        // The first local header: 30 bytes and the name, then the deflated bytes.
        assert_eq!(&bytes[..4], b"PK\x03\x04");
        let name = usize::from(u16::from_le_bytes([bytes[26], bytes[27]]));
        assert_eq!(&bytes[30..30 + name], b"a/mortise");
        let mut text = String::new();
        DeflateDecoder::new(&bytes[30 + name..]).read_to_string(&mut text).expect("deflated text");
        assert_eq!(text, "#!/bin/sh\n");
        // The end counts the entries and finds the directory.
        let end = &bytes[bytes.len() - 22..];
        assert_eq!((&end[..4], end[10]), (&b"PK\x05\x06"[..], 2));
        let directory = u32::from_le_bytes([end[16], end[17], end[18], end[19]]) as usize;
        assert_eq!(&bytes[directory..directory + 4], b"PK\x01\x02");
        let mode = u32::from_le_bytes(bytes[directory + 38..directory + 42].try_into().expect("four bytes"));
        assert_eq!(mode >> 16, 0o100_755);
    }
}

#[test]
fn what_a_binary_needs_is_read_from_it() {
    let own = std::fs::read(std::env::current_exe().expect("a path")).expect("this test");
    let here = ReleasePlatform::here().expect("a platform");
    if !here.is_linux() {
        assert_eq!(promise(&own, &here, None).ok(), Some(SystemPromise::MacOs));
        return;
    }
    let needs = SystemNeeds::read(&own).expect("needs");
    assert!(needs.libraries.contains("libc.so.6"), "{needs:?}");
    assert_eq!(promise(&own, &here, None).ok(), Some(SystemPromise::Glibc(needs.glibc)));
    let old: Glibc = "2.5".parse().expect("a version");
    let refused = promise(&own, &here, Some(old)).expect_err("too old").to_string();
    assert!(refused.contains(&format!("needs glibc {}", needs.glibc)), "{refused}");
    let new: Glibc = "2.99".parse().expect("a version");
    assert_eq!(promise(&own, &here, Some(new)).ok(), Some(SystemPromise::Glibc(new)));
    assert!(SystemNeeds::read(b"#!/bin/sh\n").is_err());
}

#[test]
fn versions_of_glibc_are_numbers() {
    let glibc = |text: &str| text.parse::<Glibc>();
    assert!(glibc("2.9").expect("a version") < glibc("2.28").expect("a version"));
    assert_eq!(glibc("2.2.5").expect("a version").to_string(), "2.2");
    assert!(glibc("new").is_err());
}

#[test]
fn tags_are_those_that_installers_know() {
    let tag = |promise: SystemPromise, index: usize| promise.wheel_tag(&ALL[index]);
    assert_eq!(tag(SystemPromise::Glibc(Glibc::PROMISED), 0), "manylinux_2_28_x86_64");
    assert_eq!(tag(SystemPromise::Glibc(Glibc::PROMISED), 1), "manylinux_2_28_aarch64");
    assert_eq!(tag(SystemPromise::MacOs, 2), "macosx_11_0_x86_64");
    assert_eq!(tag(SystemPromise::MacOs, 3), "macosx_11_0_arm64");
}

#[test]
fn the_notes_are_one_section_of_the_changelog() {
    let changelog =
        "# Changelog\n\n## Unreleased\n\n- soon\n\n## 1.1.0 - 2026-11-18\n\n- new\n\n## [1.0.0]\n\n- first\n";
    assert_eq!(notes(changelog, "1.1.0", NotesOf::Release).ok().as_deref(), Some("- new\n"));
    assert_eq!(notes(changelog, "1.0.0", NotesOf::Release).ok().as_deref(), Some("- first\n"));
    assert_eq!(notes(changelog, "2.0.0", NotesOf::Trial).ok().as_deref(), Some("- soon\n"));
    let refused = notes(changelog, "2.0.0", NotesOf::Release).expect_err("no section").to_string();
    assert!(refused.contains("## 2.0.0"), "{refused}");
    assert!(notes("## 3.0.0\n\n## 1.0.0\n- old\n", "3.0.0", NotesOf::Release).is_err());
}

#[test]
fn a_template_is_filled_completely_or_refused() {
    assert_eq!(filled("a {{X}} b", &[("X", "1")]).ok().as_deref(), Some("a 1 b"));
    assert!(filled("a", &[("X", "1")]).is_err());
    assert!(filled("{{X}} {{Y}}", &[("X", "1")]).is_err());
}
