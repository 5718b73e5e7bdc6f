//! The hub on TCP: it listens when it is asked to, and again after a restart.

mod address;
mod desk;
mod memory;

pub use address::{BadAddress, BadName, DEFAULT, host_name, is_local, parse};
pub(crate) use desk::Desk;
pub(crate) use memory::Memory;

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{mpsc, oneshot};

/// What is wished for. Whatever is left out stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listen {
    /// Where; port 0 lets the system choose, where it does not listen on that address already.
    pub address: Option<SocketAddr>,
    /// Also where others can reach it, without TLS.
    pub insecure: bool,
    /// Further names under which a browser may know the hub, as in its Host header.
    pub allow_hosts: Option<Vec<String>>,
}

/// Where the hub can be reached over TCP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Listening {
    /// One port. The first is the one that was asked for.
    pub(crate) addresses: Vec<SocketAddr>,
    pub(crate) allow_hosts: Vec<String>,
}

/// Why the hub does not listen.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// Another program has the port.
    #[error("port {} on {} is in use by another program", .0.port(), .0.ip())]
    InUse(SocketAddr),
    /// Others could reach it there.
    #[error("{0} can be reached from other machines, and the hub speaks no TLS")]
    NotLocal(SocketAddr),
    /// The system refused for another reason.
    #[error("cannot listen on {address}: {source}")]
    Bind { address: SocketAddr, source: io::Error },
    /// Nobody could be let in.
    #[error("{0}")]
    Token(String),
    /// The hub is about to end.
    #[error("the hub is stopping")]
    Stopping,
}

/// Makes the next hub of this state folder stay off TCP.
pub fn forget(home: &Path) {
    Memory::new(home).forget();
}

/// Whether the next hub of this state folder will listen by itself.
pub fn is_kept(home: &Path) -> bool {
    Memory::new(home).recall().is_some()
}

/// How the API reaches the listener.
#[derive(Clone, Debug)]
pub(crate) struct Listener {
    orders: mpsc::Sender<Order>,
    problem: Problem,
}

/// What keeps the hub from TCP since its start.
#[derive(Clone, Debug, Default)]
struct Problem(Arc<Mutex<Option<String>>>);

impl Problem {
    fn set(&self, problem: Option<String>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = problem;
    }
}

enum Order {
    Open(Listen, oneshot::Sender<Result<Listening, ListenError>>, Term),
    Look(oneshot::Sender<Option<Listening>>),
    /// What the last one says: only what listens in passing.
    Close(oneshot::Sender<()>, bool),
}

/// For how long it is ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Term {
    /// It lasts, and the hub has just started.
    AtStart,
    /// Also after a restart.
    Lasting,
    /// Until that is closed, or the hub ends; then what lasts is there again. Whoever asks for it to last meanwhile has it
    /// last.
    Passing,
}

/// The orders that are to be carried out.
pub(crate) struct Orders {
    orders: mpsc::Receiver<Order>,
    problem: Problem,
}

pub(crate) fn channel() -> (Listener, Orders) {
    let (sender, receiver) = mpsc::channel(16);
    let problem = Problem::default();
    (Listener { orders: sender, problem: problem.clone() }, Orders { orders: receiver, problem })
}

impl Listener {
    /// Listens; one that listens there already goes on.
    pub(crate) async fn open(&self, listen: Listen, term: Term) -> Result<Listening, ListenError> {
        self.order(|reply| Order::Open(listen, reply, term)).await.ok_or(ListenError::Stopping)?
    }

    /// Orders the same for a hub that starts; whatever is ordered from then on comes after it.
    pub(crate) async fn begin(&self, listen: Listen) -> Result<Opening, ListenError> {
        let (reply, answer) = oneshot::channel();
        let ordered = self.orders.send(Order::Open(listen, reply, Term::AtStart)).await;
        ordered.map_err(|_| ListenError::Stopping)?;
        Ok(Opening(answer))
    }

    /// Keeps why the hub is not on TCP as it should be.
    pub(crate) fn note(&self, problem: String) {
        self.problem.set(Some(problem));
    }

    pub(crate) fn problem(&self) -> Option<String> {
        self.problem.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// `None`: not on TCP.
    pub(crate) async fn look(&self) -> Option<Listening> {
        self.order(Order::Look).await.flatten()
    }

    /// Listens no more, also after a restart. `only_passing`: what lasts goes on.
    pub(crate) async fn close(&self, only_passing: bool) {
        self.order(|reply| Order::Close(reply, only_passing)).await;
    }

    async fn order<T>(&self, order: impl FnOnce(oneshot::Sender<T>) -> Order) -> Option<T> {
        let (reply, answer) = oneshot::channel();
        self.orders.send(order(reply)).await.ok()?;
        answer.await.ok()
    }
}

/// An order to listen that is under way.
pub(crate) struct Opening(oneshot::Receiver<Result<Listening, ListenError>>);

impl Opening {
    pub(crate) async fn done(self) -> Result<Listening, ListenError> {
        self.0.await.map_err(|_| ListenError::Stopping)?
    }
}

impl Listening {
    /// The page's address, without a path.
    pub(crate) fn url(&self) -> String {
        let Some(first) = self.addresses.first() else { return String::new() };
        // What listens everywhere is reached from here most safely.
        let unspecified = first.ip().is_unspecified();
        let address =
            if unspecified { SocketAddr::new(DEFAULT.ip(), first.port()) } else { *first };
        format!("http://{address}")
    }
}
