//! The reversible map between tools and the names that programs and providers see.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use unicode_security::skeleton;

use super::{CallableName, ServerName, ToolName, sanitise};
use crate::limits;
use crate::schema::hex_digest;

/// Who reads the names, and so how long they may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum NameLength {
    /// Programs: at most 128 characters.
    #[default]
    Program,
    /// LLM providers: at most 64 characters, which every one of them accepts.
    Provider,
}

/// A tool whose callable name is not simply its sanitised name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renamed {
    /// Which server offers the tool.
    pub server: ServerName,
    /// The tool's own name.
    pub tool: ToolName,
    /// The name it got.
    pub callable: CallableName,
    /// What is wrong with the plain name.
    pub reason: RenameReason,
}

/// Why a callable name carries a suffix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RenameReason {
    /// The plain name would be too long.
    TooLong,
    /// Another tool's name looks the same.
    Confusable,
    /// Another tool would get the same name.
    Collision,
}

/// The reversible map between `(server, tool)` and [`CallableName`].
///
/// Built from a whole catalogue at once; the result does not depend on the
/// order of the entries. Every tool that shares a name with another gets a
/// suffix, so that adding a tool never decides who owns the plain name.
///
/// ```
/// use mortise_contract::{NameMap, ServerName, ToolName};
///
/// let server = ServerName::parse("my-server")?;
/// let (dash, underscore) = (ToolName::parse("a-b")?, ToolName::parse("a_b")?);
/// let map = NameMap::new([(&server, &dash), (&server, &underscore)]);
/// let callable = map.callable(&server, &dash).ok_or("unknown")?;
/// assert_eq!(callable.as_str(), "mcp__my_server__a_b_afa6479f");
/// assert_eq!(map.target(callable.as_str()), Some((&server, &dash)));
/// assert_eq!(map.renamed().len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct NameMap {
    /// Sorted by server and tool.
    entries: Vec<NameEntry>,
    by_callable: HashMap<String, usize>,
}

#[derive(Clone, Debug)]
struct NameEntry {
    server: ServerName,
    tool: ToolName,
    callable: CallableName,
    reason: Option<RenameReason>,
}

/// Hex digits of the suffix; a longer one is taken only while names still collide.
const SUFFIX_DIGITS: [usize; 4] = [8, 16, 32, 48];

impl NameLength {
    /// The longest name, in characters.
    pub fn characters(self) -> usize {
        match self {
            Self::Program => limits::NAME_CHARS,
            Self::Provider => limits::PROVIDER_NAME_CHARS,
        }
    }
}

impl NameMap {
    /// Names every tool for programs; colliding tools all get a stable suffix.
    pub fn new<'a>(entries: impl IntoIterator<Item = (&'a ServerName, &'a ToolName)>) -> Self {
        Self::with_length(entries, NameLength::Program)
    }

    /// Names every tool for the given readers.
    pub fn with_length<'a>(
        entries: impl IntoIterator<Item = (&'a ServerName, &'a ToolName)>,
        length: NameLength,
    ) -> Self {
        let sorted: BTreeSet<(&ServerName, &ToolName)> = entries.into_iter().collect();
        let mut drafts: Vec<DraftName<'_>> = sorted
            .into_iter()
            .map(|(server, tool)| DraftName::new(server, tool, length.characters()))
            .collect();
        // Equal names first: a third tool that only looks like one of two must not give the other its plain name back.
        lengthen_collisions(&mut drafts);
        mark_confusables(&mut drafts);
        while lengthen_collisions(&mut drafts) {}
        Self::from_drafts(drafts)
    }

    fn from_drafts(drafts: Vec<DraftName<'_>>) -> Self {
        let entries: Vec<NameEntry> = drafts
            .into_iter()
            .map(|draft| NameEntry {
                callable: CallableName(draft.name()),
                server: draft.server.clone(),
                tool: draft.tool.clone(),
                reason: draft.reason,
            })
            .collect();
        let by_callable =
            entries.iter().enumerate().map(|(index, entry)| (entry.callable.0.clone(), index)).collect();
        Self { entries, by_callable }
    }

    /// The callable name of a tool.
    pub fn callable(&self, server: &ServerName, tool: &ToolName) -> Option<&CallableName> {
        let at =
            self.entries.binary_search_by(|entry| (&entry.server, &entry.tool).cmp(&(server, tool))).ok()?;
        self.entries.get(at).map(|entry| &entry.callable)
    }

    /// What a user may write for a tool, whatever other tools there are: its callable name without a suffix, and its
    /// own name behind its server's prefix.
    pub fn spellings(server: &ServerName, tool: &ToolName) -> [String; 2] {
        let prefix = server.callable_prefix();
        [format!("{prefix}{}", sanitise(tool.as_str())), format!("{prefix}{tool}")]
    }

    /// The tool behind a callable name.
    pub fn target(&self, callable: &str) -> Option<(&ServerName, &ToolName)> {
        let entry = self.entries.get(*self.by_callable.get(callable)?)?;
        Some((&entry.server, &entry.tool))
    }

    /// All entries, sorted by server and tool.
    pub fn iter(&self) -> impl Iterator<Item = (&ServerName, &ToolName, &CallableName)> {
        self.entries.iter().map(|entry| (&entry.server, &entry.tool, &entry.callable))
    }

    /// The tools that carry a suffix, and why, sorted by server and tool.
    pub fn renamed(&self) -> Vec<Renamed> {
        let renamed = |entry: &NameEntry| {
            Some(Renamed {
                server: entry.server.clone(),
                tool: entry.tool.clone(),
                callable: entry.callable.clone(),
                reason: entry.reason?,
            })
        };
        self.entries.iter().filter_map(renamed).collect()
    }

    /// How many tools are named.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether no tool is named.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// A name in the making. `suffix` counts into [`SUFFIX_DIGITS`]; 0 is none.
struct DraftName<'a> {
    server: &'a ServerName,
    tool: &'a ToolName,
    plain: String,
    fingerprint: OnceCell<String>,
    limit: usize,
    suffix: usize,
    reason: Option<RenameReason>,
}

impl<'a> DraftName<'a> {
    fn new(server: &'a ServerName, tool: &'a ToolName, limit: usize) -> Self {
        let [plain, _] = NameMap::spellings(server, tool);
        let too_long = plain.len() > limit;
        let reason = too_long.then_some(RenameReason::TooLong);
        Self {
            server,
            tool,
            plain,
            fingerprint: OnceCell::new(),
            limit,
            suffix: usize::from(too_long),
            reason,
        }
    }

    fn name(&self) -> String {
        let Some(digits) =
            self.suffix.checked_sub(1).map(|at| SUFFIX_DIGITS[at.min(SUFFIX_DIGITS.len() - 1)])
        else {
            return self.plain.clone();
        };
        // The plain name is ASCII, so every cut is at a character.
        let mut name = self.plain[..self.plain.len().min(self.limit - digits - 1)].to_owned();
        name.push('_');
        name.push_str(&self.fingerprint.get_or_init(|| fingerprint(self.server, self.tool))[..digits]);
        name
    }

    fn lengthen(&mut self, reason: RenameReason) -> bool {
        self.reason = self.reason.max(Some(reason));
        let longer = self.suffix < SUFFIX_DIGITS.len();
        self.suffix += usize::from(longer);
        longer
    }
}

fn fingerprint(server: &ServerName, tool: &ToolName) -> String {
    hex_digest(&format!("{server}\0{tool}"))
}

/// Names that look the same count as colliding. Plain ASCII names are never held against each other: `v1` and `vl`
/// are both in use.
fn mark_confusables(drafts: &mut [DraftName<'_>]) {
    if drafts.iter().all(|draft| draft.server.as_str().is_ascii() && draft.tool.as_str().is_ascii()) {
        return;
    }
    let look = |text: &str| skeleton(text).collect::<String>();
    let mut groups: BTreeMap<(String, String), Vec<usize>> = BTreeMap::new();
    for (index, draft) in drafts.iter().enumerate() {
        groups.entry((look(draft.server.as_str()), look(draft.tool.as_str()))).or_default().push(index);
    }
    for group in groups.into_values().filter(|group| group.len() > 1) {
        let ascii = |index: &usize| {
            drafts[*index].server.as_str().is_ascii() && drafts[*index].tool.as_str().is_ascii()
        };
        if !group.iter().all(ascii) {
            for index in group {
                drafts[index].suffix = drafts[index].suffix.max(1);
                drafts[index].reason = drafts[index].reason.max(Some(RenameReason::Confusable));
            }
        }
    }
}

/// Gives every draft that shares its name a longer suffix; false when there is nothing left to do.
fn lengthen_collisions(drafts: &mut [DraftName<'_>]) -> bool {
    let mut groups: HashMap<String, Vec<usize>> = HashMap::new();
    for (index, draft) in drafts.iter().enumerate() {
        groups.entry(draft.name()).or_default().push(index);
    }
    let colliding: Vec<usize> = groups.into_values().filter(|group| group.len() > 1).flatten().collect();
    let mut changed = false;
    for index in colliding {
        changed |= drafts[index].lengthen(RenameReason::Collision);
    }
    changed
}
