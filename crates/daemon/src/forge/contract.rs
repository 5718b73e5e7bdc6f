//! What every forge keeps.

use super::{Branches, Forge, ForgeError, Opened};
use headsup_core::time::UnixMs;
use headsup_core::wire::PullDoc;
use headsup_core::work::pull::{MergeMethod, PullState, is_commit};
use std::path::PathBuf;

/// A forge with a repository whose branch `main` is there, and `work` once it is pushed.
pub(crate) struct Ground<'a> {
    pub(crate) forge: &'a dyn Forge,
    pub(crate) folder: PathBuf,
    /// Another commit on `work`; its name.
    pub(crate) push: &'a dyn Fn() -> String,
}

impl Ground<'_> {
    fn branches(&self, head: &str, base: Option<&str>) -> Branches {
        let (folder, base) = (self.folder.clone(), base.map(str::to_owned));
        Branches { folder, head: head.to_owned(), base }
    }
}

/// All of it.
pub(crate) async fn keeps(ground: Ground<'_>) {
    let first = (ground.push)();
    what_is_missing_is_named(&ground).await;
    let mut pull = opened(&ground).await;
    let looked = ground.forge.look(&pull, None).await.unwrap();
    looked.put_into(&mut pull);
    assert_eq!((pull.head_sha.as_str(), pull.mergeable), (first.as_str(), true));
    assert!(pull.changed_files > 0 && pull.additions > 0 && !pull.files.is_empty(), "{pull:?}");
    assert_eq!(pull.state, PullState::Open);

    // Only what was seen is merged.
    let second = (ground.push)();
    let error = ground.forge.prepare(&pull, MergeMethod::Merge).await.unwrap_err();
    let ForgeError::HeadMoved { expected, is, .. } = error else { panic!("{error}") };
    assert_eq!((expected, is), (first, second.clone()));
    pull.head_sha.clone_from(&second);

    let prepared = ground.forge.prepare(&pull, MergeMethod::Squash).await.unwrap();
    let intended = prepared.sha.clone();
    let sha = ground.forge.land(&pull, prepared).await.unwrap();
    assert!(is_commit(&sha), "{sha}");
    let after = ground.forge.look(&pull, Some(&intended)).await.unwrap();
    assert_eq!(after.merged_as, Some(sha));
    // Whoever merges it again is told.
    let again = ground.forge.prepare(&pull, MergeMethod::Squash).await.unwrap_err();
    assert!(matches!(again, ForgeError::Merged(_) | ForgeError::NothingNew { .. }), "{again}");
}

async fn what_is_missing_is_named(ground: &Ground<'_>) {
    let find = async |head: &str, base: Option<&str>| {
        ground.forge.find(ground.branches(head, base)).await.unwrap_err()
    };
    let missing = find("wrok", None).await;
    assert!(matches!(&missing, ForgeError::NoBranch { is_base: false, .. }), "{missing}");
    assert!(missing.to_string().contains("work"), "{missing}");
    let missing = find("work", Some("trunk")).await;
    assert!(matches!(missing, ForgeError::NoBranch { is_base: true, .. }), "{missing}");
    assert!(matches!(find("main", None).await, ForgeError::SameBranch(_)));
    for bad in ["-x", "a..b", "a b", ""] {
        assert!(matches!(find(bad, None).await, ForgeError::BadBranch(_)), "{bad}");
    }
}

/// The pull request of `work`; a second one of it is the first.
async fn opened(ground: &Ground<'_>) -> PullDoc {
    let found = ground.forge.find(ground.branches("work", None)).await.unwrap();
    assert_eq!(found.base, "main");
    let mut pull = PullDoc {
        id: "0198c0de-0000-7000-8000-000000000001".to_owned(),
        provider: ground.forge.name().to_owned(),
        url: String::new(),
        repo: found.repo,
        remote: found.remote.map(|remote| remote.to_string()),
        number: None,
        title: "Work".to_owned(),
        body: Some("why".to_owned()),
        state: PullState::Open,
        draft: false,
        head_branch: "work".to_owned(),
        base_branch: found.base,
        head_sha: String::new(),
        base_sha: String::new(),
        additions: 0,
        deletions: 0,
        changed_files: 0,
        files: Vec::new(),
        mergeable: false,
        mergeable_reason: None,
        checks: Vec::new(),
        reviews: Vec::new(),
        agent_id: None,
        task: None,
        merge_sha: None,
        created_at: UnixMs(0),
        updated_at: UnixMs(0),
        refreshed_at: UnixMs(0),
        merged_at: None,
    };
    let Opened { url, number, existing } = ground.forge.open(&pull, "k1").await.unwrap();
    assert!(!existing && !url.is_empty());
    if number.is_some() {
        let again = ground.forge.open(&pull, "k2").await.unwrap();
        assert_eq!((again.number, again.existing), (number, true));
    }
    (pull.url, pull.number) = (url, number);
    pull
}
