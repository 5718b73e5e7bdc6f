//! The forge against plain git.

use super::*;
use crate::forge::contract::{self, Ground};
use crate::forge::plain::{Plain, git};
use headsup_core::time::UnixMs;
use headsup_core::work::pull::PullState;
use proptest::prelude::*;
use std::os::unix::fs::PermissionsExt;

fn pull(plain: &Plain) -> PullDoc {
    PullDoc {
        id: "p".to_owned(),
        provider: "local".to_owned(),
        url: String::new(),
        repo: plain.path().display().to_string(),
        remote: None,
        number: None,
        title: "Work".to_owned(),
        body: None,
        state: PullState::Open,
        draft: false,
        head_branch: "work".to_owned(),
        base_branch: "main".to_owned(),
        head_sha: plain.git(&["rev-parse", "work"]),
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
    }
}

fn forge(plain: &Plain) -> Local {
    Local::new(plain.beside("desks"), None)
}

#[tokio::test]
async fn the_hubs_own_forge_keeps_what_every_forge_keeps() {
    let plain = Plain::new();
    let is_first = std::cell::Cell::new(true);
    let push = || {
        if is_first.replace(false) {
            return plain.branch("work", "new", "a\n");
        }
        plain.git(&["checkout", "-q", "work"]);
        plain.write("more", "b\n");
        let sha = plain.commit("more");
        plain.git(&["checkout", "-q", "main"]);
        sha
    };
    let (forge, folder) = (forge(&plain), plain.path());
    contract::keeps(Ground { forge: &forge, folder, push: &push }).await;
}

async fn merged(plain: &Plain, method: MergeMethod) -> Result<String, ForgeError> {
    let (forge, pull) = (forge(plain), pull(plain));
    let prepared = forge.prepare(&pull, method).await?;
    let sha = prepared.sha.clone();
    forge.land(&pull, prepared).await?;
    Ok(sha)
}

/// One commit: which of three files, which of eight lines, what it says, or the file's end.
#[derive(Clone, Debug)]
struct Edit {
    file: u8,
    line: u8,
    text: u8,
    removes: bool,
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let edit = (0..3_u8, 0..8_u8, 0..4_u8, proptest::bool::weighted(0.1));
    let edit = edit.prop_map(|(file, line, text, removes)| Edit { file, line, text, removes });
    proptest::collection::vec(edit, 1..4)
}

fn make(plain: &Plain, edits: &[Edit]) {
    for (index, edit) in edits.iter().enumerate() {
        let path = plain.path().join(format!("file-{}", edit.file));
        if edit.removes {
            std::fs::remove_file(&path).ok();
        } else {
            let text = std::fs::read_to_string(&path).unwrap_or_else(|_| "line\n".repeat(8));
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            lines[usize::from(edit.line)] = format!("said {}", edit.text);
            std::fs::write(&path, lines.join("\n") + "\n").unwrap();
        }
        plain.git(&["add", "-A"]);
        plain.git(&["commit", "-q", "--allow-empty", "-m", &format!("edit {index}")]);
    }
}

/// The tree that plain git makes of it; nothing where it stops with a conflict.
fn plainly(plain: &Plain, method: MergeMethod) -> Option<String> {
    let clone = plain.beside(method.word());
    let from = plain.path().display().to_string();
    let to = clone.display().to_string();
    assert!(git(&plain.path(), &["clone", "-q", &from, &to]).ok);
    let all = match method {
        MergeMethod::Merge => vec![vec!["merge", "-q", "--no-ff", "--no-edit", "origin/work"]],
        MergeMethod::Squash => vec![
            vec!["merge", "-q", "--squash", "origin/work"],
            vec!["commit", "-q", "--allow-empty", "-m", "squashed"],
        ],
        MergeMethod::Rebase => {
            vec![
                vec!["checkout", "-q", "--detach", "origin/work"],
                vec!["rebase", "-q", "origin/main"],
            ]
        }
    };
    let went_well = all.iter().all(|args| git(&clone, args).ok);
    went_well.then(|| git(&clone, &["rev-parse", "HEAD^{tree}"]).text)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 8,
        max_shrink_iters: 16,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Of any two histories, by each method: the tree of plain git, or its conflict; and nobody's
    /// checkout is another one.
    #[test]
    fn every_history_is_merged_as_plain_git_does(
        ours in edits(),
        theirs in edits(),
        method in proptest::sample::select(MergeMethod::ALL),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let plain = Plain::new();
        for file in 0..3 {
            plain.write(&format!("file-{file}"), &"line\n".repeat(8));
        }
        plain.commit("files");
        plain.git(&["checkout", "-q", "-b", "work"]);
        make(&plain, &theirs);
        plain.git(&["checkout", "-q", "main"]);
        make(&plain, &ours);
        plain.git(&["checkout", "-q", "-b", "mine"]);
        plain.write("untracked", "mine");
        let before = plain.git(&["rev-parse", "main"]);
        let expected = plainly(&plain, method);
        let done = runtime.block_on(merged(&plain, method));
        match (expected, done) {
            (Some(tree), Ok(sha)) => {
                prop_assert_eq!(&plain.tree(&sha), &tree);
                prop_assert_eq!(plain.git(&["rev-parse", "main"]), sha);
            }
            // All that the branch did has been done on the base.
            (Some(tree), Err(ForgeError::NothingNew { .. })) => {
                prop_assert_eq!(&plain.tree("main"), &tree);
            }
            (None, Err(ForgeError::Conflicts { files, .. })) => {
                prop_assert!(files.iter().all(|file| file.starts_with("file-")), "{files:?}");
                prop_assert_eq!(plain.git(&["rev-parse", "main"]), before);
            }
            (expected, done) => prop_assert!(false, "{method:?}: {expected:?} {done:?}"),
        }
        prop_assert_eq!(plain.git(&["status", "--porcelain"]), "?? untracked");
        let left = std::fs::read_dir(plain.beside("desks")).map(Iterator::count);
        prop_assert_eq!(left.unwrap_or(0), 0);
        prop_assert!(git(&plain.path(), &["fsck", "--strict"]).ok);
    }
}

#[tokio::test]
async fn a_checkout_of_the_base_follows_and_keeps_what_is_not_committed() {
    for method in MergeMethod::ALL {
        let plain = Plain::new();
        plain.branch("work", "new", "from the branch\n");
        plain.write("readme", "one\ntwo\nthree\nmine\n");
        plain.write("untracked", "mine");
        merged(&plain, *method).await.unwrap();
        assert_eq!(plain.git(&["status", "--porcelain"]), "M readme\n?? untracked", "{method:?}");
        let read = |name: &str| std::fs::read_to_string(plain.path().join(name)).unwrap();
        assert_eq!(read("new"), "from the branch\n");
        assert_eq!(read("readme"), "one\ntwo\nthree\nmine\n");
    }
}

#[tokio::test]
async fn a_checkout_that_cannot_follow_stops_the_merge_whole() {
    let plain = Plain::new();
    plain.branch("work", "readme", "changed\n");
    plain.git(&["worktree", "add", "-q", "--detach", "../other"]);
    plain.write("readme", "mine\n");
    let before = plain.git(&["rev-parse", "main"]);
    let error = merged(&plain, MergeMethod::Merge).await.unwrap_err();
    let ForgeError::CheckoutInTheWay { folder, why, .. } = &error else { panic!("{error}") };
    assert_eq!(folder, &plain.path());
    assert_eq!(why, "readme has changes there that are not committed");
    assert_eq!(plain.git(&["rev-parse", "main"]), before);
    assert_eq!(plain.git(&["status", "--porcelain"]), "M readme");
    assert_eq!(std::fs::read_to_string(plain.path().join("readme")).unwrap(), "mine\n");
    plain.git(&["checkout", "-q", "--", "readme"]);
    std::fs::write(plain.path().join(".git/MERGE_HEAD"), &before).unwrap();
    let error = merged(&plain, MergeMethod::Merge).await.unwrap_err();
    assert!(error.to_string().contains("MERGE_HEAD"), "{error}");
}

/// Whoever works in a repository writes its settings, hooks and attributes: nothing of that is run.
#[tokio::test]
async fn a_hostile_repository_runs_nothing() {
    let plain = Plain::new();
    plain.write(".gitattributes", "* filter=x merge=x diff=x\n");
    plain.commit("attributes");
    plain.branch("work", "new", "x\n");
    plain.git(&["checkout", "-q", "work"]);
    plain.write("readme", "one\ntwo\nthree\nfour\n");
    plain.commit("more");
    plain.git(&["checkout", "-q", "main"]);
    plain.write("readme", "zero\none\ntwo\nthree\n");
    plain.commit("ours");
    plain.git(&["checkout", "-q", "-b", "mine"]);
    let (canary, script) = (plain.beside("canary"), plain.beside("script"));
    std::fs::write(&script, format!("#!/bin/sh\necho \"$0 $*\" >> {}\n", canary.display()))
        .unwrap();
    std::fs::set_permissions(&script, PermissionsExt::from_mode(0o755)).unwrap();
    let hooks = plain.path().join(".git/hooks");
    std::fs::create_dir_all(&hooks).unwrap();
    for hook in [
        "pre-commit",
        "post-checkout",
        "post-merge",
        "pre-merge-commit",
        "reference-transaction",
        "commit-msg",
        "prepare-commit-msg",
        "post-commit",
        "pre-rebase",
        "post-rewrite",
        "post-index-change",
    ] {
        std::fs::copy(&script, hooks.join(hook)).unwrap();
    }
    let run = script.display().to_string();
    for key in [
        "core.fsmonitor",
        "core.pager",
        "core.editor",
        "core.sshCommand",
        "core.askPass",
        "diff.external",
        "filter.x.clean",
        "filter.x.smudge",
        "filter.x.process",
        "merge.x.driver",
        "diff.x.command",
        "diff.x.textconv",
        "gpg.program",
        "credential.helper",
        "alias.diff",
        "alias.merge",
        "sequence.editor",
        "uploadpack.packObjectsHook",
    ] {
        plain.git(&["config", key, &run]);
    }
    plain.git(&["config", "core.hooksPath", &hooks.display().to_string()]);
    plain.git(&["config", "commit.gpgSign", "true"]);
    plain.git(&["config", "filter.x.required", "true"]);
    plain.git(&["config", "core.worktree", &plain.beside("elsewhere").display().to_string()]);
    std::fs::remove_file(&canary).ok();
    let (forge, doc) = (forge(&plain), pull(&plain));
    let looked = forge.look(&doc, None).await.unwrap();
    assert_eq!((looked.obstacle, looked.changed_files), (None, 2));
    for method in MergeMethod::ALL {
        forge.prepare(&doc, *method).await.unwrap();
    }
    let prepared = forge.prepare(&doc, MergeMethod::Merge).await.unwrap();
    forge.land(&doc, prepared).await.unwrap();
    let ran = std::fs::read_to_string(&canary);
    assert!(ran.is_err(), "{ran:?}");
    // That it would have run, plain git shows.
    git(&plain.path(), &["--work-tree=.", "status"]);
    assert!(canary.exists(), "the test could not fail");
}

#[tokio::test]
async fn files_that_go_through_a_filter_are_left_to_the_person() {
    let plain = Plain::new();
    plain.write(".gitattributes", "*.bin filter=lfs\n");
    plain.commit("attributes");
    plain.branch("work", "x.bin", "pointer\n");
    let error = merged(&plain, MergeMethod::Merge).await.unwrap_err();
    assert!(error.to_string().contains("x.bin goes through a filter (lfs)"), "{error}");
    plain.git(&["checkout", "-q", "--detach"]);
    merged(&plain, MergeMethod::Merge).await.unwrap();
}

#[tokio::test]
async fn a_base_that_moves_meanwhile_is_not_overwritten() {
    let plain = Plain::new();
    plain.branch("work", "new", "x\n");
    let (forge, doc) = (forge(&plain), pull(&plain));
    let prepared = forge.prepare(&doc, MergeMethod::Merge).await.unwrap();
    plain.write("late", "x\n");
    let moved = plain.commit("late");
    let error = forge.land(&doc, prepared).await.unwrap_err();
    let known = matches!(error, ForgeError::BaseMoved { .. } | ForgeError::CheckoutInTheWay { .. });
    assert!(known, "{error}");
    assert_eq!(plain.git(&["rev-parse", "main"]), moved);
    assert_eq!(plain.git(&["status", "--porcelain"]), "");
}

#[tokio::test]
async fn a_worktree_and_a_bare_repository_are_found() {
    let plain = Plain::new();
    plain.branch("work", "new", "x\n");
    plain.git(&["worktree", "add", "-q", "../other", "work"]);
    let branches = |folder: PathBuf| Branches { folder, head: "work".to_owned(), base: None };
    let found = forge(&plain).find(branches(plain.beside("other"))).await.unwrap();
    assert_eq!((found.repo, found.base.as_str()), (plain.path().display().to_string(), "main"));
    let bare = plain.beside("bare.git");
    let (from, to) = (plain.path().display().to_string(), bare.display().to_string());
    plain.git(&["clone", "-q", "--bare", &from, &to]);
    let found = forge(&plain).find(branches(bare)).await.unwrap();
    assert_eq!(found.repo, to);
    let doc = PullDoc { repo: found.repo, ..pull(&plain) };
    let prepared = forge(&plain).prepare(&doc, MergeMethod::Squash).await.unwrap();
    let sha = prepared.sha.clone();
    forge(&plain).land(&doc, prepared).await.unwrap();
    assert_eq!(git(to.as_ref(), &["rev-parse", "main"]).text, sha);
}

#[tokio::test]
async fn what_is_missing_is_said_with_what_is_there() {
    let plain = Plain::new();
    plain.branch("work", "new", "x\n");
    let forge = forge(&plain);
    let find = |head: &str, base: Option<&str>| {
        let (folder, base) = (plain.path(), base.map(str::to_owned));
        forge.find(Branches { folder, head: head.to_owned(), base })
    };
    let error = find("wrok", None).await.unwrap_err().to_string();
    assert!(error.contains("no branch \"wrok\"") && error.contains("work"), "{error}");
    assert!(matches!(
        find("work", Some("trunk")).await,
        Err(ForgeError::NoBranch { is_base: true, .. })
    ));
    assert!(matches!(find("main", None).await, Err(ForgeError::SameBranch(_))));
    for bad in ["--upload-pack=x", "a b", "main~1", "../x", "HEAD", ""] {
        assert!(matches!(find(bad, None).await, Err(ForgeError::BadBranch(_))), "{bad}");
    }
    let nowhere = Branches { folder: plain.beside(""), head: "work".to_owned(), base: None };
    assert!(matches!(forge.find(nowhere).await, Err(ForgeError::NoRepository(_))));
    plain.git(&["checkout", "-q", "--orphan", "apart"]);
    plain.commit("apart");
    let doc = PullDoc { head_branch: "apart".to_owned(), ..pull(&plain) };
    assert!(matches!(forge.look(&doc, None).await, Err(ForgeError::Unrelated { .. })));
}

#[tokio::test]
async fn a_repository_has_one_name_however_it_is_reached() {
    let plain = Plain::new();
    plain.branch("work", "new", "x\n");
    plain.git(&["worktree", "add", "-q", "--detach", "../tree"]);
    let link = |to: &str, name: &str| {
        std::os::unix::fs::symlink(plain.beside(to), plain.beside(name)).unwrap();
    };
    std::fs::create_dir_all(plain.path().join("src")).unwrap();
    std::fs::create_dir_all(plain.beside("other/.git/x")).unwrap();
    for (to, name) in [("shop", "linked"), ("shop/src", "source"), ("shop/src", "other/source")] {
        link(to, name);
    }
    let forge = forge(&plain);
    for way in [
        "shop",
        "tree",
        "linked",
        "linked/.git",
        "linked/../linked",
        "shop/../shop",
        "source",
        "other/source/gone",
    ] {
        let folder = plain.beside(way);
        let found = forge.find(Branches { folder, head: "work".to_owned(), base: None }).await;
        assert_eq!(found.unwrap().repo, plain.path().display().to_string(), "{way}");
    }
    let folder = plain.beside("source/../..");
    let nowhere = Branches { folder, head: "work".to_owned(), base: None };
    assert!(matches!(forge.find(nowhere).await, Err(ForgeError::NoRepository(_))));
}
