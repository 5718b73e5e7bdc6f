//! Carries orders out, one after the other.

use super::{DEFAULT, Listen, ListenError, Listening, Memory, Order, Orders, Term, is_local};
use crate::access::Access;
use crate::guard::{Gates, Guard};
use crate::serve::{Door, Stop, tcp};
use std::io;
use std::net::{Ipv6Addr, SocketAddr};
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;

pub(crate) struct Desk {
    access: Arc<Access>,
    memory: Memory,
    door: Door,
    /// The hub's end.
    stopped: watch::Receiver<Stop>,
    current: Option<Current>,
}

/// What listens now.
struct Current {
    addresses: Vec<SocketAddr>,
    gates: Arc<Gates>,
    insecure: bool,
    /// It is not there at the hub's next start.
    passing: bool,
    /// The names that last, where it lasts and has others in passing.
    names: Option<Vec<String>>,
    /// Ends its connections.
    stop: watch::Sender<Stop>,
    accepting: JoinSet<()>,
}

impl Current {
    /// Nobody is let in any more when this comes back.
    async fn end(self, stop: Stop) {
        self.stop.send_replace(stop);
        self.accepting.join_all().await;
    }
}

impl Desk {
    /// `door` leads to the router of TCP.
    pub(crate) fn new(access: Arc<Access>, memory: Memory, door: Door) -> Self {
        let stopped = door.stopped();
        Self { access, memory, door, stopped, current: None }
    }

    pub(crate) async fn run(mut self, mut orders: Orders) {
        loop {
            let order = tokio::select! {
                order = orders.orders.recv() => order,
                _ = self.stopped.changed() => None,
            };
            let Some(order) = order else { break };
            // Whoever asked may have left.
            match order {
                Order::Open(listen, reply, term) => {
                    let opened = self.open(listen, term).await;
                    match &opened {
                        Ok(_) => orders.problem.set(None),
                        Err(error) if term == Term::AtStart => {
                            orders.problem.set(Some(error.to_string()));
                        }
                        Err(_) => {}
                    }
                    reply.send(opened).is_err()
                }
                Order::Look(reply) => reply.send(self.look()).is_err(),
                Order::Close(reply, only_passing) => {
                    match self.close(only_passing).await {
                        Err(error) => orders.problem.set(Some(error.to_string())),
                        Ok(()) if !only_passing => orders.problem.set(None),
                        Ok(()) => {}
                    }
                    reply.send(()).is_err()
                }
            };
        }
        if let Some(current) = self.current.take() {
            current.end(Stop::Drain).await;
        }
    }

    async fn open(&mut self, listen: Listen, term: Term) -> Result<Listening, ListenError> {
        let before = self.current.as_ref().map(|current| current.addresses[0]);
        let kept = self.memory.recall();
        let kept_address = kept.as_ref().and_then(|kept| kept.address);
        let address = listen.address.or(before).or(kept_address).unwrap_or(DEFAULT);
        let goes_on = before.is_some_and(|before| {
            before.ip() == address.ip() && [0, before.port()].contains(&address.port())
        });
        // What lasts there already goes on to last.
        let lasts = goes_on && self.current.as_ref().is_some_and(|current| !current.passing);
        if !goes_on {
            self.access.ready().map_err(|error| ListenError::Token(error.to_string()))?;
            let insecure = listen.insecure
                || kept.as_ref().is_some_and(|kept| kept.insecure && kept_address == Some(address));
            if !is_local(address) && !insecure {
                return Err(ListenError::NotLocal(address));
            }
            let names = kept.as_ref().and_then(|kept| kept.allow_hosts.clone());
            self.begin(address, insecure, names.unwrap_or_default()).await?;
        }
        let Some(current) = &mut self.current else { return Err(ListenError::Stopping) };
        // Whoever names no address leaves the one that lasts as it is, also while another is there in its place.
        let has_made_way = goes_on && current.passing && listen.address.is_none();
        let away = kept.filter(|kept| has_made_way && kept.address != Some(current.addresses[0]));
        match (term, away) {
            (Term::Passing, _) => {
                if let Some(names) = listen.allow_hosts {
                    if lasts && current.names.is_none() {
                        current.names = Some(current.gates.allowed());
                    }
                    current.gates.allow(names);
                }
                current.passing = !lasts;
            }
            (_, Some(Listen { address: Some(address), insecure, .. })) => {
                if let Some(names) = listen.allow_hosts {
                    current.gates.allow(names.clone());
                    self.memory.keep(address, insecure, names);
                }
            }
            _ => {
                if let Some(names) = listen.allow_hosts {
                    current.gates.allow(names);
                    current.names = None;
                }
                current.passing = false;
                let names = current.names.clone().unwrap_or_else(|| current.gates.allowed());
                self.memory.keep(current.addresses[0], current.insecure, names);
            }
        }
        self.look().ok_or(ListenError::Stopping)
    }

    async fn begin(
        &mut self,
        address: SocketAddr,
        insecure: bool,
        names: Vec<String>,
    ) -> Result<(), ListenError> {
        let mut first = bind(address).await;
        // Our own port is free for us, also under a narrower or a wider address.
        let may_be_ours = match &first {
            Ok(_) => true,
            Err(error) => error.kind() == io::ErrorKind::AddrInUse,
        };
        let is_ours = |current: &mut Current| current.addresses[0].port() == address.port();
        if may_be_ours && let Some(current) = self.current.take_if(is_ours) {
            current.end(Stop::Cut).await;
            if first.is_err() {
                first = bind(address).await;
            }
        }
        let first = first.map_err(|source| failed(address, source))?;
        let first_address = first.local_addr().map_err(|source| failed(address, source))?;
        let mut listeners = vec![first];
        let mut addresses = vec![first_address];
        if address.ip() == DEFAULT.ip() {
            // A browser may look for `localhost` there first, and must not find somebody else.
            let twin = SocketAddr::new(Ipv6Addr::LOCALHOST.into(), first_address.port());
            match bind(twin).await {
                Ok(listener) => {
                    listeners.push(listener);
                    addresses.push(twin);
                }
                Err(error) => tracing::info!(%error, %twin, "not listening there as well"),
            }
        }
        let access = Arc::clone(&self.access);
        let gates = Arc::new(Gates::new(access, &addresses, names));
        let (stop, stopped) = watch::channel(Stop::Not);
        let door = self.door.with(Guard::Tcp(Arc::clone(&gates)), stopped);
        let accept = |listener| tcp::accept(listener, door.clone());
        let accepting = listeners.into_iter().map(accept).collect();
        tracing::info!(?addresses, "listening on TCP");
        let (passing, names) = (true, None);
        let current = Current { addresses, gates, insecure, passing, names, stop, accepting };
        if let Some(old) = self.current.replace(current) {
            old.end(Stop::Cut).await;
        }
        Ok(())
    }

    fn look(&self) -> Option<Listening> {
        let Current { addresses, gates, .. } = self.current.as_ref()?;
        Some(Listening { addresses: addresses.clone(), allow_hosts: gates.allowed() })
    }

    async fn close(&mut self, only_passing: bool) -> Result<(), ListenError> {
        if !only_passing {
            self.memory.forget();
        } else if let Some(current) = &mut self.current
            && let Some(names) = current.names.take()
        {
            current.gates.allow(names);
        }
        let is_meant = |current: &mut Current| current.passing || !only_passing;
        let Some(current) = self.current.take_if(is_meant) else { return Ok(()) };
        current.end(Stop::Cut).await;
        tracing::info!("not listening on TCP any more");
        // What lasts elsewhere has only made way.
        if let Some(lasting) = self.memory.recall().filter(|_| only_passing) {
            self.open(lasting, Term::Lasting).await?;
        }
        Ok(())
    }
}

async fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    TcpListener::bind(address).await
}

fn failed(address: SocketAddr, source: io::Error) -> ListenError {
    match source.kind() {
        io::ErrorKind::AddrInUse => ListenError::InUse(address),
        _ => ListenError::Bind { address, source },
    }
}
