//! Launching agents: a stand-in for the agent program records how it was started and fires
//! the hooks that its settings name.

use crate::install::{BINARY, settings, write};
use headsup_testkit::home::Home;
use headsup_testkit::hub::Hub;
use headsup_testkit::{http, wait};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Writes its arguments and a part of its environment, one a line and zero-ended, then runs the
/// hook of `SessionStart` that `--settings` brings, as the real program would.
const STAND_IN: &str = r#"#!/bin/sh
for word in "$0" "$@"; do printf '%s\0' "$word"; done > "$HOME/argv"
printf '%s\n' "$HEADSUP_AGENT_ID" "$HEADSUP_AGENT_TOKEN" "$HEADSUP_HOME" "$PWD" "$TMUX_PANE" > "$HOME/env.new"
mv "$HOME/env.new" "$HOME/env"
fire() {
    payload="{\"hook_event_name\":\"$1\",\"session_id\":\"s1\",\"cwd\":\"$PWD\",\"source\":\"startup\"}"
    command=$(sed -n "s/.*\"command\": \"\(.* hook claude-code $1 .*\)\",*$/\1/p" "$2")
    printf '%s' "$payload" | sh -c "$command"
}
settings=$2
[ "$1" = --settings ] && fire SessionStart "$settings"
[ -e "$HOME/stay" ] && exec cat "$HOME/fifo"
[ "$1" = --settings ] && fire SessionEnd "$settings"
exit 7
"#;

pub(crate) struct Rig {
    pub(crate) home: Home,
    tmux: String,
}

impl Rig {
    pub(crate) fn new() -> Self {
        let home = Home::new(BINARY);
        write(&home.path().join("bin/claude"), STAND_IN, 0o755);
        let tmux = format!("headsup-test-{}", home.path().file_name().unwrap().display());
        Self { home, tmux }
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = self.home.command(args);
        let path = format!("{}:/usr/bin:/bin", self.home.path().join("bin").display());
        command.env("PATH", path).env("HEADSUP_TMUX_SOCKET", &self.tmux);
        command.env("TMUX_TMPDIR", self.home.path());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> headsup_testkit::home::Done {
        self.command(args).output().unwrap().into()
    }

    pub(crate) fn tmux(&self, args: &[&str]) -> String {
        let mut command = Command::new("tmux");
        command.env_clear().env("PATH", "/usr/bin:/bin").env("TMUX_TMPDIR", self.home.path());
        let output = command.args(["-L", &self.tmux, "-f", "/dev/null"]).args(args).output();
        String::from_utf8(output.unwrap().stdout).unwrap()
    }

    /// What the stand-in was started with, once it has been.
    pub(crate) fn argv(&self) -> Vec<String> {
        self.env();
        let text = fs::read_to_string(self.home.path().join("argv")).unwrap();
        text.split_terminator('\0').map(str::to_owned).collect()
    }

    pub(crate) fn env(&self) -> Vec<String> {
        let path = self.home.path().join("env");
        let text = wait::until("the agent to start", || fs::read_to_string(&path).ok());
        text.lines().map(str::to_owned).collect()
    }

    pub(crate) fn agent(&self, id: &str) -> Value {
        if http::get(&self.home.socket(), "/healthz").is_ok() {
            self.home.is_told();
        }
        self.run(&["show", id, "--json"]).ok().json()
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        if has_tmux() {
            self.tmux(&["kill-server"]);
        }
    }
}

pub(crate) fn has_tmux() -> bool {
    Command::new("tmux").arg("-V").output().is_ok()
}

/// Says why a test did nothing.
pub(crate) fn skipped() -> bool {
    if has_tmux() {
        return false;
    }
    eprintln!("SKIPPED: tmux is not installed on this machine, so sessions cannot be tested");
    true
}

const ODD: [&str; 8] = [
    "--verbose",
    "",
    "two words",
    "it's \"q\"",
    "$(touch x)`id`",
    "--",
    "#{session_name}",
    "é\n-x",
];

#[test]
fn here_the_agent_takes_the_commands_place_and_its_exit_code() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let mut args = vec!["run", "--here", "--id", "api", "--role", "reviewer"];
    args.extend(["--label", "team=a", "--", "claude"]);
    args.extend(ODD);
    let done = rig.run(&args);
    assert_eq!((done.code, &*done.stdout, &*done.stderr), (7, "", ""));
    let file = rig.home.state().join("launch/api.json").display().to_string();
    let program = rig.home.path().join("bin/claude").display().to_string();
    let tools = rig.home.state().join("launch/api.mcp.json").display().to_string();
    let tools = format!("--mcp-config={tools}");
    let mut expected = vec![program.as_str(), "--settings", &file, &tools];
    expected.extend(ODD);
    assert_eq!(rig.argv(), expected);
    let env = rig.env();
    assert_eq!((env[0].as_str(), env[1].len()), ("api", 64));
    assert_eq!(PathBuf::from(&env[2]), rig.home.state());
    assert_eq!(PathBuf::from(&env[3]), rig.home.path());
    let agent = rig.agent("api");
    assert_eq!((&agent["kind"], &agent["role"]), (&json!("claude-code"), &json!("reviewer")));
    assert_eq!((&agent["headline"], &agent["session_id"]), (&json!("ended"), &json!("s1")));
    // Nothing of the agent's own configuration was touched.
    assert!(!rig.home.path().join(".claude").exists());
    let found = rig.run(&["ls", "--label", "team=a", "--status", "ended", "--json"]).ok().json();
    assert_eq!(found["agents"][0]["id"], "api");
    let none = rig.run(&["ls", "--label", "team=b", "--json"]).ok().json();
    assert_eq!(none["agents"], json!([]));
}

#[test]
fn in_tmux_it_gets_a_session_exact_arguments_and_no_secret_on_a_command_line() {
    if skipped() {
        return;
    }
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    fs::write(rig.home.path().join("stay"), "").unwrap();
    let fifo = rig.home.path().join("fifo");
    Command::new("mkfifo").arg(&fifo).status().unwrap();
    let mut args = vec!["run", "--id", "a.pi", "--json", "--", "claude"];
    args.extend(ODD);
    let doc = rig.run(&args).ok().json();
    assert_eq!(doc["tmux"]["session"], "headsup-a_pi");
    assert!(doc["attach"].as_str().unwrap().ends_with("attach -t '=headsup-a_pi'"), "{doc}");
    assert_eq!(rig.argv()[4..], ODD);
    let env = rig.env();
    assert_eq!((&*env[0], &*env[4]), ("a.pi", doc["tmux"]["pane"].as_str().unwrap()));
    assert!(rig.tmux(&["list-sessions"]).starts_with("headsup-a_pi:"));
    wait::until("the agent's first hook", || {
        (rig.agent("a.pi")["headline"] == "idle").then_some(())
    });
    assert_eq!(rig.agent("a.pi")["location"]["tmux"], doc["tmux"]["pane"]);
    // A pane's number says nothing where there is another server.
    assert_eq!(rig.agent("a.pi")["location"]["tmux_server"], rig.tmux);
    assert!(!rig.home.state().join("launch/a.pi.order").exists(), "it held the token");
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&line).contains(&env[1]), "the token is public");
    }
    // A second one of this id is refused, and the first stays as it is.
    let again = rig.run(&["run", "--id", "a.pi", "--", "claude"]);
    assert_eq!(again.code, 7, "{again:?}");
    assert_eq!(rig.agent("a.pi")["headline"], "idle");
    fs::write(&fifo, "end").unwrap();
    wait::until("the session to end", || rig.tmux(&["list-sessions"]).is_empty().then_some(()));
}

#[test]
fn an_agent_is_on_the_roster_before_its_first_word() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let script = rig.home.path().join("my agent.sh");
    write(
        &script,
        // Its launcher tells of its process beside its first steps.
        "#!/bin/sh\nheadsup() { \"$HEADSUP\" \"$@\"; }\nheadsup wait . --until unknown --timeout 90s > wait\n\
         headsup show . --json\nheadsup report working\n",
        0o755,
    );
    let mut command = rig.command(&["run", "--here", "--observable", "--", "./my agent.sh"]);
    let output = command.env("HEADSUP", BINARY).output().unwrap();
    let doc = headsup_testkit::home::Done::from(output).ok().json();
    assert_eq!((&doc["headline"], &doc["kind"]), (&json!("unknown"), &json!("custom")));
    assert_eq!(doc["labels"], json!({"observable": "true"}));
    let id = doc["id"].as_str().unwrap();
    assert!(id.starts_with("my-agent.sh-"), "{id}");
    let after = rig.agent(id);
    assert_eq!((&after["headline"], &after["process"]["code"]), (&json!("ended"), &json!(0)));
}

#[test]
fn an_agent_that_never_says_a_word_still_has_a_process_and_an_end() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    for (end, headline, kind, code, signal) in [
        ("exit 0", "ended", "clean", json!(0), Value::Null),
        ("exit 3", "crashed", "crashed", json!(3), Value::Null),
        ("kill -TERM $$", "ended", "killed", Value::Null, json!(15)),
        ("kill -KILL $$", "crashed", "crashed", Value::Null, json!(9)),
    ] {
        // Its launcher tells of the process beside it.
        let until = "case $doc in *\\\"starting\\\"*) ;; *) break ;; esac";
        let look = format!("while :; do doc=$(\"$HEADSUP\" show . --json); {until}; done");
        let script = format!("{look}; printf '%s' \"$doc\"; {end}");
        let args = ["run", "--here", "--id", "job", "--", "sh", "-c", &script];
        let output = rig.command(&args).env("HEADSUP", BINARY).output().unwrap();
        let done = headsup_testkit::home::Done::from(output);
        let doc = done.json();
        assert_eq!(doc["process"]["state"], "running", "{doc}");
        assert_eq!(doc["turn"]["state"], "unknown", "headsup does not guess");
        let expected = code.as_i64().or_else(|| signal.as_i64().map(|signal| 128 + signal));
        assert_eq!(Some(i64::from(done.code)), expected, "{end}");
        let agent = rig.agent("job");
        let process = &agent["process"];
        assert_eq!(agent["headline"], headline, "{end}: {agent}");
        assert_eq!(
            (&process["kind"], &process["code"], &process["signal"]),
            (&json!(kind), &code, &signal)
        );
    }
}

#[test]
fn here_the_pane_is_known_before_any_hook() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    for (id, pane, known) in [("in", "%7", json!("%7")), ("out", "#{x}", Value::Null)] {
        let mut command = rig.command(&["run", "--here", "--id", id, "--", "sh", "-c", "exit 0"]);
        assert!(command.env("TMUX_PANE", pane).output().unwrap().status.success());
        assert_eq!(rig.agent(id)["location"]["tmux"], known);
    }
}

#[test]
fn an_agent_that_ends_before_its_first_hook_has_ended() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    for (script, headline) in [("exit 0", "ended"), ("exit 1", "crashed")] {
        write(&rig.home.path().join("bin/claude"), &format!("#!/bin/sh\n{script}\n"), 0o755);
        rig.run(&["run", "--here", "--id", "api", "--", "claude"]);
        assert_eq!(rig.agent("api")["headline"], headline, "here: {script}");
        if skipped() {
            continue;
        }
        rig.run(&["run", "--tmux", "--id", "api", "--", "claude"]).ok();
        rig.run(&["wait", "api", "--until", "ended,crashed", "--timeout", "90s"]).ok();
        assert_eq!(rig.agent("api")["headline"], headline, "in tmux: {script}");
    }
}

#[test]
fn in_tmux_the_last_words_of_an_agent_that_fails_at_once_can_be_read() {
    if skipped() {
        return;
    }
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let claude = rig.home.path().join("bin/claude");
    let screen = || rig.tmux(&["capture-pane", "-p", "-t", "=headsup-api:"]);
    let dead = || rig.tmux(&["list-panes", "-s", "-t", "=headsup-api", "-F", "#{pane_dead}"]);
    for words in ["no such model", "sign in first"] {
        // The second start takes the place of the first one's remains.
        write(&claude, &format!("#!/bin/sh\necho '{words}'\nexit 1\n"), 0o755);
        rig.run(&["run", "--tmux", "--id", "api", "--", "claude"]).ok();
        wait::until("the agent to have failed", || (dead() == "1\n").then_some(()));
        assert!(screen().contains(words), "{}", screen());
    }
    write(&claude, "#!/bin/sh\nexit 0\n", 0o755);
    rig.run(&["run", "--tmux", "--id", "api", "--", "claude"]).ok();
    wait::until("the session to end", || rig.tmux(&["list-sessions"]).is_empty().then_some(()));
}

#[test]
fn a_script_that_starts_the_agent_shares_its_seat() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let payload =
        r#"{"hook_event_name":"SessionStart","session_id":"s1","cwd":"/","source":"startup"}"#;
    let inner = format!("echo '{payload}' | CLAUDE_PID=$$ \"$HEADSUP\" hook claude-code; true");
    // On a busy machine the hub fetches it from the spool.
    let told = "while [ -n \"$(ls \"$HEADSUP_HOME/spool\")\" ]; do :; done";
    let outer = inner.replace('\'', r"'\''");
    let outer = format!("sh -c '{outer}'; {told}; \"$HEADSUP\" ls --all --json");
    let mut command = rig.command(&["run", "--here", "--id", "api", "--", "sh", "-c", &outer]);
    let output = command.env("HEADSUP", BINARY).output().unwrap();
    let doc = headsup_testkit::home::Done::from(output).ok().json();
    assert_eq!(doc["agents"].as_array().unwrap().len(), 1, "{doc}");
    assert_eq!(doc["agents"][0]["session_id"], "s1");
}

#[test]
fn in_tmux_the_environment_and_the_folder_are_those_of_the_command() {
    if skipped() {
        return;
    }
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    // A server that runs already has an environment of its own.
    rig.tmux(&["new-session", "-d", "-s", "mine"]);
    rig.tmux(&["set-environment", "-g", "STRANGE", "from tmux"]);
    let folder = rig.home.path().join("a #{b} #c");
    fs::create_dir(&folder).unwrap();
    let out = rig.home.path().join("out");
    let script = "env -0 > \"$OUT.new\"; pwd >> \"$OUT.new\"; mv \"$OUT.new\" \"$OUT\"";
    let mut command = rig.command(&["run", "--id", "api", "--", "sh", "-c", script]);
    command.current_dir(&folder).env("SECRET", "of mine\nand more").env("OUT", &out);
    command.env("TERM", "mine").env("TMUX_PANE", "%99");
    assert!(command.output().unwrap().status.success());
    let text = wait::until("the agent to write", || fs::read_to_string(&out).ok());
    let mut variables: Vec<&str> = text.split('\0').collect();
    let pwd = variables.pop().unwrap().trim_end();
    assert_eq!(PathBuf::from(pwd), folder);
    let has = |variable: &str| variables.contains(&variable);
    assert!(has("SECRET=of mine\nand more") && has("HEADSUP_AGENT_ID=api"), "{variables:?}");
    assert!(has(&format!("PWD={}", folder.display())), "{variables:?}");
    assert!(!has("STRANGE=from tmux") && !has("TERM=mine") && !has("TMUX_PANE=%99"));
    assert!(variables.iter().any(|variable| variable.starts_with("TMUX_PANE=%")));
}

#[test]
fn ids_that_are_made_up_do_not_meet_and_a_seat_that_is_free_is_taken_again() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let script = rig.home.path().join("bin/tool");
    let text = "#!/bin/sh\necho \"$HEADSUP_AGENT_ID\"\n\
                [ -n \"$INNER\" ] || INNER=1 \"$HEADSUP\" run --here -- tool\n";
    write(&script, text, 0o755);
    let run = || {
        let output = rig.command(&["run", "--here", "--", "tool"]).env("HEADSUP", BINARY).output();
        headsup_testkit::home::Done::from(output.unwrap()).ok().stdout.clone()
    };
    let both = run();
    let (first, second) = both.trim().split_once('\n').unwrap();
    assert_eq!(second, format!("{first}-2"));
    assert_eq!(run(), both);
}

#[test]
fn settings_that_the_person_gave_stay_in_force() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let own = rig.home.path().join("own.json");
    write(&own, "{\n  \"model\": \"opus\"\n}\n", 0o600);
    let own = own.display().to_string();
    for given in [vec!["--settings", &own], vec!["--settings={\"model\":\"opus\"}"]] {
        let mut args = vec!["run", "--here", "--id", "api", "--", "claude"];
        args.extend(given);
        assert_eq!(rig.run(&args).code, 7);
        let tools = rig.home.state().join("launch/api.mcp.json");
        assert_eq!(rig.argv()[3..], [format!("--mcp-config={}", tools.display())]);
        let text = fs::read_to_string(rig.home.state().join("launch/api.json")).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["model"], "opus");
        assert!(value["hooks"]["Stop"].is_array());
    }
}

#[test]
fn a_launch_uses_the_commands_that_are_installed() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    rig.run(&["hooks", "install", "claude-code", "--live"]).ok();
    let before = fs::read_to_string(settings(&rig.home)).unwrap();
    assert_eq!(rig.run(&["run", "--here", "--id", "api", "--", "claude"]).code, 7);
    assert_eq!(fs::read_to_string(settings(&rig.home)).unwrap(), before);
    let read = |path: &Path| -> Value {
        serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
    };
    let launched = read(&rig.home.state().join("launch/api.json"));
    assert_eq!(launched["hooks"], read(&settings(&rig.home))["hooks"]);
}

#[test]
fn a_launch_adds_nothing_where_a_plugin_reports() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    rig.run(&["hooks", "install", "claude-code"]).ok();
    rig.run(&["mcp", "install", "claude-code"]).ok();
    assert_eq!(rig.run(&["run", "--here", "--id", "api", "--", "claude", "-p"]).code, 7);
    assert_eq!(rig.argv()[1..], ["-p"]);
}

#[test]
fn a_launch_brings_hooks_where_the_plugin_is_switched_off() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    rig.run(&["hooks", "install", "claude-code"]).ok();
    for (value, is_brought) in [("false", true), ("true", false)] {
        let own = format!("{{ \"enabledPlugins\": {{ \"headsup@skills-dir\": {value} }} }}");
        write(&settings(&rig.home), &own, 0o600);
        assert_eq!(rig.run(&["run", "--here", "--id", "api", "--", "claude"]).code, 7);
        let argv = rig.argv();
        assert_eq!(argv.iter().any(|word| word == "--settings"), is_brought, "{own}: {argv:?}");
        assert_eq!(fs::read_to_string(settings(&rig.home)).unwrap(), own);
    }
}

#[test]
fn a_program_that_is_not_there_leaves_no_seat_behind() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let done = rig.run(&["run", "--id", "ghost", "--", "no-such-program"]);
    assert_eq!(done.code, 2, "{done:?}");
    let broken = rig.home.path().join("bin/broken");
    write(&broken, "#!/no/such/interpreter\n", 0o755);
    let done = rig.run(&["run", "--here", "--id", "ghost", "--", "broken"]);
    assert_eq!(done.code, 1, "{done:?}");
    assert!(done.stderr.contains("hint: the program that its first line"), "{}", done.stderr);
    write(&broken, "#!/bin/sh\n", 0o644);
    let path = broken.to_str().unwrap();
    for (name, why) in [(path, "is not executable"), ("/tmp", "/tmp is a folder")] {
        let done = rig.run(&["run", "--tmux", "--id", "ghost", "--", name]);
        assert_eq!(done.code, 2, "{done:?}");
        assert!(done.stderr.contains(why) && done.stderr.contains("hint"), "{}", done.stderr);
    }
    assert_eq!(rig.run(&["show", "ghost"]).code, 4);
    let mut no_tmux = rig.command(&["run", "--tmux", "--id", "ghost", "--", "claude"]);
    let done: headsup_testkit::home::Done =
        no_tmux.env("PATH", rig.home.path().join("bin")).output().unwrap().into();
    assert_eq!(done.code, 7, "{done:?}");
    assert!(done.stderr.contains("--here"), "{}", done.stderr);
}

#[test]
fn without_a_hub_it_is_said_that_the_program_was_not_started() {
    let rig = Rig::new();
    let file = rig.home.path().join("file");
    write(&file, "", 0o644);
    let words = ["--no-start", "run", "--here", "--id", "api", "--", "touch", "started"];
    let absent = rig.command(&words);
    let mut unusable = rig.command(&words[1..]);
    unusable.env("HEADSUP_HOME", file.join("below"));
    let mut homeless = rig.command(&words);
    homeless.env_remove("HEADSUP_HOME").env_remove("HOME");
    for (mut command, code) in [(absent, 5), (unusable, 5), (homeless, 2)] {
        let done = headsup_testkit::home::Done::from(command.output().unwrap());
        assert_eq!(done.code, code, "{done:?}");
        assert!(done.stderr.contains("the program was not started"), "{}", done.stderr);
        assert!(!rig.home.path().join("started").exists());
    }
}

#[test]
fn a_start_that_fails_takes_nothing_from_who_sat_there_before() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    assert_eq!(rig.run(&["run", "--here", "--id", "api", "--", "sh", "-c", "exit 0"]).code, 0);
    rig.run(&["rename", "api", "mine"]).ok();
    write(&rig.home.path().join("bin/broken"), "#!/no/such/interpreter\n", 0o755);
    let done = rig.run(&["run", "--here", "--id", "api", "--", "broken"]);
    assert_eq!(done.code, 1, "{done:?}");
    let now = rig.agent("api");
    assert_eq!((&now["name"], &now["headline"]), (&"mine".into(), &"crashed".into()));
    assert_eq!(now["process"]["code"], 126);
}

#[test]
fn a_tmux_that_starts_nothing_and_says_that_all_is_well_is_not_believed() {
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let tmux = "#!/bin/sh\n[ \"$1\" = -V ] && echo tmux 3.3a || echo 'error creating x' >&2\n";
    write(&rig.home.path().join("bin/tmux"), tmux, 0o755);
    let done = rig.run(&["run", "--id", "ghost", "--", "claude"]);
    assert_eq!(done.code, 7, "{done:?}");
    assert!(done.stderr.contains("error creating x"), "{}", done.stderr);
    assert_eq!(rig.run(&["show", "ghost"]).code, 4);
}
