//! The rows of a timeline, one by one.

use super::super::program::{Program, SPEAKER};
use super::captured;
use super::ends::Exit;
use super::output::{self, Said};
use super::terminal::Word;
use super::{Captured, ProcessKey, Row, What, t_ms, text};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// Keys of processes without a recorded pid.
const NAMELESS: ProcessKey = 1 << 32;
/// The one whose bus is recorded: the recorder did not tell it.
const BUS: ProcessKey = super::panes::PID;

/// Kinds of rows that are played, or are the recorder's own notes: what it did and what it saw of
/// the model.
const KNOWN: [&str; 36] = [
    "action",
    "agent_stdout_closed",
    "agent_to_client",
    "alive",
    "api",
    "bus",
    "bus_end",
    "bus_lists",
    "capture",
    "client_to_agent",
    "hook",
    "keys",
    "message",
    "message_end",
    "model",
    "notify",
    "osc",
    "plugin",
    "poll",
    "process",
    "registry",
    "report",
    "rpc",
    "screen",
    "screen_match",
    "sdk",
    "server",
    "sse",
    "start",
    "stream",
    "stream_end",
    "tmux",
    "told",
    "transcript",
    "truth",
    "wait_timeout",
];

/// What a hub tells and no truth has a word for: nothing is judged by it.
const UNJUDGED: [&str; 4] = ["review", "suspended", "absent", "stopping"];

/// A row's kind, if nobody knows it, or what a hub is to have told there.
pub(super) fn unknown(row: &Value) -> Option<String> {
    if row["src"] == "told" {
        let word = row["status"].as_str().unwrap_or("(nothing)");
        let is_known = told(row).is_some() || UNJUDGED.contains(&word);
        return (!is_known).then(|| format!("told {word}"));
    }
    let named = ["src", "kind"].iter().find_map(|name| row[*name].as_str());
    // A plugin's own notes.
    let is_call = row["hook"].is_string() && named.is_none();
    match named {
        Some(kind) => (!KNOWN.contains(&kind)).then(|| kind.to_owned()),
        None => (!is_call).then(|| "(none)".to_owned()),
    }
}

/// Somebody has ended a process.
#[derive(Clone, Debug)]
pub(super) struct Stop {
    pub(super) t_ms: u64,
    pub(super) pid: Option<ProcessKey>,
    pub(super) session: Option<String>,
    /// On the spot, without a goodbye.
    pub(super) at_once: bool,
    /// Whatever ran there, as with a terminal's window.
    pub(super) all: bool,
    /// The signal that ended it, as the system numbers it.
    pub(super) signal: Option<i32>,
}

/// What a timeline holds.
#[derive(Debug)]
pub(super) struct Raw {
    program: &'static Program,
    pub(super) rows: Vec<Row>,
    pub(super) stops: Vec<Stop>,
    pub(super) parents: HashMap<ProcessKey, ProcessKey>,
    pub(super) sessions: HashMap<String, Vec<ProcessKey>>,
    /// The recording's beginning by the wall clock, as status files and hooks tell it. Milliseconds.
    pub(super) epochs: Vec<i64>,
    /// What was said to the terminal, by whoever was on it.
    pub(super) said: Vec<Word>,
    /// What was written to outputs.
    pub(super) output: Vec<Said>,
    pub(super) exits: Vec<Exit>,
    nameless: HashMap<String, ProcessKey>,
    /// Nobody says what was true: what the hub told then is what it is to tell again.
    judges_told: bool,
    launches: u32,
    /// When a program was started whose terminal answered it before anything else had told of it.
    answered: HashSet<u64>,
    /// The process that a capture tells as launched, last; before the first, that one: it may be
    /// heard of before its launcher has told which it is.
    agent: Option<ProcessKey>,
    last_t_ms: u64,
}

/// The program that a row speaks of.
pub(super) fn program(row: &Value) -> Option<&'static Program> {
    if let Some(marked) = Program::marked(&row["env"]) {
        return Some(marked);
    }
    if row["src"] == "rpc" {
        return Program::of_kind("codex");
    }
    if row["src"] == "capture" {
        return row["kind"].as_str().and_then(Program::of_kind);
    }
    let started = row["args"][0].as_str().filter(|_| row["src"] == "action");
    let parents = row["parents"].as_array().into_iter().flatten();
    let mut names = parents.filter_map(|parent| parent["comm"].as_str()).chain(started);
    names.find_map(Program::named)
}

impl Raw {
    pub(super) fn new(program: &'static Program, timeline: &[Value]) -> Self {
        let judges_told = timeline.iter().all(|row| row["src"] != "truth");
        Self {
            program,
            rows: Vec::new(),
            stops: Vec::new(),
            parents: HashMap::new(),
            sessions: HashMap::new(),
            epochs: Vec::new(),
            said: Vec::new(),
            output: Vec::new(),
            exits: Vec::new(),
            nameless: HashMap::new(),
            judges_told,
            launches: 0,
            answered: answered(timeline),
            agent: timeline.iter().find_map(launched),
            last_t_ms: 0,
        }
    }

    /// Takes one row in; one that is not known is passed over.
    pub(super) fn take(&mut self, row: &Value) {
        // A row without a time belongs to the one before.
        let t_ms = t_ms(row).unwrap_or(self.last_t_ms);
        self.last_t_ms = t_ms;
        let what = match row["src"].as_str() {
            Some("truth") => truth(row),
            Some("told") if self.judges_told => told(row),
            Some("action") => {
                self.stops.extend(stop(row, t_ms));
                self.exits.extend(exit(row, t_ms));
                self.launch(row, t_ms)
            }
            Some("sdk" | "rpc") => {
                self.output.extend(output::row(row, t_ms));
                None
            }
            Some("bus") => {
                let message = row["data"].is_object().then(|| row["data"].to_string());
                message.map(|message| What::Bus { process: BUS, message })
            }
            Some("bus_lists") => {
                let lists = ["statuses", "permissions", "questions"];
                let lists = lists.map(|name| row[name].clone());
                Some(What::BusLists { process: BUS, lists })
            }
            Some("bus_end") => Some(What::BusEnd { process: BUS }),
            Some("plugin") => Some(What::Plugin { process: BUS, row: row.clone() }),
            Some("screen") => text(&row["text"]).map(|text| What::Screen { text }),
            Some("server") => {
                row["msg"].is_object().then(|| What::Served { message: row["msg"].to_string() })
            }
            Some("hook" | "stream") => self.hook(row, t_ms),
            Some("process") => self.process(row, t_ms),
            Some("report") => captured::report(row),
            Some("message") => text(&row["text"])
                .map(|text| What::Message { by_client: row["from"] == "client", text }),
            Some("message_end") => {
                Some(What::MessageEnd { code: row["rc"].as_i64().unwrap_or_default() })
            }
            Some("registry") => self.registry(row, t_ms),
            Some("osc") => {
                let word = Word::read(row, t_ms);
                if let Some(agent) = self.agent {
                    word.map(|word| word.said_by(agent))
                } else {
                    self.said.extend(word);
                    None
                }
            }
            _ => None,
        };
        // What the hub told ends nobody.
        if row["src"] == "truth"
            && let Some(What::Truth { status, session, .. }) = &what
            && matches!(status.as_str(), "ended" | "crashed" | "gone")
        {
            let (session, at_once) = (session.clone(), status == "crashed");
            self.stops.push(Stop { t_ms, pid: None, session, at_once, all: false, signal: None });
        }
        self.rows.extend(what.map(|what| Row { t_ms, what }));
    }

    /// What a capture tells of a process.
    fn process(&mut self, row: &Value, t_ms: u64) -> Option<What> {
        let process = pid(&row["pid"])?;
        if row["state"] == "gone" {
            let (pid, session) = (Some(process), None);
            let stop = Stop { t_ms, pid, session, at_once: true, all: false, signal: None };
            self.stops.push(stop);
        }
        self.agent = launched(row).or(self.agent);
        captured::process(row, process)
    }

    /// By `run`, or as that starts it: then what it says to its terminal is heard from the start.
    fn launch(&mut self, row: &Value, t_ms: u64) -> Option<What> {
        let launched = row["by"] == "run"
            || self.program.is_launch(&row["args"])
            || self.answered.contains(&t_ms);
        if row["do"] != "start" || !launched {
            return None;
        }
        self.launches += 1;
        let made_up = match self.launches {
            1 => "run".to_owned(),
            number => format!("run-{number}"),
        };
        let words = row["cmd"].as_str().unwrap_or_default().split_whitespace();
        let words = words.map(str::to_owned).collect();
        Some(What::Launch { id: text(&row["id"]).unwrap_or(made_up), words })
    }

    fn hook(&mut self, row: &Value, t_ms: u64) -> Option<What> {
        let payload = row.get("payload").filter(|payload| payload.is_object())?;
        let env = row["env"].as_object();
        let session = text(&payload["session_id"]).or_else(|| text(&payload["sessionId"]));
        self.epochs.extend(epoch(&payload["timestamp"], t_ms));
        let in_env = env.and_then(|env| env.get(self.program.pid_variable?)).and_then(pid);
        let chain = row["parents"].as_array().into_iter().flatten();
        let chain: Vec<ProcessKey> = chain
            .filter(|parent| parent["comm"] == self.program.name)
            .filter_map(|parent| pid(&parent["pid"]))
            .collect();
        let process = in_env.or_else(|| chain.first().copied());
        let one = (self.program == &SPEAKER).then_some(self.agent.unwrap_or(NAMELESS));
        let process =
            one.or(process).or(self.agent).unwrap_or_else(|| self.nameless(session.clone()));
        let above = chain.iter().skip_while(|pid| **pid != process).nth(1);
        self.parents.extend(above.map(|above| (process, *above)));
        self.was_in(session, process);
        let event = text(&payload["hook_event_name"]).or_else(|| text(&row["label"][0]));
        let event = event.or_else(|| text(&payload["event"]).filter(|_| one.is_some()));
        let env = env.into_iter().flatten();
        let env = env.filter_map(|(name, value)| Some((name.clone(), text(value)?)));
        Some(What::Hook {
            process,
            event: event.unwrap_or_default(),
            env: env.filter(|(name, _)| may_be_set(name)).collect(),
            payload: payload.to_string(),
        })
    }

    fn registry(&mut self, row: &Value, t_ms: u64) -> Option<What> {
        let file = row["file"].as_str()?;
        let name = file.rsplit('/').next().unwrap_or(file);
        let process = pid(&Value::from(name.strip_suffix(".json")?))?;
        let record = row.get("record").filter(|record| record.is_object()).cloned();
        if let Some(record) = &record {
            self.was_in(text(&record["sessionId"]), process);
            self.epochs.extend(epoch(&record["updatedAt"], t_ms));
        }
        Some(What::Registry { process, record })
    }

    fn nameless(&mut self, session: Option<String>) -> ProcessKey {
        let next = NAMELESS + self.nameless.len() as u64;
        *self.nameless.entry(session.unwrap_or_default()).or_insert(next)
    }

    fn was_in(&mut self, session: Option<String>, process: ProcessKey) {
        let Some(session) = session else { return };
        let known = self.sessions.entry(session).or_default();
        if !known.contains(&process) {
            known.push(process);
        }
    }
}

/// The starts that only a launcher can have heard: the program has asked its terminal whether it
/// understands status reports, and has sent one before any hook or status file told of it. Nothing but a
/// shim answers, and it is `headsup run` that puts one there.
fn answered(timeline: &[Value]) -> HashSet<u64> {
    let at = |is_one: fn(&Value) -> bool| -> Vec<u64> {
        timeline.iter().filter(|row| is_one(row)).filter_map(t_ms).collect()
    };
    let first = |times: &[u64], since: u64| times.iter().copied().filter(|at| *at >= since).min();
    let asked = at(Word::is_query);
    let said = at(Word::is_report);
    let told = at(|row| row["src"] == "hook" || row["src"] == "registry");
    let starts = at(|row| row["src"] == "action" && row["do"] == "start");
    let is_heard = |start: &u64| {
        let said = first(&asked, *start).and_then(|asked| first(&said, asked));
        said.is_some_and(|said| first(&told, *start).is_none_or(|told| said < told))
    };
    starts.into_iter().filter(is_heard).collect()
}

/// The process that a capture tells as launched.
fn launched(row: &Value) -> Option<ProcessKey> {
    let process = pid(&row["pid"]).filter(|_| row["src"] == "process")?;
    let what = captured::process(row, process)?;
    matches!(what, What::Captured(Captured::Launch { .. })).then_some(process)
}

/// When the recording began, by what was said of a moment `t_ms` after it.
fn epoch(at: &Value, t_ms: u64) -> Option<i64> {
    Some(at.as_i64()?.saturating_sub(i64::try_from(t_ms).ok()?))
}

fn pid(value: &Value) -> Option<ProcessKey> {
    let pid = value.as_u64().or_else(|| value.as_str()?.parse().ok())?;
    (1..NAMELESS).contains(&pid).then_some(pid)
}

fn truth(row: &Value) -> Option<What> {
    Some(What::Truth {
        status: text(&row["status"])?,
        why: text(&row["why"]).unwrap_or_default(),
        session: text(&row["session"]).or_else(|| text(&row["session_id"])),
    })
}

/// A headline of the hub, in the words of truths.
fn told(row: &Value) -> Option<What> {
    let status = match row["status"].as_str()? {
        "done" => "idle",
        "failed" => "error",
        word @ ("working" | "blocked" | "idle" | "crashed" | "ended" | "starting" | "unknown") => {
            word
        }
        _ => return None,
    };
    let why = "as it was told then".to_owned();
    Some(What::Truth { status: status.to_owned(), why, session: None })
}

/// A process that was seen to end by itself.
fn exit(row: &Value, t_ms: u64) -> Option<Exit> {
    let code = i32::try_from(row["code"].as_i64().filter(|_| row["do"] == "exit")?).ok()?;
    Some(Exit { t_ms, code, label: text(&row["label"]) })
}

/// Signals, the end of a terminal, and whatever else is called a kill or a crash.
fn stop(row: &Value, t_ms: u64) -> Option<Stop> {
    let doing = row["do"].as_str().unwrap_or_default();
    let signal = row["signal"]
        .as_str()
        .map(str::to_owned)
        .or_else(|| row["signal"].as_u64().map(|number| number.to_string()));
    let all = doing.starts_with("tmux kill");
    if signal.is_none() && !all && !["kill", "crash"].iter().any(|word| doing.contains(word)) {
        return None;
    }
    let signal = signal.unwrap_or_default();
    let signal = match signal.trim_start_matches("SIG") {
        "HUP" | "1" => Some(1),
        "INT" | "2" => Some(2),
        "TERM" | "15" => Some(15),
        "KILL" | "9" => Some(9),
        _ if all => Some(1),
        _ if doing.contains("TERM") => Some(15),
        _ => None,
    };
    // The others are those that a program hears, and says goodbye.
    let at_once = matches!(signal, None | Some(9));
    let (pid, session) = (pid(&row["pid"]), text(&row["session"]));
    Some(Stop { t_ms, pid, session, at_once, all, signal })
}

/// What a shell can export, and what would not turn the hook away from the player's own hub.
fn may_be_set(name: &str) -> bool {
    let ours = ["HEADSUP_HOME", "HEADSUP_URL", "HEADSUP_TOKEN", "HEADSUP_AGENT_TOKEN"];
    let legal = name.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric());
    legal
        && !name.is_empty()
        && !name.starts_with(|first: char| first.is_ascii_digit())
        && !name.starts_with("LD_")
        && !ours.contains(&name)
        && name != "PATH"
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_no_hub_tells_is_named_and_what_no_truth_is_of_is_not() {
        let told = |status: Value| unknown(&json!({"t_ms": 1, "src": "told", "status": status}));
        for known in ["idle", "done", "failed", "crashed", "review", "suspended", "stopping"] {
            assert_eq!(told(json!(known)), None, "{known}");
        }
        assert_eq!(told(json!("dreaming")).as_deref(), Some("told dreaming"));
        assert_eq!(told(json!(7)).as_deref(), Some("told (nothing)"));
    }

    #[test]
    fn a_start_whose_terminal_answers_before_anything_else_tells_is_a_launch() {
        let start = |t_ms: u64| json!({"t_ms": t_ms, "src": "action", "do": "start"});
        let osc =
            |t_ms: u64, body: &str| json!({"t_ms": t_ms, "src": "osc", "osc": 7501, "body": body});
        let hook = |t_ms: u64| json!({"t_ms": t_ms, "src": "hook"});
        let starts = |rows: &[Value]| {
            let mut starts: Vec<u64> = answered(rows).into_iter().collect();
            starts.sort_unstable();
            starts
        };
        let blocked = "state=blocked:kind=permission";
        // In whatever order its rows stand.
        let at_a_dialog = [hook(900), osc(20, "?"), osc(21, blocked), start(0)];
        assert_eq!(starts(&at_a_dialog), vec![0_u64]);
        // Its hook has told of it before.
        assert!(starts(&[start(0), hook(10), osc(20, "?"), osc(21, blocked)]).is_empty());
        // Nobody has answered, or nobody was asked.
        assert!(starts(&[start(0), osc(20, "?"), hook(900)]).is_empty());
        assert!(starts(&[start(0), osc(21, blocked), hook(900)]).is_empty());
        // Each start for itself.
        let twice = [&at_a_dialog[..], &[start(5_000), hook(5_010), osc(5_020, "?")]].concat();
        assert_eq!(starts(&twice), vec![0_u64]);
    }
}
