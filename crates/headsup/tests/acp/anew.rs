//! A program that starts itself anew, or a script around one: what was launched only waits for the agent.

use crate::rig::{BINARY, Rig, Talk};
use headsup_testkit::hub::Hub;
use headsup_testkit::wait;
use serde_json::Value;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;

/// It returns what the program has returned.
const WAITS: &str = "#!/bin/sh\n\"$HOME/inner/${0##*/}\" \"$@\"\nexit $?\n";
/// It returns what the last one of the pipe has.
const PIPES: &str = "#!/bin/sh\n\"$HOME/inner/${0##*/}\" \"$@\" | cat\n";

/// What it is told to do stands in a pipe, a word a line: to fire a hook, to write a line of its stream, to
/// kill what has started it or itself, to leave with a code.
fn program(kind: &str) -> String {
    let fires = "printf '{\"hook_event_name\":\"%s\",\"session_id\":\"s-1\",\"cwd\":\"/\",\"prompt\":\"x\",\
                 \"submitted_prompt\":\"x\"}' \"$word\"";
    let says = "printf '{\"type\":\"%s\",\"subtype\":\"%s\",\"is_error\":false,\"session_id\":\"s-1\"}\\n'";
    format!(
        "#!/bin/sh\nwhile read -r word; do case $word in\n\
         init) {says} system init ;;\n\
         result) {says} result success ;;\n\
         orphan) kill -9 $PPID ;;\n\
         die) kill -9 $$ ;;\n\
         [0-9]*) exit \"$word\" ;;\n\
         *) {fires} | '{BINARY}' hook {kind} \"$word\" ;;\n\
         esac; done <\"$HOME/go\"\n"
    )
}

struct Anew<'a> {
    rig: &'a Rig,
    go: fs::File,
    talk: Talk,
}

impl<'a> Anew<'a> {
    /// The agent `api`, which is this program behind `outer`.
    fn start(rig: &'a Rig, outer: &str, name: &str, kind: &str, arguments: &[&str]) -> Self {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        for (folder, script) in [("bin", outer), ("inner", &*program(kind))] {
            let file = rig.file(folder).join(name);
            fs::create_dir_all(rig.file(folder)).unwrap();
            fs::write(&file, script).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        }
        mknodat(CWD, rig.file("go"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        // Opened for both, so that neither end waits for the other.
        let go = OpenOptions::new().read(true).write(true).open(rig.file("go")).unwrap();
        let words: Vec<&str> = [name].iter().chain(arguments).copied().collect();
        let talk = rig.run(&["run", "--here", "--id", "api"], &words);
        let started = Self { rig, go, talk };
        rig.comes_to("starting");
        started
    }

    fn is_told(&mut self, word: &str) {
        self.go.write_all(format!("{word}\n").as_bytes()).unwrap();
    }

    /// One turn, from its prompt to its end.
    fn turn(&mut self) {
        self.is_told("UserPromptSubmit");
        self.rig.comes_to("working");
        self.is_told("Stop");
        self.rig.comes_to("done");
    }

    fn returns(&mut self, code: i32) {
        assert_eq!(self.talk.ends().code(), Some(code));
    }

    /// Which seats there are, and what became of them, one after the other.
    fn told(&self) -> (Vec<String>, Vec<String>) {
        let told = self.rig.home.run(["watch", "--since", "0", "--no-follow", "--json"]);
        let events = told.ok().stdout.lines().map(|line| serde_json::from_str(line).unwrap());
        let events: Vec<Value> = events.collect();
        let of = |kind: &str, member: &str| -> Vec<String> {
            let events = events.iter().filter(|event| event["type"] == kind);
            events.map(|event| event[member].as_str().unwrap_or_default().to_owned()).collect()
        };
        assert_eq!(of("turn.completed", "agent_id"), ["api"], "{events:#?}");
        (of("agent.registered", "agent_id"), of("agent.status_changed", "to"))
    }

    /// It was one agent, and came to this end. Of a signal the kernel tells from Linux 6.15 on, and else the script that
    /// returns it as a code.
    #[track_caller]
    fn was_one(&self, changes: &[&str], outcome: &str, code: i32) {
        let (seats, told) = self.told();
        assert_eq!(seats, ["api"]);
        assert_eq!(told, changes);
        let doc = self.rig.doc();
        let process = &doc["process"];
        let is_signal = code > 128 && process["signal"] == code - 128;
        assert!(is_signal || process["code"] == code, "{doc}");
        assert_eq!(doc["outcome"]["kind"], outcome, "{doc}");
    }
}

const STREAM: [&str; 4] = ["-p", "x", "-o", "stream-json"];

#[test]
fn its_end_is_the_agents_with_a_stream_and_without() {
    for (arguments, code, end) in [
        (&STREAM[..], 0, "ended"),
        (&STREAM, 3, "crashed"),
        (&["-p", "x"], 0, "ended"),
        (&["-p", "x"], 3, "crashed"),
    ] {
        let rig = Rig::new();
        let _hub = Hub::start(&rig.home);
        let mut agent = Anew::start(&rig, WAITS, "qwen", "qwen-code", arguments);
        agent.turn();
        agent.is_told("result");
        agent.is_told(&code.to_string());
        agent.returns(code);
        rig.comes_to(end);
        agent.was_one(&["starting", "working", "done", end], "completed", code);
    }
}

#[test]
fn its_stream_may_be_read_before_any_hook_of_the_agent() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let mut agent = Anew::start(&rig, WAITS, "qwen", "qwen-code", &STREAM);
    agent.is_told("init");
    rig.comes_to("working");
    agent.turn();
    agent.is_told("result");
    agent.is_told("0");
    agent.returns(0);
    rig.comes_to("ended");
    // At work, and then with a prompt.
    agent.was_one(&["starting", "working", "working", "done", "ended"], "completed", 0);
}

#[test]
fn a_script_around_an_agent_is_no_second_one() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let arguments = ["-p", "x", "--output-format", "stream-json"];
    let mut agent = Anew::start(&rig, PIPES, "claude", "claude-code", &arguments);
    agent.is_told("init");
    rig.comes_to("working");
    agent.turn();
    agent.is_told("result");
    agent.is_told("3");
    // As its pipe does.
    agent.returns(0);
    rig.comes_to("ended");
    agent.was_one(&["starting", "working", "working", "done", "ended"], "completed", 0);
}

#[test]
fn an_agent_that_is_killed_has_crashed_and_one_whose_launcher_is_lives_on() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let mut agent = Anew::start(&rig, WAITS, "qwen", "qwen-code", &["-p", "x"]);
    agent.is_told("UserPromptSubmit");
    rig.comes_to("working");
    agent.is_told("die");
    agent.returns(137);
    rig.comes_to("crashed");
    agent.was_one(&["starting", "working", "crashed"], "aborted", 137);

    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let mut agent = Anew::start(&rig, WAITS, "qwen", "qwen-code", &["-p", "x"]);
    agent.is_told("UserPromptSubmit");
    rig.comes_to("working");
    agent.is_told("orphan");
    agent.returns(137);
    assert_eq!(rig.doc()["headline"], "working", "{}", rig.doc());
    agent.is_told("Stop");
    rig.comes_to("done");
    agent.is_told("0");
    wait::until("its end", || (rig.doc()["process"]["state"] == "exited").then_some(()));
}
