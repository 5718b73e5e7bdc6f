//! Pull requests, as people and scripts use them.

use crate::agent::home;
use headsup_testkit::home::Home;
use headsup_testkit::hub::Hub;
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

#[test]
fn a_branch_is_merged_on_the_command_line_under_a_checkout_that_stays_clean() {
    let home = home();
    let shop = home.path().join("shop");
    fs::create_dir_all(&shop).unwrap();
    fs::create_dir_all(home.path().join(".config/headsup")).unwrap();
    let settings = format!(
        "[[repository]]\npath = {:?}\nmerge_policy = \"allow\"\n",
        shop.display().to_string()
    );
    fs::write(home.path().join(".config/headsup/config.toml"), settings).unwrap();
    git(&shop, &["init", "-q", "--initial-branch=main"]);
    git(&shop, &["commit", "-q", "--allow-empty", "-m", "begin"]);
    git(&shop, &["checkout", "-q", "-b", "work"]);
    fs::write(shop.join("new"), "a\nb\n").unwrap();
    git(&shop, &["add", "-A"]);
    git(&shop, &["commit", "-q", "-m", "new"]);
    git(&shop, &["checkout", "-q", "main"]);
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
    let (code, said) = here(&home, &shop, &["pr", "show", "nothing"]);
    assert!(code == 4 && said.contains("pr ls"), "{said}");
    let (code, said) = here(&home, &shop, &["pr", "create", "x", "--head", "gone"]);
    assert!(code == 7 && said.contains("git switch -c gone"), "{said}");
    let left = fs::read_dir(home.state().join("forge")).map(Iterator::count);
    assert_eq!(left.unwrap_or(0), 0, "nothing stays behind");
}
