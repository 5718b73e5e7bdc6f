//! Container engines: the one door to them, and nothing but questions goes through it.
//!
//! Docker and Podman both speak Docker's HTTP API on a unix socket. What is read here has been the
//! same from version 1.24 on; version 1.52 (Docker 29) has left out the older of the fields that
//! said it twice. Paths without a version ask for the engine's own.

mod said;

pub(crate) use said::{Event, State};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::body::Incoming;
use hyper::client::conn::http1::handshake;
use hyper::header::HOST;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use said::Lines;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::net::UnixStream;
use tokio::time::timeout;

/// An engine answers at once, or it is stuck.
const ANSWERED_WITHIN: Duration = Duration::from_secs(5);
/// What an engine says of one container; labels and mounts make it long.
const LONGEST: usize = 4 << 20;
/// One event, with the container's labels.
const LONGEST_EVENT: usize = 256 << 10;

/// Where engines may be listening: what `DOCKER_HOST` and `CONTAINER_HOST` name, and the usual
/// places. Only sockets of this machine; a container elsewhere says nothing of a process here.
pub fn sockets(var: impl Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    let set = |name: &str| var(name).filter(|value| !value.is_empty());
    let named = ["DOCKER_HOST", "CONTAINER_HOST"].into_iter().filter_map(|name| {
        let value = set(name)?.into_string().ok()?;
        value.strip_prefix("unix://").map(PathBuf::from)
    });
    let runtime = set("XDG_RUNTIME_DIR").map(PathBuf::from);
    let own =
        runtime.into_iter().flat_map(|at| [at.join("docker.sock"), at.join("podman/podman.sock")]);
    let usual = ["/var/run/docker.sock", "/run/podman/podman.sock"].map(PathBuf::from);
    let mut sockets: Vec<PathBuf> = Vec::new();
    for socket in named.chain(own).chain(usual) {
        if socket.is_absolute() && !sockets.contains(&socket) {
            sockets.push(socket);
        }
    }
    sockets
}

/// The name and version of an engine that answers, as `Docker/27.3.1 (linux)`.
///
/// # Errors
/// Where nobody listens, we may not ask, or no answer comes.
pub async fn ping(socket: &Path) -> io::Result<String> {
    let answer = get(socket, "/_ping").await?;
    let server = answer.headers().get("server").and_then(|name| name.to_str().ok());
    Ok(server.unwrap_or("an engine").to_owned())
}

/// Asks how a container is; `None` if the engine has none of this id.
pub(crate) async fn inspect(socket: &Path, container: &str) -> io::Result<Option<State>> {
    let answer = get(socket, &format!("/containers/{container}/json")).await?;
    match answer.status() {
        StatusCode::OK => {}
        StatusCode::NOT_FOUND => return Ok(None),
        other => return Err(io::Error::other(format!("the engine answered {other}"))),
    }
    let body = timeout(ANSWERED_WITHIN, Limited::new(answer.into_body(), LONGEST).collect());
    let body = body.await?.map_err(io::Error::other)?.to_bytes();
    Ok(Some(State::read(&body)?))
}

/// The events of one container, from now on.
#[derive(Debug)]
pub(crate) struct Events {
    body: Incoming,
    lines: Lines,
}

/// Listens to what befalls a container. Whoever asks how it is after this misses nothing.
pub(crate) async fn events(socket: &Path, container: &str) -> io::Result<Events> {
    // {"container":["ID"],"type":["container"]}
    let filters = format!(
        "%7B%22container%22%3A%5B%22{container}%22%5D%2C%22type%22%3A%5B%22container%22%5D%7D"
    );
    let answer = get(socket, &format!("/events?filters={filters}")).await?;
    match answer.status() {
        StatusCode::OK => Ok(Events { body: answer.into_body(), lines: Lines::new(LONGEST_EVENT) }),
        other => Err(io::Error::other(format!("the engine answered {other}"))),
    }
}

impl Events {
    /// The next event that can be read; `None` when the engine says no more.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.lines.next() {
                return Some(event);
            }
            if self.lines.is_too_long() {
                return None;
            }
            let frame = self.body.frame().await?.ok()?;
            self.lines.take(frame.data_ref().map_or(&[], |data| data));
        }
    }
}

/// Asks one question on a connection of its own. It is never anything but a `GET`: the hub only reads.
async fn get(socket: &Path, target: &str) -> io::Result<Response<Incoming>> {
    let answered = async {
        let stream = UnixStream::connect(socket).await?;
        let (mut sender, connection) =
            handshake(TokioIo::new(stream)).await.map_err(io::Error::other)?;
        // It ends with whoever reads the answer.
        tokio::spawn(connection);
        let request = Request::get(target).header(HOST, "localhost").body(Empty::<Bytes>::new());
        let request = request.map_err(io::Error::other)?;
        sender.send_request(request).await.map_err(io::Error::other)
    };
    timeout(ANSWERED_WITHIN, answered).await?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(vars: &[(&str, &str)]) -> Vec<String> {
        let var =
            |name: &str| vars.iter().find(|(of, _)| *of == name).map(|(_, value)| value.into());
        sockets(var).into_iter().map(|path| path.display().to_string()).collect()
    }

    #[test]
    fn engines_are_looked_for_where_they_are_named_and_where_they_usually_are() {
        let usual = ["/var/run/docker.sock", "/run/podman/podman.sock"];
        assert_eq!(found(&[]), usual);
        let vars = [
            ("DOCKER_HOST", "unix:///run/other.sock"),
            ("CONTAINER_HOST", "unix:///var/run/docker.sock"),
            ("XDG_RUNTIME_DIR", "/run/user/1000"),
        ];
        let all = [
            "/run/other.sock",
            "/var/run/docker.sock",
            "/run/user/1000/docker.sock",
            "/run/user/1000/podman/podman.sock",
            "/run/podman/podman.sock",
        ];
        assert_eq!(found(&vars), all);
        // Another machine's containers say nothing of ours.
        assert_eq!(
            found(&[("DOCKER_HOST", "tcp://10.0.0.7:2376"), ("XDG_RUNTIME_DIR", "")]),
            usual
        );
        assert_eq!(found(&[("DOCKER_HOST", "unix://relative")]), usual);
    }
}
