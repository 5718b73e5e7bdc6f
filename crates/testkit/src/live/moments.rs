//! When a program called its hooks. It is noted in plays that are recorded, and in no others, so that
//! what comes before is told from what is headsup's own.
//!
//! Nothing is registered with a program for that. What its hooks run, `bin/headsup` in the state folder,
//! is a script that notes the moment and becomes the program that should stand there: by `exec`, so that
//! the process and what is above it, its input and its arguments are as they would be. A program without
//! commands is given a plugin beside headsup's.

use super::record::Row;
use crate::home::Home;
use serde_json::{Value, json};
use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

/// Beside the program's own folders.
const FOLDER: &str = "rec";

/// How often the link is looked at. From a launch to its first hook a program needs much longer.
const LOOK: Duration = Duration::from_millis(4);

/// A line for each call: the moment, in microseconds, and the event, which stands in the command of every
/// entry of ours. No other program is started for it, and the payload is not touched. The tools of an
/// agent go the same way.
const SCRIPT: &str = r#"#!/bin/bash
[ "$1" = hook ] && printf '%s %s\n' "${EPOCHREALTIME/[.,]/}" "$3" >>@NOTES@
exec @PROGRAM@ "$@"
"#;

/// The same lines of what a bus tells, behind `/` what a conversation does. What only says the same again
/// headsup's plugin tells nobody.
const PLUGIN: &str = r#"import { appendFileSync } from "node:fs"

const states = new Map()
const note = (now, name) => appendFileSync(@NOTES@, `${now * 1000} ${name}\n`)

export const moments = async () => ({
  event: async ({ event }) => {
    try {
      const now = Date.now()
      const name = event.type.replace(/^(permission|question)\.v2\./, "$1.")
      if (/^(permission|question)\./.test(name)) note(now, name)
      if (name !== "session.status") return
      const { sessionID, status } = event.properties
      if (states.get(sessionID) === status.type) return
      states.set(sessionID, status.type)
      note(now, `${name}/${status.type}`)
    } catch {}
  },
})
"#;

/// Notes them until it goes out of scope.
#[derive(Debug)]
pub(super) struct Moments {
    folder: PathBuf,
    started_at: SystemTime,
    over: Arc<AtomicBool>,
    keeper: Option<JoinHandle<()>>,
}

impl Moments {
    /// By what stands where hooks expect `headsup`, and goes on as `binary`, an absolute path.
    pub(super) fn by_launcher(home: &Home, binary: &Path, start: Instant) -> Self {
        let mut moments = Self::new(home, start);
        let stand_in = StandIn {
            launcher: home.state().join("bin/headsup"),
            script: moments.folder.join("headsup"),
            link: moments.folder.join("link"),
        };
        let (notes, binary) = (quoted(&moments.notes()), quoted(binary));
        let text = SCRIPT.replace("@NOTES@", &notes).replace("@PROGRAM@", &binary);
        fs::write(&stand_in.script, text).expect("a script");
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(&stand_in.script, mode).expect("a script that can be run");
        // Where nothing is installed there is no link before a launch.
        stand_in.take_place().ok();
        let over = Arc::clone(&moments.over);
        moments.keeper = Some(std::thread::spawn(move || {
            while !over.load(Ordering::Relaxed) {
                stand_in.take_place().ok();
                std::thread::park_timeout(LOOK);
            }
        }));
        moments
    }

    /// By a plugin. `file`: where the program looks for it, below the home folder.
    pub(super) fn by_plugin(home: &Home, file: &str, start: Instant) -> Self {
        let moments = Self::new(home, start);
        let path = home.path().join(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        let notes = Value::from(moments.notes().to_string_lossy());
        fs::write(path, PLUGIN.replace("@NOTES@", &notes.to_string())).expect("a plugin");
        moments
    }

    fn new(home: &Home, start: Instant) -> Self {
        let folder = home.path().join(FOLDER);
        fs::create_dir_all(&folder).expect("a folder");
        let started_at = SystemTime::now() - start.elapsed();
        Self { folder, started_at, over: Arc::default(), keeper: None }
    }

    fn notes(&self) -> PathBuf {
        self.folder.join("calls")
    }

    /// The calls so far, as rows of hooks in a recording.
    pub(super) fn rows(&self) -> Vec<Row> {
        // Without a call there is no file.
        let notes = fs::read_to_string(self.notes()).unwrap_or_default();
        rows(&notes, self.started_at)
    }
}

impl Drop for Moments {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(keeper) = self.keeper.take() {
            let _ended = keeper.join();
        }
    }
}

fn rows(notes: &str, started_at: SystemTime) -> Vec<Row> {
    let row = |line: &str| -> Option<Row> {
        // The last one may be half there.
        let (micros, event) = line.strip_suffix('\n')?.split_once(' ')?;
        let at = SystemTime::UNIX_EPOCH + Duration::from_micros(micros.parse().ok()?);
        let t_ms = at.duration_since(started_at).ok()?.as_secs_f64() * 1_000.0;
        Some(Row { t_ms, row: json!({ "src": "hook", "payload": { "hook_event_name": event } }) })
    };
    notes.split_inclusive('\n').filter_map(row).collect()
}

/// As a shell reads it.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.to_string_lossy().replace('\'', r"'\''"))
}

/// A script in the place of the program that a link leads to.
#[derive(Debug)]
struct StandIn {
    launcher: PathBuf,
    script: PathBuf,
    /// A name for the new link, until it has the launcher's.
    link: PathBuf,
}

impl StandIn {
    /// Where the link leads elsewhere: installing has it lead to the program, and so may every launch.
    fn take_place(&self) -> io::Result<()> {
        if fs::read_link(&self.launcher)? == self.script {
            return Ok(());
        }
        symlink(&self.script, &self.link)?;
        fs::rename(&self.link, &self.launcher)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wait;
    use std::process::Command;

    fn told(rows: &[Row]) -> Vec<String> {
        let event = |row: &Row| row.row["payload"]["hook_event_name"].as_str().map(str::to_owned);
        rows.iter().filter_map(event).collect()
    }

    #[test]
    fn a_note_is_a_moment_of_the_play_and_an_event() {
        let started_at = SystemTime::UNIX_EPOCH + Duration::from_secs(2);
        let notes = "2000500 Stop\n1999999 Early\nno moment\nx\n\n2002000 a.b/c\n2003000 Sto";
        let rows = rows(notes, started_at);
        let told: Vec<String> = rows
            .iter()
            .map(|Row { t_ms, row }| format!("{t_ms:.1} {}", row["payload"]["hook_event_name"]))
            .collect();
        assert_eq!(told, [r#"0.5 "Stop""#, r#"2.0 "a.b/c""#]);
        assert!(rows.iter().all(|row| row.row["src"] == "hook"));
    }

    #[test]
    fn a_call_is_noted_and_goes_on_as_the_program_whoever_makes_the_link_anew() {
        let home = Home::new("/bin/echo");
        let launcher = home.state().join("bin/headsup");
        let start = Instant::now();
        let moments = Moments::by_launcher(&home, Path::new("/bin/echo"), start);
        let script = moments.folder.join("headsup");
        let is_there = || fs::read_link(&launcher).is_ok_and(|to| to == script).then_some(());
        // Nothing is there before somebody installs or launches.
        assert!(!launcher.exists());
        fs::create_dir_all(home.state().join("bin")).unwrap();
        symlink("/bin/echo", &launcher).unwrap();
        wait::until("the script", is_there);
        let new = home.path().join("new");
        symlink("/bin/echo", &new).unwrap();
        fs::rename(&new, &launcher).unwrap();
        wait::until("the script again", is_there);
        let call = |words: &[&str]| {
            // Read, not run: another test's process may hold it open for a moment.
            let output = Command::new("bash").arg(&launcher).args(words).output().unwrap();
            String::from_utf8(output.stdout).unwrap()
        };
        assert_eq!(call(&["hook", "codex", "Stop"]), "hook codex Stop\n");
        assert_eq!(call(&["mcp"]), "mcp\n");
        let rows = moments.rows();
        assert_eq!(told(&rows), ["Stop"]);
        let now = start.elapsed().as_secs_f64() * 1_000.0;
        assert!(rows.iter().all(|row| row.t_ms <= now + 1_000.0), "{rows:?}");
    }

    #[test]
    fn a_plugin_notes_into_the_same_file() {
        let home = Home::new("/bin/echo");
        let moments = Moments::by_plugin(&home, "a/plugin/moments.js", Instant::now());
        let text = fs::read_to_string(home.path().join("a/plugin/moments.js")).unwrap();
        assert!(text.contains(&format!("appendFileSync(\"{}\"", moments.notes().display())));
        // Another export than a function, and the program would leave all of it out.
        let exports: Vec<&str> = text.lines().filter(|line| line.contains("export")).collect();
        assert_eq!(exports, ["export const moments = async () => ({"]);
        assert!(moments.rows().is_empty());
    }

    #[test]
    fn a_path_is_one_word_of_a_shell() {
        assert_eq!(quoted(Path::new("/it's here")), r"'/it'\''s here'");
    }
}
