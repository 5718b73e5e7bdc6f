//! Every witness that a hub can hear is in a capture, and says the same again when that is played.

use crate::all_right;
use headsup_testkit::home::Home;
use headsup_testkit::hook;
use headsup_testkit::http;
use headsup_testkit::hub::Hub;
use headsup_testkit::pty::Pty;
use headsup_testkit::replay::{Verdict, play_and, unpack};
use headsup_testkit::wait;
use serde_json::{Value, json};
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Stdio};

const BINARY: &str = env!("CARGO_BIN_EXE_headsup");
/// It says what it is told as a status, a title, or on its output; a signal and a code end it.
const AGENT: &str = r#"#!/bin/sh
[ -t 0 ] && stty -echo
echo READY
while read -r what text; do case $what in
status) printf '\033]7501;state=%s\033\\' "$text" ;;
title) printf '\033]0;%s\007' "$text" ;;
say) printf '%s\n' "$text" ;;
signal) kill -"$text" $$ ;;
exit) exit "$text" ;;
esac; done
"#;
/// Every pane shows the same file.
const TMUX: &str = r#"#!/bin/sh
for word; do
    case $word in
    capture-pane) printf . >>HOME/looks; cat HOME/screen 2>/dev/null ;;
    headsup*) echo "${word%% *} 1" ;;
    esac
done
"#;

fn program(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

struct Rig {
    home: Home,
    hub: Option<Hub>,
}

impl Rig {
    /// With an agent program of this name.
    fn new(name: &str) -> Self {
        let home = Home::new(BINARY);
        program(&home.path().join("bin").join(name), AGENT);
        let hub = Some(Hub::start(&home));
        Self { home, hub }
    }

    fn on_a_terminal(&self, name: &str) -> Pty {
        let mut command = self.home.command(["run", "--here", "--id", "api", "--", name]);
        command.env_remove("COLUMNS");
        let mut pty = Pty::start(&command).unwrap();
        pty.shows("READY");
        pty
    }

    fn doc(&self) -> Value {
        self.home.run(["show", "api", "--json"]).json()
    }

    #[track_caller]
    fn comes_to(&self, headline: &str) {
        wait::until(headline, || {
            let done = self.home.run(["show", "api", "--json"]);
            (done.code == 0 && done.json()["headline"] == headline).then_some(())
        });
    }

    /// Its seat is made before it runs; what is captured begins with the word of its process.
    #[track_caller]
    fn starts(&self) {
        self.comes_to("starting");
        wait::until("its process", || self.doc()["process"]["pid"].is_number().then_some(()));
    }

    /// The headlines that the hub has told of it, one after the other.
    fn told(&self, agent: &str) -> Vec<String> {
        let args = ["watch", agent, "--since", "0", "--no-follow", "--json"];
        let events = self.home.run(args).ok().stdout.clone();
        let events = events.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let to = |event: Value| event["to"].as_str().map(str::to_owned);
        events.filter_map(to).collect()
    }

    /// Captures it, plays that, and holds what is told then against what was told. Returns the
    /// bundle, and what `show` says of the agent in the end.
    #[track_caller]
    fn again(&self, agent: &str, kept: &[(&str, u64)]) -> (String, Value) {
        let temp = tempfile::tempdir().unwrap();
        let (file, folder) = (temp.path().join("a.capture"), temp.path().join("unpacked"));
        let doc = self.home.run(["capture", agent, "--json", "-o", file.to_str().unwrap()]);
        let doc = doc.ok().json();
        for (source, least) in kept {
            assert!(doc["kept"][source].as_u64() >= Some(*least), "{source}: {doc}");
        }
        let bundle = fs::read_to_string(&file).unwrap();
        assert!(!bundle.contains("secret"), "{bundle}");
        unpack(&file, &[], &folder).unwrap();
        let mut end = Value::Null;
        let verdict = play_and(Path::new(BINARY), &folder, &[], |home| {
            let roster = home.run(["ls", "--all", "--json"]).ok().json();
            assert_eq!(roster["agents"].as_array().unwrap().len(), 1, "{roster}");
            end = roster["agents"][0].clone();
        });
        let verdict = verdict.unwrap();
        let before = self.told(agent);
        let of = |verdict: &Verdict| verdict.told.values().next().unwrap().clone();
        // A machine that is out of breath may tell a moment more, and never less.
        let mut said = of(&verdict).into_iter();
        let all = before.iter().all(|headline| said.any(|said| said == *headline));
        assert!(all, "{before:?}, and again {:?}\n{bundle}", of(&verdict));
        assert!(verdict.spans.len() > 2, "{bundle}");
        all_right(&[verdict]);
        (bundle, end)
    }
}

#[test]
fn what_a_program_says_to_its_terminal_alone_and_how_it_ends() {
    let rig = Rig::new("codex");
    let mut pty = rig.on_a_terminal("codex");
    for (said, headline) in [
        ("idle:app=codex", "idle"),
        // It has come up: what it shows as work now is a turn.
        ("done:app=codex", "done"),
        ("working:app=codex", "working"),
        ("blocked:kind=permission:msg=c2VjcmV0Pw==", "blocked"),
        ("working", "working"),
        ("done", "done"),
    ] {
        pty.type_in(format!("status {said}\n").as_bytes()).unwrap();
        rig.comes_to(headline);
    }
    pty.type_in(b"exit 3\n").unwrap();
    assert_eq!(pty.ended().code(), Some(3));
    rig.comes_to("crashed");
    let (bundle, end) = rig.again("api", &[("osc", 6), ("process", 2)]);
    assert!(!bundle.contains("c2VjcmV0"), "{bundle}");
    assert_eq!(
        (&end["headline"], &end["process"]["code"]),
        (&json!("crashed"), &json!(3)),
        "{end}"
    );
}

#[test]
fn what_its_title_says_and_the_signal_that_ends_it() {
    let rig = Rig::new("gemini");
    let mut pty = rig.on_a_terminal("gemini");
    for (title, headline) in [
        ("\u{25c7}  Ready (secret)", "idle"),
        ("\u{2726}  Working… (secret)", "working"),
        ("\u{270b}  Action Required (secret)", "blocked"),
    ] {
        pty.type_in(format!("title {title}\n").as_bytes()).unwrap();
        rig.comes_to(headline);
    }
    pty.type_in(b"signal TERM\n").unwrap();
    pty.ended();
    wait::until("its end", || (rig.doc()["process"]["signal"] == 15).then_some(()));
    let (_, end) = rig.again("api", &[("osc", 3), ("process", 2)]);
    assert_eq!(end["process"]["signal"], 15, "{end}");
}

/// Neither terminal nor stream: the launcher's word is all there is.
#[test]
fn a_clean_end_is_no_crash() {
    let rig = Rig::new("some-agent");
    let mut pty = rig.on_a_terminal("some-agent");
    for turn in ["working", "blocked"] {
        rig.home.run(["report", turn, "--agent", "api", "--detail", "secret"]).ok();
    }
    pty.type_in(b"exit 0\n").unwrap();
    assert!(pty.ended().success());
    rig.comes_to("ended");
    let (_, end) = rig.again("api", &[("report", 2), ("process", 2)]);
    assert_eq!((&end["headline"], &end["process"]["code"]), (&json!("ended"), &json!(0)), "{end}");
}

fn in_tmux(rig: &Rig, options: &[&str]) -> Child {
    let folder = rig.home.path().display().to_string();
    program(&rig.home.path().join("bin/tmux"), &TMUX.replace("HOME", &folder));
    let own = ["run", "--here", "--id", "api"];
    let mut command = rig.home.command(own.iter().chain(options).chain(&["--", "claude"]));
    command.env("TMUX", "/run/nowhere/default,1,0").env("TMUX_PANE", "%5");
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

fn show(rig: &Rig, text: &str) {
    let new = rig.home.path().join("screen.new");
    fs::write(&new, text).unwrap();
    fs::rename(new, rig.home.path().join("screen")).unwrap();
}

/// Waits until what is shown has been seen some times more: where that is played again, a machine that is out
/// of breath has the time to see it, too.
fn is_seen_for_long(rig: &Rig) {
    let looks = || fs::metadata(rig.home.path().join("looks")).map_or(0, |file| file.len());
    let before = looks();
    wait::until("more looks at the screen", || (looks() >= before + 5).then_some(()));
}

fn screen(name: &str) -> String {
    let folder = crate::fixtures().join("screens/claude-code/2.1.330");
    fs::read_to_string(folder.join(name).with_extension("txt")).unwrap()
}

/// Also one that comes later, where a person has asked for it.
#[test]
fn a_dialog_of_one_that_is_observable() {
    let rig = Rig::new("claude");
    show(&rig, "");
    let mut agent = in_tmux(&rig, &["--observable"]);
    rig.starts();
    let event = r#"{"hook_event_name":"SessionStart","session_id":"s1","source":"startup"}"#;
    rig.home.hook("claude-code", event, &[("HEADSUP_AGENT_ID", "api")]).ok();
    rig.comes_to("idle");
    show(&rig, &screen("login__in_a_session"));
    rig.comes_to("blocked");
    is_seen_for_long(&rig);
    show(&rig, &screen("prompt__at_rest"));
    rig.comes_to("idle");
    let (bundle, _) = rig.again("api", &[("screen", 2), ("hook", 1)]);
    assert!(bundle.contains("\"observable\":true"), "{bundle}");
    drop(agent.stdin.take());
    agent.wait().unwrap();
}

#[test]
fn a_dialog_that_only_the_screen_shows() {
    let rig = Rig::new("claude");
    let (show, trust) = (|text: &str| show(&rig, text), screen("trust"));
    show("");
    let mut agent = in_tmux(&rig, &[]);
    rig.starts();
    show(&format!("a secret of somebody's\n{trust}"));
    rig.comes_to("blocked");
    is_seen_for_long(&rig);
    show("nothing of a dialog");
    rig.comes_to("starting");
    is_seen_for_long(&rig);
    show(&trust);
    rig.comes_to("blocked");
    let (bundle, end) = rig.again("api", &[("screen", 3), ("process", 1)]);
    assert_eq!((&end["headline"], &end["turn"]["reason"]), (&json!("blocked"), &json!("trust")));
    assert!(!bundle.contains("/home/dev"), "{bundle}");
    drop(agent.stdin.take());
    agent.wait().unwrap();
}

#[test]
fn reports_in_our_words_and_in_those_of_other_systems() {
    let rig = Rig::new("none");
    let home = &rig.home;
    home.run(["report", "working", "--agent", "api"]).ok();
    let asks = ["report", "blocked", "--reason", "question", "--detail", "a secret?"];
    home.run([&asks[..], &["--agent", "api"]].concat()).ok();
    home.run(["report", "working", "--agent", "api"]).ok();
    home.run(["report", "failed", "--reason", "secret", "--agent", "api"]).ok();
    let post = |path: &str, body: &Value| {
        let answer = http::post(&home.socket(), path, body.to_string().as_bytes()).unwrap();
        assert_eq!(answer.0, 202, "{answer:?}");
    };
    for event in ["UserPromptSubmit", "exec_approval_request", "PostToolUse", "task_complete"] {
        let body = json!({"agent": "secret", "chat_id": "secret", "eventType": event});
        post("/api/coder/agent-status", &body);
    }
    for state in ["active", "idle", "active", "idle"] {
        let body = json!({"state": state, "tool": "secret", "summary": "secret"});
        post("/api/agents/hb/heartbeat", &body);
    }
    rig.again("api", &[("report", 4)]);
    let (bundle, _) = rig.again("secret.secret", &[("report", 4)]);
    assert!(bundle.contains("\"boocode\""), "{bundle}");
    let (bundle, _) = rig.again("hb", &[("report", 4)]);
    assert!(bundle.contains("\"panopticon\""), "{bundle}");
}

#[test]
fn a_stream_of_lines() {
    let rig = Rig::new("codex");
    let words = ["run", "--here", "--id", "api", "--", "codex", "exec", "--json", "x"];
    let mut command = rig.home.command(words);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut agent = command.spawn().unwrap();
    let mut tell = agent.stdin.take().unwrap();
    for (line, headline) in [
        (json!({"type": "thread.started", "thread_id": "t-secret"}), "starting"),
        (json!({"type": "turn.started"}), "working"),
        (json!({"type": "turn.failed", "error": {"message": "secret"}}), "failed"),
    ] {
        tell.write_all(format!("say {line}\n").as_bytes()).unwrap();
        rig.comes_to(headline);
    }
    tell.write_all(b"exit 1\n").unwrap();
    assert_eq!(agent.wait().unwrap().code(), Some(1));
    wait::until("its end", || (rig.doc()["process"]["code"] == 1).then_some(()));
    let (bundle, end) = rig.again("api", &[("stream", 2), ("process", 2)]);
    assert!(!bundle.contains("\"src\":\"hook\""), "{bundle}");
    assert_eq!(end["process"]["code"], 1, "{end}");
}

#[test]
fn what_hooks_left_in_the_spool() {
    let mut rig = Rig::new("none");
    rig.hub = None;
    for event in ["SessionStart", "UserPromptSubmit", "PreToolUse"] {
        let payload =
            json!({"hook_event_name": event, "session_id": "s-secret", "prompt": "secret"});
        let env = [("HEADSUP_AGENT_ID", "api")];
        let length = || {
            let queue = rig.home.state().join("spool/queue");
            fs::metadata(queue).map_or(0, |queue| queue.len())
        };
        let before = length();
        let fire = || {
            rig.home.hook("claude-code", &payload.to_string(), &env).ok();
        };
        hook::until("a report to be kept", fire, || (length() > before).then_some(()));
    }
    rig.hub = Some(Hub::start(&rig.home));
    rig.comes_to("working");
    let file = rig.home.path().join("a.capture");
    let done = rig.home.run(["capture", "api", "--json", "-o", file.to_str().unwrap()]);
    assert_eq!(done.ok().json()["kept"]["hook"], 3, "{done:?}");
}

#[test]
fn a_bundle_of_nothing_says_so() {
    let mut rig = Rig::new("none");
    rig.home.run(["report", "working", "--agent", "api"]).ok();
    // What was kept is gone with the hub.
    rig.home.run(["down"]).ok();
    rig.hub = Some(Hub::start(&rig.home));
    let file = rig.home.path().join("a.capture");
    let done = rig.home.run(["capture", "api", "-o", file.to_str().unwrap()]);
    assert!(done.ok().stderr.contains("this bundle is empty"), "{done:?}");
    let rows = fs::read_to_string(file).unwrap();
    assert_eq!(rows.lines().count(), 1, "{rows}");
}
