//! H: whose a hook is. Nobody is taken for another, and nothing of a secret is told.

use crate::hooks::prompt;
use crate::rig::{Call, Rig};
use headsup_testkit::{hook, http};
use serde_json::json;

pub(crate) const SORTS: &[&str] = &[
    "14 no session",
    "15 illegal id",
    "20 pid used again",
    "22 another user",
    "23 token of nobody",
];

/// 14: two agents that do not say which session they are in.
#[test]
fn without_a_session_nobody_is_taken_for_another() {
    let rig = Rig::new();
    rig.hook("known", &Call { payload: &prompt("known", ""), ..Call::default() });
    let nameless = |cwd: &str| json!({"hook_event_name": "Stop", "cwd": cwd}).to_string();
    rig.hook("14", &Call { payload: nameless("/home/dev/known").as_bytes(), ..Call::default() });
    rig.stands("14");
    assert_eq!(rig.roster()["claude-code-known"], "working", "its turn is not over");
}

/// 15: a seat that no seat can be called.
#[test]
fn a_seat_with_an_illegal_name_is_nobodys_seat() {
    let rig = Rig::new();
    let long = "x".repeat(129);
    for name in ["../x", "a/b", "a\\b", "a:b", "%2e%2e", ".", "..", long.as_str(), "é", " "] {
        let before = rig.roster();
        let payload = prompt("known", "");
        let env = [("HEADSUP_AGENT_ID", name)];
        rig.hook(name, &Call { payload: &payload, env: &env, unclosed: false });
        rig.stands(name);
        let mut after = rig.roster();
        after.remove("claude-code-known");
        assert!(after.is_empty(), "{name}: {before:?}, {after:?}");
    }
}

/// 20: the pid of an agent that has ended, in another process.
#[test]
fn a_pid_that_is_used_again_is_somebody_else() {
    let rig = Rig::new();
    let post = |session: &str, event: &str, start: u64| {
        let body = json!({
            "hook_event_name": event, "session_id": session, "cwd": "/home/dev/r20",
            "source": "startup",
        });
        let parents = json!([{"pid": 4_000_000, "start": start, "comm": "claude"}]);
        let context = json!({"env": {}, "parents": parents}).to_string();
        let headers = [("x-headsup-context", context.as_str())];
        let target = "/api/v1/hooks/claude-code";
        let body = body.to_string();
        let answer =
            http::request(&rig.home.socket(), "POST", target, &headers, body.as_bytes()).unwrap();
        assert_eq!(answer.0, 202, "{}", String::from_utf8_lossy(&answer.1));
    };
    post("first", "SessionStart", 700);
    post("first", "UserPromptSubmit", 700);
    post("second", "SessionStart", 900);
    post("second", "UserPromptSubmit", 900);
    rig.stands("20");
    let seats = rig.get("/api/v1/agents?all=true");
    let seats = seats["agents"].as_array().unwrap().iter();
    let of = |session: &str| {
        let mut seats = seats.clone().filter(|seat| seat["session_id"] == session);
        seats.next().map(|seat| seat["id"].as_str().unwrap().to_owned())
    };
    assert!(of("second").is_some(), "{:?}", rig.roster());
    assert_ne!(of("first"), of("second"), "one process's words in another's seat");
}

/// 22: the hook of an agent that runs as another user.
#[test]
fn another_users_hook_reaches_nobody_and_leaves_nothing() {
    use std::os::unix::process::CommandExt as _;
    let rig = Rig::new();
    let mut command = rig.home.command(["hook", "claude-code"]);
    command.uid(65_534).current_dir("/");
    if command.stdin(std::process::Stdio::null()).spawn().map(|mut it| it.wait()).is_err() {
        eprintln!("skipped: only root can be somebody else, and others must see the program");
        return;
    }
    let mut command = rig.home.command(["hook", "claude-code"]);
    command.uid(65_534).current_dir("/");
    let done = rig.home.feed(command, &prompt("r22", ""));
    assert_eq!((done.code, &*done.stdout, &*done.stderr), (0, "", ""));
    assert!(rig.roster().is_empty());
    assert!(!rig.home.state().join("spool/queue").exists());
}

/// 23: a token that opens nothing any more.
#[test]
fn a_hook_with_a_token_of_nobody_ends_well_and_tells_nobody_of_it() {
    let rig = Rig::new();
    let up = rig.home.run(["up", "--listen", "127.0.0.1:0", "--json"]);
    let url = up.ok().json()["url"].as_str().unwrap().to_owned();
    let address = url.trim_start_matches("http://").split('/').next().unwrap().to_owned();
    let stale = "5ca1ab1e".repeat(8);
    let env = [("HEADSUP_URL", &*format!("http://{address}")), ("HEADSUP_TOKEN", stale.as_str())];
    let before = rig.counter("headsup_refusals_total{code=\"token_wrong\"}");
    let mut most = 0;
    let fire = || {
        most += 1;
        rig.fire("23", &Call { payload: &prompt("r23", ""), env: &env, unclosed: false });
    };
    let refused = hook::until("a refusal", fire, || {
        rig.home.is_told();
        let refused = rig.counter("headsup_refusals_total{code=\"token_wrong\"}") - before;
        (refused > 0).then_some(refused)
    });
    assert!(refused <= most, "{refused} refusals of {most} hooks");
    // A word of a launch that is long over is none that the hub knows: it changes nothing.
    let env = [("HEADSUP_AGENT_TOKEN", stale.as_str())];
    rig.hook("23", &Call { payload: &prompt("r23", ""), env: &env, unclosed: false });
    rig.stands("23");
    assert_eq!(rig.roster().len(), 1, "the one that came by the socket");
    let mut folders = vec![rig.home.path().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let bytes = std::fs::read(&path).unwrap_or_default();
            assert!(!String::from_utf8_lossy(&bytes).contains(&stale), "{}", path.display());
        }
    }
}
