//! The bus as the program's server tells it, on `/global/event`, and the lists beside it.
//!
//! OpenCode 1.18.33, Kilo 7.7.9 (measured: `fixtures/opencode/1.18.33/http-sse`, `fixtures/kilo/7.7.9/http-sse`).
//! `serve` and `web` have a port, a terminal only with `--port` or as its configuration says. Nothing that was
//! missed is told again: after each connection the lists say how things are.
//!
//! | message | shows |
//! |---|---|
//! | `session.status` of `busy`, `retry`; `session.turn.open`, `session.status` of `offline` (Kilo, the last read) | working |
//! | `permission.asked`, `question.asked` | blocked, until its `replied` or `rejected`; the status stays `busy` |
//! | `session.status` of `idle`, `session.idle`, `session.turn.close` (Kilo) | done; failed, if an error was its last word; idle, if it was stopped, also between two tries or before an answer was begun, or ends with a request that was refused; nothing, if the answer to one or its error could not be read. It comes twice, and ends what is open, below a stopped one as well; while other helpers go on, so does the turn |
//! | `session.error` | nothing yet: the turn may go on. Of a helper, the end, but for an overflow |
//! | `session.network.*` (Kilo) | nothing: its network is gone, and is there again; the status tells (read) |
//! | `session.drain.interrupted` (Kilo 7.7.7) | nothing: it comes behind the end of a turn that was stopped |
//! | `message.updated`, `message.part.updated` | nothing yet: an error of the answer that is being written, or a command of a person's own (`!`) that was stopped, tells how its turn ends |
//! | `session.created` | idle; with a parent it is a helper, whose work and prompts are its root's |
//! | `session.deleted` | idle, if it was at work: its end, and that of all it has started, which may be said later, and of which nothing is told any more (read) |
//! | the lists | what is not in `/session/status` of its folder is idle; what an idle session has in the other two is dead, and stays there until the program ends |
//! | all others | nothing; what could tell a status and nobody knows is counted, and what stood of its session is not said again until something of it can be read |

mod anew;
mod doubt;
mod gone;
mod lists;
mod remembered;
mod started;
mod written;

use crate::bus::Served;
use crate::json::{self, skim};
use crate::stream::{self, Shown};
use crate::text;
use anew::Anew;
use gone::Gone;
use headsup_core::observation::Level;
use headsup_core::status::BlockedReason;
use lists::asks;
use serde_json::Value;
pub(crate) use started::served;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The error of a turn that a person has stopped.
const ABORTED: &str = "MessageAbortedError";
/// The error after which a turn goes on.
const OVERFLOW: &str = "ContextOverflowError";
/// Sessions that are remembered.
const SESSIONS: usize = 500;
/// How deep helpers start helpers.
const DEEPEST: usize = 20;
const IDLE: Level = Level::Idle { shells: 0 };

skim! {
    Message { kind: "type", said: "properties", payload: "payload" }
}

skim! {
    Said {
        session: "sessionID",
        info: "info",
        status: "status",
        error: "error",
        id: "id",
        request: "requestID",
        permission: "permissionID",
        asked: "permission",
        reply: "reply",
        part: "part",
        reason: "reason",
    }
}

skim! {
    Info { id: "id", parent: "parentID", directory: "directory", title: "title", model: "model" }
}

skim! {
    Named { id: "id", name: "name", kind: "type" }
}

#[derive(Debug, Default)]
struct Session {
    parent: Option<String>,
    /// Whose child it is, or that it is nobody's, has been said.
    is_learnt: bool,
    directory: Option<String>,
    title: Option<String>,
    model: Option<String>,
    is_busy: bool,
    /// It rests between two tries, each of which begins with a word of its own.
    waits: bool,
    /// What waits for an answer: its id, and what it is.
    open: BTreeMap<String, (BlockedReason, Option<String>)>,
    error: Option<String>,
    /// The answer of the model that is being written.
    written: Option<String>,
    /// To its latest prompt none was begun.
    is_unanswered: bool,
    is_refused: bool,
    /// It asks behind the end of its turn, and no other one has begun.
    is_late: bool,
    /// What its turn ends with could not be read: nobody knows how it ends.
    is_unclear: bool,
    /// What was said of it last could not be read.
    is_doubted: bool,
    /// How its last turn ended.
    rest: Option<Level>,
    told: Option<Level>,
    /// The later, the larger.
    heard_at: u64,
}

/// What a program tells of its conversations, followed.
#[derive(Debug, Default)]
pub struct Follower {
    is_shared: bool,
    sessions: HashMap<String, Session>,
    /// In a terminal: the session that a person has prompted last.
    current: Option<String>,
    /// In a terminal: what was told last, and of which session.
    told: Option<(Option<String>, Level)>,
    gone: Gone,
    anew: Anew,
    latest: u64,
    /// Sessions of which the program was asked where they are, and did not say it.
    unplaced: BTreeSet<String>,
}

impl Follower {
    pub fn new(served: Served) -> Self {
        Self { is_shared: served.is_shared, ..Self::default() }
    }

    /// The stream of all that happens, in every folder.
    pub fn stream(&self) -> &'static str {
        "/global/event"
    }

    /// Folders that are known to have sessions.
    pub fn folders(&self) -> BTreeSet<String> {
        self.sessions.values().filter_map(|session| session.directory.clone()).collect()
    }

    /// Of which session nobody has said yet whose child it is: where to ask.
    pub fn unknown(&self, message: &str) -> Option<String> {
        let (kind, said) = event(message)?;
        if matches!(&*kind, "session.created" | "session.updated" | "session.deleted") {
            return None;
        }
        let id = said.session.text().and_then(|id| text::id(&id))?;
        let is_said = matters(&kind);
        (is_said && self.is_unknown(&id)).then(|| asked_for(&id)).flatten()
    }

    /// The same of the sessions in a list of statuses, or of what waits.
    pub fn unknown_in(&self, lists: [&str; 3]) -> Vec<String> {
        let lists = lists.map(|list| serde_json::from_str::<Value>(list).unwrap_or_default());
        let busy = lists[0].as_object().into_iter().flatten().map(|(id, _)| id.as_str());
        let ids: BTreeSet<String> = busy.filter_map(text::id).collect();
        ids.iter().filter(|id| self.is_unknown(id)).filter_map(|id| asked_for(id)).collect()
    }

    /// The same of sessions that somebody has told of before, and of those of which the program has not said it.
    pub fn unknown_of(&self, known: &[String]) -> Vec<String> {
        let ids: BTreeSet<&String> = known.iter().chain(&self.unplaced).collect();
        ids.into_iter().filter(|id| self.is_unknown(id)).filter_map(|id| asked_for(id)).collect()
    }

    fn is_unknown(&self, id: &str) -> bool {
        !self.gone.has(id) && self.sessions.get(id).is_none_or(|session| !session.is_learnt)
    }

    /// What the program answers of one session. Hands out what is to be told.
    pub fn learn(&mut self, answer: &str) -> Option<Vec<u8>> {
        let info: Info<'_> = json::payload(answer).ok()?;
        let id = info.id.text().and_then(|id| text::id(&id))?;
        let told = self.goes(&id, &info);
        if !self.gone.has(&id) {
            self.learn_of(&id, &info);
        }
        told
    }

    /// One message of the stream. Hands out what is to be told.
    pub fn heard(&mut self, message: &str) -> Option<Vec<u8>> {
        let (kind, said) = event(message)?;
        if written::is_of_one(&kind) {
            self.take_written(&said);
            return None;
        }
        let member = anew::member(&kind, &said);
        if let Some(member) = member {
            self.anew.note(&kind, member);
            self.doubt(&kind, member, said.session);
        }
        let info: Info<'_> = said.info.object();
        let of_itself = matches!(&*kind, "session.created" | "session.updated" | "session.deleted");
        let id = if of_itself { info.id } else { said.session };
        let id = id.text().and_then(|id| text::id(&id))?;
        if &*kind == "session.created" {
            self.gone.lift(&id);
        }
        let told = self.goes(&id, &info);
        if self.gone.has(&id) {
            return told;
        }
        match &*kind {
            "session.created" => {
                self.learn_of(&id, &info);
                let idles = self.current.as_ref().is_none_or(|id| !self.is_at_work(id));
                if idles && self.root(&id) == id {
                    self.current = Some(id.clone());
                }
            }
            "session.updated" => {
                self.learn_of(&id, &info);
                return None;
            }
            "session.deleted" => return self.deleted(&id, &kind),
            _ => self.take(&kind, &id, &said)?,
        }
        let is_sure_again = member.is_none() && self.believe(&kind, &id);
        let root = self.root(&id);
        let told = match self.is_shared {
            true => self.tell(&root, &kind),
            false => self.tell_of_terminal(&kind),
        };
        told.or_else(|| is_sure_again.then(|| self.standing(&root, &kind)).flatten())
    }

    /// What one event does; `None`: nothing.
    fn take(&mut self, kind: &str, id: &str, said: &Said<'_>) -> Option<()> {
        let status: Named<'_> = said.status.object();
        let status = status.kind.text();
        match (kind, status.as_deref()) {
            ("session.status", Some("idle")) | ("session.idle" | "session.turn.close", _) => {
                let is_interrupted = said.reason.text().as_deref() == Some("interrupted");
                let session = self.session(id);
                session.is_refused |= is_interrupted && session.is_busy;
                self.idle(id);
            }
            // It comes behind the end, too.
            ("session.drain.interrupted", _) => {
                let session = self.session(id);
                session.is_refused |= session.is_busy;
            }
            ("session.status", Some("busy" | "offline" | "retry")) | ("session.turn.open", _) => {
                // Each step of a turn says it again: a prompt alone makes it the one that is shown.
                let begins = !self.session(id).is_busy;
                if begins && self.root(id) == *id {
                    self.current = Some(id.to_owned());
                }
                let session = self.session(id);
                session.is_busy = true;
                session.waits = status.as_deref().is_some_and(waits);
                session.is_refused = false;
                session.is_late = false;
                session.is_unclear = false;
                session.error = None;
            }
            ("session.error", _) => {
                let error: Named<'_> = said.error.object();
                let name = error.name.text().map(|name| text::line(&name, text::NAME));
                let goes_on = name.as_deref() == Some(OVERFLOW);
                let session = self.session(id);
                if session.is_busy {
                    session.is_unclear |= name.as_deref().is_none_or(anew::may_stop);
                    session.error = name;
                }
                // Perhaps nothing else tells the end of a helper.
                if session.parent.is_some() && !goes_on {
                    self.idle(id);
                }
            }
            ("permission.asked" | "question.asked", _) => {
                let request = said.id.text()?;
                let ask = asks(kind == "question.asked", said.asked.text().as_deref());
                let session = self.session(id);
                // Whoever asks is at work, whether or not that was heard.
                session.is_unclear &= session.is_busy;
                session.is_late |= !session.is_busy && !session.is_doubted;
                session.is_busy = true;
                session.open.insert(request.into_owned(), ask);
            }
            ("permission.replied" | "question.replied" | "question.rejected", _) => {
                let request = said.request.text().or_else(|| said.permission.text());
                let is_refused =
                    kind == "question.rejected" || said.reply.text().as_deref() == Some("reject");
                let is_unclear = anew::reply(kind, said).is_some();
                let session = self.session(id);
                match request {
                    Some(request) => drop(session.open.remove(&*request)),
                    // Which one cannot be read: that of one alone is clear.
                    None if session.open.len() == 1 => session.open.clear(),
                    None => {
                        session.is_unclear |= (is_refused || is_unclear) && session.is_busy;
                        return None;
                    }
                }
                session.is_refused = is_refused;
                session.is_unclear |= is_unclear && session.is_busy;
            }
            _ => return None,
        }
        Some(())
    }

    /// A session has come to its rest; where a person has stopped it, with all that it has started.
    fn idle(&mut self, id: &str) {
        let session = self.session(id);
        let is_stopped = session.is_refused
            || match session.error.as_deref() {
                Some(error) => error == ABORTED,
                // Between two tries, or before the model was asked.
                None if session.is_unclear => false,
                None => session.waits || session.is_unanswered && session.is_busy,
            };
        session.is_unclear &= !is_stopped;
        // What a turn leaves open that may have been stopped nobody may answer any more.
        if is_stopped || session.is_unclear && session.is_busy {
            self.stop_below(id);
        }
        let session = self.session(id);
        session.open.clear();
        session.waits = false;
        session.written = None;
        // It is said twice.
        if !std::mem::take(&mut session.is_busy) {
            return;
        }
        session.is_refused = false;
        let is_late = std::mem::take(&mut session.is_late) && session.rest.is_some();
        session.rest = match session.error.take() {
            _ if session.is_unclear => None,
            _ if is_late => session.rest.take(),
            _ if is_stopped => Some(IDLE),
            Some(code) => Some(Level::Failed { code }),
            None => Some(Level::Done),
        };
    }

    fn stop_below(&mut self, id: &str) {
        let below = |other: &String| other != id && self.is_below(other, id);
        let helpers: Vec<String> = self.sessions.keys().filter(|id| below(id)).cloned().collect();
        for helper in helpers {
            let helper = self.session(&helper);
            helper.is_busy = false;
            helper.waits = false;
            helper.open.clear();
        }
    }

    fn learn_of(&mut self, id: &str, info: &Info<'_>) {
        let parent = info.parent.text().and_then(|id| text::id(&id)).filter(|parent| *parent != id);
        let directory = info.directory.text().and_then(|path| text::folder(&path));
        let title = info.title.text().filter(|title| !super::is_untitled(title));
        let model: Named<'_> = info.model.object();
        let model = model.id.text().map(|model| text::line(&model, text::NAME));
        self.unplaced.remove(id);
        let session = self.session(id);
        session.is_learnt = true;
        session.parent = parent.or(session.parent.take());
        session.directory = directory.or(session.directory.take());
        session.title = title.map(|title| text::line(&title, text::TITLE)).or(session.title.take());
        session.model = model.or(session.model.take());
    }

    fn root(&self, id: &str) -> String {
        let mut top = id;
        for _ in 0..DEEPEST {
            let session = self.sessions.get(top);
            let Some(parent) = session.and_then(|session| session.parent.as_deref()) else { break };
            top = parent;
        }
        top.to_owned()
    }

    fn is_below(&self, id: &str, above: &str) -> bool {
        let mut top = Some(id);
        for _ in 0..DEEPEST {
            let Some(at) = top else { return false };
            if at == above {
                return true;
            }
            top = self.sessions.get(at).and_then(|session| session.parent.as_deref());
        }
        false
    }

    fn is_at_work(&self, root: &str) -> bool {
        let mut own = self.sessions.iter().filter(|(id, _)| self.root(id) == *root);
        own.any(|(_, session)| session.is_busy)
    }

    /// What a set of sessions shows; `rest`: where none is at work.
    fn level<'a>(own: impl Iterator<Item = &'a Session>, rest: Level) -> Level {
        let mut is_busy = false;
        for session in own {
            if let Some((reason, detail)) = session.open.values().next() {
                return Level::Blocked { reason: *reason, detail: detail.clone() };
            }
            is_busy |= session.is_busy;
        }
        if is_busy { Level::Working { reason: None } } else { rest }
    }

    fn rest_of(&self, id: Option<&String>) -> Level {
        id.and_then(|id| self.sessions.get(id)?.rest.clone()).unwrap_or(IDLE)
    }

    /// What is news of a session that is nobody's child.
    fn tell(&mut self, root: &str, name: &str) -> Option<Vec<u8>> {
        let own = self.sessions.iter().filter(|(id, _)| self.root(id) == root);
        let level = Self::level(own.map(|(_, of)| of), self.rest_of(Some(&root.to_owned())));
        if !is_up(&level) && self.is_unclear(root) {
            return None;
        }
        let session = self.session(root);
        if session.told.as_ref() == Some(&level) {
            return None;
        }
        session.told = Some(level.clone());
        Some(self.body(name, Some(root), level))
    }

    /// The same of a terminal, which shows one conversation and waits for all.
    fn tell_of_terminal(&mut self, name: &str) -> Option<Vec<u8>> {
        let level = Self::level(self.sessions.values(), self.rest_of(self.current.as_ref()));
        let current = self.current.clone();
        if !is_up(&level) && current.is_some_and(|current| self.is_unclear(&current)) {
            return None;
        }
        let now = (self.current.clone(), level);
        if self.told.as_ref() == Some(&now) {
            return None;
        }
        let body = self.body(name, now.0.as_deref(), now.1.clone());
        self.told = Some(now);
        Some(body)
    }

    fn body(&self, name: &str, id: Option<&str>, level: Level) -> Vec<u8> {
        let session = id.and_then(|id| self.sessions.get(id));
        stream::body(&Shown {
            name: text::line(name, text::EVENT),
            session: id.map(str::to_owned),
            cwd: session.and_then(|session| session.directory.clone()),
            model: session.and_then(|session| session.model.clone()),
            title: session.and_then(|session| session.title.clone()),
            is_shared: self.is_shared,
            level: Some(level),
            ..Shown::default()
        })
    }
}

/// Does a session of this status rest between two tries? Without a network Kilo waits for one, and goes on by itself.
fn waits(status: &str) -> bool {
    matches!(status, "offline" | "retry")
}

fn is_up(level: &Level) -> bool {
    matches!(level, Level::Working { .. } | Level::Blocked { .. })
}

/// Where a program tells of one session; `None`: no session is called that.
fn asked_for(id: &str) -> Option<String> {
    let is_plain =
        id.bytes().all(|byte| byte == b'_' || byte == b'-' || byte.is_ascii_alphanumeric());
    is_plain.then(|| format!("/session/{id}"))
}

/// Both forms: of one folder, and of all.
fn event(message: &str) -> Option<(String, Said<'_>)> {
    if !anew::may_say(message) {
        return None;
    }
    let mut found: Message<'_> = json::payload(message).ok()?;
    if found.kind.json().is_none() && found.payload.json().is_some() {
        found = found.payload.object();
    }
    let kind = found.kind.text().unwrap_or(anew::UNNAMED.into());
    if !anew::may_tell(&kind) && !written::is_of_one(&kind) {
        return None;
    }
    // Two names for the same (read).
    let kind = kind.replace("permission.v2.", "permission.").replace("question.v2.", "question.");
    Some((kind, found.said.object()))
}

/// Most of what is said is the conversation itself.
fn matters(kind: &str) -> bool {
    ["session.", "permission.", "question."].iter().any(|start| kind.starts_with(start))
}

#[cfg(test)]
mod tests;
