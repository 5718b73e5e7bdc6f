//! A stand-in for the server on which a program serves its conversations.

use std::io;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use std::{fs, thread};
use tungstenite::{Message, WebSocket};

/// Whoever looks for a server that is not there does so every second.
const FOUND_WITHIN: Duration = Duration::from_secs(3);

/// It is there until the player's home is gone.
#[derive(Debug)]
pub(super) struct Server {
    clients: Mutex<Clients>,
}

#[derive(Debug)]
struct Clients {
    coming: Receiver<WebSocket<UnixStream>>,
    here: Vec<WebSocket<UnixStream>>,
}

impl Server {
    /// Listens at `socket`.
    pub(super) fn start(socket: &Path) -> io::Result<Self> {
        if let Some(folder) = socket.parent() {
            fs::create_dir_all(folder)?;
        }
        let listener = UnixListener::bind(socket)?;
        let (come, coming) = channel();
        thread::Builder::new().name("server".to_owned()).spawn(move || {
            for stream in listener.incoming().flatten() {
                let Ok(client) = tungstenite::accept(stream) else { continue };
                if come.send(client).is_err() {
                    return;
                }
            }
        })?;
        Ok(Self { clients: Mutex::new(Clients { coming, here: Vec::new() }) })
    }

    /// Tells all clients, and waits for the first one.
    pub(super) fn say(&self, message: &str) -> io::Result<()> {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        let Clients { coming, here } = &mut *clients;
        here.extend(coming.try_iter());
        if here.is_empty() {
            here.extend(coming.recv_timeout(FOUND_WITHIN));
        }
        here.retain_mut(|client| client.send(Message::text(message)).is_ok());
        match here.is_empty() {
            true => Err(io::Error::other("nobody listens to the program's server")),
            false => Ok(()),
        }
    }
}
