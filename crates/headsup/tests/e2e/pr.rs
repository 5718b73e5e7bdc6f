//! Pull requests, as people and scripts use them.

use crate::agent::home;
use headsup_testkit::home::{Done, Home};
use headsup_testkit::hub::Hub;
use headsup_testkit::wait;
use std::fs;
use std::path::Path;
use std::process::Command;

fn git(folder: &Path, args: &[&str]) -> String {
    let mut git = Command::new("git");
    git.current_dir(folder).args(args).env("HOME", folder).env("GIT_CONFIG_NOSYSTEM", "1");
    git.args([] as [&str; 0]).env("GIT_AUTHOR_NAME", "Ada").env("GIT_AUTHOR_EMAIL", "a@b.c");
    git.env("GIT_COMMITTER_NAME", "Ada").env("GIT_COMMITTER_EMAIL", "a@b.c");
    let output = git.output().unwrap();
    assert!(output.status.success(), "{args:?}: {output:?}");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

fn here(home: &Home, folder: &Path, args: &[&str]) -> (i32, String) {
    let output = home.command(args).current_dir(folder).output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8_lossy(&said).trim().to_owned())
}

/// A repository with a branch `work` that is one commit ahead.
fn repository(shop: &Path) {
    fs::create_dir_all(shop).unwrap();
    git(shop, &["init", "-q", "--initial-branch=main"]);
    git(shop, &["commit", "-q", "--allow-empty", "-m", "begin"]);
    git(shop, &["checkout", "-q", "-b", "work"]);
    fs::write(shop.join("new"), "a\nb\n").unwrap();
    git(shop, &["add", "-A"]);
    git(shop, &["commit", "-q", "-m", "new"]);
    git(shop, &["checkout", "-q", "main"]);
}

#[test]
fn an_agent_that_merges_is_told_that_a_person_is_asked_and_how_to_wait() {
    let home = home();
    let shop = home.path().join("shop");
    repository(&shop);
    let _hub = Hub::start(&home);
    home.run(["report", "working", "--agent", "api"]).ok();
    let (code, id) = here(&home, &shop, &["pr", "create", "Work", "--head", "work"]);
    assert_eq!(code, 0, "{id}");
    let merge = || {
        let mut merge = home.command(["pr", "merge", &id[id.len() - 8..]]);
        merge.current_dir(&shop).env("HEADSUP_AGENT_ID", "api");
        Done::from(merge.output().unwrap())
    };
    let asked = merge().ok().clone();
    assert_eq!(asked.stdout, "api-p1\n");
    for words in ["a person is asked", "api-p1", "headsup prompt wait api-p1"] {
        assert!(asked.stderr.contains(words), "{words}: {asked:?}");
    }
    home.run(["answer", "api-p1", "--option", "1"]).ok();
    assert_eq!(home.run(["prompt", "wait", "api-p1"]).ok().stdout, "yes\n");
    wait::until("the merge", || {
        (git(&shop, &["log", "--format=%s"]).contains("new")).then_some(())
    });
    assert!(merge().ok().stderr.contains("was merged before"));
    assert_eq!(home.run(["prompt", "wait", "nothing"]).code, 4);
}

#[test]
fn a_branch_is_merged_on_the_command_line_under_a_checkout_that_stays_clean() {
    let home = home();
    let shop = home.path().join("shop");
    repository(&shop);
    fs::create_dir_all(home.path().join(".config/headsup")).unwrap();
    let settings = format!(
        "[[repository]]\npath = {:?}\nmerge_policy = \"allow\"\n",
        shop.display().to_string()
    );
    fs::write(home.path().join(".config/headsup/config.toml"), settings).unwrap();
    let _hub = Hub::start(&home);
    let (code, id) = here(&home, &shop, &["pr", "create", "Work on it", "--head", "work"]);
    assert_eq!(code, 0, "{id}");
    let short = &id[id.len() - 8..];
    let (_, listed) = here(&home, &shop, &["pr", "ls"]);
    assert!(
        listed.starts_with(&format!("{short}  open")) && listed.contains("Work on it"),
        "{listed}"
    );
    let (_, shown) = here(&home, &shop, &["pr", "show", short]);
    assert!(shown.contains("1 file, +2 -0") && shown.contains("mergeable   yes"), "{shown}");
    let (code, said) = here(&home, &shop, &["pr", "update", short, "--title", "Other"]);
    assert!(code == 0 && said.contains("Other"), "{said}");
    let (_, same) = here(&home, &shop, &["pr", "status", short]);
    assert!(same.contains("changes     1 file, +2 -0"), "{same}");
    let wants = ["pr", "review", short, "--request-changes", "--body", "name it\nbetter"];
    let (code, said) = here(&home, &shop, &wants);
    assert!(code == 0 && said.contains("changes requested: name it"), "{said}");
    assert!(said.contains("\n            better") && said.contains("wants changes"), "{said}");
    let (code, said) = here(&home, &shop, &["pr", "review", short, "--request-changes"]);
    assert!(code == 2 && said.contains("--body"), "{said}");
    let (code, said) = here(&home, &shop, &["pr", "review", short, "--body", "x"]);
    assert!(code == 2 && said.contains("--approve"), "{said}");
    let (code, said) = here(&home, &shop, &["pr", "review", short, "--approve"]);
    assert!(code == 0 && said.contains(": approved") && said.contains("mergeable   yes"), "{said}");
    let (code, said) = here(&home, &shop, &["pr", "merge", short, "--method", "squash"]);
    assert!(code == 0 && said.contains("is merged into main"), "{said}");
    let (code, said) = here(&home, &shop, &["pr", "merge", short]);
    assert!(code == 0 && said.contains("was merged before"), "{said}");
    assert_eq!(git(&shop, &["status", "--porcelain"]), "");
    assert_eq!(fs::read_to_string(shop.join("new")).unwrap(), "a\nb\n");
    assert_eq!(git(&shop, &["log", "--format=%s"]), "Other\nbegin");
    let (code, said) = here(&home, &shop, &["pr", "ls", "--state", "closed"]);
    assert!(code == 0 && said.contains("there is no such pull request"), "{said}");
    let (code, said) = here(&home, &shop, &["pr", "show", "nothing"]);
    assert!(code == 4 && said.contains("pr ls"), "{said}");
    let (code, said) = here(&home, &shop, &["pr", "create", "x", "--head", "gone"]);
    assert!(code == 7 && said.contains("git switch -c gone"), "{said}");
    let left = fs::read_dir(home.state().join("forge")).map(Iterator::count);
    assert_eq!(left.unwrap_or(0), 0, "nothing stays behind");
}

#[test]
fn a_pull_request_of_an_agent_that_only_reports_is_of_the_repository_one_is_in() {
    let home = home();
    let shop = home.path().join("shop");
    repository(&shop);
    let _hub = Hub::start(&home);
    home.run(["report", "working", "--agent", "api"]).ok();
    let create = ["pr", "create", "Work", "--head", "work", "--agent", "api"];
    let (code, id) = here(&home, &shop, &create);
    assert_eq!(code, 0, "{id}");
    let (_, shown) = here(&home, &shop, &["pr", "show", &id]);
    assert!(shown.contains("agent       api"), "{shown}");
    let (code, said) = here(&home, Path::new("/"), &create);
    assert!(code == 7 && said.contains("/ is in no git repository"), "{said}");
}
