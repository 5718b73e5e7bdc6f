//! Servers on which programs serve all of their conversations: one connection to each, for as long
//! as an agent lives that may be served there.
//!
//! Nothing is asked of them but who is there, page by page. One that is not there is looked for every second, and
//! only while it is wanted. A helper's conversation is known by the helper's id, and tells one thing: that what the
//! helper has asked was answered. Its hooks tell that only when the call has ended.

use crate::board::Board;
use crate::inbox::Inbox;
use crate::job::{Sight, Witnessed, Work};
use crate::metrics::Metrics;
use crate::peer;
use futures_util::{SinkExt as _, StreamExt as _};
use headsup_adapters::{
    ServedSocket, ThreadFact, server_evidence, server_greeting, server_message, server_next,
    server_of_log, server_strange,
};
use headsup_core::id::AgentId;
use headsup_core::observation::{Delivery, Fact, Level};
use headsup_core::prompt::{Actor, Resolution};
use headsup_core::seat::Seat;
use headsup_core::source::Source;
use headsup_core::status::BlockedReason;
use headsup_core::time::UnixMs;
use serde_json::json;
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::net::UnixStream;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{sleep, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

/// How often a server that is not there is looked for.
const AGAIN: Duration = Duration::from_secs(1);
/// A server answers at once, or it is stuck.
const GREETED_WITHIN: Duration = Duration::from_secs(5);
/// A page of a list of conversations is long; one that is longer is not read, and ends the connection.
const LONGEST: usize = 16 << 20;
/// More servers than anybody runs.
const MOST: usize = 32;

/// Whose conversation each is.
type Threads = Arc<Mutex<HashMap<String, AgentId>>>;

struct Servers {
    board: Arc<Board>,
    inbox: Inbox,
    metrics: Arc<Metrics>,
    /// Where each seat is looked for, and under which conversation.
    seats: HashMap<AgentId, (ServedSocket, String)>,
    clients: HashMap<ServedSocket, Client>,
    tasks: JoinSet<()>,
}

struct Client {
    threads: Threads,
    task: AbortHandle,
}

pub(super) async fn watch(
    board: Arc<Board>,
    mut seats: UnboundedReceiver<Arc<Seat>>,
    inbox: Inbox,
    metrics: Arc<Metrics>,
) {
    let mut servers = Servers {
        board,
        inbox,
        metrics,
        seats: HashMap::new(),
        clients: HashMap::new(),
        tasks: JoinSet::new(),
    };
    while let Some(seat) = seats.recv().await {
        servers.look_at(&seat);
    }
}

/// Where a living agent may be served, and its conversation there.
fn served(seat: &Seat) -> Option<(ServedSocket, String)> {
    let log = seat.about.log_path.as_deref().filter(|_| !seat.process.state.is_over())?;
    Some((server_of_log(&seat.kind, Path::new(log))?, seat.session.as_ref()?.id.clone()))
}

impl Servers {
    fn look_at(&mut self, seat: &Seat) {
        let now = served(seat);
        if self.seats.get(&seat.id) == now.as_ref() {
            return;
        }
        if let Some((socket, thread)) = self.seats.remove(&seat.id) {
            self.leave(&socket, &thread, &seat.id);
        }
        let Some((socket, thread)) = now else { return };
        if self.clients.len() >= MOST && !self.clients.contains_key(&socket) {
            return;
        }
        let client = self.clients.entry(socket.clone()).or_insert_with(|| {
            let threads = Threads::default();
            let (inbox, metrics) = (self.inbox.clone(), Arc::clone(&self.metrics));
            let board = Arc::clone(&self.board);
            let listening = listen(socket.clone(), Arc::clone(&threads), board, inbox, metrics);
            Client { threads, task: self.tasks.spawn(listening) }
        });
        lock(&client.threads).insert(thread.clone(), seat.id.clone());
        self.seats.insert(seat.id.clone(), (socket, thread));
    }

    /// The last one to leave a server closes the connection.
    fn leave(&mut self, socket: &ServedSocket, thread: &str, id: &AgentId) {
        let Some(client) = self.clients.get(socket) else { return };
        let is_empty = {
            let mut threads = lock(&client.threads);
            // Another seat may have taken the conversation over.
            if threads.get(thread) == Some(id) {
                threads.remove(thread);
            }
            threads.is_empty()
        };
        if is_empty && let Some(client) = self.clients.remove(socket) {
            client.task.abort();
            while self.tasks.try_join_next().is_some() {}
        }
    }
}

fn lock(threads: &Threads) -> MutexGuard<'_, HashMap<String, AgentId>> {
    threads.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn listen(
    socket: ServedSocket,
    threads: Threads,
    board: Arc<Board>,
    inbox: Inbox,
    metrics: Arc<Metrics>,
) {
    loop {
        // Whatever ends a connection, the next one begins with a list.
        if let Some(server) = connect(&socket).await {
            hear(server, socket.kind, &threads, &board, &inbox, &metrics).await;
        }
        sleep(AGAIN).await;
    }
}

/// The server, greeted. What is not this user's is nobody's word.
async fn connect(socket: &ServedSocket) -> Option<WebSocketStream<UnixStream>> {
    let stream = UnixStream::connect(&socket.path).await.ok()?;
    if !peer::is_ours(&stream, peer::own_uid()) {
        return None;
    }
    let limits =
        WebSocketConfig::default().max_message_size(Some(LONGEST)).max_frame_size(Some(LONGEST));
    let greeted = async {
        let address = "ws://localhost/";
        let opened =
            tokio_tungstenite::client_async_with_config(address, stream, Some(limits)).await;
        let (mut server, _) = opened.ok()?;
        for message in server_greeting(socket.kind) {
            server.send(Message::text(message)).await.ok()?;
        }
        Some(server)
    };
    timeout(GREETED_WITHIN, greeted).await.ok()?
}

/// Until the connection ends.
async fn hear(
    mut server: WebSocketStream<UnixStream>,
    kind: &'static str,
    threads: &Threads,
    board: &Board,
    inbox: &Inbox,
    metrics: &Metrics,
) {
    let mut asking = HashMap::new();
    while let Some(Ok(message)) = server.next().await {
        let Ok(text) = message.to_text() else { continue };
        if let Some(news) = server_strange(kind, text) {
            metrics.not_understood(kind, &news);
        }
        for ThreadFact { thread, name, fact } in server_message(kind, text) {
            let own = lock(threads).get(&thread).cloned();
            let is_own = own.is_some();
            let Some(agent) = own.or_else(|| helped(board, threads, &thread)) else {
                // Its end may have been told by another.
                asking.remove(&thread);
                continue;
            };
            if let Some(message) = server_evidence(kind, text, &thread) {
                let evidence = inbox.evidence();
                evidence.keep(&agent, evidence.now(), &json!({"src": "server", "msg": message}));
            }
            let told = match is_own {
                true => Some((Some(thread), fact)),
                false => answered(&mut asking, thread, &fact).map(|fact| (None, fact)),
            };
            let Some((session, fact)) = told else { continue };
            let sight = Sight {
                agent,
                source: Source::AppServer,
                name,
                session,
                process: None,
                made_at: None,
                delivery: Delivery::Live,
                fact,
            };
            let work = Work::Witnessed(Witnessed::Seat(Box::new(sight)));
            inbox.submit(work, None).await.ok();
        }
        if let Some(asked) = server_next(kind, text)
            && server.send(Message::text(asked)).await.is_err()
        {
            return;
        }
    }
}

/// The agent that has a helper of this id.
fn helped(board: &Board, threads: &Threads, helper: &str) -> Option<AgentId> {
    let agents: Vec<AgentId> = lock(threads).values().cloned().collect();
    let mut seats = agents.iter().filter_map(|agent| board.seat(agent));
    let is_its = |seat: &Arc<Seat>| seat.subagents.iter().any(|known| known == helper);
    seats.find(is_its).map(|seat| seat.id.clone())
}

/// That what a helper has asked was answered, where it works on behind that. `asking`: which of them ask.
fn answered(
    asking: &mut HashMap<String, BlockedReason>,
    helper: String,
    fact: &Fact,
) -> Option<Fact> {
    if let Fact::Level(Level::Blocked { reason, .. }) = fact {
        asking.insert(helper, *reason);
        return None;
    }
    let reason = asking.remove(&helper)?;
    let works = matches!(fact, Fact::Level(Level::Working { .. }));
    // No clock here: the gate knows when it was received.
    let resolution = Resolution::elsewhere(UnixMs::default());
    let actor = Actor::Sub(helper);
    works.then_some(Fact::PromptResolved { actor, reason, key: None, resolution })
}

#[cfg(test)]
mod tests;
