//! A tmux server of its own, and a pane in it: what a person does and sees.

use super::eyes::Eyes;
use crate::wait;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Between two looks at a screen. Each is a process of its own, and takes the processor from the
/// agent that is measured.
const LOOK: Duration = Duration::from_millis(100);
/// How long a program may take to come up on a busy machine.
const START: Duration = Duration::from_secs(150);
/// What is not shown after this time was not heard.
const LOST: Duration = Duration::from_secs(15);
const PATH: &str = "/usr/bin:/bin";
/// Rows and columns of a session that is started here.
const SIZE: (u16, u16) = (50, 120);

/// A tmux server without anybody's configuration. It is ended when it goes out of scope.
#[derive(Debug)]
pub(super) struct Tmux {
    folder: PathBuf,
}

/// Is there a tmux on this machine?
pub fn has_tmux() -> bool {
    Command::new("tmux").arg("-V").output().is_ok_and(|output| output.status.success())
}

impl Tmux {
    pub(super) fn new(home: &Path) -> Self {
        Self { folder: home.to_owned() }
    }

    /// For programs that start sessions themselves.
    pub(super) const SOCKET: &str = "live";

    pub(super) fn run<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> String {
        let mut command = Command::new("tmux");
        // What the server is started with is what its sessions get; the path is the client's.
        command.env_clear().env("LANG", "C.UTF-8").env("SHELL", "/bin/sh");
        command.env("PATH", format!("{}/bin:{PATH}", self.folder.display()));
        command.env("HOME", &self.folder).env("TMUX_TMPDIR", &self.folder);
        command.args(["-L", Self::SOCKET, "-f", "/dev/null"]).args(args);
        let output = command.output().expect("tmux runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command:?}: {said}");
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    /// What all of its panes show.
    pub(super) fn screens(&self) -> Vec<String> {
        let mut command = Command::new("tmux");
        command.env_clear().env("PATH", PATH).env("TMUX_TMPDIR", &self.folder);
        command.args(["-L", Self::SOCKET, "list-panes", "-a", "-F", "#{pane_id}"]);
        let panes = command.output().map(|output| output.stdout).unwrap_or_default();
        let panes = String::from_utf8_lossy(&panes).into_owned();
        panes.lines().map(|pane| self.run(["capture-pane", "-p", "-t", pane])).collect()
    }

    /// Runs `words` as they are in a new session.
    pub(super) fn start(&self, cwd: &Path, env: &[(String, String)], words: &[String]) -> Pane<'_> {
        let (rows, columns) = (SIZE.0.to_string(), SIZE.1.to_string());
        let mut args: Vec<String> =
            ["new-session", "-d", "-x", &columns, "-y", &rows, "-P", "-F", "#{pane_id}"]
                .map(str::to_owned)
                .to_vec();
        args.extend(["-c".to_owned(), cwd.display().to_string()]);
        for (name, value) in env {
            args.extend(["-e".to_owned(), format!("{name}={value}")]);
        }
        args.push("--".to_owned());
        args.extend(words.iter().cloned());
        let id = self.run(args);
        Pane::of(self, &id)
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        let mut command = Command::new("tmux");
        command.env_clear().env("PATH", PATH).env("TMUX_TMPDIR", &self.folder);
        let _gone = command.args(["-L", Self::SOCKET, "kill-server"]).output();
    }
}

/// One pane.
#[derive(Clone, Debug)]
pub(super) struct Pane<'a> {
    tmux: &'a Tmux,
    id: String,
    eyes: Eyes,
}

impl<'a> Pane<'a> {
    pub(super) fn of(tmux: &'a Tmux, id: &str) -> Self {
        let format = "#{pane_height} #{pane_width}";
        let size = tmux.run(["display-message", "-p", "-t", id, format]);
        let size = size.split_once(' ').and_then(|(r, c)| Some((r.parse().ok()?, c.parse().ok()?)));
        let pipe = tmux.folder.join(format!("pane{id}"));
        // A new server counts its panes from the beginning; who reads the old pipe has it open.
        std::fs::remove_file(&pipe).ok();
        let eyes = Eyes::open(&pipe, size.unwrap_or(SIZE)).expect("a pipe");
        tmux.run(["pipe-pane", "-O", "-t", id, &format!("exec cat >'{}'", pipe.display())]);
        Self { tmux, id: id.to_owned(), eyes }
    }

    /// The process that was started in it.
    pub(super) fn pid(&self) -> u32 {
        let pid = self.tmux.run(["display-message", "-p", "-t", &self.id, "#{pane_pid}"]);
        pid.parse().expect("a pid")
    }

    /// What is on the screen now.
    pub(super) fn screen(&self) -> String {
        self.tmux.run(["capture-pane", "-p", "-t", &self.id])
    }

    /// The same with colours and attributes, the title, where the cursor is, and what the terminal was told to be.
    pub(super) fn painted(&self) -> String {
        let modes = "#{pane_title} cursor #{cursor_x},#{cursor_y} shown #{cursor_flag} \
            other screen #{alternate_on} mouse #{mouse_any_flag} keypad #{keypad_cursor_flag}";
        let modes = self.tmux.run(["display-message", "-p", "-t", &self.id, modes]);
        modes + "\n" + &self.tmux.run(["capture-pane", "-p", "-e", "-t", &self.id])
    }

    /// Presses one key; returns the moment at which the terminal had it.
    pub(super) fn key(&self, key: &str) -> Instant {
        self.tmux.run(["send-keys", "-t", &self.id, key]);
        Instant::now()
    }

    /// Types text and waits until it is on the screen, so that a key that follows is not taken
    /// for a part of a paste. A program that comes up may have lost it: then once more.
    #[track_caller]
    pub(super) fn text(&self, text: &str) {
        let (typed, start) = (dense(text), Instant::now());
        let count = |screen: &str| dense(screen).matches(&typed).count();
        let before = count(&self.screen());
        let mut tries = 0;
        self.until(text, |screen| {
            let age = start.elapsed();
            // The screen may have scrolled away what it showed before.
            let shown = count(screen) > before || (before > 0 && age > LOST);
            if !shown && age >= LOST * tries {
                self.tmux.run(["send-keys", "-t", &self.id, "-l", "--", text]);
                tries += 1;
            }
            shown && tries > 0
        });
        std::thread::park_timeout(LOOK);
    }

    /// Waits until `words` are on the screen.
    #[track_caller]
    pub(super) fn shows(&self, words: &str) -> Instant {
        self.until(words, |screen| screen.contains(words))
    }

    pub(super) fn eyes(&self) -> &Eyes {
        &self.eyes
    }

    #[track_caller]
    pub(super) fn until(&self, what: &str, fits: impl FnMut(&str) -> bool) -> Instant {
        self.until_within(wait::DEADLINE, what, fits)
    }

    /// Waits until a program has come up. Some prepare a new home first.
    #[track_caller]
    pub(super) fn comes_up(&self, what: &str, fits: impl FnMut(&str) -> bool) -> Instant {
        self.until_within(START, what, fits)
    }

    #[track_caller]
    fn until_within(
        &self,
        deadline: Duration,
        what: &str,
        mut fits: impl FnMut(&str) -> bool,
    ) -> Instant {
        let end = Instant::now() + deadline;
        loop {
            let screen = self.screen();
            if fits(&screen) {
                return Instant::now();
            }
            assert!(Instant::now() < end, "waited in vain for {what:?} on the screen:\n{screen}");
            std::thread::park_timeout(LOOK);
        }
    }

    /// The terminal goes away, and with it (SIGHUP) the program.
    pub(super) fn hang_up(&self) -> Instant {
        self.tmux.run(["kill-pane", "-t", &self.id]);
        Instant::now()
    }
}

/// Without the blanks and frames that a narrow box puts between words.
fn dense(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && !"│┃|".contains(*c)).collect()
}
