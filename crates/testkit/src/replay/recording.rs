//! A recording, as it is on disk.
//!
//! It is somebody else's: rows that are not known are passed over and a line that is cut is left out,
//! each with a word on standard error, and order, times and places are taken as they come.

// Named, because the fuzzers' doors include this file by its path.
#[path = "recording/acp.rs"]
mod acp;
#[path = "recording/bus.rs"]
mod bus;
#[path = "recording/captured.rs"]
mod captured;
#[path = "recording/ends.rs"]
mod ends;
#[path = "recording/home.rs"]
mod home;
#[path = "recording/output.rs"]
mod output;
#[path = "recording/panes.rs"]
mod panes;
#[path = "recording/rows.rs"]
mod rows;
#[path = "recording/steps.rs"]
mod steps;
#[path = "recording/terminal.rs"]
mod terminal;
#[path = "recording/transcripts.rs"]
mod transcripts;

use super::program::{PROGRAMS, Program, SPEAKER};
use output::Lines;
use rows::Raw;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

pub(super) use captured::Captured;
pub(super) use home::RecordedHome;
pub use steps::{Step, steps};

/// A recorded process: its pid, or a number beyond all pids where none was recorded.
pub(super) type ProcessKey = u64;

/// What may be left out of a recording, to see what the others are worth alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Witness {
    Hooks,
    Registry,
    Transcript,
    /// The status files, but for the first one of each process, which says where its log is.
    LaterRegistry,
    /// The hooks, but for the first one of each process that says where its log is, where no
    /// status file does.
    LaterHooks,
    /// What was on its screen.
    Screen,
    /// What it said of itself to its terminal.
    Terminal,
    /// What its server told its clients.
    Server,
    /// Its process: it never ends.
    Process,
    /// What it and its client say to each other.
    Protocol,
    /// What a run without a terminal writes to its output.
    Output,
    /// What it or somebody else has reported of it.
    Reports,
}

impl Witness {
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "hooks" => Some(Self::Hooks),
            "registry" => Some(Self::Registry),
            "transcript" => Some(Self::Transcript),
            "later-registry" => Some(Self::LaterRegistry),
            "later-hooks" => Some(Self::LaterHooks),
            "screen" => Some(Self::Screen),
            "terminal" => Some(Self::Terminal),
            "server" => Some(Self::Server),
            "process" => Some(Self::Process),
            "protocol" => Some(Self::Protocol),
            "output" => Some(Self::Output),
            "reports" => Some(Self::Reports),
            _ => None,
        }
    }
}

#[derive(Debug)]
pub(super) struct Recording {
    pub(super) name: String,
    /// The kind that its hooks are called with.
    pub(super) kind: String,
    pub(super) program: &'static Program,
    pub(super) home: RecordedHome,
    /// In the order of time.
    pub(super) rows: Vec<Row>,
    /// In which process another one was started.
    pub(super) parents: HashMap<ProcessKey, ProcessKey>,
    /// Which processes have been in a session.
    pub(super) sessions: HashMap<String, Vec<ProcessKey>>,
    /// When its recorder had waited in vain for what it then took to be so.
    pub(super) in_vain: Vec<u64>,
    /// When it was captured, where somebody says so. Recorded milliseconds.
    pub(super) captured_ms: Option<u64>,
    /// Kinds of rows that nobody knows, and how many of each there are.
    pub(super) unknown: BTreeMap<String, usize>,
    /// The hub looked at its screen for as long as it lived.
    pub(super) watches_screens: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) t_ms: u64,
    pub(super) what: What,
}

#[derive(Clone, Debug)]
pub(super) enum What {
    Truth {
        status: String,
        why: String,
        session: Option<String>,
    },
    Hook {
        process: ProcessKey,
        event: String,
        env: Vec<(String, String)>,
        payload: String,
    },
    /// The status file of a process, or its end.
    Registry {
        process: ProcessKey,
        record: Option<Value>,
    },
    /// A line of a transcript, below the program's folder of them.
    Line {
        file: String,
        line: String,
    },
    /// It was launched by us, for a seat of this name.
    Launch {
        id: String,
        /// What it was started with.
        words: Vec<String>,
    },
    /// What was on the screen of the launched one from here on.
    Screen {
        text: String,
    },
    /// What the process said to its terminal: the name of a part of a report, and its text.
    Said {
        process: ProcessKey,
        part: &'static str,
        body: String,
    },
    /// It was launched by us, without a terminal, and says on its output what it does.
    Run {
        process: ProcessKey,
        id: String,
        arguments: Vec<String>,
    },
    /// A line that it wrote there.
    Output {
        process: ProcessKey,
        line: String,
    },
    /// What its server told every client.
    Served {
        message: String,
    },
    /// What its server told whoever listens at its port.
    Bus {
        process: ProcessKey,
        message: String,
    },
    /// What that server answers from here on: statuses, permissions, questions.
    BusLists {
        process: ProcessKey,
        lists: [Value; 3],
    },
    /// It ended all streams.
    BusEnd {
        process: ProcessKey,
    },
    /// What the program called of a plugin in its own process.
    Plugin {
        process: ProcessKey,
        row: Value,
    },
    End {
        process: ProcessKey,
        how: How,
    },
    /// A line that one end of a protocol sent to the other.
    Message {
        by_client: bool,
        text: String,
    },
    Captured(Captured),
    /// The agent behind it has ended, with this code; below 0 it is the signal that has ended it.
    MessageEnd {
        code: i64,
    },
}

/// How a process ends.
#[derive(Clone, Copy, Debug)]
pub(super) enum How {
    /// Once its hooks are done.
    ByItself,
    /// The same, with this code.
    Left { code: i32 },
    /// On the spot. The signal, where it is known, is told by whoever launched it.
    Killed { signal: Option<i32> },
}

impl Recording {
    pub(super) fn read(folder: &Path, without: &[Witness]) -> io::Result<Self> {
        let name = folder.file_name().map(|name| name.to_string_lossy().into_owned());
        let is_file = folder.is_file();
        let timeline = lines(&timeline_of(folder))?;
        let logs = logs_of(folder)?.into_iter().map(|path| lines(&path));
        let logs = logs.collect::<io::Result<_>>()?;
        let files = output::beside(folder)?.into_iter();
        let files = files.map(|(label, path)| Ok(Lines { label, lines: lines(&path)? }));
        let mut files = files.collect::<io::Result<Vec<Lines>>>()?;
        // A file of nothing but such lines is a recording, too.
        let is_output = |row: &Value| row["type"].is_string() && row.get("t_ms").is_none();
        let timeline = match is_file && !timeline.is_empty() && timeline.iter().all(is_output) {
            true => {
                let label = name.clone().unwrap_or_default().trim_end_matches(".jsonl").to_owned();
                files.push(Lines { label, lines: timeline });
                Vec::new()
            }
            false => timeline,
        };
        Ok(Self::of(name.unwrap_or_default(), timeline, logs, files, without))
    }

    /// Out of the rows of its files: those of its timeline, and of each log.
    fn of(
        name: String,
        timeline: Vec<Value>,
        logs: Vec<Vec<Value>>,
        files: Vec<Lines>,
        without: &[Witness],
    ) -> Self {
        let mut unknown = BTreeMap::new();
        for kind in timeline.iter().filter_map(rows::unknown) {
            *unknown.entry(kind).or_default() += 1;
        }
        for file in files.iter().filter(|file| output::run(&file.lines).is_none()) {
            unknown.insert(format!("output of {}", file.label), file.lines.len());
        }
        let in_vain = timeline.iter().filter(|row| row["kind"] == "wait_timeout");
        let in_vain = in_vain.filter_map(t_ms).collect();
        let captured_ms = timeline.iter().find(|row| is_capture(row)).and_then(t_ms);
        let with_bus = bus::program(&timeline);
        let spoken = acp::rewritten(&timeline);
        let speaker = acp::captured(&timeline);
        let speaks = spoken.is_some() || speaker.is_some();
        let timeline = &spoken.unwrap_or_else(|| panes::rewritten(timeline));
        let program = if speaks {
            &SPEAKER
        } else {
            let shown = files.iter().find_map(|file| output::run(&file.lines));
            let shown = || shown.and_then(|(kind, _)| Program::of_kind(kind));
            let known = timeline.iter().find_map(rows::program).or_else(shown);
            known.or(with_bus).unwrap_or(&PROGRAMS[0])
        };
        let kind = speaker.unwrap_or_else(|| program.kind.to_owned());
        let watches_screens =
            timeline.iter().any(|row| row["src"] == "screen" && row["observable"] == true);
        let mut raw = Raw::new(program, timeline);
        for row in timeline {
            raw.take(row);
        }
        let Raw { mut rows, stops, parents, sessions, epochs, said, output, exits, .. } = raw;
        rows.retain(|row| match &row.what {
            What::Hook { event, .. } => !program.unregistered.contains(&event.as_str()),
            _ => true,
        });
        rows.sort_by_key(|row| row.t_ms);
        let home = RecordedHome::of(program, timeline);
        rows.extend(transcripts::read(logs, &epochs, program.transcripts));
        let ends = ends::find(&rows, stops, &sessions);
        rows.extend(ends);
        captured::settle(&mut rows);
        let written = output::rows(output, files, &rows, &sessions, &exits);
        // Whoever wrote and left did it as it says there.
        let left = |row: &Row| match row.what {
            What::End { process, how: How::Left { .. } } => Some(process),
            _ => None,
        };
        let left: HashSet<ProcessKey> = written.iter().filter_map(left).collect();
        rows.retain(|row| {
            !matches!(&row.what,
            What::End { process, how: How::ByItself } if left.contains(process))
        });
        rows.extend(written);
        rows.extend(terminal::reports(said, &rows, &parents, &sessions));
        rows.retain(|row| !row.is_of(without));
        rows.sort_by_key(|row| row.t_ms);
        if without.contains(&Witness::LaterHooks) {
            let shows = rows.iter().any(|row| matches!(row.what, What::Registry { .. }));
            let mut met = HashSet::new();
            rows.retain(|row| match &row.what {
                What::Hook { process, payload, .. } => {
                    !shows && payload.contains("\"transcript_path\":\"") && met.insert(*process)
                }
                _ => true,
            });
        }
        if without.contains(&Witness::LaterRegistry) {
            let mut met = HashSet::new();
            rows.retain(|row| match &row.what {
                What::Registry { process, record } => {
                    let shows = record.as_ref().is_some_and(|record| record["status"].is_string());
                    shows && met.insert(*process)
                }
                _ => true,
            });
        }
        Self {
            name,
            kind,
            program,
            home,
            rows,
            parents,
            sessions,
            in_vain,
            captured_ms,
            unknown,
            watches_screens,
        }
    }
}

impl Row {
    fn is_of(&self, witnesses: &[Witness]) -> bool {
        self.witness().is_some_and(|witness| witnesses.contains(&witness))
    }

    /// Who says it; `None` where nobody does: it is so.
    fn witness(&self) -> Option<Witness> {
        match self.what {
            What::Hook { .. } => Some(Witness::Hooks),
            What::Registry { .. } => Some(Witness::Registry),
            What::Line { .. } => Some(Witness::Transcript),
            What::Screen { .. } => Some(Witness::Screen),
            What::Said { .. } => Some(Witness::Terminal),
            What::Served { .. } | What::Bus { .. } => Some(Witness::Server),
            What::Output { .. } => Some(Witness::Output),
            What::Plugin { .. } => Some(Witness::Hooks),
            What::End { .. } | What::MessageEnd { .. } => Some(Witness::Process),
            What::Message { .. } => Some(Witness::Protocol),
            What::Captured(Captured::Exit { .. }) => Some(Witness::Process),
            What::Captured(Captured::Report { .. }) => Some(Witness::Reports),
            What::Captured(Captured::Launch { .. }) => None,
            What::Truth { .. } | What::Launch { .. } | What::Run { .. } => None,
            What::BusLists { .. } | What::BusEnd { .. } => None,
        }
    }
}

fn timeline_of(folder: &Path) -> PathBuf {
    if folder.is_file() { folder.to_owned() } else { folder.join("timeline.jsonl") }
}

fn logs_of(folder: &Path) -> io::Result<Vec<PathBuf>> {
    if folder.is_file() { Ok(transcripts::of(folder)) } else { transcripts::beside(folder) }
}

/// Until its last row; nothing where that cannot be read.
pub(super) fn length(folder: &Path) -> Duration {
    let files = logs_of(folder).unwrap_or_default().into_iter().chain([timeline_of(folder)]);
    let rows = files.flat_map(|file| objects(&std::fs::read(file).unwrap_or_default()).0);
    let rows = rows.filter(|row| !is_capture(row));
    Duration::from_millis(rows.filter_map(|row| t_ms(&row)).max().unwrap_or_default())
}

/// It was captured then: nothing had come since the row before.
fn is_capture(row: &Value) -> bool {
    row["src"] == "action" && row["do"] == "capture"
}

/// The objects in a file of lines. One that is none, as where a recorder was stopped, is left out, and so is one
/// at a time that never comes.
fn lines(path: &Path) -> io::Result<Vec<Value>> {
    let bytes = std::fs::read(path).map_err(|error| {
        io::Error::new(error.kind(), format!("{} cannot be read: {error}", path.display()))
    })?;
    let (found, left_out) = objects(&bytes);
    for number in left_out {
        let path = path.display();
        writeln!(
            io::stderr(),
            "{path}:{number} is not a JSON object at a time of a recording and is left out"
        )?;
    }
    Ok(found)
}

/// The objects in a text of lines, and the numbers of the lines that are none, or are at no time of a recording.
fn objects(bytes: &[u8]) -> (Vec<Value>, Vec<usize>) {
    let text = String::from_utf8_lossy(bytes);
    let (mut found, mut left_out) = (Vec::new(), Vec::new());
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        match serde_json::from_str(line) {
            Ok(value @ Value::Object(_)) if is_timely(&value) => found.push(value),
            _ => left_out.push(number),
        }
    }
    (found, left_out)
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// Is it at a time that comes in a recording (49 days), or at none of its own?
fn is_timely(row: &Value) -> bool {
    let t = &row["t_ms"];
    let t: Option<f64> = t.as_f64().or_else(|| t.as_str()?.parse().ok());
    t.is_none_or(|t| (0.0..4_294_967_296.0).contains(&t))
}

/// No recording is as long. Milliseconds.
const LONGEST: u64 = 1 << 40;

/// Milliseconds, however they are written; nothing is before the start.
fn t_ms(row: &Value) -> Option<u64> {
    let t = &row["t_ms"];
    let t_ms = t.as_u64().or_else(|| {
        let t = t.as_f64().or_else(|| t.as_str()?.parse().ok())?;
        Some(
            Duration::try_from_secs_f64(t / 1_000.0)
                .map_or(0, |t| u64::try_from(t.as_millis()).unwrap_or(u64::MAX)),
        )
    });
    t_ms.map(|t_ms| t_ms.min(LONGEST))
}
