//! What a headless run writes line by line: a launcher reads along, and tells what each line shows.
//!
//! Every program has its own words for it, in `KIND/stream.rs`: a line shows a level, or nothing. A
//! launcher tells only what has changed ([`Stream`]), in the same words for all; the hub reads them
//! back (`hook`). What was said in a conversation is not told, but for what a person is asked. A server
//! that tells its clients what its conversations do is told of in the same words ([`crate::bus`]).

mod ask;
mod strange;
mod threads;

use crate::acp::lines::{Line, Lines};
use crate::claude_code::stream::Run;
use crate::context::is_shell;
use crate::json::{self, skim};
use crate::{
    FactExt, HookContext, Sighting, claude_code, codex, copilot_cli, gemini_cli, opencode,
    qwen_code, resume, text,
};
use headsup_core::id::ProcessId;
use headsup_core::observation::{Fact, Level};
use headsup_core::prompt::{Actor, NewPrompt};
use headsup_core::source::Source;
use headsup_core::status::BlockedReason;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::ffi::OsString;
use strange::Strange;
pub(crate) use strange::nameless;
use threads::Threads;

/// The level of a run that has ended so that nobody can read how.
const UNREAD: &str = "unread";

/// The event under which a launcher tells of a stream.
pub const EVENT: &str = "stream";

/// What one line shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Shown {
    /// The line's own name.
    pub(crate) name: String,
    pub(crate) session: Option<String>,
    pub(crate) cwd: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) title: Option<String>,
    /// The program has other conversations beside this one, each with a seat of its own.
    pub(crate) is_shared: bool,
    /// The program has others beside this one, all of them in one seat. Without a level: it is gone.
    pub(crate) is_one_of_many: bool,
    /// It has come to rest, and what follows says how; if nothing does, this is all that is known of it.
    pub(crate) is_unexplained: bool,
    pub(crate) level: Option<Level>,
    /// Without a level: it has ended, and nobody can read how.
    pub(crate) is_unread: bool,
    /// What it is blocked by, where that has more words than the level.
    pub(crate) ask: Option<Box<NewPrompt>>,
    /// The member by which it says what no version has said that is known.
    pub(crate) strange: Option<&'static str>,
    /// The program has just come up: nothing of what was before goes on in it.
    pub(crate) comes_up: bool,
}

impl Shown {
    /// May it be an end that nobody can read? `None`: it says nothing of that.
    fn is_doubtful(&self) -> Option<bool> {
        (self.level.is_some() || self.strange.is_some()).then_some(self.level.is_none())
    }

    /// Of a line that nobody knows nothing else is believed.
    fn is_known(&self) -> bool {
        self.strange != Some("type")
    }
}

/// Do these arguments make a program of this kind read answers to what it asks from its input?
pub fn is_answered(kind: &str, arguments: &[OsString]) -> bool {
    let words: Vec<&str> = arguments.iter().filter_map(|word| word.to_str()).collect();
    let format = ["--input-format", "stream-json"];
    let is_set = words.windows(2).any(|pair| pair == format);
    let is_asking = [claude_code::KIND, qwen_code::KIND].contains(&kind);
    is_asking && (is_set || words.contains(&"--input-format=stream-json"))
}

/// Do these arguments make a program of this kind write such a stream?
pub fn is_asked_for(kind: &str, arguments: &[OsString]) -> bool {
    let words: Vec<&str> = arguments.iter().filter_map(|word| word.to_str()).collect();
    let has = |word: &str| words.contains(&word);
    let set = |name: &str, value: &str| {
        let joined = format!("{name}={value}");
        has(&joined) || words.windows(2).any(|pair| pair == [name, value])
    };
    match kind {
        claude_code::KIND => {
            // A host that speaks to it in such lines needs no more (2.1.330, measured).
            let is_headless = has("-p") || has("--print") || set("--input-format", "stream-json");
            is_headless && set("--output-format", "stream-json")
        }
        codex::KIND if resume::command(kind, &words) == Some("app-server") => {
            // Otherwise it serves a socket, and writes nothing.
            let mut options = words.iter().map(|word| word.split('=').next());
            !options.any(|name| name == Some("--listen")) || set("--listen", "stdio://")
        }
        codex::KIND => (has("exec") || has("e")) && (has("--json") || has("--experimental-json")),
        opencode::KIND | opencode::KILO => has("run") && set("--format", "json"),
        gemini_cli::KIND | qwen_code::KIND => {
            set("--output-format", "stream-json") || set("-o", "stream-json")
        }
        _ => false,
    }
}

/// Do these arguments have a program of this kind do one thing, and leave? Nobody can type to it then.
pub fn is_one_run(kind: &str, arguments: &[OsString]) -> bool {
    let words: Vec<&str> = arguments.iter().filter_map(|word| word.to_str()).collect();
    let has = |name: &str| {
        let is_it = |word: &&str| word.split_once('=').map_or(*word, |(name, _)| name) == name;
        words.iter().any(is_it)
    };
    let is_one = match kind {
        claude_code::KIND => has("-p") || has("--print"),
        codex::KIND => {
            let command = resume::command(kind, &words);
            has("exec") || command.is_some_and(|command| codex::ONE_RUNS.contains(&command))
        }
        opencode::KIND | opencode::KILO => has("run"),
        gemini_cli::KIND => has("-p") || has("--prompt") || is_asked_for(kind, arguments),
        qwen_code::KIND => qwen_code::is_one_run(&words) || is_asked_for(kind, arguments),
        copilot_cli::KIND => copilot_cli::ready::is_one_run(&words),
        _ => false,
    };
    is_one && !is_answered(kind, arguments)
}

/// The kinds that have such a stream.
pub const KINDS: [&str; 6] = [
    claude_code::KIND,
    codex::KIND,
    gemini_cli::KIND,
    opencode::KIND,
    opencode::KILO,
    qwen_code::KIND,
];

/// Has this kind such a stream?
pub fn is_known(kind: &str) -> bool {
    KINDS.contains(&kind)
}

fn read(kind: &str, run: &mut Run, line: &str) -> Option<Shown> {
    match kind {
        claude_code::KIND => run.read(line),
        codex::KIND => codex::stream::read(line),
        gemini_cli::KIND => gemini_cli::stream::read(line),
        opencode::KIND | opencode::KILO => opencode::stream::read(line),
        qwen_code::KIND => qwen_code::stream::read(run, line),
        _ => None,
    }
}

/// A stream that goes by.
#[derive(Debug)]
pub struct Stream {
    kind: String,
    lines: Lines,
    /// Of its client.
    answers: Lines,
    heard: Heard,
}

/// What its lines have said until now.
#[derive(Debug, Default)]
struct Heard {
    /// Of the programs whose lines say little without those before them.
    run: Run,
    shown: Shown,
    /// Where it has several conversations.
    threads: Threads,
    strange: Strange,
    /// What it said last of how it stands could not be read.
    is_doubted: bool,
}

impl Stream {
    pub fn new(kind: &str) -> Self {
        let (lines, answers, heard) = (Lines::default(), Lines::default(), Heard::default());
        Self { kind: kind.to_owned(), lines, answers, heard }
    }

    /// Takes the next bytes, and hands out what is to be told of them.
    pub fn feed(&mut self, bytes: &[u8], mut tell: impl FnMut(Vec<u8>)) {
        let Self { kind, lines, heard, .. } = self;
        lines.feed(bytes, |line| heard.take(kind, line, &mut tell));
    }

    /// Takes the next bytes of what its client says to it.
    pub fn feed_answers(&mut self, bytes: &[u8], mut tell: impl FnMut(Vec<u8>)) {
        let Self { answers, heard, .. } = self;
        answers.feed(bytes, |line| heard.answer(line, &mut tell));
    }

    /// Its client says nothing more: what it has ended with is a line too.
    pub fn finish_answers(&mut self, mut tell: impl FnMut(Vec<u8>)) {
        let Self { answers, heard, .. } = self;
        answers.finish(|line| heard.answer(line, &mut tell));
    }

    /// What it has ended with is a line too. What comes then begins a new one.
    pub fn finish(&mut self, mut tell: impl FnMut(Vec<u8>)) {
        self.end_line(&mut tell);
        self.heard.run = Run::default();
        self.settle(tell);
        self.heard.threads = Threads::default();
    }

    /// What it writes to begins anew: what stood there has ended with a line. Whoever writes there may be the same, and
    /// then what it has asked, and what goes on behind it, does so still.
    pub fn begin_anew(&mut self, mut tell: impl FnMut(Vec<u8>)) {
        self.end_line(&mut tell);
        self.heard.run.begin_anew();
    }

    fn end_line(&mut self, tell: &mut impl FnMut(Vec<u8>)) {
        let Self { kind, lines, heard, .. } = self;
        lines.finish(|line| heard.take(kind, line, tell));
    }

    /// Has a conversation come to rest, and has still to say how? What says so comes at once, or never:
    /// once it has had its time, [`settle`](Self::settle) tells of the rest.
    pub fn is_unsettled(&self) -> bool {
        self.heard.threads.are_unsettled()
    }

    /// Nothing has said how what is at rest came to that.
    pub fn settle(&mut self, mut tell: impl FnMut(Vec<u8>)) {
        for read in self.heard.threads.settle() {
            tell_of(&mut self.heard.shown, Some(read), &mut tell);
        }
    }

    /// What stands, to be said again; `None` where the program rests and nothing goes on behind it, and where it
    /// has said something since that could not be read: it may have been the end.
    pub fn stands(&self) -> Option<Vec<u8>> {
        (self.is_busy() && !self.heard.is_doubted).then(|| body(&self.heard.shown))
    }

    fn is_busy(&self) -> bool {
        match self.heard.shown.level {
            Some(Level::Working { .. } | Level::Blocked { .. }) => true,
            Some(Level::Idle { shells }) => shells > 0,
            _ => false,
        }
    }

    /// How it rests, to be said again where something of it was lost; `None` where it is busy, or nothing is known.
    pub fn rests(&self) -> Option<Vec<u8>> {
        let shown = &self.heard.shown;
        let is_known = shown.level.is_some() || shown.is_unread;
        let is_known = is_known && !self.is_busy();
        is_known.then(|| body(shown))
    }
}

impl Heard {
    /// A line of the program.
    fn take(&mut self, kind: &str, line: Line<'_>, tell: &mut impl FnMut(Vec<u8>)) {
        let Self { run, shown, threads, strange, is_doubted } = self;
        let Some(read) = read_line(kind, run, line) else { return };
        if read.comes_up {
            *threads = Threads::default();
        }
        let news = strange.take(&read, shown);
        *is_doubted = read.is_doubtful().unwrap_or(*is_doubted);
        tell_of(shown, threads.take(read).filter(Shown::is_known), tell);
        news.into_iter().for_each(tell);
    }

    /// A line of its client.
    fn answer(&mut self, line: Line<'_>, tell: &mut impl FnMut(Vec<u8>)) {
        let heard = whole(line).and_then(|line| self.run.hear(&line));
        tell_of(&mut self.shown, heard, tell);
    }
}

fn read_line(kind: &str, run: &mut Run, line: Line<'_>) -> Option<Shown> {
    whole(line).and_then(|line| read(kind, run, &line))
}

/// A line of which nothing is missing.
fn whole(line: Line<'_>) -> Option<Cow<'_, str>> {
    (!line.is_cut).then(|| json::decode(line.text))
}

/// News: another level, or another session.
fn tell_of(shown: &mut Shown, read: Option<Shown>, tell: &mut impl FnMut(Vec<u8>)) {
    let Some(read) = read else { return };
    // Only what is at work comes to an end.
    let is_busy = matches!(shown.level, Some(Level::Working { .. } | Level::Blocked { .. }));
    let is_unread = match read.is_unread {
        true => is_busy || shown.is_unread,
        false => shown.is_unread && read.level.is_none(),
    };
    let level = match is_unread {
        true => None,
        false => read.level.clone().or_else(|| shown.level.clone()),
    };
    let session = read.session.clone().or_else(|| shown.session.clone());
    let is_other = level != shown.level;
    if !is_other && session == shown.session {
        return;
    }
    if is_other && shown.ask.is_some() && matches!(level, Some(Level::Blocked { .. })) {
        // What was told with its own words stands until it is over, whatever is asked then.
        let level = Some(Level::Working { reason: None });
        tell(body(&Shown { level, ask: None, ..shown.clone() }));
    }
    *shown = Shown { session, level, is_unread, ..read };
    tell(body(shown));
    if let Some(ask) = shown.ask.as_deref().filter(|_| is_other) {
        let mut told = told(shown);
        told["ask"] = ask::told(ask);
        tell(told.to_string().into_bytes());
    }
}

pub(crate) fn body(shown: &Shown) -> Vec<u8> {
    told(shown).to_string().into_bytes()
}

fn told(shown: &Shown) -> Value {
    let Shown { name, session, cwd, model, title, is_shared, level, .. } = shown;
    let (reason, detail) = match level {
        Some(Level::Blocked { reason, detail }) => (Some(reason.word()), detail.as_deref()),
        Some(Level::Failed { code }) => (None, Some(code.as_str())),
        _ => (None, None),
    };
    let shells = if let Some(Level::Idle { shells }) = level { *shells } else { 0 };
    let level = level.as_ref().map(Level::word).or_else(|| shown.is_unread.then_some(UNREAD));
    let mut told = json!({
        "event": name, "session_id": session, "cwd": cwd, "model": model, "level": level,
        "reason": reason, "code": detail,
    });
    if let Some(title) = title {
        told["title"] = title.as_str().into();
    }
    if *is_shared {
        told["is_shared"] = true.into();
    }
    if shells > 0 {
        told["shells"] = shells.into();
    }
    told
}

skim! {
    Told {
        event: "event",
        session: "session_id",
        cwd: "cwd",
        model: "model",
        title: "title",
        shared: "is_shared",
        level: "level",
        reason: "reason",
        code: "code",
        ask: "ask",
        shells: "shells",
        strange: "strange",
        lost: "lost",
    }
}

/// So many reports of a stream could not be told. A hub that does not know of it hears nothing in it.
pub fn lost(count: u64) -> Vec<u8> {
    json!({"event": "lost", "lost": count}).to_string().into_bytes()
}

/// Reads what a launcher tells of a stream.
pub(crate) fn hook(body: &[u8], context: &HookContext) -> Sighting {
    let body = json::decode(body);
    let read = json::payload::<Told<'_>>(json::trim(&body));
    let told = read.as_ref().copied().unwrap_or_default();
    let mut seen = Sighting::new(Some(EVENT), told.event.text().as_deref(), Fact::Nothing);
    seen.source = Source::EventStream;
    seen.fact = match read {
        Err(why) => Fact::not_understood(why),
        Ok(told) => fact(&told),
    };
    seen.session = told.session.text().and_then(|id| text::id(&id));
    seen.cwd = told.cwd.text().and_then(|path| text::folder(&path));
    seen.model = told.model.text().map(|model| text::line(&model, text::NAME));
    seen.title = told.title.text().map(|title| text::line(&title, text::TITLE));
    seen.shares_process = told.shared.is_true();
    seen.strange = told.strange.text().and_then(|word| strange::member(&word));
    seen.tmux_pane = context.tmux_pane();
    // The launcher's chain begins with the agent. A script is known by its launch alone.
    let agent = context.parents.first().filter(|agent| !is_shell(&agent.comm));
    let agent = agent.filter(|agent| agent.pid > 0 && agent.start > 0);
    seen.process = agent.map(|agent| ProcessId::new(agent.pid, agent.start));
    seen
}

/// The session that such a report is about.
pub fn session(body: &[u8]) -> Option<String> {
    let body = json::decode(body);
    let told: Told<'_> = json::payload(json::trim(&body)).ok()?;
    told.session.text().and_then(|id| text::id(&id))
}

fn fact(told: &Told<'_>) -> Fact {
    let lost: Option<u64> = told.lost.json().and_then(|lost| lost.parse().ok());
    if let Some(lost) = lost.filter(|lost| *lost > 0) {
        return Fact::not_understood(&format!("{lost} messages could not be told"));
    }
    let code = told.code.text().map(|code| text::line(&code, text::DETAIL));
    let level = match told.level.text().as_deref() {
        None => return Fact::Nothing,
        Some(UNREAD) => return Fact::TurnUnanswered,
        Some("working") => Level::Working { reason: None },
        Some("idle") => {
            let shells: Option<u32> = told.shells.json().and_then(|shells| shells.parse().ok());
            Level::Idle { shells: shells.unwrap_or_default() }
        }
        Some("done") => Level::Done,
        Some("failed") => Level::Failed { code: code.unwrap_or_else(|| "error".to_owned()) },
        Some("blocked") => {
            let reason = told.reason.text().and_then(|word| BlockedReason::parse(&word));
            let reason = reason.unwrap_or(BlockedReason::Other);
            if let Some(prompt) = ask::read(told.ask, reason, code.as_deref()) {
                let (actor, settle_ms, turn_ref) = (Actor::Main, 0, None);
                return Fact::PromptOpened { actor, prompt, settle_ms, turn_ref };
            }
            Level::Blocked { reason, detail: code }
        }
        Some(_) => return Fact::not_understood("not a level"),
    };
    Fact::Level(level)
}

/// A name out of its parts.
pub(crate) fn name(kind: &str, more: Option<&str>) -> String {
    let whole = more.map_or_else(|| kind.to_owned(), |more| format!("{kind}/{more}"));
    text::line(&whole, text::EVENT)
}

#[cfg(test)]
mod tests;
