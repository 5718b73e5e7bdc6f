//! The floors: the least that does the same, to be measured in the same run.

use crate::Outcome;
use headsup_testkit::wait;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/bin/measure/floor.c");

/// The static C client, compiled into `folder`.
pub(crate) fn client(folder: &Path) -> Outcome<PathBuf> {
    let program = folder.join("floor");
    let mut compile = Command::new("musl-gcc");
    compile.args(["-O2", "-static", "-o"]).arg(&program).arg(SOURCE);
    match compile.status() {
        Ok(status) if status.success() => Ok(program),
        Ok(status) => Err(format!("musl-gcc ended with {status}").into()),
        Err(_) => Err("musl-gcc is missing, and with it the floor of all hook rows: \
                       `apt-get install musl-tools`"
            .into()),
    }
}

/// A program that does nothing, statically linked with the system's own library, compiled into
/// `folder`. `None`: there is no compiler, or no such library.
pub(crate) fn nothing(folder: &Path) -> Option<PathBuf> {
    let (source, program) = (folder.join("nothing.c"), folder.join("nothing"));
    std::fs::write(&source, "int main(void) { return 0; }\n").ok()?;
    let mut compile = Command::new("cc");
    compile.args(["-O2", "-static", "-o"]).arg(&program).arg(source).stderr(Stdio::null());
    compile.status().is_ok_and(|status| status.success()).then_some(program)
}

/// A server that is another process. It is killed when it goes out of scope.
pub(crate) struct Server(Child);

impl Server {
    /// Starts `measure WORDS`.
    pub(crate) fn start(words: &[&str]) -> Outcome<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(words).stdin(Stdio::null()).stdout(Stdio::null());
        Ok(Self(command.spawn()?))
    }

    /// An axum that only answers, on a unix socket. It takes connections when this returns.
    pub(crate) fn bare(socket: &Path) -> Outcome<Self> {
        let server = Self::start(&["bare", &socket.to_string_lossy()])?;
        wait::until("the bare server", || UnixStream::connect(socket).ok());
        Ok(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _gone = self.0.kill();
        let _reaped = self.0.wait();
    }
}

/// Serves hooks on `socket` by answering them.
pub(crate) fn run_bare(socket: &str) -> Outcome<()> {
    let answer = |_body: axum::body::Bytes| async { (axum::http::StatusCode::ACCEPTED, "{}") };
    let router = axum::Router::new()
        .route("/healthz", axum::routing::get(async || "{}"))
        .route("/api/v1/hooks/{kind}", axum::routing::post(answer));
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let listener = tokio::net::UnixListener::bind(socket)?;
        axum::serve(listener, router).await?;
        Ok(())
    })
}

/// Writes each line of the first connection to all the others, which are `count`: the loop that
/// watchers on TCP are compared with. The port goes into `file`.
pub(crate) fn run_relay(file: &str, count: usize) -> Outcome<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let part = format!("{file}.part");
    std::fs::write(&part, listener.local_addr()?.port().to_string())?;
    std::fs::rename(part, file)?;
    let (teller, _) = listener.accept()?;
    let mut watchers = Vec::with_capacity(count);
    for _ in 0..count {
        let (watcher, _) = listener.accept()?;
        watcher.set_nodelay(true)?;
        watchers.push(watcher);
    }
    // All are there.
    (&teller).write_all(b".")?;
    for line in BufReader::new(&teller).lines() {
        let frame = format!("{}\n\n", line?);
        for mut watcher in &watchers {
            watcher.write_all(frame.as_bytes())?;
        }
    }
    Ok(())
}

/// A relay with its teller and its watchers.
pub(crate) struct Relay {
    pub(crate) teller: TcpStream,
    pub(crate) watchers: Vec<TcpStream>,
    _server: Server,
}

pub(crate) fn relay(folder: &Path, count: usize) -> Outcome<Relay> {
    let file = folder.join("relay-port");
    // An earlier one's.
    let _none = std::fs::remove_file(&file);
    let server = Server::start(&["relay", &file.to_string_lossy(), &count.to_string()])?;
    let port = wait::until("the relay", || std::fs::read_to_string(&file).ok()?.parse().ok());
    let connect = || TcpStream::connect(("127.0.0.1", port));
    let mut teller = connect()?;
    teller.set_nodelay(true)?;
    let watchers = (0..count).map(|_| connect()).collect::<Result<_, _>>()?;
    std::io::Read::read_exact(&mut teller, &mut [0])?;
    Ok(Relay { teller, watchers, _server: server })
}
