//! `commit_draft` and `list_drafts`.

use std::sync::Arc;

use mortise_formats::format::FormatKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::input::COLUMNS_FACT;
use crate::answer::{Common, WizardResult};
use crate::store::{Committed, DraftEntry, DraftKind, DraftStatus, Release};
use crate::tool::{Wizard, blocking};

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CommitInput {
    /// The draft to commit
    draft_id: String,
    /// Another name than the draft's
    #[serde(default)]
    name: Option<String>,
    /// A version above the last, such as 1.2.0; without it the next is taken
    #[serde(default)]
    version: Option<String>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CommitOutput {
    /// What was committed
    committed: CommittedOutput,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CommittedOutput {
    /// extractor, parser or rule
    kind: DraftKind,
    /// Its name
    name: String,
    /// Its version
    version: String,
    /// The folder of its files
    path: String,
    /// Over the names and contents of its files
    sha256: String,
}

pub(super) fn commit() -> Wizard {
    Wizard::new("commit_draft", FormatKind::Metadata)
        .description(
            "Keeps a draft for good: checks it again and puts its files below the output folder under a name and a \
             rising version. Call it after the person approved the draft.",
        )
        .handler(|wizards: Arc<crate::Wizards>, input: CommitInput, _| async move {
            let drafts = Arc::clone(&wizards.drafts);
            let committed: Committed = blocking(move |_| {
                drafts.commit_as(&input.draft_id, &Release { name: input.name, version: input.version })
            })
            .await?;
            let mut common = Common::default();
            if committed.edited {
                common.warn("WARN_EDITED", "the draft was changed by hand after it was made; it passed its checks again");
            }
            let text = format!("Committed {} {} to {}", committed.name, committed.version, committed.path);
            let Committed { kind, name, version, path, sha256, .. } = committed;
            let committed = CommittedOutput { kind, name, version, path, sha256 };
            Ok(WizardResult::new(CommitOutput { committed }).common(common).feedback(text))
        })
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListInput {
    /// Only drafts that stand there
    #[serde(default)]
    status: Option<DraftStatus>,
    /// Only drafts of that
    #[serde(default)]
    kind: Option<DraftKind>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListOutput {
    /// The drafts, oldest first
    drafts: Vec<DraftEntry>,
}

pub(super) fn list() -> Wizard {
    Wizard::new("list_drafts", FormatKind::Metadata)
        .description(
            "Lists drafts of parsers, extractors and rules with where they stand; drafts live for 24 hours.",
        )
        .read_only()
        .handler(|wizards: Arc<crate::Wizards>, input: ListInput, _| async move {
            let store = Arc::clone(&wizards.drafts);
            let mut drafts = blocking(move |_| store.list()).await?;
            for facts in drafts.iter_mut().filter_map(|draft| draft.facts.as_object_mut()) {
                // A run needs this, but a list of drafts does not.
                facts.remove(COLUMNS_FACT);
            }
            drafts.retain(|draft| input.status.is_none_or(|status| draft.status == status));
            drafts.retain(|draft| input.kind.is_none_or(|kind| draft.kind == kind));
            let text = match drafts.len() {
                1 => "1 draft".to_owned(),
                count => format!("{count} drafts"),
            };
            Ok(WizardResult::new(ListOutput { drafts }).feedback(text))
        })
}
