//! Looking at terminals: a stand-in for tmux shows what the test has put on the screen, and writes down
//! that it was asked.

#![expect(clippy::unwrap_used, reason = "a test may fail")]

use headsup_testkit::home::Home;
use headsup_testkit::hub::Hub;
use headsup_testkit::wait;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Child;

/// It waits to be killed, with its environment as a terminal's shell has it.
const AGENT: &str = "#!/bin/sh\nexec tail -f /dev/null\n";
/// Every pane shows the same file, and is of the server that the environment names.
const TMUX: &str = r#"#!/bin/sh
echo "$*" >>HOME/calls
for word; do
    case $word in
    capture-pane) cat HOME/screen 2>/dev/null ;;
    headsup*) echo "${word%% *} 1" ;;
    esac
done
"#;

/// A home with an agent in a terminal. It ends with this.
struct Rig {
    home: Home,
    agent: Option<Child>,
    _hub: Hub,
}

impl Rig {
    fn new(config: &str, options: &[&str]) -> Self {
        let home = Home::new(env!("CARGO_BIN_EXE_headsup"));
        let folder = home.path().display().to_string();
        program(&home.path().join("bin/claude"), AGENT);
        program(&home.path().join("bin/tmux"), &TMUX.replace("HOME", &folder));
        let file = home.path().join(".config/headsup/config.toml");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, config).unwrap();
        let hub = Hub::start(&home);
        let mut rig = Self { home, agent: None, _hub: hub };
        rig.show("");
        let mut command = rig.home.command(["run", "--here", "--id", "api"]);
        command.args(options).args(["--", "claude"]);
        command.env("TMUX", "/run/nowhere/default,1,0").env("TMUX_PANE", "%5");
        rig.agent = Some(command.spawn().unwrap());
        rig.until("starting");
        rig
    }

    fn show(&self, name: &str) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let screens = folder.join("../adapters/fixtures/screens/claude-code/2.1.330");
        let text = match name {
            "" => String::new(),
            name => fs::read_to_string(screens.join(name).with_extension("txt")).unwrap(),
        };
        let new = self.home.path().join("screen.new");
        fs::write(&new, text).unwrap();
        fs::rename(new, self.home.path().join("screen")).unwrap();
    }

    fn calls(&self) -> usize {
        let calls: PathBuf = self.home.path().join("calls");
        fs::read_to_string(calls).map_or(0, |text| text.lines().count())
    }

    /// The agent, once this is its headline.
    #[track_caller]
    fn until(&self, headline: &str) -> Value {
        wait::until(headline, || {
            let done = self.home.run(["show", "api", "--json"]);
            let agent: Value = serde_json::from_str(&done.stdout).ok()?;
            let agent = if agent["agent"].is_object() { agent["agent"].clone() } else { agent };
            (agent["headline"] == headline).then_some(agent)
        })
    }

    fn looked(&self, times: usize) {
        let calls = self.calls() + times;
        wait::until("looks at the terminal", || (self.calls() >= calls).then_some(()));
    }

    fn begins(&self) {
        let event = r#"{"hook_event_name":"SessionStart","session_id":"s1","source":"startup"}"#;
        self.home.hook("claude-code", event, &[("HEADSUP_AGENT_ID", "api")]).ok();
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        if let Some(mut agent) = self.agent.take() {
            // It hands the signal on.
            let pid = i32::try_from(agent.id()).ok().and_then(rustix::process::Pid::from_raw);
            rustix::process::kill_process(pid.unwrap(), rustix::process::Signal::TERM).ok();
            agent.wait().unwrap();
        }
    }
}

fn program(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_dialog_before_the_first_event_is_seen_and_so_is_its_end() {
    let rig = Rig::new("", &[]);
    rig.show("trust");
    let agent = rig.until("blocked");
    assert_eq!(agent["turn"]["reason"], "trust");
    let explained = rig.home.run(["explain", "api", "--json"]).json().to_string();
    assert!(explained.contains("\"screen\"") && explained.contains("weak"), "{explained}");
    rig.show("false_positive_declined_in_the_scrollback");
    rig.until("starting");
    rig.show("api_key");
    assert_eq!(rig.until("blocked")["turn"]["reason"], "auth");
    // Its own word is better: the dialog that was seen last is over.
    rig.begins();
    rig.until("idle");
}

/// Nothing lies between the two: not even a look at an empty screen.
#[test]
fn a_dialog_that_follows_another_one_at_once_is_told_as_itself() {
    let rig = Rig::new("", &[]);
    for (screen, reason) in [("trust", "trust"), ("api_key", "auth"), ("trust", "trust")] {
        rig.show(screen);
        wait::until(screen, || {
            let agent = rig.until("blocked");
            (agent["turn"]["reason"] == reason).then_some(())
        });
    }
}

/// Whoever has said no must not be looked at, whatever else is asked for; whoever has spoken needs
/// no more looks.
#[test]
fn no_terminal_is_read_where_screen_rules_are_off_or_the_agent_speaks() {
    let off = Rig::new("screen_rules = false", &["--observable"]);
    let spoken = Rig::new("", &[]);
    off.show("trust");
    spoken.show("trust");
    spoken.until("blocked");
    spoken.begins();
    spoken.until("idle");
    let before = spoken.calls();
    // Time, as another hub's looks tell it.
    let on = Rig::new("screen_rules = true", &[]);
    on.begins();
    on.until("idle");
    on.show("trust");
    on.until("blocked");
    on.looked(3);
    assert_eq!(off.calls(), 0);
    assert!(spoken.calls() <= before + 1, "one look may have been under way");
    assert_eq!(off.until("starting")["headline"], "starting");
}

#[test]
fn an_observable_agent_is_looked_at_for_as_long_as_it_lives() {
    let rig = Rig::new("", &["--observable"]);
    rig.begins();
    rig.until("idle");
    rig.show("login__in_a_session");
    assert_eq!(rig.until("blocked")["turn"]["reason"], "auth");
    rig.show("prompt__at_rest");
    rig.until("idle");
}
