//! The seat of an agent that was launched, and what is told of its process there. What the hub cannot be
//! told now it finds in the spool.

use super::order::Order;
use super::stream::Listening;
use super::tend::End;
use crate::client::{Client, KEY, UNTIL, answer};
use crate::error::{CommandError, Kind};
use crate::hook::deliver::{About, Word};
use crate::hook::process::Process;
use crate::output::age;
use bytes::Bytes;
use headsup_core::gate::CANNOT_RUN;
use headsup_core::id::AgentId;
use headsup_core::status::Attach;
use headsup_core::wire::RosterDoc;
use hyper::{Method, StatusCode};
use serde_json::json;
use std::io::IsTerminal as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout, timeout_at};

/// An agent does not wait for a hub that is out of breath.
const TELL_WITHIN: Duration = Duration::from_secs(1);
/// How long the spool may be somebody else's.
const LEAVE_WITHIN: Duration = Duration::from_secs(1);
const BETWEEN_TRIES: Duration = Duration::from_millis(5);

/// Where to tell of it.
#[derive(Clone, Copy)]
pub(crate) struct Seat<'a> {
    pub(crate) id: &'a str,
    pub(crate) hub: Option<&'a Client>,
    /// Where what it is not told is left for it.
    pub(crate) home: Option<&'a Path>,
    /// Of this launch: what is left there is not for a later one.
    pub(crate) token: Option<&'a str>,
}

/// What became of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    Heard,
    /// The hub does not want it, and would not want it later.
    Refused,
    Away,
}

impl Seat<'_> {
    /// That it never came to be.
    pub(crate) async fn tell_failure(&self) {
        let own = Process::read(std::process::id());
        let body = |process: &Process| {
            json!({
                "pid": process.pid, "start_ticks": process.start, "state": "exited",
                "code": CANNOT_RUN,
            })
        };
        let word = own.as_ref().map(body).map(|body| Word::new(body.to_string()));
        self.tell_or_leave(word).await;
    }

    /// The start; behind it whatever is heard in the agent's stream.
    pub(super) async fn tell_start(
        &self,
        order: &Order,
        process: Option<&Process>,
        listening: Option<&Listening>,
    ) -> Told {
        let (state, attach) = match (order.speaks(), order.is_one_run()) {
            (true, true) => ("starting", Some(Attach::Headless)),
            // Whether a person can type to it the agent tells itself.
            (true, false) => ("starting", None),
            (false, true) => ("running", Some(Attach::Headless)),
            (false, false) => ("running", Some(of_input())),
        };
        let word = process.map(|process| word(process, state, attach, End::default()));
        let told = self.tell_or_leave(word).await;
        if let Some(listening) = listening {
            listening.observer.begin();
        }
        told
    }

    pub(super) async fn tell_end(&self, process: Option<&Process>, end: End) {
        self.tell_or_leave(process.map(|process| ended(process, end))).await;
    }

    /// For the hub to fetch behind what was left there before. False where it cannot be left.
    pub(super) fn leave_end(&self, process: Option<&Process>, end: End) -> bool {
        process.is_some_and(|process| self.leave(&ended(process, end)))
    }

    /// The seat that was wanted is another's: of the one that has this process, if there is one.
    pub(super) async fn tell_of_another(&self, process: &Process, word: &Word) -> Told {
        let Some(hub) = self.hub else { return Told::Away };
        let path = "/api/v1/agents?all=true";
        let Ok(roster) = hub.get_doc::<RosterDoc>(path).await else { return Told::Away };
        let own = roster.agents.iter().find(|agent| agent.process.pid == Some(process.pid));
        let Some(own) = own else { return Told::Refused };
        Seat { id: own.id.as_str(), ..*self }.tell(word).await
    }

    pub(super) async fn tell(&self, word: &Word) -> Told {
        let body = Bytes::copy_from_slice(word.body());
        self.say(word.about(), Some(word.id()), body, TELL_WITHIN).await
    }

    /// What has no name is said for now alone.
    pub(super) async fn say(
        &self,
        about: About,
        id: Option<&str>,
        body: Bytes,
        within: Duration,
    ) -> Told {
        let Some(hub) = self.hub else { return Told::Away };
        let (method, part) = match about {
            About::Process => (Method::PUT, "process"),
            About::Terminal => (Method::POST, "terminal"),
        };
        let path = format!("/api/v1/agents/{}/{part}", self.id);
        let headers: Vec<_> = id.map(|id| (KEY, id)).into_iter().collect();
        let asked = hub.exchange(method, &path, Some(body), &headers);
        let Ok(Ok((status, reply))) = timeout(within, asked).await else { return Told::Away };
        let is_away = |error: &CommandError| {
            let is_unreachable = error.kind == Kind::HubUnreachable;
            is_unreachable || error.retryable || status.is_server_error()
        };
        match answer::check(status, &path, reply) {
            Ok(_) => Told::Heard,
            Err(error) if is_away(&error) => Told::Away,
            Err(_) => Told::Refused,
        }
    }

    /// The hub finds it once it is back. False where it cannot be left.
    pub(super) fn leave(&self, word: &Word) -> bool {
        self.left_at().is_some_and(|home| word.leave(home, self.id, self.token))
    }

    /// Where the hub fetches what is left for it. One elsewhere does not: to the hub of this home it would speak of
    /// somebody else.
    fn left_at(&self) -> Option<&Path> {
        let hub_at = self.hub.map(|hub| hub.address().socket());
        let home = self.home?;
        let is_its_own = hub_at.is_none_or(|socket| socket == Some(&home.join("headsup.sock")));
        is_its_own.then_some(home)
    }

    async fn tell_or_leave(&self, word: Option<Word>) -> Told {
        let Some(word) = word else { return Told::Refused };
        let told = self.tell(&word).await;
        if told == Told::Away {
            self.leave_beside(&word).await;
        }
        told
    }

    /// Leaves it; where somebody else has the spool, whatever is done beside this goes on.
    async fn leave_beside(&self, word: &Word) {
        let Some(home) = self.left_at() else { return };
        let until = Instant::now() + LEAVE_WITHIN;
        while word.try_to_leave(home, self.id, self.token).is_none() && Instant::now() < until {
            sleep(BETWEEN_TRIES).await;
        }
    }
}

/// Whether a seat of this id is there, whoever sits in it.
pub(crate) async fn is_there(
    hub: &Client,
    id: &AgentId,
    until: Instant,
) -> Result<bool, CommandError> {
    let path = format!("/api/v1/agents/{id}");
    let (status, _) = ask(hub, Method::GET, &path, None, &[], until).await?;
    Ok(status.is_success())
}

/// Takes a seat. A hub that comes to it only when nobody waits any more does not give it: no agent
/// would be started there.
pub(crate) async fn take(
    hub: &Client,
    id: &AgentId,
    body: Bytes,
    until: Instant,
) -> Result<(), CommandError> {
    let path = format!("/api/v1/agents/{id}");
    let left = until.saturating_duration_since(Instant::now()).as_millis();
    let at = age::now().plus(i64::try_from(left).unwrap_or(i64::MAX)).to_string();
    let waits = [(UNTIL, at.as_str())];
    // A hub elsewhere has another clock.
    let headers = if hub.address().socket().is_some() { &waits[..] } else { &[] };
    let (status, reply) = ask(hub, Method::PUT, &path, Some(body), headers, until).await?;
    answer::check(status, &path, reply).map(drop)
}

async fn ask(
    hub: &Client,
    method: Method,
    path: &str,
    body: Option<Bytes>,
    headers: &[(&'static str, &str)],
    until: Instant,
) -> Result<(StatusCode, Bytes), CommandError> {
    match timeout_at(until, hub.exchange(method, path, body, headers)).await {
        Ok(asked) => asked.map_err(|error| error.at(hub.address())),
        Err(_) => Err(hub.no_answer()),
    }
}

/// How it has ended.
pub(super) fn ended(process: &Process, end: End) -> Word {
    word(process, "exited", Some(of_input()), end)
}

/// Whether a person can type to what has our input.
fn of_input() -> Attach {
    match std::io::stdin().is_terminal() {
        true => Attach::Interactive,
        false => Attach::Headless,
    }
}

fn word(process: &Process, state: &str, attach: Option<Attach>, end: End) -> Word {
    let mut body = json!({
        "pid": process.pid, "start_ticks": process.start, "pid_namespace": pid_namespace(),
        "state": state, "attach": attach,
        "code": end.code, "signal": end.signal,
    });
    // A hub of an earlier version refuses what it does not know.
    if end.hung_up {
        body["hung_up"] = true.into();
    }
    Word::new(body.to_string())
}

/// The inode of our pid namespace.
pub(crate) fn pid_namespace() -> Option<u64> {
    std::fs::metadata("/proc/self/ns/pid").map(|meta| meta.ino()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::address::Address;
    use crate::place::Url;
    use headsup_core::spool::{Decoder, OF_A_PROCESS, Record};
    use headsup_core::time::UnixMs;
    use rustix::fs::{FlockOperation, flock};
    use serde_json::Value;
    use std::io::{Read as _, Write as _};
    use std::os::unix::net::UnixListener;
    use std::pin::pin;
    use std::task::{Context, Waker};

    fn client(socket: &Path) -> Client {
        Client::new(Address::of(&Url::Unix(socket.to_owned())).unwrap(), None)
    }

    #[tokio::test]
    async fn a_hub_is_told_until_when_a_seat_is_wanted() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("headsup.sock");
        let listener = UnixListener::bind(&socket).unwrap();
        let hub = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let (mut head, mut piece) = (String::new(), [0; 4096]);
            while !head.contains("\r\n\r\n") {
                let length = stream.read(&mut piece).unwrap();
                head.push_str(&String::from_utf8_lossy(&piece[..length]));
            }
            stream.write_all(b"HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n").unwrap();
            head
        });
        let (id, within) = (AgentId::new("api").unwrap(), Duration::from_secs(60));
        let before = age::now();
        take(&client(&socket), &id, Bytes::from("{}"), Instant::now() + within).await.unwrap();
        let head = hub.join().unwrap();
        let said = head.lines().find_map(|line| line.strip_prefix("x-headsup-until: "));
        let left = UnixMs::parse(said.unwrap()).unwrap().since(before);
        assert!((50_000..70_000).contains(&left), "{head}");
    }

    /// Who listens here never answers.
    #[tokio::test]
    async fn a_hub_that_says_nothing_is_asked_for_a_seat_no_longer_than_that() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("headsup.sock");
        let _listener = UnixListener::bind(&socket).unwrap();
        let (hub, id) = (client(&socket), AgentId::new("api").unwrap());
        let until = Instant::now() + Duration::from_millis(10);
        let asked = is_there(&hub, &id, until).await.unwrap_err();
        let taken = take(&hub, &id, Bytes::from("{}"), until).await.unwrap_err();
        assert_eq!([asked.kind, taken.kind], [Kind::HubUnreachable; 2]);
    }

    #[tokio::test]
    async fn what_a_hub_that_is_away_is_not_told_lies_in_the_spool_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path();
        let client = client(&home.join("headsup.sock"));
        let seat = Seat { id: "api", hub: Some(&client), home: Some(home), token: Some("t") };
        let process = Process::read(std::process::id()).unwrap();
        let started = word(&process, "running", None, End::default());
        seat.tell_or_leave(Some(started)).await;
        let terminated = End { signal: Some(15), ..End::default() };
        seat.tell_end(Some(&process), terminated).await;
        let spool = std::fs::read(home.join("spool/queue")).unwrap();
        let mut ids = Vec::new();
        let words = Decoder::new(&spool).map(|record| {
            let Ok(Record::Report(report)) = record else { panic!("{record:?}") };
            assert!(report.is_transition && report.kind == OF_A_PROCESS);
            assert_eq!(
                (report.agent.as_deref(), report.agent_token.as_deref()),
                (Some("api"), Some("t"))
            );
            ids.push(report.id);
            let body: Value = serde_json::from_slice(&report.body).unwrap();
            assert_eq!(body["pid"], process.pid);
            (body["state"].clone(), body["signal"].clone())
        });
        let words: Vec<_> = words.collect();
        assert_eq!(words, [(json!("running"), Value::Null), (json!("exited"), json!(15))]);
        assert_ne!(ids[0], ids[1]);
    }

    #[test]
    fn a_hub_hears_of_a_closed_terminal_where_it_was_closed_alone() {
        let process = Process::read(std::process::id()).unwrap();
        let told = |hung_up| {
            let word = ended(&process, End { code: Some(1), hung_up, ..End::default() });
            let body: Value = serde_json::from_slice(word.body()).unwrap();
            body.get("hung_up").cloned()
        };
        assert_eq!([false, true].map(told), [None, Some(json!(true))]);
    }

    /// The signals and the window of an agent are looked after meanwhile.
    #[tokio::test]
    async fn whoever_waits_for_the_spool_keeps_nobody_else_waiting() {
        let folder = tempfile::tempdir().unwrap();
        let (home, queue) = (folder.path(), folder.path().join("spool/queue"));
        std::fs::create_dir(home.join("spool")).unwrap();
        let theirs = std::fs::File::create(&queue).unwrap();
        flock(&theirs, FlockOperation::LockExclusive).unwrap();
        let seat = Seat { id: "api", hub: None, home: Some(home), token: None };
        let process = Process::read(std::process::id()).unwrap();
        let started = word(&process, "running", None, End::default());
        let mut told = pin!(seat.tell_or_leave(Some(started)));
        let mut nobody = Context::from_waker(Waker::noop());
        assert!(told.as_mut().poll(&mut nobody).is_pending());
        drop(theirs);
        assert_eq!(told.await, Told::Away);
        assert!(queue.metadata().unwrap().len() > 0);
    }
}
