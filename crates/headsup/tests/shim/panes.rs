//! An agent in a tmux pane that was started without us: what it reports there is heard through a pipe of the pane.

use crate::programs::has;
use crate::rig::{Rig, has_ended};
use headsup_testkit::http;
use headsup_testkit::hub::Hub;
use headsup_testkit::wait;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::fs;
use std::process::Command;

/// Says `state=` and each line that it is told, on a terminal that shows nothing of what is typed.
const SPEAKER: &str = "stty -echo; echo READY; \
    while read -r line; do [ \"$line\" = end ] && exit; printf '\\033]7501;state=%s\\033\\\\' \"$line\"; done";

/// A rig with a stand-in for a program that reports unasked, and a tmux server of its own.
struct Panes<'a> {
    rig: &'a Rig,
}

impl<'a> Panes<'a> {
    fn new(rig: &'a Rig) -> Self {
        fs::create_dir_all(rig.file("bin")).unwrap();
        fs::copy("/bin/sh", rig.file("bin/codex")).unwrap();
        Self { rig }
    }

    fn config(&self, text: &str) {
        let file = self.rig.file(".config/headsup/config.toml");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    /// A hub that finds the same servers.
    fn hub(&self) -> Hub {
        let mut command = self.rig.home.command(["up", "--foreground"]);
        command.env("TMUX_TMPDIR", self.rig.home.path());
        Hub::start_as(command, &self.rig.home.socket())
    }

    fn tmux(&self, args: &[&str]) -> String {
        let mut command = Command::new("tmux");
        command
            .env_clear()
            .current_dir(self.rig.home.path())
            .env("TMUX_TMPDIR", self.rig.home.path());
        command.env("PATH", format!("{}:/usr/bin:/bin", self.rig.file("bin").display()));
        command.env("LANG", "C.UTF-8").env("SHELL", "/bin/sh");
        let output = command.args(["-L", "own", "-f", "/dev/null"]).args(args).output().unwrap();
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    /// The agent in a session of this name, in a shell that stays, with what stands before it; its pid.
    fn agent(&self, session: &str, before: &str) -> u32 {
        let script =
            format!("{before} codex -c '{}'; echo LEFT; cat", SPEAKER.replace('\'', "'\\''"));
        self.tmux(&[
            "new-session",
            "-d",
            "-s",
            session,
            "-x",
            "80",
            "-y",
            "24",
            "sh",
            "-c",
            &script,
        ]);
        wait::until("the agent", || {
            let shown = self.tmux(&["capture-pane", "-p", "-t", session]);
            shown.contains("READY").then_some(())
        });
        let shell = self.shown(session, "pane_pid");
        let children = format!("/proc/{shell}/task/{shell}/children");
        let below = fs::read_to_string(children).unwrap();
        below.split(' ').next().unwrap().parse().unwrap()
    }

    /// A program as its pane's own, which ends with the code that it is told; its pid.
    fn own_program(&self, session: &str) -> u32 {
        let script = "exec codex -c 'echo READY; read -r code; exit $code'";
        self.tmux(&["new-session", "-d", "-s", session, "sh", "-c", script]);
        wait::until("the program", || {
            let shown = self.tmux(&["capture-pane", "-p", "-t", session]);
            shown.contains("READY").then_some(())
        });
        self.shown(session, "pane_pid").parse().unwrap()
    }

    fn shown(&self, session: &str, what: &str) -> String {
        self.tmux(&["display-message", "-p", "-t", session, &format!("#{{{what}}}")])
    }

    fn says(&self, session: &str, state: &str) {
        self.tmux(&["send-keys", "-t", session, "-l", state]);
        self.tmux(&["send-keys", "-t", session, "Enter"]);
    }

    /// Tells the hub of an agent, as a program would that knows no more of it.
    fn tell(&self, id: &str, pid: u32) {
        self.put(id, "", &json!({"kind": "codex", "adopted": true}));
        self.tell_process(id, pid);
    }

    fn tell_process(&self, id: &str, pid: u32) {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        let start = stat.rsplit_once(") ").unwrap().1.split(' ').nth(19).unwrap();
        let start: u64 = start.parse().unwrap();
        let running = json!({"pid": pid, "start_ticks": start, "state": "running"});
        self.put(id, "/process", &running);
    }

    fn put(&self, id: &str, part: &str, body: &Value) {
        let (path, body) = (format!("/api/v1/agents/{id}{part}"), body.to_string());
        let socket = self.rig.home.socket();
        let (status, said) = http::request(&socket, "PUT", &path, &[], body.as_bytes()).unwrap();
        assert!(status < 300, "{status} {}", String::from_utf8_lossy(&said));
    }

    #[track_caller]
    fn is_piped(&self, session: &str, piped: bool) {
        let piped = if piped { "1" } else { "0" };
        wait::until("the pipe", || (self.shown(session, "pane_pipe") == piped).then_some(()));
    }
}

impl Drop for Panes<'_> {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}

/// The readers of the pipes of this home's hub.
fn readers(hub: &Hub) -> Vec<u32> {
    let mark = format!("\0__read-pane\0/proc/{}/", hub.pid());
    let all = fs::read_dir("/proc").unwrap().flatten();
    let pids = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let is_one = |pid: &u32| {
        let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&words).contains(&mark)
    };
    pids.filter(is_one).collect()
}

/// An agent `api` in a session `s`, and the hub that hears it.
fn heard(rig: &Rig) -> (Panes<'_>, Hub) {
    let panes = Panes::new(rig);
    panes.config("pane_reports = true\n");
    let hub = panes.hub();
    panes.agent("s", "HEADSUP_AGENT_ID=api");
    panes.is_piped("s", true);
    (panes, hub)
}

#[test]
fn what_an_agent_reports_in_a_pane_is_its_status_and_the_pane_is_left_clean() {
    if !has("tmux") {
        return;
    }
    let rig = Rig::new();
    let (panes, hub) = heard(&rig);
    for (said, headline) in [
        ("working", "working"),
        ("blocked:kind=permission:msg=cnVuIGl0Pw==", "blocked"),
        ("working", "working"),
        ("done", "done"),
        ("working", "working"),
    ] {
        panes.says("s", said);
        rig.comes_to(headline);
    }
    let explained = rig.home.run(["explain", "api", "--json"]).json();
    let winner = &explained["dimensions"]["turn"]["winner"];
    assert_eq!(winner["source"], "program_status", "{explained}");
    let pane = panes.shown("s", "pane_id");
    assert!(winner["notes"].to_string().contains(&format!("pane {pane}")), "{explained}");
    let doctor = rig.home.run(["doctor", "--json"]).stdout;
    assert!(doctor.contains("1 agent is heard"), "{doctor}");
    // Whatever ends the hub ends the reader, and the agent need not say anything for that.
    let [reader] = readers(&hub)[..] else { panic!("one reader") };
    hub.kill();
    panes.is_piped("s", false);
    wait::until("the reader's end", || has_ended(reader).then_some(()));
    // Nobody has heard what came since.
    let _hub = panes.hub();
    rig.comes_to("unknown");
    panes.is_piped("s", true);
    panes.says("s", "blocked:kind=question");
    rig.comes_to("blocked");
    panes.says("s", "end");
    rig.comes_to("crashed");
    panes.is_piped("s", false);
}

#[test]
fn a_pipe_of_its_persons_is_let_be_and_one_that_comes_later_replaces_ours() {
    if !has("tmux") {
        return;
    }
    let rig = Rig::new();
    let panes = Panes::new(&rig);
    panes.config("pane_reports = true\n");
    panes.agent("theirs", "HEADSUP_AGENT_ID=theirs");
    panes.tmux(&["pipe-pane", "-t", "theirs", "cat >>theirs.log"]);
    panes.agent("s", "HEADSUP_AGENT_ID=api");
    let hub = panes.hub();
    panes.is_piped("s", true);
    panes.says("s", "working");
    rig.comes_to("working");
    assert_eq!(readers(&hub).len(), 1);
    panes.says("theirs", "working");
    wait::until("their log", || {
        fs::read_to_string(rig.file("theirs.log")).ok()?.contains("7501").then_some(())
    });
    panes.tmux(&["pipe-pane", "-t", "s", "cat >>ours.log"]);
    // Nobody hears any more what it says.
    rig.comes_to("unknown");
    wait::until("the reader's end", || readers(&hub).is_empty().then_some(()));
    panes.says("s", "done");
    wait::until("their log", || {
        fs::read_to_string(rig.file("ours.log")).ok()?.contains("7501;state=done").then_some(())
    });
    assert_eq!(rig.doc()["headline"], "unknown");
}

#[test]
fn a_reader_that_is_killed_is_missed_and_there_is_another_one() {
    if !has("tmux") {
        return;
    }
    let rig = Rig::new();
    let (panes, hub) = heard(&rig);
    panes.says("s", "working");
    rig.comes_to("working");
    let [reader] = readers(&hub)[..] else { panic!("one reader") };
    kill_process(Pid::from_raw(reader.cast_signed()).unwrap(), Signal::KILL).unwrap();
    // Nobody has heard what came since.
    rig.comes_to("unknown");
    // tmux does not miss it before there is something to be read.
    panes.says("s", "working");
    wait::until("another reader", || (!readers(&hub).is_empty()).then_some(()));
    panes.says("s", "done");
    rig.comes_to("done");
    panes.tmux(&["pipe-pane", "-t", "s", "cat >>ours.log"]);
    let explained = wait::until("whose pipe it is", || {
        let explained = rig.home.run(["explain", "api"]).stdout;
        explained.contains("has a pipe of its person's").then_some(explained)
    });
    assert!(!explained.contains("heard through"), "{explained}");
    wait::until("the reader's end", || readers(&hub).is_empty().then_some(()));
}

#[test]
fn only_of_whom_nothing_else_is_heard_a_pane_gets_a_pipe() {
    if !has("tmux") {
        return;
    }
    let rig = Rig::new();
    let panes = Panes::new(&rig);
    let hub = panes.hub();
    let hooked = panes.agent("hooked", "HEADSUP_AGENT_ID=hooked");
    let event = r#"{"hook_event_name":"UserPromptSubmit","session_id":"s1","prompt":"x"}"#;
    let mut command = rig.home.command(["hook", "codex"]);
    command.env("HEADSUP_AGENT_ID", "hooked");
    rig.home.feed(command, event.as_bytes()).ok();
    rig.home.is_told();
    panes.tell_process("hooked", hooked);
    // What its environment calls its pane is not its terminal, as behind a shim.
    panes.tell("far", panes.agent("far", "setsid"));
    panes.tell("api", panes.agent("s", ""));
    panes.is_piped("s", true);
    assert_eq!(["hooked", "far"].map(|session| panes.shown(session, "pane_pipe")), ["0", "0"]);
    assert_eq!(readers(&hub).len(), 1);
}

#[test]
fn where_a_person_has_asked_for_it_agents_are_found_in_their_panes_and_heard_beside_hooks() {
    if !has("tmux") {
        return;
    }
    let rig = Rig::new();
    let panes = Panes::new(&rig);
    panes.config("pane_reports = true\n");
    let _hub = panes.hub();
    let pid = panes.agent("s", "");
    panes.is_piped("s", true);
    let found = wait::until("the agent", || {
        let roster = rig.home.run(["ls", "--json"]).json();
        let found = roster["agents"][0].clone();
        found["id"].is_string().then_some(found)
    });
    assert_eq!((&found["kind"], &found["headline"]), (&json!("codex"), &json!("unknown")));
    assert_eq!(found["process"]["pid"], pid, "{found}");
    assert_eq!(found["location"]["tmux"], panes.shown("s", "pane_id"), "{found}");
    let id = found["id"].as_str().unwrap();
    let comes_to = |headline: &str| {
        wait::until(headline, || {
            let doc = rig.home.run(["show", id, "--json"]).json();
            (doc["headline"] == headline).then_some(())
        });
    };
    panes.says("s", "working");
    comes_to("working");
    panes.says("s", "done");
    comes_to("done");
    panes.says("s", "end");
    comes_to("crashed");
    // What it was started by stays, and is nobody.
    panes.tmux(&["new-session", "-d", "-s", "last", "cat"]);
    let roster = rig.home.run(["ls", "--json"]).json();
    assert_eq!(roster["agents"].as_array().unwrap().len(), 1, "{roster}");
}

#[test]
fn nobody_listens_where_terminals_may_not_be_looked_at() {
    if !has("tmux") {
        return;
    }
    let (deaf, hearing) = (Rig::new(), Rig::new());
    let (off, on) = (Panes::new(&deaf), Panes::new(&hearing));
    off.config("screen_rules = false\npane_reports = true\n");
    let (hub, _other) = (off.hub(), on.hub());
    off.tell("api", off.agent("s", ""));
    // Time, as another hub's looks tell it.
    on.tell("api", on.agent("s", ""));
    on.is_piped("s", true);
    assert_eq!(off.shown("s", "pane_pipe"), "0");
    assert!(readers(&hub).is_empty());
    let doctor = deaf.home.run(["doctor", "--json"]).stdout;
    assert!(doctor.contains("does nothing where"), "{doctor}");
}

#[test]
fn a_pane_that_stays_behind_its_program_tells_how_that_has_ended() {
    if !has("tmux") {
        return;
    }
    let rig = Rig::new();
    let panes = Panes::new(&rig);
    let _hub = panes.hub();
    panes.tmux(&["new-session", "-d", "-s", "first", "cat"]);
    panes.tmux(&["set-option", "-g", "remain-on-exit", "on"]);
    let end = |session: &str, end: &dyn Fn(u32)| {
        let pid = panes.own_program(session);
        panes.tell(session, pid);
        // The hub has looked at the living process, and taken its first sample.
        wait::until("a sample", || {
            let history = rig.home.run(["history", session, "--json"]).json();
            history["samples"].as_array().is_some_and(|all| !all.is_empty()).then_some(())
        });
        end(pid);
        wait::until("its end", || {
            let process = rig.home.run(["show", session, "--json"]).json()["process"].clone();
            let end = ["kind", "code", "signal"].map(|part| process[part].clone());
            (process["state"] == "exited").then_some(Value::from(end.to_vec()))
        })
    };
    for (session, code, kind) in [("failed", 3, "crashed"), ("left", 0, "clean")] {
        let told = end(session, &|_| panes.says(session, &code.to_string()));
        assert_eq!(told, json!([kind, code, null]), "{session}");
    }
    let kill = |pid: u32, signal| {
        kill_process(Pid::from_raw(pid.cast_signed()).unwrap(), signal).unwrap();
    };
    for (session, signal, kind) in
        [("killed", Signal::KILL, "crashed"), ("stopped", Signal::TERM, "killed")]
    {
        let told = end(session, &|pid| kill(pid, signal));
        assert_eq!(told, json!([kind, null, signal.as_raw()]), "{session}");
    }
}
