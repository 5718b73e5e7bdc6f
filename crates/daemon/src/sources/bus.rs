//! Programs that serve their conversations on a port: each one that sits in a seat is looked for there,
//! and followed.
//!
//! Only a port of this machine that the program itself (or one that it has started) listens at, and only
//! without a password: that is not ours to read. Each connection begins with the stream, then asks for the
//! lists, and only then reads on. What breaks says nothing of the agent: it is looked for again, with
//! growing pauses.

mod client;
mod events;
mod listener;
mod ports;
mod reader;

use crate::inbox::Inbox;
use crate::job::Work;
use crate::metrics::Metrics;
use crate::namespaces::{Namespaces, Peer};
use crate::sighting::{self, Envelope};
use client::{Client, Failed};
use events::Events;
use headsup_adapters::bus::{self, Follower};
use headsup_adapters::stream;
use headsup_core::id::{AgentId, ProcessId};
use headsup_core::seat::Seat;
use ports::Place;
use serde_json::json;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Instant, interval_at, sleep, timeout};

/// How soon a program that has no port yet is looked at again; each time twice as late.
const FIRST: Duration = Duration::from_millis(250);
const LAST: Duration = Duration::from_secs(30);
/// A request is answered at once, or the program is stuck (measured: one that came while it started
/// was never answered).
const ANSWERED_WITHIN: Duration = Duration::from_secs(5);
/// A heartbeat comes every 10 s.
const SILENT: Duration = Duration::from_secs(25);
/// What stands is said again after this time: it has not become old.
const AGAIN: Duration = Duration::from_secs(15);
/// More programs than anybody runs.
const MOST: usize = 64;

/// What a seat is known by to the one who follows its program.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Known {
    session: Option<String>,
    /// Launched by us: it has its seat whatever it says.
    is_launched: bool,
}

type Seated = Arc<Mutex<BTreeMap<AgentId, Known>>>;

struct Followed {
    seats: Seated,
    task: AbortHandle,
}

struct Buses {
    places: HashMap<AgentId, ProcessId>,
    followed: HashMap<ProcessId, Followed>,
    tasks: JoinSet<()>,
    inbox: Inbox,
    metrics: Arc<Metrics>,
    namespaces: Arc<Namespaces>,
}

pub(super) async fn watch(
    mut seats: UnboundedReceiver<Arc<Seat>>,
    inbox: Inbox,
    metrics: Arc<Metrics>,
    namespaces: Arc<Namespaces>,
) {
    let (places, followed, tasks) = (HashMap::new(), HashMap::new(), JoinSet::new());
    let mut buses = Buses { places, followed, tasks, inbox, metrics, namespaces };
    while let Some(seat) = seats.recv().await {
        buses.look_at(&seat);
    }
}

impl Buses {
    fn look_at(&mut self, seat: &Seat) {
        let process = seat.process.id.clone().filter(|process| {
            let is_here = process.pid_namespace.is_none() && !seat.process.state.is_over();
            is_here && bus::is_known(&seat.kind)
        });
        if self.places.get(&seat.id) != process.as_ref() {
            self.leave(&seat.id);
        }
        let Some(process) = process else { return };
        if self.followed.len() >= MOST && !self.followed.contains_key(&process) {
            return;
        }
        let Self { followed, tasks, inbox, metrics, namespaces, .. } = self;
        let followed = followed.entry(process.clone()).or_insert_with(|| {
            let seats = Seated::default();
            let (inbox, metrics) = (inbox.clone(), Arc::clone(metrics));
            let bus = Bus {
                kind: seat.kind.to_string(),
                process: process.clone(),
                seats: Arc::clone(&seats),
                inbox,
                metrics,
                namespaces: Arc::clone(namespaces),
            };
            Followed { seats, task: tasks.spawn(bus.follow()) }
        });
        let session = seat.session.as_ref().map(|session| session.id.clone());
        let known = Known { session, is_launched: !seat.about.adopted };
        lock(&followed.seats).insert(seat.id.clone(), known);
        self.places.insert(seat.id.clone(), process);
    }

    /// The last one to leave a program ends what follows it.
    fn leave(&mut self, id: &AgentId) {
        let Some(process) = self.places.remove(id) else { return };
        let Some(followed) = self.followed.get(&process) else { return };
        let is_empty = {
            let mut seats = lock(&followed.seats);
            seats.remove(id);
            seats.is_empty()
        };
        if is_empty && let Some(followed) = self.followed.remove(&process) {
            followed.task.abort();
            self.metrics.server_refuses(&process, None);
            while self.tasks.try_join_next().is_some() {}
        }
    }
}

fn lock(seats: &Seated) -> MutexGuard<'_, BTreeMap<AgentId, Known>> {
    seats.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One program.
struct Bus {
    kind: String,
    process: ProcessId,
    seats: Seated,
    inbox: Inbox,
    metrics: Arc<Metrics>,
    namespaces: Arc<Namespaces>,
}

impl Bus {
    async fn follow(self) {
        let (mut pause, mut follower) = (FIRST, None);
        loop {
            let mut refused = false;
            for place in ports::of(&self.kind, &self.process) {
                let follower = follower.get_or_insert_with(|| Follower::new(place.served));
                match self.hear(&place, follower).await {
                    Ok(()) => pause = FIRST,
                    Err(Failed::Refused) => refused = true,
                    Err(Failed::Absent | Failed::Silent) => {}
                }
            }
            self.refuses(refused);
            sleep(pause).await;
            pause = (pause * 2).min(LAST);
        }
    }

    /// Until the connection ends. An error: nothing was to be heard there.
    async fn hear(&self, place: &Place, follower: &mut Follower) -> Result<(), Failed> {
        let client = Client::new(place.address);
        let body = within(client.open(follower.stream())).await?;
        self.refuses(false);
        let mut events = Events::new(body);
        // The first message says that the stream stands; whatever comes after it is not lost.
        within(events.next()).await?;
        self.look(place, &client, follower).await?;
        let mut again = interval_at(Instant::now() + AGAIN, AGAIN);
        loop {
            tokio::select! {
                message = timeout(SILENT, events.next()) => {
                    let Ok(Ok(message)) = message else { return Ok(()) };
                    if let Some(path) = follower.unknown(&message) {
                        self.learn(place, &client, &path, follower).await;
                    }
                    if let Some(body) = follower.heard(&message) {
                        self.tell(place, &body).await;
                    }
                    self.count(follower);
                }
                _ = again.tick() => {
                    for body in follower.stands() {
                        self.tell(place, &body).await;
                    }
                    self.look_again(place, &client, follower).await?;
                }
            }
        }
    }

    /// Where it has not said before where a session is, the lists could not tell of that. It may have been busy.
    async fn look_again(
        &self,
        place: &Place,
        client: &Client,
        follower: &mut Follower,
    ) -> Result<(), Failed> {
        let mut has_said = false;
        for path in follower.unknown_of(&[]) {
            if !self.learn(place, client, &path, follower).await {
                break;
            }
            has_said = true;
        }
        if has_said { self.look(place, client, follower).await } else { Ok(()) }
    }

    fn refuses(&self, it_does: bool) {
        self.metrics.server_refuses(&self.process, it_does.then_some(&*self.kind));
    }

    /// What was said that nobody knows: each kind of it once.
    fn count(&self, follower: &mut Follower) {
        for news in follower.news() {
            self.metrics.not_understood(&self.kind, &news);
        }
    }

    /// The lists of all folders that are known.
    async fn look(
        &self,
        place: &Place,
        client: &Client,
        follower: &mut Follower,
    ) -> Result<(), Failed> {
        let known: Vec<String> =
            lock(&self.seats).values().filter_map(|known| known.session.clone()).collect();
        // The lists of a folder say nothing of what is in another one.
        let mut is_silent = false;
        for path in follower.unknown_of(&known) {
            // Who says nothing of one says nothing of the next, and it is waited for each time.
            match is_silent {
                true => follower.learn_nothing(&path),
                false => is_silent = !self.learn(place, client, &path, follower).await,
            }
        }
        let mut folders = follower.folders();
        folders.extend(place.folder.clone());
        for folder in folders {
            let mut lists = [const { String::new() }; 3];
            for (path, list) in follower.lists().into_iter().zip(&mut lists) {
                let path = format!("{path}?directory={}", encoded(&folder));
                *list = within(client.get(&path)).await?;
            }
            let lists = [&*lists[0], &*lists[1], &*lists[2]];
            for path in follower.unknown_in(lists) {
                self.learn(place, client, &path, follower).await;
            }
            for body in follower.snapshot(&folder, lists, &known) {
                self.tell(place, &body).await;
            }
            self.count(follower);
        }
        Ok(())
    }

    /// Has it said where that session is, or that there is none?
    async fn learn(
        &self,
        place: &Place,
        client: &Client,
        path: &str,
        follower: &mut Follower,
    ) -> bool {
        let answer = within(client.get(path)).await;
        match &answer {
            Ok(answer) => {
                if let Some(body) = follower.learn(answer) {
                    self.tell(place, &body).await;
                }
            }
            Err(Failed::Absent) => follower.learn_absent(path),
            Err(_) => follower.learn_nothing(path),
        }
        matches!(answer, Ok(_) | Err(Failed::Absent))
    }

    /// As a launcher that reads along would tell it.
    async fn tell(&self, place: &Place, body: &[u8]) {
        let context = json!({ "parents": place.parents }).to_string();
        let claimed = self.claimed(place, body);
        let envelope = Envelope {
            kind: &self.kind,
            event: Some(stream::EVENT),
            claimed,
            context: Some(&context),
            spooled: None,
            peer: Peer::Unseen,
        };
        let Ok(report) = sighting::read(envelope, body, &self.namespaces) else { return };
        let (event, claimed) = (stream::EVENT.to_owned(), report.claimed.is_some());
        let moment = self.inbox.evidence().now();
        let reply = self.inbox.submit(Work::Hook(Box::new(report)), None).await;
        if let Ok(crate::job::Reply::Done { agent: Some(agent), .. }) = reply {
            let (context, payload) = (Some(context), body.to_vec().into());
            let hook =
                crate::evidence::Hook { event, of_a_stream: true, claimed, context, payload };
            self.inbox.evidence().keep_hook(&agent, moment, hook);
        }
    }

    /// The seat that it was launched for, where that has no other conversation.
    fn claimed(&self, place: &Place, body: &[u8]) -> Option<AgentId> {
        let seats = lock(&self.seats);
        let (id, known) = seats.iter().find(|(_, known)| known.is_launched)?;
        let said = stream::session(body);
        let is_its = !place.served.is_shared || known.session.is_none() || known.session == said;
        let others = said.is_some() && seats.values().any(|other| other.session == said);
        (is_its && (known.session == said || !others)).then(|| id.clone())
    }
}

async fn within<T>(asked: impl Future<Output = Result<T, Failed>>) -> Result<T, Failed> {
    timeout(ANSWERED_WITHIN, asked).await.unwrap_or(Err(Failed::Silent))
}

/// A path in a query.
fn encoded(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~/".contains(&byte);
    let one = |byte: u8| match plain(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    path.bytes().map(one).collect()
}

#[cfg(test)]
mod tests;
