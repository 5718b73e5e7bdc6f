//! A hub on a folder of its own, and a small client.

use crate::clock::Manual;
use crate::effects::Courier;
use crate::limits::Limits;
use crate::{BackgroundShells, Config, Hub, Retention};
use bytes::Bytes;
use headsup_adapters::WatchedFolder;
use headsup_core::time::UnixMs;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

pub(super) async fn soon<T>(what: &str, future: impl Future<Output = T>) -> T {
    let done = tokio::time::timeout(PATIENCE, future).await;
    done.unwrap_or_else(|_| panic!("{what} did not happen"))
}

pub(super) struct Bench {
    temp: TempDir,
    pub(super) clock: Arc<Manual>,
    pub(super) limits: Limits,
    /// Status files that the hub watches.
    pub(super) folders: Vec<WatchedFolder>,
    pub(super) background_shells: BackgroundShells,
    /// Sockets of container engines.
    pub(super) engines: Vec<PathBuf>,
    /// Who decides of merges.
    pub(super) forge: crate::ForgeSettings,
    /// Who is listened to without a token.
    pub(super) webhooks: crate::WebhookSettings,
    /// Who keeps tasks and pull requests.
    pub(super) providers: crate::ProviderSettings,
    /// Who carries what is to be done elsewhere.
    pub(super) couriers: Vec<Arc<dyn Courier>>,
    /// Starts agents again.
    pub(super) launcher: Option<PathBuf>,
    hub: Option<Hub>,
}

/// 2026-11-21T21:29:57.200Z
pub(super) const START: UnixMs = UnixMs(1_795_296_597_200);

impl Bench {
    pub(super) async fn new() -> Self {
        Self::with(Limits::default()).await
    }

    pub(super) async fn with(limits: Limits) -> Self {
        let temp = tempfile::tempdir().unwrap();
        let clock = Arc::new(Manual::new(START));
        let (folders, background_shells) = (Vec::new(), BackgroundShells::Idle);
        let (engines, forge) = (Vec::new(), crate::ForgeSettings::default());
        let (couriers, providers, hub) = (Vec::new(), crate::ProviderSettings::default(), None);
        let webhooks = crate::WebhookSettings::default();
        let mut bench = Self {
            temp,
            clock,
            limits,
            folders,
            background_shells,
            engines,
            forge,
            webhooks,
            providers,
            couriers,
            launcher: None,
            hub,
        };
        bench.start().await;
        bench
    }

    pub(super) fn home(&self) -> PathBuf {
        self.temp.path().join("home")
    }

    pub(super) fn hub(&self) -> &Hub {
        self.hub.as_ref().unwrap()
    }

    /// What its hub is told.
    pub(super) fn config(&self) -> Config {
        Config {
            home: self.home(),
            folders: self.folders.clone(),
            retention: Retention::default(),
            background_shells: self.background_shells,
            screen_rules: crate::ScreenRules::Never,
            pane_reports: crate::PaneReports::Never,
            listen: None,
            must_listen: false,
            tracker: crate::TrackerSettings::default(),
            forge: self.forge.clone(),
            webhooks: self.webhooks.clone(),
            providers: self.providers.clone(),
            engines: self.engines.clone(),
            launcher: self.launcher.clone(),
            beside: crate::Beside::default(),
        }
    }

    pub(super) async fn start(&mut self) {
        let (config, couriers) = (self.config(), self.couriers.clone());
        let hub = Hub::start_carried(config, self.clock.clone(), self.limits, couriers).await;
        self.hub = Some(hub.unwrap());
    }

    pub(super) async fn stop(&mut self) {
        soon("the stop", self.hub.take().unwrap().stop()).await;
    }

    pub(super) async fn restart(&mut self) {
        self.stop().await;
        self.start().await;
    }

    /// A second bench on what a killed hub would have left behind: its files as they are now.
    pub(super) async fn killed_now(&self) -> Self {
        let temp = tempfile::tempdir().unwrap();
        copy_folder(&self.home(), &temp.path().join("home"));
        let (clock, limits, folders) = (self.clock.clone(), self.limits, self.folders.clone());
        let background_shells = self.background_shells;
        let (engines, forge) = (Vec::new(), crate::ForgeSettings::default());
        let (couriers, providers, hub) = (self.couriers.clone(), self.providers.clone(), None);
        let webhooks = self.webhooks.clone();
        let mut bench = Self {
            temp,
            clock,
            limits,
            folders,
            background_shells,
            engines,
            forge,
            webhooks,
            providers,
            couriers,
            launcher: None,
            hub,
        };
        bench.start().await;
        bench
    }

    /// Lets time pass and waits until the hub has noticed.
    pub(super) async fn pass(&self, ms: i64) {
        self.clock.advance(ms);
        self.hub().settle().await;
        // The chores come behind the answer, and before the next job.
        self.hub().settle().await;
    }

    pub(super) fn client(&self) -> Client {
        Client { socket: self.hub().socket(), tcp: None }
    }

    /// A client of the hub on TCP, at a port of its own.
    pub(super) async fn on_tcp(&self) -> Client {
        self.on_tcp_at("127.0.0.1:0").await
    }

    pub(super) async fn on_tcp_at(&self, address: &str) -> Client {
        let body = serde_json::json!({ "address": address }).to_string();
        let reply = self.client().send("PUT", "/api/v1/listener", &[], body).await;
        assert_eq!(reply.status, StatusCode::OK, "{}", reply.text());
        let address = reply.json()["addresses"][0].as_str().unwrap().parse().unwrap();
        Client { tcp: Some(address), ..self.client() }
    }

    /// What an `Authorization` says.
    pub(super) fn bearer(&self) -> String {
        format!("Bearer {}", std::fs::read_to_string(self.home().join("token")).unwrap().trim())
    }
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let kind = entry.file_type().unwrap();
        let target = to.join(entry.file_name());
        if kind.is_dir() {
            copy_folder(&entry.path(), &target);
        } else if kind.is_file() && entry.file_name() != "headsup.db-shm" {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Client {
    pub(super) socket: PathBuf,
    /// Instead of the socket.
    pub(super) tcp: Option<SocketAddr>,
}

#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: StatusCode,
    pub(super) headers: hyper::HeaderMap,
    pub(super) bytes: Bytes,
}

impl Reply {
    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap_or_default()
    }

    pub(super) fn code(&self) -> String {
        self.json()["code"].as_str().unwrap_or_default().to_owned()
    }

    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

pub(super) type Headers<'a> = &'a [(&'a str, &'a str)];

impl Client {
    pub(super) fn host(&self) -> String {
        self.tcp.map_or_else(|| "localhost".to_owned(), |address| address.to_string())
    }

    async fn connect(&self) -> SendRequest<Full<Bytes>> {
        match self.tcp {
            None => speak(UnixStream::connect(&self.socket).await.unwrap()).await,
            Some(address) => speak(TcpStream::connect(address).await.unwrap()).await,
        }
    }

    pub(super) async fn open(
        &self,
        method: &str,
        path: &str,
        headers: Headers<'_>,
        body: impl Into<Bytes>,
    ) -> Response<Incoming> {
        let mut sender = self.connect().await;
        let mut request = Request::builder().method(method).uri(path);
        if headers.iter().all(|(name, _)| !name.eq_ignore_ascii_case("host")) {
            request = request.header("host", self.host());
        }
        if ["POST", "PUT", "PATCH"].contains(&method)
            && headers.iter().all(|(name, _)| *name != "content-type")
        {
            request = request.header("content-type", "application/json");
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Full::new(body.into())).unwrap();
        soon("an answer", sender.send_request(request)).await.unwrap()
    }

    pub(super) async fn send(
        &self,
        method: &str,
        path: &str,
        headers: Headers<'_>,
        body: impl Into<Bytes>,
    ) -> Reply {
        let (parts, body) = self.open(method, path, headers, body).await.into_parts();
        let bytes = soon("the body", body.collect()).await.unwrap().to_bytes();
        Reply { status: parts.status, headers: parts.headers, bytes }
    }

    pub(super) async fn get(&self, path: &str) -> Reply {
        self.send("GET", path, &[], "").await
    }

    pub(super) async fn hook(&self, event: &str, session: &str, headers: Headers<'_>) -> Reply {
        self.send("POST", "/api/v1/hooks/claude-code", headers, payload(event, session)).await
    }

    pub(super) async fn report(&self, id: &str, turn: &str) -> Reply {
        let path = format!("/api/v1/agents/{id}/reports");
        self.send("POST", &path, &[], format!("{{\"turn\":\"{turn}\"}}")).await
    }

    pub(super) async fn headline(&self, id: &str) -> String {
        let doc = self.get(&format!("/api/v1/agents/{id}")).await.json();
        doc["headline"].as_str().unwrap_or("none").to_owned()
    }

    pub(super) async fn head(&self) -> u64 {
        self.get("/healthz").await.json()["cursor"].as_str().unwrap().parse().unwrap()
    }

    /// Every event kept, as the log has them.
    pub(super) async fn log(&self) -> Vec<Value> {
        let mut stream = self.events("?since=0&follow=false").await;
        let mut log = Vec::new();
        while let Some(message) = stream.next().await {
            log.push(message.data);
        }
        log
    }

    /// One counter; 0 if it is not there yet.
    pub(super) async fn metric(&self, name: &str) -> u64 {
        let text = self.get("/metrics").await.text();
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or("0").parse().unwrap()
    }

    pub(super) async fn events(&self, query: &str) -> Stream {
        self.events_with(query, &[]).await
    }

    pub(super) async fn events_with(&self, query: &str, headers: Headers<'_>) -> Stream {
        let response = self.open("GET", &format!("/api/v1/events{query}"), headers, "").await;
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Stream { body: response.into_body(), text: String::new(), ready: VecDeque::new() }
    }
}

async fn speak<S>(stream: S) -> SendRequest<Full<Bytes>>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (sender, connection) = handshake(TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    sender
}

pub(super) fn payload(event: &str, session: &str) -> String {
    let cwd = format!("/home/dev/{session}");
    serde_json::json!({
        "hook_event_name": event, "session_id": session, "cwd": cwd, "source": "startup",
        "transcript_path": format!("/logs/{session}.jsonl"), "tool_name": "Bash",
        "tool_use_id": "toolu_1", "tool_input": {"command": "ls"}, "prompt": "go",
    })
    .to_string()
}

pub(super) struct Stream {
    body: Incoming,
    text: String,
    ready: VecDeque<Message>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Message {
    pub(super) id: Option<u64>,
    pub(super) event: String,
    pub(super) data: Value,
}

impl Stream {
    /// The next message; `None` at the stream's end.
    pub(super) async fn next(&mut self) -> Option<Message> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Some(message);
            }
            let frame = soon("a message", self.body.frame()).await?;
            let Ok(data) = frame.ok()?.into_data() else { continue };
            self.text.push_str(str::from_utf8(&data).unwrap());
            while let Some(end) = self.text.find("\n\n") {
                let message: String = self.text.drain(..end + 2).collect();
                self.ready.extend(parse(&message));
            }
        }
    }

    /// The next one of this type.
    pub(super) async fn next_of(&mut self, event: &str) -> Message {
        loop {
            let message = self.next().await.expect("the stream ended");
            if message.event == event {
                return message;
            }
        }
    }
}

fn parse(text: &str) -> Option<Message> {
    let field =
        |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    let event = field("event")?.to_owned();
    let data = serde_json::from_str(field("data")?).unwrap();
    Some(Message { id: field("id").map(|id| id.parse().unwrap()), event, data })
}
