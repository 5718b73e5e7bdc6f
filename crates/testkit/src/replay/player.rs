//! Plays the rows of a recording, each at its time.

use super::listener::Listener;
use super::recording::{RECORDED_HOME, Recording, What};
use super::stand_in::StandIn;
use super::verdict::Verdict;
use crate::home::Home;
use crate::hub::Hub;
use serde_json::Value;
use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const KIND: &str = "claude-code";
/// How long after the last row the hub may still speak.
const REST: Duration = Duration::from_millis(1_500);

/// Plays the recording in `folder` against a hub of `binary` and judges what it told.
///
/// # Errors
/// If the recording cannot be read, or a stand-in cannot be started or written to.
pub fn play(binary: &Path, folder: &Path) -> io::Result<Verdict> {
    let recording = Recording::read(folder)?;
    let home = Home::new(&binary.to_string_lossy());
    let hub = Hub::start(&home);
    let start = Instant::now();
    let listener = Listener::start(&home.socket(), start)?;
    let mut player = Player {
        home: &home,
        binary,
        config: home.path().join(".claude"),
        stand_ins: HashMap::new(),
        namespace: fs::metadata("/proc/self/ns/pid")?.ino(),
    };
    for row in &recording.rows {
        until(start + Duration::from_millis(row.t_ms));
        player.step(&row.what)?;
    }
    until(Instant::now() + REST);
    let verdict = Verdict::new(&recording, &listener.told());
    drop(player);
    drop(hub);
    Ok(verdict)
}

fn until(moment: Instant) {
    while Instant::now() < moment {
        std::thread::park_timeout(moment.saturating_duration_since(Instant::now()));
    }
}

struct Player<'a> {
    home: &'a Home,
    binary: &'a Path,
    /// The program's own folder.
    config: PathBuf,
    /// By recorded pid.
    stand_ins: HashMap<u32, StandIn>,
    namespace: u64,
}

impl Player<'_> {
    fn step(&mut self, what: &What) -> io::Result<()> {
        match what {
            What::Truth { .. } => {}
            What::Kill => {
                for stand_in in self.stand_ins.values_mut().filter(|one| !one.has_left()) {
                    stand_in.kill()?;
                }
            }
            What::Exit { pid } => {
                if let Some(stand_in) = self.stand_ins.get_mut(pid) {
                    stand_in.leave();
                }
            }
            What::Hook { pid, env, payload } => {
                let (payload, binary) = (self.at_home(payload), self.binary);
                let own = self.stand_in(*pid)?;
                let (real, mut env) = (own.pid().to_string(), env.clone());
                for (name, value) in &mut env {
                    if name == "CLAUDE_PID" {
                        value.clone_from(&real);
                    }
                }
                own.hook(binary, KIND, &env, &payload)?;
            }
            What::Registry { pid, file, record } => {
                let recorded = self.config.join(file);
                let real = self.stand_in(*pid)?;
                let (real_pid, ticks) = (real.pid(), real.start_ticks());
                let path = recorded.with_file_name(format!("{real_pid}.json"));
                let Some(record) = record else {
                    return fs::remove_file(path);
                };
                let mut record = record.clone();
                record["pid"] = real_pid.into();
                record["procStart"] = ticks?.into();
                record["pidDomain"] = format!("linux:0:pid:[{}]", self.namespace).into();
                self.write(&path, &record)?;
            }
            What::Line { file, line } => {
                let path = self.config.join("projects").join(file);
                if let Some(folder) = path.parent() {
                    fs::create_dir_all(folder)?;
                }
                let mut log = OpenOptions::new().create(true).append(true).open(path)?;
                log.write_all(format!("{}\n", self.at_home(line)).as_bytes())?;
            }
        }
        Ok(())
    }

    /// The process that stands for a recorded one; started when it is first heard of.
    fn stand_in(&mut self, pid: u32) -> io::Result<&mut StandIn> {
        if !self.stand_ins.contains_key(&pid) {
            let like = self.home.command([""; 0]);
            self.stand_ins.insert(pid, StandIn::start(&like, self.home.path())?);
        }
        self.stand_ins.get_mut(&pid).ok_or_else(|| io::Error::other("no stand-in"))
    }

    /// The file is rewritten in place, as the program does.
    fn write(&self, path: &Path, record: &Value) -> io::Result<()> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(path, self.at_home(&record.to_string()))
    }

    fn at_home(&self, text: &str) -> String {
        text.replace(RECORDED_HOME, &self.home.path().to_string_lossy())
    }
}
