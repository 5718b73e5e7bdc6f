//! What `-p --output-format stream-json` writes.
//!
//! Claude Code 2.1.330 (measured: `fixtures/claude-code/2.1.330/print_mode`, `sdk_stream_json`).
//!
//! | line | shows |
//! |---|---|
//! | `system` of `init`, `api_retry`, `status` with a word that is known (without one it tells of a mode, or that a step is over: read); `assistant`, `user`, `stream_event`, but a helper's | working, where nothing waits |
//! | `control_request` of `can_use_tool`, `elicitation` | blocked, whatever else goes on, until it is over; the calls that ask a question or show a plan (read) as by the hooks |
//! | `control_response` of the client, also said again, `control_cancel_request`; `user` with the result of the tool that was asked about | that request is over |
//! | `control_response` to a request of the client's own | nothing: either side counts its own |
//! | `system` of `session_state_changed` | running, idle, `requires_action`: as they say. The first two end all requests, the last one stands until one of them |
//! | `result` | done; failed with an error; idle where it was stopped; unknown where `is_error` is missing or no truth value, or nobody knows the word for it, which is counted. It ends all requests. With helpers behind it is working, with shells alone idle |
//! | `system` of `background_tasks_changed` (read: `sdk.d.ts`, from 2.1.203 on) | all that goes on behind; once that is over, what `result` was. Without a list nothing. Behind what nobody knows, no `result` is an end |
//! | all others, as what hooks and tasks do | nothing; what no version has said that is known is counted |

mod ends;

use super::lines::SUBTYPES;
use super::prompts;
use super::tools::{self, PLAN, QUESTION};
use crate::acp::lines::STRING;
use crate::asks::Answer;
use crate::calls::{self, Question};
use crate::json::{self, Raw, Skim, skim};
use crate::payload;
use crate::stream::{self, Shown, name};
use crate::text;
use ends::{is_error, result};
use headsup_core::observation::Level;
use headsup_core::prompt::NewPrompt;
use headsup_core::status::BlockedReason;
use std::collections::BTreeSet;

skim! {
    Row {
        kind: "type",
        subtype: "subtype",
        session: "session_id",
        cwd: "cwd",
        model: "model",
        state: "state",
        status: "status",
        tasks: "tasks",
        message: "message",
        id: "request_id",
        request: "request",
        response: "response",
        helper: "parent_tool_use_id",
        is_error: "is_error",
        reason: "terminal_reason",
        error: "api_error_type",
    }
}

skim! {
    Response { id: "request_id" }
}

skim! {
    Request {
        subtype: "subtype",
        tool: "tool_name",
        input: "input",
        call: "tool_use_id",
        helper: "agent_id",
    }
}

skim! {
    Message { content: "content" }
}

skim! {
    Block { kind: "type", call: "tool_use_id" }
}

skim! {
    Task { kind: "task_type", ambient: "ambient" }
}

/// The names of all members that are read: see [`Lines`](crate::acp::lines::Lines).
pub(crate) const WANTED: &[&[&str]] = &[
    Row::NAMES,
    Response::NAMES,
    Request::NAMES,
    Message::NAMES,
    Block::NAMES,
    Task::NAMES,
    &["questions"],
    Question::NAMES,
    Answer::NAMES,
];

const WORKING: Level = Level::Working { reason: None };
const IDLE: Level = Level::Idle { shells: 0 };

/// What it writes (those that are not in the table: read).
const TYPES: &[&str] = &[
    "assistant",
    "auth_status",
    "control_cancel_request",
    "control_request",
    "control_response",
    "keep_alive",
    "prompt_suggestion",
    "rate_limit_event",
    "result",
    "stream_event",
    "streamlined_text",
    "streamlined_tool_use_summary",
    "system",
    "tool_progress",
    "tool_use_summary",
    "transcript_mirror",
    "user",
];

/// What it asks its client (those that are not in the table: read).
const REQUESTS: &[&str] = &["can_use_tool", "elicitation", "hook_callback", "mcp_message"];

/// How a run ends (measured and read).
const RESULTS: &[&str] = &[
    "error_during_execution",
    "error_max_budget_usd",
    "error_max_structured_output_retries",
    "error_max_turns",
    "success",
];

const STATES: &[&str] = &["idle", "requires_action", "running"];

/// What it does (the first one: read).
const STATUSES: &[&str] = &["compacting", "requesting"];

/// What goes on behind it, but for monitors, of which there are several (read).
const TASKS: &[&str] = &[
    "dream",
    "in_process_teammate",
    "local_agent",
    "local_bash",
    "local_workflow",
    "remote_agent",
];

/// Requests that may wait at once.
const MOST_ASKED: usize = 4_096;

/// A run, by all that it and its client have said until now.
#[derive(Debug, Default)]
pub(crate) struct Run {
    session: Option<String>,
    /// What its client has not answered, the oldest first.
    asked: Vec<Asked>,
    /// Ids of what its client has asked it and has no answer to.
    of_client: BTreeSet<String>,
    /// What it writes to has begun anew, and nobody knows whether that is another run's.
    is_anew: bool,
    /// It has said that it waits, and not for what.
    waits: bool,
    /// What the main agent does beside that.
    main: Option<Level>,
    /// What goes on behind it.
    helpers: usize,
    shells: u32,
    /// With something of which nobody knows what it is.
    is_veiled: bool,
    /// The main agent has come to its end, and how cannot be read, as long as nothing else is known of it.
    is_unread: bool,
}

/// A request to its client.
#[derive(Debug)]
struct Asked {
    id: Option<String>,
    /// The call that it is about.
    call: Option<String>,
    level: Level,
    /// Its words, where the level does not have them all.
    ask: Option<Box<NewPrompt>>,
}

impl Run {
    /// Takes a line of the program.
    pub(crate) fn read(&mut self, line: &str) -> Option<Shown> {
        let row: Row<'_> = json::payload(json::trim(line)).ok()?;
        let Some(kind) = row.kind.text() else { return Some(stream::nameless()) };
        let subtype = row.subtype.text();
        let mut tells = true;
        match (&*kind, subtype.as_deref()) {
            ("system", Some("status")) if !is_known(row.status, STATUSES) => tells = false,
            ("system", Some(word @ ("init" | "status" | "api_retry"))) => {
                if word == "init" && self.is_anew {
                    *self = Self::default();
                }
                self.begins(row.session);
                self.main = Some(WORKING);
            }
            ("system", Some("session_state_changed")) => {
                self.says(row.state);
                tells = is_known(row.state, STATES);
            }
            ("system", Some("background_tasks_changed")) => {
                self.goes_on_behind(row.tasks);
                tells = row.tasks.is_list();
            }
            ("assistant" | "user" | "stream_event", _) => {
                if kind == "user" {
                    self.has_results(row.message);
                }
                if row.helper.json().is_none() {
                    self.main = Some(WORKING);
                }
            }
            ("control_request", _) => tells = self.asks(row.id, &row.request.object()),
            ("control_cancel_request", _) => self.answered(row.id),
            ("control_response", _) => {
                let id = row.response.object::<Response<'_>>().id;
                tells = !self.is_of_client(id);
                if tells {
                    self.answered(id);
                }
            }
            ("result", _) => match result(&row) {
                Some(main) => self.rests(main),
                None => self.ends_unread(),
            },
            _ => tells = false,
        }
        // A program that comes up may answer its client first.
        self.is_anew &= !tells || kind == "control_response";
        // What says nothing of it leaves it as it is.
        let level = self.level().filter(|_| tells);
        let is_veiled = tells && level.is_none() && self.main.is_some();
        let veiled = is_veiled.then_some("tasks");
        Some(Shown {
            name: name(&kind, subtype.as_deref()),
            session: row.session.text().and_then(|id| text::id(&id)),
            cwd: row.cwd.text().and_then(|path| text::folder(&path)),
            model: row.model.text().map(|model| text::line(&model, text::NAME)),
            level,
            is_unread: tells && self.has_ended_unread(),
            ask: self.ask(),
            strange: strange(&kind, &row).or(veiled),
            ..Shown::default()
        })
    }

    /// Nothing of another conversation goes on in this one.
    fn begins(&mut self, session: Raw<'_>) {
        let session = session.text().and_then(|id| text::id(&id));
        if session.is_some() && self.session != session {
            *self = Self { session, ..Self::default() };
        }
    }

    /// What it writes to begins anew: with a run that has just come up, or in the middle of this one.
    pub(crate) fn begin_anew(&mut self) {
        self.is_anew = true;
    }

    /// Is it the answer to something that its client has asked?
    fn is_of_client(&mut self, id: Raw<'_>) -> bool {
        id.text().is_some_and(|id| self.of_client.remove(&*id))
    }

    /// Takes a line of its client: an answer, or nothing.
    pub(crate) fn hear(&mut self, line: &str) -> Option<Shown> {
        let row: Row<'_> = json::payload(json::trim(line)).ok()?;
        match &*row.kind.text()? {
            "control_request" => {
                let id = row.id.text().and_then(|id| text::id(&id));
                let id = id.filter(|_| self.of_client.len() < MOST_ASKED);
                self.of_client.extend(id);
                return None;
            }
            "control_cancel_request" => {
                self.is_of_client(row.id);
                return None;
            }
            "control_response" => {}
            _ => return None,
        }
        self.answered(row.response.object::<Response<'_>>().id);
        let (level, ask) = (self.level(), self.ask());
        Some(Shown { name: "answered".to_owned(), level, ask, ..Shown::default() })
    }

    /// What all of it shows.
    fn level(&self) -> Option<Level> {
        if let Some(asked) = self.asked.first() {
            return Some(asked.level.clone());
        }
        if self.waits {
            return Some(Level::Blocked { reason: BlockedReason::Other, detail: None });
        }
        if self.main.is_none() && self.is_unread && self.helpers > 0 {
            return Some(WORKING);
        }
        match self.main.clone()? {
            Level::Done | Level::Idle { .. } if self.helpers > 0 => Some(WORKING),
            // A helper or a shell: nobody knows whether it goes on.
            Level::Done | Level::Idle { .. } if self.is_veiled => None,
            // With shells beside it, it has come to its end all the same.
            Level::Done if self.shells > 0 => Some(Level::Idle { shells: self.shells }),
            main => Some(main),
        }
    }

    /// The words of what it waits for.
    fn ask(&self) -> Option<Box<NewPrompt>> {
        self.asked.first().and_then(|asked| asked.ask.clone())
    }

    fn says(&mut self, state: Raw<'_>) {
        match state.text().as_deref() {
            Some("running") => self.rests(WORKING),
            // That it rests is not how it has ended.
            Some("idle") if self.main.is_none() && self.is_unread => self.ends_unread(),
            // It says nothing of how it came to rest: what `result` has said stands while helpers go on.
            Some("idle")
                if (self.helpers > 0 || self.is_veiled) && self.main == Some(Level::Done) =>
            {
                self.rests(Level::Done);
            }
            Some("idle") => self.rests(IDLE),
            Some("requires_action") => {
                self.waits = true;
                self.main.get_or_insert(WORKING);
            }
            _ => {}
        }
    }

    /// It goes on, or comes to rest: nothing is asked any more.
    fn rests(&mut self, main: Level) {
        self.asked.clear();
        self.waits = false;
        self.main = Some(main);
    }

    /// It comes to rest, and nobody can read how.
    fn ends_unread(&mut self) {
        self.rests(IDLE);
        (self.main, self.is_unread) = (None, true);
    }

    /// Is that all that is known of it, with no helper that goes on?
    fn has_ended_unread(&self) -> bool {
        let waits = self.waits || !self.asked.is_empty();
        self.is_unread && self.main.is_none() && self.helpers == 0 && !waits
    }

    /// False if nobody has to answer it.
    fn asks(&mut self, id: Raw<'_>, request: &Request<'_>) -> bool {
        let Some((level, ask)) = blocked(request) else { return false };
        // A helper may ask while the main agent rests.
        if request.helper.json().is_none() || self.main.is_none() {
            self.main = Some(WORKING);
        }
        let id = id.text().and_then(|id| text::id(&id));
        let call = request.call.text().and_then(|id| text::id(&id));
        if self.asked.len() < MOST_ASKED {
            self.asked.push(Asked { id, call, level, ask });
        }
        true
    }

    /// The request of this id is over.
    fn answered(&mut self, id: Raw<'_>) {
        if let Some(id) = id.text() {
            self.settle(|asked| asked.id.as_deref() == Some(&*id));
        }
    }

    /// Whoever was asked about a call that has a result has answered.
    fn has_results(&mut self, message: Raw<'_>) {
        if self.asked.is_empty() {
            return;
        }
        for block in message.object::<Message<'_>>().content.items() {
            let block: Block<'_> = block.object();
            let is_result = block.kind.text().as_deref() == Some("tool_result");
            if let Some(call) = block.call.text().filter(|_| is_result) {
                self.settle(|asked| asked.call.as_deref() == Some(&*call));
            }
        }
    }

    /// Who has got the last answer waits no more.
    fn settle(&mut self, is_over: impl Fn(&Asked) -> bool) {
        let before = self.asked.len();
        self.asked.retain(|asked| !is_over(asked));
        self.waits &= self.asked.len() == before || !self.asked.is_empty();
    }

    /// The list is whole, and what is `ambient` is no activity (read). A monitor is a command that is
    /// watched; in all others that are known some agent works, as in a `Stop`'s list. Without a list nothing is
    /// known to have changed, nor of those in it whose type cannot be read.
    fn goes_on_behind(&mut self, tasks: Raw<'_>) {
        if !tasks.is_list() {
            return;
        }
        let (mut helpers, mut shells) = (0, 0);
        let (mut is_veiled, mut is_whole) = (false, true);
        for task in tasks.items() {
            let task: Task<'_> = task.object();
            match task.kind.text().as_deref() {
                _ if task.ambient.is_true() => {}
                None => (is_veiled, is_whole) = (true, false),
                Some(kind) if kind == "local_bash" || kind.starts_with("monitor") => shells += 1,
                Some(kind) if TASKS.contains(&kind) => helpers += 1,
                Some(_) => is_veiled = true,
            }
        }
        self.is_veiled = is_veiled;
        if is_whole {
            (self.helpers, self.shells) = (helpers, shells);
        }
    }
}

/// What a request waits for, and in which words, where these are more than a tool's name.
fn blocked(request: &Request<'_>) -> Option<(Level, Option<Box<NewPrompt>>)> {
    let detail = calls::tool_name(request.tool);
    let reason = match &*request.subtype.text()? {
        "can_use_tool" if matches!(detail.as_deref(), Some(QUESTION | PLAN)) => {
            return Some(asked(detail, request));
        }
        "can_use_tool" => BlockedReason::Permission,
        "elicitation" => BlockedReason::Elicitation,
        _ => return None,
    };
    Some((Level::Blocked { reason, detail }, None))
}

/// A call of one of the tools that ask a person.
fn asked(tool: Option<String>, request: &Request<'_>) -> (Level, Option<Box<NewPrompt>>) {
    let ask = prompts::of_call(tool.as_deref(), request.input);
    let level = Level::Blocked { reason: ask.reason, detail: Some(ask.title.clone()) };
    // A longer input may have been cut: hooks tell of another one, and their words are whole.
    let is_whole = request.input.json().is_some_and(|input| input.len() < STRING);
    let call = tools::tool_ref(tool, request.call, request.input);
    let ask = NewPrompt { tool: Some(call), ..ask };
    (level, is_whole.then(|| Box::new(ask)))
}

fn is_known(word: Raw<'_>, words: &[&str]) -> bool {
    word.text().is_some_and(|word| words.contains(&&*word))
}

/// Is it the entry of a list of which nobody knows what it is?
fn is_veiled(task: Raw<'_>) -> bool {
    let task: Task<'_> = task.object();
    let is_monitor = task.kind.text().is_some_and(|kind| kind.starts_with("monitor"));
    !task.ambient.is_true() && !is_monitor && !is_known(task.kind, TASKS)
}

/// The member by which a line says what no version has said that is known.
fn strange(kind: &str, row: &Row<'_>) -> Option<&'static str> {
    let of_kind = || match kind {
        "system" if row.subtype.text().as_deref() == Some("session_state_changed") => {
            payload::strange(("state", row.state, STATES))
        }
        "system" if row.subtype.text().as_deref() == Some("background_tasks_changed") => {
            let is_news = !row.tasks.is_list() || row.tasks.items().into_iter().any(is_veiled);
            is_news.then_some("tasks")
        }
        // Without one it tells of something else.
        "system" if row.subtype.text().as_deref() == Some("status") => {
            let status = Some(("status", row.status, STATUSES));
            status.filter(|_| row.status.json().is_some()).and_then(payload::strange)
        }
        "system" => payload::strange(("subtype", row.subtype, SUBTYPES)),
        "result" => {
            let has_no_truth = is_error(row).is_none().then_some("is_error");
            payload::strange(("subtype", row.subtype, RESULTS)).or(has_no_truth)
        }
        "control_request" => {
            let request: Request<'_> = row.request.object();
            payload::strange(("subtype", request.subtype, REQUESTS))
        }
        _ => None,
    };
    payload::strange(("type", row.kind, TYPES)).or_else(of_kind)
}
