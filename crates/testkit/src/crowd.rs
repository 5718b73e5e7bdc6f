//! A hub with many seats, each with a long log of its conversation.

use crate::home::Home;
use crate::http;
use crate::hub::Hub;
use crate::wait;
use serde_json::{Value, json};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What a start after a kill took.
#[derive(Clone, Copy, Debug)]
pub struct Restart {
    /// From the start of the program to the first answer.
    pub first_answer: Duration,
    /// To the last log being watched.
    pub all_watched: Duration,
    /// Processor time until then. It holds still where wall times do not.
    pub cpu: Duration,
    pub memory_kib: u64,
    pub descriptors: usize,
}

/// The agents of a hub. Their processes are killed when it goes out of scope.
#[derive(Debug)]
pub struct Crowd {
    pub ids: Vec<String>,
    pub logs: Vec<PathBuf>,
    living: Vec<Child>,
}

impl Crowd {
    /// Writes `count` logs of about `bytes` each and tells the hub of an agent for each: they sit at
    /// their prompts or work. The first `living` of them have processes and status files.
    ///
    /// # Errors
    /// If the files cannot be written, or the hub does not take it.
    pub fn gather(home: &Home, count: usize, bytes: u64, living: usize) -> io::Result<Self> {
        Self::gather_with(home, count, bytes, living, |_| {})
    }

    /// The same; `told` hears how many of them are there.
    ///
    /// # Errors
    /// As of [`Crowd::gather`].
    pub fn gather_with(
        home: &Home,
        count: usize,
        bytes: u64,
        living: usize,
        mut told: impl FnMut(usize),
    ) -> io::Result<Self> {
        let config = home.path().join(".claude");
        let first = config.join("projects/first.jsonl");
        fs::create_dir_all(config.join("projects"))?;
        fs::create_dir_all(config.join("sessions"))?;
        write_log(&first, bytes)?;
        let mut crowd = Self { ids: Vec::new(), logs: Vec::new(), living: Vec::new() };
        for number in 0..count {
            told(number);
            let (id, session) = (format!("agent-{number}"), format!("session-{number}"));
            let folder = config.join(format!("projects/-work-{number}"));
            fs::create_dir_all(&folder)?;
            let log = folder.join(format!("{session}.jsonl"));
            fs::copy(&first, &log)?;
            let works = number % 2 == 1;
            let events = ["SessionStart", "UserPromptSubmit", "Stop"];
            for event in &events[..if works { 2 } else { 3 }] {
                let payload = json!({
                    "hook_event_name": event, "session_id": session, "transcript_path": log,
                    "cwd": format!("/src/{number}"), "prompt_id": "prompt-1", "prompt": "go",
                    "source": "startup", "background_tasks": [],
                });
                tell(home, &id, &payload)?;
            }
            if number < living {
                let child = Command::new("sleep").arg("3600").stdin(Stdio::null()).spawn()?;
                let pid = child.id();
                crowd.living.push(child);
                let status = if works { "busy" } else { "idle" };
                let record = json!({
                    "pid": pid, "procStart": start_ticks(pid)?, "sessionId": session,
                    "cwd": format!("/src/{number}"), "kind": "interactive", "entrypoint": "cli",
                    "status": status,
                });
                fs::write(config.join(format!("sessions/{pid}.json")), record.to_string())?;
            }
            crowd.ids.push(id);
            crowd.logs.push(log);
        }
        fs::remove_file(first)?;
        for id in crowd.ids.iter().take(living) {
            let has_process = || agent(home, id)["location"]["pid"].is_u64().then_some(());
            wait::until("the status files to be read", has_process);
        }
        Ok(crowd)
    }

    /// Starts a hub again and waits until it watches every log.
    ///
    /// # Errors
    /// If the system does not tell of the hub's process.
    pub fn restart(&self, home: &Home) -> io::Result<(Hub, Restart)> {
        let start = Instant::now();
        let hub = Hub::start(home);
        let first_answer = start.elapsed();
        let pid = hub.pid();
        wait::until("all logs to be watched", || (watched(pid) >= self.logs.len()).then_some(()));
        let (all_watched, cpu) = (start.elapsed(), cpu(pid));
        let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let memory = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        let descriptors = fs::read_dir(format!("/proc/{pid}/fd"))?.count();
        let memory_kib = memory.unwrap_or_default();
        Ok((hub, Restart { first_answer, all_watched, cpu, memory_kib, descriptors }))
    }

    /// Says in an agent's log that a person has stopped its turn.
    ///
    /// # Errors
    /// If the log cannot be written.
    pub fn interrupt(&self, number: usize) -> io::Result<()> {
        let line = json!({
            "type": "user", "sessionId": format!("session-{number}"), "promptId": "prompt-1",
            "message": {"content": [{"type": "text", "text": "[Request interrupted by user]"}]},
        });
        let mut log = OpenOptions::new().append(true).open(&self.logs[number])?;
        log.write_all(format!("{line}\n").as_bytes())
    }
}

impl Drop for Crowd {
    fn drop(&mut self) {
        for child in &mut self.living {
            child.kill().ok();
            child.wait().ok();
        }
    }
}

/// The document of one agent; nothing where the hub does not answer.
pub fn agent(home: &Home, id: &str) -> Value {
    let answer = http::get(&home.socket(), &format!("/api/v1/agents/{id}"));
    answer.ok().and_then(|(_, body)| serde_json::from_slice(&body).ok()).unwrap_or_default()
}

/// How many events there are: the cursor of the roster.
///
/// # Errors
/// If the hub does not tell.
pub fn cursor(home: &Home) -> io::Result<u64> {
    let (_, body) = http::get(&home.socket(), "/api/v1/agents")?;
    let roster: Value = serde_json::from_slice(&body)?;
    let cursor = roster["cursor"].as_str().and_then(|cursor| cursor.parse().ok());
    cursor.ok_or_else(|| io::Error::other("a roster without a cursor"))
}

fn tell(home: &Home, id: &str, payload: &Value) -> io::Result<()> {
    let (target, headers) = ("/api/v1/hooks/claude-code", [("x-headsup-agent", id)]);
    let body = payload.to_string();
    let (status, answer) =
        http::request(&home.socket(), "POST", target, &headers, body.as_bytes())?;
    match status {
        202 => Ok(()),
        _ => Err(io::Error::other(format!("{status}: {}", String::from_utf8_lossy(&answer)))),
    }
}

/// Recorded lines, again and again.
fn write_log(path: &Path, bytes: u64) -> io::Result<()> {
    let recorded = "../adapters/fixtures/claude-code/2.1.330/tool_turn/transcript-1.jsonl";
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(recorded))?;
    let lines: Vec<&str> = text.lines().skip(1).collect();
    let mut log = BufWriter::new(File::create(path)?);
    let mut written = 0;
    for line in lines.iter().cycle() {
        if written >= bytes {
            break;
        }
        writeln!(log, "{line}")?;
        written += line.len() as u64 + 1;
    }
    log.flush()
}

/// Field 22 of `/proc/PID/stat`.
fn start_ticks(pid: u32) -> io::Result<String> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let after_name = stat.rsplit_once(')').map(|(_, rest)| rest);
    let ticks = after_name.and_then(|rest| rest.split_whitespace().nth(19));
    ticks.map(str::to_owned).ok_or_else(|| io::Error::other("no start time"))
}

/// What all threads of a process have run.
fn cpu(pid: u32) -> Duration {
    let Ok(tasks) = fs::read_dir(format!("/proc/{pid}/task")) else { return Duration::ZERO };
    let ran = tasks.flatten().filter_map(|task| {
        let told = fs::read_to_string(task.path().join("schedstat")).ok()?;
        told.split_whitespace().next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(ran.sum())
}

/// The most that one of the process's descriptors watches.
fn watched(pid: u32) -> usize {
    let Ok(entries) = fs::read_dir(format!("/proc/{pid}/fdinfo")) else { return 0 };
    let infos = entries.flatten().filter_map(|entry| fs::read_to_string(entry.path()).ok());
    let watches = infos.map(|info| info.lines().filter(|l| l.starts_with("inotify")).count());
    watches.max().unwrap_or(0)
}
