//! What a launch has left behind speaks for no later one in its seat.

use crate::agent::home;
use headsup_testkit::home::{Done, Home};
use headsup_testkit::hub::Hub;
use serde_json::{Value, json};

/// Runs an agent to its end; the token that it had.
fn ran(home: &Home) -> String {
    let script = "printf %s \"$HEADSUP_AGENT_TOKEN\" > token";
    home.run(["run", "--here", "--id", "job", "--", "sh", "-c", script]).ok();
    std::fs::read_to_string(home.path().join("token")).unwrap()
}

fn shown(home: &Home) -> Value {
    home.is_told();
    home.run(["show", "job", "--json", "--no-start"]).ok().json()
}

/// A command in the environment of a launch.
fn inside(home: &Home, token: &str, args: &[&str]) -> Done {
    let mut command = home.command(args);
    command.env("HEADSUP_AGENT_ID", "job").env("HEADSUP_AGENT_TOKEN", token);
    Done::from(command.output().unwrap())
}

#[test]
fn the_token_of_an_older_launch_does_nothing_in_the_seat_that_was_its_own() {
    let home = home();
    let _hub = Hub::start(&home);
    let old = ran(&home);
    assert_eq!(shown(&home)["incarnation"], 1);
    let new = ran(&home);
    assert_eq!(shown(&home)["incarnation"], 2, "every start is a life of its own");
    assert!(old.len() == 64 && old != new);
    for args in [
        &["report", "failed", "--json"][..],
        &["stage", ".", "working", "--json"],
        &["verdict", ".", "--task", "T", "passed", "--json"],
        &["prompt", "open", ".", "Which?", "--default", "none", "--json"],
    ] {
        let done = inside(&home, &old, args);
        assert_eq!(done.code, 7, "{done:?}");
        let error: Value = serde_json::from_str(&done.stderr).unwrap();
        assert_eq!(error["error"]["code"], "unknown_agent_token", "{args:?}");
    }
    let after = shown(&home);
    assert_eq!((&after["headline"], &after["stage"]), (&json!("ended"), &Value::Null));
    assert_eq!((&after["verdicts"], &after["prompts"]), (&json!([]), &json!([])));
    // A hook of it neither fails nor says anything.
    let payload = r#"{"hook_event_name": "Stop", "session_id": "s1", "cwd": "/"}"#;
    let environment = [("HEADSUP_AGENT_ID", "job"), ("HEADSUP_AGENT_TOKEN", &*old)];
    let hook = home.hook("claude-code", payload, &environment);
    assert_eq!((hook.code, &*hook.stdout, &*hook.stderr), (0, "", ""));
    // The one that holds now is heard.
    inside(&home, &new, &["verdict", ".", "--task", "T", "passed"]).ok();
    assert_eq!(shown(&home)["verdicts"][0]["task"], "T");
}

/// As where a hub's folder was removed while an agent ran.
#[test]
fn the_token_of_a_launch_that_the_hub_has_never_heard_of_hinders_nobody() {
    let home = home();
    let _hub = Hub::start(&home);
    inside(&home, &"5ca1ab1e".repeat(8), &["report", "working"]).ok();
    assert_eq!(shown(&home)["headline"], "working");
}
