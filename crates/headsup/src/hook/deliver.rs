//! The hook's way to the hub, for whoever in this program reports as hooks do: the same request,
//! the same spool.

use super::deadline::Deadline;
use super::{context, exchange, handover, queue, request, wall_clock};
use crate::place::Url;
use headsup_core::spool::{OF_A_PROCESS, OF_A_TERMINAL, OF_AN_AGENT, Record, Report};
use headsup_core::time::UnixMs;
use rustix::io::Errno;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// One request, and the wait for its answer, where an agent may wait for us.
pub(crate) const EXCHANGE: Duration = Duration::from_millis(250);
/// Waiting for the spool's lock.
const LOCK: Duration = Duration::from_millis(100);
/// The same where nothing is told a second time.
const LOCK_OF_AN_END: Duration = Duration::from_secs(1);

/// Where one agent's reports go.
#[derive(Debug)]
pub(crate) struct Delivery {
    pub(crate) url: Url,
    pub(crate) home: Option<PathBuf>,
    pub(crate) kind: String,
    pub(crate) agent: String,
    /// By which the hub knows that it speaks for this agent.
    pub(crate) token: Option<String>,
    /// Where the agent runs: see [`surroundings`].
    pub(crate) context: String,
    /// Something of ours waits in the spool: what comes later goes behind it.
    pub(crate) is_behind: bool,
    /// How long a hub may take for one report: [`EXCHANGE`].
    pub(crate) patience: Duration,
}

/// What one report says.
#[derive(Debug)]
pub(crate) struct News {
    pub(crate) event: &'static str,
    pub(crate) is_transition: bool,
    pub(crate) body: Vec<u8>,
}

impl Delivery {
    /// For whoever has nobody to tell.
    pub(crate) fn nowhere() -> Self {
        let (kind, agent, context) = (String::new(), String::new(), String::new());
        let url = Url::Other(String::new());
        Self {
            url,
            home: None,
            kind,
            agent,
            token: None,
            context,
            is_behind: false,
            patience: EXCHANGE,
        }
    }

    /// Hands a report over, or leaves it for the hub to fetch. False where neither could be done.
    pub(crate) fn deliver(&mut self, news: News) -> bool {
        let report = self.report(news);
        if self.is_behind && self.waits() {
            return self.keep(report);
        }
        self.is_behind = false;
        if self.post(&report) {
            return true;
        }
        // Only the hub of this home fetches what lies there.
        self.is_behind = self.is_at_home();
        self.keep(report)
    }

    /// Hands over what is worth nothing later. False where the hub has not got it.
    pub(crate) fn refresh(&mut self, news: News) -> bool {
        !(self.is_behind && self.waits()) && self.post(&self.report(news))
    }

    /// Leaves it for the hub to fetch.
    pub(crate) fn leave(&self, news: News) -> bool {
        self.keep(self.report(news))
    }

    fn report(&self, news: News) -> Report {
        Report {
            kind: self.kind.clone(),
            event: Some(news.event.to_owned()),
            id: request::unique_id(),
            reported_at: wall_clock(Instant::now()),
            agent: Some(self.agent.clone()),
            agent_token: self.token.clone(),
            context: Some(self.context.clone()),
            is_transition: news.is_transition,
            body: news.body,
        }
    }

    fn post(&self, report: &Report) -> bool {
        let deadline = Deadline::at(Instant::now() + self.patience);
        let outcome = match &self.url {
            Url::Https(authority) => handover::post(&self.url, authority, report, deadline),
            Url::Unix(_) | Url::Http(_) | Url::Other(_) => {
                exchange::post(&self.url, report, deadline)
            }
        };
        !matches!(outcome, exchange::Outcome::Undelivered)
    }

    fn keep(&self, report: Report) -> bool {
        let Some(home) = &self.home else { return false };
        let lock = Deadline::at(Instant::now() + LOCK);
        queue::append(home, &Record::Report(report), lock).is_ok()
    }

    fn waits(&self) -> bool {
        self.home.as_deref().is_some_and(queue::is_waiting)
    }

    fn is_at_home(&self) -> bool {
        let socket = self.home.as_ref().map(|home| home.join("headsup.sock"));
        matches!(&self.url, Url::Unix(path) if Some(path) == socket.as_ref())
    }
}

/// Which word it is, however often it is said, and when it was said first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    id: String,
    at: UnixMs,
}

impl Mark {
    /// Of what is said now.
    pub(crate) fn now() -> Self {
        Self { id: request::unique_id(), at: wall_clock(Instant::now()) }
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }
}

/// What a launcher tells of its agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum About {
    Process,
    /// What it says of itself to its terminal.
    Terminal,
}

/// A launcher's word on its agent, the same however often it is said: as the hub is told it, and
/// as it lies in the spool.
#[derive(Debug)]
pub(crate) struct Word {
    about: About,
    mark: Mark,
    body: String,
}

impl Word {
    /// On its process, said now.
    pub(crate) fn new(body: String) -> Self {
        Self { about: About::Process, mark: Mark::now(), body }
    }

    /// What was heard at its terminal.
    pub(crate) fn at_terminal(mark: Mark, body: String) -> Self {
        Self { about: About::Terminal, mark, body }
    }

    pub(crate) fn about(&self) -> About {
        self.about
    }

    pub(crate) fn id(&self) -> &str {
        self.mark.id()
    }

    pub(crate) fn body(&self) -> &[u8] {
        self.body.as_bytes()
    }

    /// Leaves it for the hub of this home to fetch. False where that cannot be.
    pub(crate) fn leave(&self, home: &Path, agent: &str, token: Option<&str>) -> bool {
        // Nobody else says it: it may wait longer than what an agent waits for.
        self.put(home, agent, token, LOCK_OF_AN_END).is_ok()
    }

    /// The same without a wait. `None`: somebody else has the spool at this moment.
    pub(crate) fn try_to_leave(
        &self,
        home: &Path,
        agent: &str,
        token: Option<&str>,
    ) -> Option<bool> {
        match self.put(home, agent, token, Duration::ZERO) {
            // It is locked, or the hub has just taken the file away.
            Err(Errno::AGAIN | Errno::TIMEDOUT | Errno::NOENT) => None,
            done => Some(done.is_ok()),
        }
    }

    fn put(
        &self,
        home: &Path,
        agent: &str,
        token: Option<&str>,
        within: Duration,
    ) -> Result<(), Errno> {
        let kind = match self.about {
            About::Process => OF_A_PROCESS,
            About::Terminal => OF_A_TERMINAL,
        };
        let lock = Deadline::at(Instant::now() + within);
        put(home, kind, &self.mark, agent, token, self.body(), lock)
    }
}

/// Leaves a report in our own words, which the hub may have heard under the same mark, for the hub of this home to
/// fetch. False where that cannot be.
pub(crate) fn leave_report(
    home: &Path,
    mark: &Mark,
    agent: &str,
    token: Option<&str>,
    body: &[u8],
) -> bool {
    let lock = Deadline::at(Instant::now() + LOCK_OF_AN_END);
    put(home, OF_AN_AGENT, mark, agent, token, body, lock).is_ok()
}

fn put(
    home: &Path,
    kind: &str,
    mark: &Mark,
    agent: &str,
    token: Option<&str>,
    body: &[u8],
    lock: Deadline,
) -> Result<(), Errno> {
    let report = Report {
        kind: kind.to_owned(),
        id: mark.id.clone(),
        reported_at: mark.at,
        agent: Some(agent.to_owned()),
        agent_token: token.map(str::to_owned),
        is_transition: true,
        body: body.to_owned(),
        ..Report::default()
    };
    queue::append(home, &Record::Report(report), lock)
}

/// Where an agent of this kind runs, as its hooks would tell: its process, and what is above it.
pub(crate) fn surroundings(kind: &str, pid: u32) -> String {
    context::above(kind, pid)
}
