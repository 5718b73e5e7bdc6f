//! `headsup run` reads along where a headless run says line by line what it does.

use crate::rig::{Rig, Talk};
use headsup_testkit::hub::Hub;
use headsup_testkit::pty::Pty;
use headsup_testkit::wait;
use serde_json::json;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::time::SystemTime;

/// A program of this name says what stands in the file `NAME.says` of its home, a line at each word
/// of `NAME.go`, and leaves with the code in it.
const PROGRAM: &str = "#!/bin/sh\nname=\"$HOME/${0##*/}\"; exec 3<\"$name.says\"\n\
    while read -r word; do case $word in [0-9]*) exit \"$word\";; esac; \
    IFS= read -r line <&3; printf '%s\\n' \"$line\"; done <\"$name.go\"\n";

struct Program<'a> {
    rig: &'a Rig,
    name: &'a str,
    go: fs::File,
}

impl<'a> Program<'a> {
    fn new(rig: &'a Rig, name: &'a str, says: &str) -> Self {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        let bin = rig.file("bin");
        fs::create_dir_all(&bin).unwrap();
        fs::write(bin.join(name), PROGRAM).unwrap();
        fs::set_permissions(bin.join(name), fs::Permissions::from_mode(0o755)).unwrap();
        fs::write(rig.file(&format!("{name}.says")), says).unwrap();
        let go = rig.file(&format!("{name}.go"));
        mknodat(CWD, &go, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        // Opened for both, so that neither end waits for the other.
        let go = OpenOptions::new().read(true).write(true).open(go).unwrap();
        Self { rig, name, go }
    }

    fn start(&self, options: &[&str], arguments: &[&str]) -> Talk {
        let own = ["run", "--here", "--id", "api"];
        let options: Vec<&str> = own.iter().chain(options).copied().collect();
        let agent: Vec<&str> = [self.name].iter().chain(arguments).copied().collect();
        self.rig.run(&options, &agent)
    }

    fn says(&mut self, lines: usize) {
        self.go.write_all("go\n".repeat(lines).as_bytes()).unwrap();
    }

    fn leaves(&mut self, code: u8) {
        self.go.write_all(format!("{code}\n").as_bytes()).unwrap();
    }
}

fn recorded(path: &str) -> String {
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../adapters/fixtures");
    fs::read_to_string(format!("{fixtures}/{path}")).unwrap()
}

#[test]
fn a_headless_run_is_read_from_its_output_which_stays_as_it_is() {
    for (name, arguments, path, end) in [
        (
            "gemini",
            &["-p", "x", "-o", "stream-json"][..],
            "gemini-cli/0.61.0/headless_text/stream.jsonl",
            "done",
        ),
        (
            "gemini",
            &["-p", "x", "-o", "stream-json"],
            "gemini-cli/0.61.0/headless_error_400/stream.jsonl",
            "failed",
        ),
        ("codex", &["exec", "--json", "x"], "codex/0.169.0/exec_mode/stream-tool.jsonl", "done"),
        (
            "qwen",
            &["-p", "x", "--output-format", "stream-json"],
            "qwen-code/0.24.4/headless_tool/stream.jsonl",
            "done",
        ),
    ] {
        let rig = Rig::new();
        let _hub = Hub::start(&rig.home);
        let says = recorded(path);
        let lines = says.lines().count();
        let mut program = Program::new(&rig, name, &says);
        let mut talk = program.start(&[], arguments);
        rig.comes_to("starting");
        program.says(2);
        rig.comes_to("working");
        assert_eq!(rig.doc()["evidence"]["source"], "event_stream", "{name}");
        program.says(lines - 2);
        rig.comes_to(end);
        assert!(rig.doc()["session_id"].is_string(), "{name}");
        let code = u8::from(end == "failed");
        program.leaves(code);
        assert_eq!(talk.ends().code(), Some(i32::from(code)));
        assert!(talk.rest() == says.as_bytes(), "{name}");
        if name == "gemini" {
            let said = talk.stderr();
            assert!(said.contains("its process and the lines that it writes are all"), "{said}");
        }
        wait::until("its end", || (rig.doc()["process"]["code"] == code).then_some(()));
        // Whether it has failed or not: it has said so itself.
        assert_eq!(rig.doc()["headline"], "ended", "{name}");
    }
}

#[test]
fn a_stream_beside_is_read_from_a_fifo_and_from_a_file() {
    for is_fifo in [true, false] {
        let rig = Rig::new();
        let _hub = Hub::start(&rig.home);
        let events = rig.file("events");
        if is_fifo {
            use rustix::fs::{CWD, FileType, Mode, mknodat};
            mknodat(CWD, &events, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        } else {
            fs::write(&events, "{\"type\":\"turn.started\"}\n").unwrap();
        }
        let mut program = Program::new(&rig, "codex", "what people read\n");
        let mut talk = program.start(&["--stream", "events"], &["exec", "x"]);
        rig.comes_to("starting");
        let mut to = OpenOptions::new().append(true).open(&events).unwrap();
        to.write_all(b"{\"type\":\"thread.started\",\"thread_id\":\"t-1\"}\n").unwrap();
        wait::until("its session", || (rig.doc()["session_id"] == "t-1").then_some(()));
        assert_ne!(rig.doc()["headline"], "working", "what stood there is of another run");
        to.write_all(b"{\"type\":\"turn.started\"}\n").unwrap();
        rig.comes_to("working");
        to.write_all(b"{\"type\":\"turn.completed\"}\n").unwrap();
        rig.comes_to("done");
        program.says(1);
        program.leaves(0);
        assert_eq!(talk.rest(), b"what people read\n");
        assert_eq!(talk.ends().code(), Some(0));
        rig.comes_to("ended");
        // Nobody could type to it: what it has done a person has still to hear.
        let inbox = rig.home.run(["inbox", "--json"]).ok().json();
        assert_eq!(inbox["outcomes"][0]["headline"], "ended", "{inbox}");
    }
}

#[test]
fn a_stream_beside_that_is_cut_short_or_replaced_is_read_from_its_beginning() {
    let anew = "{\"type\":\"turn.completed\"}\n";
    for is_replaced in [true, false] {
        let rig = Rig::new();
        let _hub = Hub::start(&rig.home);
        let events = rig.file("events");
        let mut program = Program::new(&rig, "codex", "");
        let mut talk = program.start(&["--stream", "events"], &["exec", "x"]);
        rig.comes_to("starting");
        // The second line never gets its end.
        fs::write(&events, "{\"type\":\"turn.started\"}\n{\"type\":\"turn.").unwrap();
        rig.comes_to("working");
        if is_replaced {
            fs::write(rig.file("other"), anew).unwrap();
            fs::rename(rig.file("other"), &events).unwrap();
        } else {
            fs::write(&events, anew).unwrap();
        }
        rig.comes_to("done");
        program.leaves(0);
        assert_eq!(talk.ends().code(), Some(0));
    }
}

/// It may do so before anybody has looked: what stood there is known again by its last bytes.
#[test]
fn a_stream_beside_that_is_filled_anew_at_once_is_read_from_its_beginning() {
    let anew = "{\"type\":\"turn.started\"}\n{\"type\":\"turn.completed\"}\n";
    let other = |length: usize| format!("{}\n", "x".repeat(length - 1));
    let lengths = [anew.len() / 3, anew.len() - 1, anew.len(), anew.len() * 2];
    for before in lengths.map(other).into_iter().chain([anew.to_owned()]) {
        let rig = Rig::new();
        let _hub = Hub::start(&rig.home);
        let bin = rig.file("bin");
        fs::create_dir_all(&bin).unwrap();
        fs::write(rig.file("anew"), anew).unwrap();
        let script = "#!/bin/sh\ncat \"$HOME/anew\" >\"$HOME/events\"\n";
        fs::write(bin.join("codex"), script).unwrap();
        fs::set_permissions(bin.join("codex"), fs::Permissions::from_mode(0o755)).unwrap();
        fs::write(rig.file("events"), &before).unwrap();
        let events = OpenOptions::new().write(true).open(rig.file("events")).unwrap();
        events.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        let words = ["run", "--here", "--id", "api", "--stream", "events"];
        let mut talk = rig.run(&words, &["codex", "exec", "x"]);
        assert_eq!(talk.ends().code(), Some(0));
        rig.comes_to("ended");
        assert_eq!(rig.doc()["outcome"]["kind"], "completed", "{before}: {}", rig.doc());
    }
}

/// What an agent writes last it writes right before its end.
#[test]
fn the_last_lines_of_a_stream_beside_are_told_before_the_end() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let bin = rig.file("bin");
    fs::create_dir_all(&bin).unwrap();
    let script = "#!/bin/sh\nprintf '{\"type\":\"turn.started\"}\\n{\"type\":\"turn.completed\"}' >>\"$HOME/events\"\n";
    fs::write(bin.join("codex"), script).unwrap();
    fs::set_permissions(bin.join("codex"), fs::Permissions::from_mode(0o755)).unwrap();
    for turns in 1..=6 {
        let words = ["run", "--here", "--id", "api", "--stream", "events"];
        let mut talk = rig.run(&words, &["codex", "exec", "x"]);
        assert_eq!(talk.ends().code(), Some(0));
        rig.comes_to("ended");
        assert_eq!(rig.doc()["outcome"]["kind"], "completed", "{turns}: {}", rig.doc());
    }
}

/// Whoever tells its end late lets the hub believe that it has crashed.
#[test]
fn a_fifo_that_nobody_or_somebody_else_has_open_keeps_no_end_waiting() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    for is_held in [false, true] {
        let rig = Rig::new();
        let _hub = Hub::start(&rig.home);
        let events = rig.file("events");
        mknodat(CWD, &events, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let open = || OpenOptions::new().read(true).write(true).open(&events).unwrap();
        let mut held = is_held.then(open);
        let mut program = Program::new(&rig, "codex", "");
        let mut talk = program.start(&["--stream", "events"], &["exec", "x"]);
        rig.comes_to("starting");
        if let Some(held) = &mut held {
            held.write_all(b"{\"type\":\"turn.started\"}\n").unwrap();
            rig.comes_to("working");
            held.write_all(b"{\"type\":\"turn.completed\"}\n").unwrap();
            rig.comes_to("done");
        }
        program.leaves(0);
        assert_eq!(talk.ends().code(), Some(0));
        rig.comes_to("ended");
        let history = rig.home.run(["history", "api", "--json"]).json();
        let intervals = history["intervals"].as_array().unwrap();
        assert!(intervals.iter().all(|seen| seen["headline"] != "crashed"), "{history}");
        assert_eq!(rig.doc()["outcome"]["kind"] == "completed", is_held, "{}", rig.doc());
    }
}

#[test]
fn what_its_client_has_answered_is_no_longer_asked() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let says = "{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s-1\"}\n\
        {\"type\":\"control_request\",\"request_id\":\"1\",\"request\":{\"subtype\":\"can_use_tool\",\"tool_name\":\"Bash\"}}\n";
    let mut program = Program::new(&rig, "claude", says);
    let formats = ["--output-format", "stream-json", "--input-format", "stream-json"];
    let words: Vec<&str> = ["-p"].into_iter().chain(formats).collect();
    let mut talk = program.start(&[], &words);
    program.says(2);
    rig.comes_to("blocked");
    let answer = "{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\"request_id\":\"1\",\"response\":{\"behavior\":\"allow\"}}}\n";
    talk.write(answer.as_bytes()).unwrap();
    rig.comes_to("working");
    program.leaves(0);
    assert_eq!(talk.ends().code(), Some(0));
}

/// Its start may still be on its way to the hub when it has ended.
#[test]
fn however_short_a_run_is_nobody_could_type_to_it() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let says = recorded("codex/0.169.0/exec_mode/stream-tool.jsonl");
    let program = Program::new(&rig, "codex", "");
    // It does not wait to be told.
    let script = format!("#!/bin/sh\ncat <<'end'\n{says}end\n");
    fs::write(rig.file("bin/codex"), script).unwrap();
    for number in 0..12 {
        let mut talk = program.start(&[], &["exec", "--json", "x"]);
        assert_eq!(talk.ends().code(), Some(0), "{number}");
        rig.comes_to("ended");
        assert_eq!(rig.doc()["process"]["attach"], "headless", "{number}");
        let inbox = rig.home.run(["inbox", "--json"]).json();
        assert_eq!(inbox["outcomes"][0]["agent_id"], "api", "{number}: nobody has seen it");
        rig.home.run(["forget", "api"]).ok();
    }
}

#[test]
fn on_a_terminal_it_is_read_too() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let mut program =
        Program::new(&rig, "gemini", &recorded("gemini-cli/0.61.0/headless_text/stream.jsonl"));
    let words = ["run", "--here", "--id", "api", "--", "gemini", "-p", "x", "-o", "stream-json"];
    let mut command = rig.home.command(words);
    command.env_remove("COLUMNS");
    let mut pty = Pty::start(&command).unwrap();
    program.says(3);
    pty.shows("Hello");
    rig.comes_to("working");
    program.says(4);
    pty.shows("success");
    rig.comes_to("done");
    assert_eq!(rig.doc()["process"]["attach"], "headless", "nobody can type to it there either");
    program.leaves(0);
    assert!(pty.ended().success());
    rig.comes_to("ended");
}

#[test]
fn a_stream_of_a_program_that_nobody_knows_is_refused() {
    let rig = Rig::new();
    let mut talk = rig.run(&["run", "--here", "--stream", "x"], &["true"]);
    assert_eq!(talk.ends().code(), Some(2));
    let said = talk.stderr();
    assert!(said.contains("nothing is known of a stream of \"true\""), "{said}");
    assert!(said.contains("--stream-kind KIND"), "{said}");
}

#[test]
fn a_stream_of_an_agent_behind_another_program_is_read_as_its_kind() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let script = "echo '{\"type\":\"turn.started\"}' >>events; read -r go; \
        echo '{\"type\":\"turn.completed\"}' >>events; read -r go";
    let words = ["run", "--here", "--id", "api", "--stream", "events", "--stream-kind", "codex"];
    let mut talk = rig.run(&words, &["sh", "-c", script]);
    rig.comes_to("working");
    assert_eq!(rig.doc()["kind"], "codex");
    talk.write(b"go\n").unwrap();
    rig.comes_to("done");
    talk.write(b"go\n").unwrap();
    assert_eq!(talk.ends().code(), Some(0));
}

#[test]
fn a_kind_without_a_stream_and_one_for_no_stream_are_refused() {
    let rig = Rig::new();
    for (options, why) in [
        (&["--stream", "x", "--stream-kind", "other"][..], "codex, gemini-cli"),
        (&["--stream", "x", "--stream-kind", "copilot-cli"], "codex, gemini-cli"),
        (&["--stream-kind", "codex"], "--stream <FILE|FIFO>"),
    ] {
        let mut talk = rig.run(&[&["run", "--here"][..], options].concat(), &["true"]);
        assert_eq!(talk.ends().code(), Some(2), "{options:?}");
        let said = talk.stderr();
        assert!(said.contains(why), "{said}");
    }
}

#[test]
fn a_place_where_no_stream_will_ever_be_is_refused() {
    let rig = Rig::new();
    fs::create_dir_all(rig.file("bin")).unwrap();
    fs::write(rig.file("bin/codex"), "#!/bin/sh\n").unwrap();
    let executable = fs::Permissions::from_mode(0o755);
    fs::set_permissions(rig.file("bin/codex"), executable).unwrap();
    for (place, why) in
        [("bin", "is a folder"), (".", "is a folder"), ("none/events", "folder is not there")]
    {
        let words = ["run", "--json", "--here", "--stream", place];
        let mut talk = rig.run(&words, &["codex", "exec", "x"]);
        assert_eq!(talk.ends().code(), Some(2), "{place}");
        let said: serde_json::Value = serde_json::from_str(&talk.stderr()).unwrap();
        assert_eq!(said["error"]["code"], "usage", "{place}: {said}");
        assert!(said["error"]["message"].as_str().unwrap().contains(why), "{place}: {said}");
    }
}

#[test]
fn a_stream_that_cannot_be_read_is_named_and_the_run_goes_on() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let mut program = Program::new(&rig, "codex", "what people read\n");
    // One that nobody can open, whoever they are.
    let _socket = std::os::unix::net::UnixListener::bind(rig.file("events")).unwrap();
    let mut talk = program.start(&["--stream", "events"], &["exec", "x"]);
    program.says(1);
    program.leaves(3);
    assert_eq!(talk.rest(), b"what people read\n");
    assert_eq!(talk.ends().code(), Some(3));
    let said = talk.stderr();
    assert!(said.contains("events cannot be read"), "{said}");
    // Who reads errors as JSON is spared the words.
    let mut talk = program.start(&["--json", "--stream", "events"], &["exec", "x"]);
    program.leaves(3);
    assert_eq!(talk.ends().code(), Some(3));
    assert_eq!(talk.stderr(), "");
}

#[test]
fn a_server_whose_client_has_left_its_thread_comes_to_rest() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let status = |kind: &str| {
        let params = json!({"threadId": "t-1", "status": {"type": kind, "activeFlags": []}});
        json!({"method": "thread/status/changed", "params": params})
    };
    let says = format!("{}\n{}\n", status("active"), status("idle"));
    let mut program = Program::new(&rig, "codex", &says);
    let mut talk = program.start(&[], &["-c", "model=\"x\"", "app-server"]);
    rig.comes_to("starting");
    program.says(1);
    rig.comes_to("working");
    program.says(1);
    rig.comes_to("idle");
    program.leaves(0);
    assert_eq!(talk.ends().code(), Some(0));
}
