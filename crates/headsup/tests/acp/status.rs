//! What the hub is told.

use crate::rig::{Rig, Talk};
use headsup_testkit::hub::Hub;
use headsup_testkit::wait;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;

#[test]
fn the_status_is_that_of_the_protocol() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let mut talk = rig.scripted(&["--role", "reviewer", "--label", "team=a"]);
    rig.comes_to("starting");
    talk.session("s-1");
    rig.comes_to("idle");
    talk.prompt(2, "s-1");
    rig.comes_to("working");
    talk.ask(0, "s-1");
    rig.comes_to("blocked");
    let doc = rig.doc();
    assert_eq!(doc["kind"], "acp:some");
    assert_eq!(doc["role"], "reviewer");
    assert_eq!(doc["labels"]["team"], "a");
    assert_eq!(doc["session_id"], "s-1");
    assert_eq!(doc["evidence"]["source"], "acp");
    assert_eq!(doc["evidence"]["confidence"], "authoritative");
    let prompt = &doc["prompts"][0];
    assert_eq!((&prompt["kind"], &prompt["title"]), (&json!("permission"), &json!("touch x")));
    assert_eq!(prompt["options"][0], json!({"label": "Allow", "value": "yes"}));
    let outcome = json!({"outcome": {"outcome": "selected", "optionId": "yes"}});
    talk.client(&json!({"id": 0, "result": outcome}));
    rig.comes_to("working");
    talk.stop(2);
    rig.comes_to("done");
    let said = rig.home.run(["explain", "api", "--json"]).json();
    assert_eq!(said["dimensions"]["turn"]["winner"]["source"], "acp");
    talk.leaves(&rig, 3);
    rig.comes_to("crashed");
    let process = rig.doc()["process"].clone();
    assert_eq!((&process["kind"], &process["code"]), (&json!("crashed"), &json!(3)));
    assert_eq!(talk.ends().code(), Some(3));
}

/// The draft: an answer says no more than that the prompt was taken in, and the session tells the rest.
#[test]
fn version_2_tells_its_state_by_itself() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let mut talk = rig.scripted(&[]);
    talk.client(&json!({"id": 0, "method": "initialize", "params": {"protocolVersion": 2}}));
    talk.agent(&json!({"id": 0, "result": {"protocolVersion": 2}}));
    talk.client(&json!({"id": 1, "method": "session/new", "params": {}}));
    talk.agent(&json!({"id": 1, "result": {"sessionId": "s"}}));
    rig.comes_to("idle");
    let tells = |talk: &mut Talk, mut update: Value| {
        update["sessionUpdate"] = "state_update".into();
        let params = json!({"sessionId": "s", "update": update});
        talk.agent(&json!({"method": "session/update", "params": params}));
    };
    talk.prompt(2, "s");
    talk.agent(&json!({"id": 2, "result": {"messageId": "m"}}));
    tells(&mut talk, json!({"state": "running"}));
    rig.comes_to("working");
    tells(&mut talk, json!({"state": "requires_action"}));
    rig.comes_to("blocked");
    tells(&mut talk, json!({"state": "running"}));
    rig.comes_to("working");
    let helper = json!([{"id": "b", "type": "subagent"}]);
    tells(&mut talk, json!({"state": "idle", "stopReason": "end_turn", "background": helper}));
    // It has heard all of that.
    talk.client(&json!({"method": "of/tomorrow"}));
    assert_eq!(rig.doc()["headline"], "working", "a helper goes on behind it");
    tells(&mut talk, json!({"state": "idle", "stopReason": "end_turn", "background": []}));
    rig.comes_to("done");
    assert_eq!(rig.doc()["counters"]["turns"], 1);
}

#[test]
fn a_process_that_leaves_or_is_killed_says_so() {
    for (how, headline, kind) in
        [(0, "ended", "clean"), (-15, "ended", "killed"), (-9, "crashed", "crashed")]
    {
        let rig = Rig::new();
        let _hub = Hub::start(&rig.home);
        let mut talk = rig.scripted(&[]);
        talk.session("s");
        rig.comes_to("idle");
        talk.leaves(&rig, how);
        rig.comes_to(headline);
        wait::until("the cause", || (rig.doc()["process"]["kind"] == kind).then_some(()));
    }
}

/// Its file was found, and what the first line of that asks for is not there.
#[test]
fn an_agent_that_cannot_be_run_does_not_start_for_ever() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let program = rig.file("agent");
    fs::write(&program, "#!/nowhere/interpreter\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let program = program.to_str().unwrap();
    // A hub that is out of breath is not asked for a seat.
    let doc = wait::until("its end", || {
        let mut talk = rig.run(&["acp", "--id", "api", "--name", "some"], &[program]);
        assert_eq!(talk.ends().code(), Some(1));
        let done = rig.home.run(["show", "api", "--json", "--no-start"]);
        let doc = (done.code == 0).then(|| done.json())?;
        (doc["headline"] != "starting").then_some(doc)
    });
    assert_eq!((&doc["headline"], &doc["process"]["code"]), (&json!("crashed"), &json!(126)));
}

#[test]
fn its_end_is_told_though_its_client_does_not_read_or_others_say_more() {
    // More than the pipe to the client holds; and somebody who goes on on the agent's output.
    for script in [
        "head -c 100000 /dev/zero | tr '\\0' '\\n'; exit 0",
        "while kill -0 \"$PPID\"; do echo; sleep 0.1; done 2>/dev/null & exit 0",
    ] {
        let rig = Rig::new();
        let _hub = Hub::start(&rig.home);
        let words = ["acp", "--id", "api", "--name", "some", "--", "sh", "-c", script];
        let mut command = rig.home.command(words);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut proxy = command.spawn().unwrap();
        let ended = wait::until("its end", || {
            let done = rig.home.run(["show", "api", "--json", "--no-start"]);
            let doc = (done.code == 0).then(|| done.json())?;
            (doc["process"]["state"] == "exited").then_some(doc)
        });
        assert_eq!(ended["headline"], "ended", "{script}: {ended}");
        assert!(proxy.try_wait().unwrap().is_none(), "what it has said is still passed on");
        proxy.kill().unwrap();
        proxy.wait().unwrap();
    }
}

#[test]
fn several_sessions_are_one_agent_that_works_while_any_does() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let mut talk = rig.scripted(&[]);
    talk.session("s");
    talk.prompt(2, "s");
    talk.prompt(3, "t");
    talk.ask(0, "t");
    rig.comes_to("blocked");
    talk.stop(2);
    talk.client(&json!({"id": 0, "result": {"outcome": {"outcome": "cancelled"}}}));
    rig.comes_to("working");
    talk.stop(3);
    rig.comes_to("done");
}

#[test]
fn the_agent_knows_its_seat_and_a_taken_name_gets_a_number() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let script = "echo \"$HEADSUP_AGENT_ID $HEADSUP_HOME ${#HEADSUP_AGENT_TOKEN}\"; cat";
    let line = format!("api {} 64\n", rig.home.state().display());
    let mut one = rig.talk(script);
    assert_eq!(one.reads(line.len()), line.as_bytes());
    rig.comes_to("starting");
    // A hub that is out of breath is not asked which names are taken: the next one asks again.
    wait::until("a number", || rig.talk(script).reads(6).starts_with(b"api-2 ").then_some(()));
    assert_eq!(rig.doc()["kind"], "acp:some");
}

/// Its hooks tell the same a second time, and less.
#[test]
fn hooks_of_the_agent_itself_change_nothing() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let mut talk = rig.scripted(&[]);
    talk.session("s");
    talk.prompt(2, "s");
    rig.comes_to("working");
    let env = [("HEADSUP_AGENT_ID", "api")];
    let stop = json!({"session_id": "s", "hook_event_name": "Stop", "cwd": "/home/dev"});
    rig.home.hook("claude-code", &stop.to_string(), &env).ok();
    rig.home.is_told();
    let all = rig.home.run(["ls", "--json"]).json();
    assert_eq!(all["agents"].as_array().unwrap().len(), 1, "{all}");
    assert_eq!(rig.doc()["headline"], "working");
    let said = rig.home.run(["explain", "api", "--json"]).json().to_string();
    assert!(said.contains("the protocol that it is driven by tells it exactly"), "{said}");
    fs::metadata(rig.file("heard")).unwrap();
}
