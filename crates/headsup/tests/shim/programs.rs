//! Real programs look the same with and without us.

use crate::rig::{BINARY, Rig};
use headsup_testkit::hub::Hub;
use headsup_testkit::wait;
use std::process::Command;

/// Whether it is there; says why a test did nothing.
pub(crate) fn has(program: &str) -> bool {
    let found = Command::new("sh").args(["-c", &format!("command -v {program}")]).output();
    if found.is_ok_and(|output| output.status.success()) {
        return true;
    }
    assert!(std::env::var_os("CI").is_none(), "{program} is not installed");
    eprintln!("SKIPPED: {program} is not installed on this machine");
    false
}

struct Screen<'a> {
    rig: &'a Rig,
    socket: String,
}

impl<'a> Screen<'a> {
    /// A tmux server of its own, with `command` in a window of 80 by 24.
    fn new(rig: &'a Rig, name: &str, command: &str) -> Self {
        let folder = rig.home.path().file_name().unwrap().to_string_lossy();
        std::fs::create_dir_all(rig.file(name)).unwrap();
        let screen = Self { rig, socket: format!("headsup-{folder}-{name}") };
        let size = ["new-session", "-d", "-s", "s", "-x", "80", "-y", "24"];
        screen.tmux(&[&size[..], &["sh", "-c", command]].concat());
        screen
    }

    fn tmux(&self, args: &[&str]) -> String {
        let like = self.rig.home.command([""; 0]);
        let mut command = Command::new("tmux");
        command.env_clear().current_dir(self.rig.home.path());
        command.envs(like.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command
            .env("TMUX_TMPDIR", self.rig.home.path())
            .env("HEADSUP", BINARY)
            .env("LANG", "C.UTF-8");
        command.env_remove("COLUMNS");
        let output = command.args(["-L", &self.socket, "-f", "/dev/null"]).args(args).output();
        String::from_utf8_lossy(&output.unwrap().stdout).into_owned()
    }

    fn keys(&self, keys: &[&str]) {
        self.tmux(&[&["send-keys", "-t", "s"], keys].concat());
    }

    /// Text, colours and attributes.
    fn shown(&self) -> String {
        self.tmux(&["capture-pane", "-p", "-e", "-t", "s"])
    }

    #[track_caller]
    fn shows(&self, text: &str) {
        wait::until(text, || {
            self.tmux(&["capture-pane", "-p", "-t", "s"]).contains(text).then_some(())
        });
    }
}

impl Drop for Screen<'_> {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}

/// Both, each with its screen: bare, and with us between.
fn both<'a>(rig: &'a Rig, command: &str, begins: &str) -> [Screen<'a>; 2] {
    let ours = format!("\"$HEADSUP\" run --here --id api -- {command}");
    // The screen stays as it is after the end.
    let screens = [("bare", command), ("ours", &ours)].map(|(name, command)| {
        Screen::new(rig, name, &format!("cd {name} && {command}; echo code $?; cat"))
    });
    // What is typed earlier is shown by the terminal itself.
    for screen in &screens {
        screen.shows(begins);
    }
    screens
}

/// Does the same in both, and compares what they show once it is calm.
fn same(screens: &[Screen<'_>; 2], keys: &[&str], until: &str) {
    for screen in screens {
        screen.keys(keys);
        screen.shows(until);
    }
    let [bare, ours] = screens;
    wait::until(&format!("the same screens after {keys:?}"), || {
        let (bare, ours) = (bare.shown(), ours.shown());
        if bare != ours {
            eprintln!("bare:\n{bare}\nours:\n{ours}");
        }
        (bare == ours).then_some(())
    });
}

#[test]
fn vim_is_the_same() {
    if !has("tmux") || !has("vim") {
        return;
    }
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let screens = both(&rig, "vim -u NONE -N -i NONE -n text", "~");
    same(&screens, &["iOne line, é and 漢字", "Enter", "two", "Escape"], "two");
    same(&screens, &[":set number incsearch", "Enter", "/One", "Enter"], "One");
    for screen in &screens {
        screen.tmux(&["resize-window", "-t", "s", "-x", "60", "-y", "15"]);
        // It hears of it beside its input: a redraw that comes later takes the answer away.
        wait::until("the new size", || {
            screen.keys(&[":set columns?", "Enter"]);
            screen.shown().contains("columns=60").then_some(())
        });
    }
    same(&screens, &["Go", "after", "Escape", ":set columns?", "Enter"], "columns=60");
    same(&screens, &[":wq", "Enter"], "code 0");
}

#[test]
fn less_is_the_same() {
    if !has("tmux") || !has("less") {
        return;
    }
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let lines: Vec<String> = (1..=300).map(|number| format!("line {number}")).collect();
    std::fs::write(rig.file("text"), lines.join("\n")).unwrap();
    let screens = both(&rig, "less ../text", "line 1");
    same(&screens, &["Space"], "line 40");
    same(&screens, &["/line 270", "Enter"], "line 270");
    same(&screens, &["G"], "(END)");
    same(&screens, &["q"], "code 0");
}

#[test]
fn htop_is_the_same() {
    if !has("tmux") || !has("htop") {
        return;
    }
    let rig = Rig::new();
    let _hub = Hub::start(&rig.home);
    let screens = both(&rig, "htop", "F1Help");
    for screen in &screens {
        screen.keys(&["F1"]);
        screen.shows("Arrows: scroll");
    }
    // Figures move; this part of the page of help has none.
    let help = |screen: &Screen<'_>| {
        let shown = screen.tmux(&["capture-pane", "-p", "-t", "s"]);
        let lines = shown.lines().skip_while(|line| !line.contains("Arrows"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let [bare, ours] = &screens;
    // It may be drawn in several pieces.
    wait::until("the same help", || {
        let (bare, ours) = (help(bare), help(ours));
        if bare != ours {
            eprintln!("bare:\n{bare:?}\nours:\n{ours:?}");
        }
        (bare.len() > 5 && bare == ours).then_some(())
    });
    for screen in &screens {
        screen.keys(&["Escape"]);
        screen.shows("F1Help");
    }
    same(&screens, &["q"], "code 0");
}
