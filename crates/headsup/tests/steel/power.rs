//! The power goes: what was acknowledged as an act is there afterwards, whatever was not flushed is not.

use crate::rig::{Client, Rig};
use headsup_testkit::faults::EIO;
use headsup_testkit::hub::Hub;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// One act, and where it shows that it has happened.
struct Act {
    name: &'static str,
    method: &'static str,
    path: &'static str,
    body: Value,
    look: &'static str,
    /// Where in that document, and what stands there.
    shows: (&'static str, Value),
}

fn act(
    name: &'static str,
    (method, path): (&'static str, &'static str),
    body: Value,
    look: &'static str,
    shows: (&'static str, Value),
) -> Act {
    Act { name, method, path, body, look, shows }
}

const TASK: &str = "/api/v1/tasks/A-1";
const AGENT: &str = "/api/v1/agents/api";

/// In an order in which each is possible. `{pr}` is the pull request.
fn acts(repo: &Path) -> Vec<Act> {
    let question = json!({"question": "Go?", "default_action": "wait"});
    vec![
        act(
            "a task is made",
            ("POST", "/api/v1/tasks"),
            json!({"title": "t", "prefix": "A"}),
            TASK,
            ("/title", json!("t")),
        ),
        act(
            "a task is commented on",
            ("POST", "/api/v1/tasks/A-1/comments"),
            json!({"comment": "so far"}),
            TASK,
            ("/comments/0/body", json!("so far")),
        ),
        act(
            "an agent takes its seat",
            ("PUT", AGENT),
            json!({"cwd": repo.display().to_string()}),
            AGENT,
            ("/cwd", json!(repo.display().to_string())),
        ),
        act(
            "a task is linked",
            ("PUT", "/api/v1/agents/api/task"),
            json!({"task_identifier": "A-1"}),
            AGENT,
            ("/task", json!("A-1")),
        ),
        act(
            "a question is asked",
            ("POST", "/api/v1/agents/api/prompts"),
            question.clone(),
            "/api/v1/prompts/api-p1",
            ("/state", json!("open")),
        ),
        act(
            "a question is answered",
            ("POST", "/api/v1/prompts/api-p1/answer"),
            json!({"value": "yes"}),
            "/api/v1/prompts/api-p1",
            ("/resolution/value", json!("yes")),
        ),
        act(
            "another question is asked",
            ("POST", "/api/v1/agents/api/prompts"),
            question,
            "/api/v1/prompts/api-p2",
            ("/state", json!("open")),
        ),
        act(
            "a question is seen",
            ("POST", "/api/v1/prompts/api-p2/seen"),
            json!({"via": "web"}),
            "/api/v1/prompts/api-p2",
            ("/seen/0/via", json!("web")),
        ),
        act(
            "a question is taken back",
            ("POST", "/api/v1/prompts/api-p2/cancel"),
            json!({}),
            "/api/v1/prompts/api-p2",
            ("/resolution/by", json!("cancelled")),
        ),
        act(
            "a workflow moves",
            ("POST", "/api/v1/agents/api/stage"),
            json!({"stage": "blocked", "message": "no access"}),
            AGENT,
            ("/stage/message", json!("no access")),
        ),
        act(
            "a workflow moves on",
            ("POST", "/api/v1/agents/api/stage"),
            json!({"stage": "working"}),
            AGENT,
            ("/stage/state", json!("working")),
        ),
        act(
            "a verdict is given",
            ("POST", "/api/v1/agents/api/verdicts"),
            json!({"task": "A-1", "verdict": "passed"}),
            AGENT,
            ("/verdicts/0/verdict", json!("passed")),
        ),
        act(
            "an agent is renamed",
            ("PATCH", AGENT),
            json!({"name": "another"}),
            AGENT,
            ("/name", json!("another")),
        ),
        act(
            "a pull request is made",
            ("POST", "/api/v1/agents/api/prs"),
            json!({"title": "Work", "head_branch": "work", "draft": true}),
            "/api/v1/prs",
            ("/prs/0/title", json!("Work")),
        ),
        act(
            "a pull request becomes ready",
            ("PATCH", "/api/v1/prs/{pr}"),
            json!({"draft": false}),
            "/api/v1/prs",
            ("/prs/0/draft", json!(false)),
        ),
        act(
            "a pull request is merged",
            ("POST", "/api/v1/prs/{pr}/merge"),
            json!({}),
            "/api/v1/prs",
            ("/prs/0/state", json!("merged")),
        ),
        act(
            "a task is completed",
            ("POST", "/api/v1/agents/api/task/complete"),
            json!({"summary": "all of it"}),
            TASK,
            ("/status", json!("done")),
        ),
    ]
}

#[test]
fn an_act_that_is_acknowledged_survives_a_power_cut() {
    let rig = Rig::new();
    let repo = repository(rig.home.path());
    let mut hub = on_platter(&rig);
    for Act { name, method, path, body, look, shows: (place, value) } in acts(&repo) {
        let client = rig.client();
        let path = match path.contains("{pr}") {
            true => path.replace("{pr}", &pull(&client)),
            false => path.to_owned(),
        };
        let done = client.send(method, &path, &body.to_string());
        assert!((200..300).contains(&done.status), "{name}: {} {}", done.status, done.body);
        // Whatever the hub would still flush by itself, it is too late.
        rig.faults.flushes_fail(EIO);
        assert_eq!(
            client.report("ghost", "working").status,
            202,
            "{name}: a report needs no flush"
        );
        hub.kill();
        rig.faults.cut_power(&database(&rig)).unwrap();
        rig.faults.end();
        hub = on_platter(&rig);
        let found = client.get(look).body;
        assert_eq!(found.pointer(place), Some(&value), "{name}: {found}");
        assert_eq!(client.headline("ghost"), None, "{name}: the power was cut");
    }
    assert_eq!(rig.client().get(AGENT).body["stage"]["state"], "completed");
}

#[test]
fn no_branch_moves_before_what_is_intended_is_on_the_disk() {
    let rig = Rig::new();
    let repo = repository(rig.home.path());
    let hub = on_platter(&rig);
    let client = rig.client();
    let new = json!({"title": "Work", "head_branch": "work", "folder": repo.display().to_string()});
    let made = client.send("POST", "/api/v1/prs", &new.to_string());
    assert_eq!(made.status, 201, "{}", made.body);
    let before = git(&repo, &["rev-parse", "main"]);
    let merge = format!("/api/v1/prs/{}/merge", pull(&client));
    rig.faults.flushes_fail(EIO);
    let refused = client.send("POST", &merge, "{}");
    assert_eq!((refused.status, refused.code()), (507, "not_flushed"), "{}", refused.body);
    assert_eq!(git(&repo, &["rev-parse", "main"]), before);
    hub.kill();
    rig.faults.cut_power(&database(&rig)).unwrap();
    rig.faults.end();
    let _hub = on_platter(&rig);
    assert_eq!(client.get("/api/v1/prs").body["prs"][0]["state"], "open");
    let merged = client.send("POST", &merge, "{}");
    assert_eq!(merged.status, 200, "{}", merged.body);
    assert_eq!(merged.body["merge_sha"], git(&repo, &["rev-parse", "main"]));
    assert_eq!(git(&repo, &["rev-list", "--count", "--merges", "main"]), "1", "merged once");
}

#[test]
fn what_an_agent_was_started_with_is_where_its_seat_says_after_a_power_cut() {
    let rig = Rig::new();
    let hub = on_platter(&rig);
    let launch = json!({"program": "/bin/sh", "name": "sh", "arguments": ["--model", "opus"],
        "folder": "/"});
    let seat = json!({"kind": "claude-code", "launch": launch}).to_string();
    let taken = rig.client().send("PUT", AGENT, &seat);
    assert_eq!(taken.status, 201, "{}", taken.body);
    hub.kill();
    let launches = rig.home.state().join("launches");
    let file = fs::read_dir(&launches).unwrap().next().unwrap().unwrap().path();
    assert!(rig.faults.is_flushed(&file).unwrap());
    assert!(rig.faults.is_flushed(&launches).unwrap(), "its folder was made for it");
}

fn on_platter(rig: &Rig) -> Hub {
    let mut command = rig.home.command(["up", "--foreground"]);
    rig.faults.preload_on_platter(&mut command).unwrap();
    Hub::start_as(command, &rig.home.socket())
}

fn database(rig: &Rig) -> PathBuf {
    rig.home.state().join("headsup.db")
}

fn pull(client: &Client) -> String {
    let prs = client.get("/api/v1/prs").body;
    prs["prs"][0]["id"].as_str().unwrap().to_owned()
}

/// `main`, and one commit more on `work`; nothing is checked out that a merge would have to move.
fn repository(home: &Path) -> PathBuf {
    let repo = home.join("repo");
    fs::create_dir_all(&repo).unwrap();
    git(&repo, &["init", "-q", "--initial-branch=main"]);
    git(&repo, &["commit", "-q", "--allow-empty", "-m", "begin"]);
    git(&repo, &["checkout", "-q", "-b", "work"]);
    fs::write(repo.join("new"), "a\n").unwrap();
    git(&repo, &["add", "-A"]);
    git(&repo, &["commit", "-q", "-m", "new"]);
    repo
}

fn git(folder: &Path, args: &[&str]) -> String {
    let mut git = Command::new("git");
    git.current_dir(folder).args(args).env("HOME", folder).env("GIT_CONFIG_NOSYSTEM", "1");
    git.env("GIT_AUTHOR_NAME", "Ada").env("GIT_AUTHOR_EMAIL", "a@b.c");
    git.env("GIT_COMMITTER_NAME", "Ada").env("GIT_COMMITTER_EMAIL", "a@b.c");
    let output = git.output().unwrap();
    assert!(output.status.success(), "{args:?}: {output:?}");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}
