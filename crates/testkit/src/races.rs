//! Many who answer one question in the same moment, each through a channel of its own.

use crate::home::Home;
use crate::http::{self, Answer};
use crate::hub::Hub;
use serde_json::{Value, json};
use std::io;
use std::sync::Barrier;
use std::time::{Duration, Instant};

/// As many as the promise names.
pub const RACERS: usize = 64;

/// The agent that asks.
const ASKER: &str = "api";

/// A way in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// A program of the person's, over TCP, with the token.
    Api,
    /// What `headsup answer` sends, on the socket.
    Cli,
    /// What the page sends: over TCP, with the session of a browser.
    Web,
    /// The agent itself takes its question back, by the tool `cancel_input`.
    Agent,
}

impl Channel {
    pub const ALL: [Self; 4] = [Self::Api, Self::Cli, Self::Web, Self::Agent];
}

/// A hub that is asked through every channel.
#[derive(Debug)]
pub struct Track<'a> {
    home: &'a Home,
    _hub: Hub,
    address: String,
    bearer: String,
    cookie: String,
}

/// What one racer was told, and how long it took.
#[derive(Debug)]
struct Told {
    channel: Channel,
    /// What it said; nothing where it took the question back.
    value: Option<String>,
    took: Duration,
    won: bool,
    resolution: Value,
}

/// How one race ended.
#[derive(Clone, Debug)]
pub struct Finish {
    pub winner: Channel,
    /// From the start of the race to each racer's answer.
    pub took: Vec<Duration>,
}

impl<'a> Track<'a> {
    /// Starts a hub of `home` and lets a browser in.
    ///
    /// # Errors
    /// The hub does not do as it should.
    pub fn open(home: &'a Home) -> io::Result<Self> {
        let hub = Hub::start_with(home, &["--listen", "127.0.0.1:0"]);
        let (_, listener) = http::get(&home.socket(), "/api/v1/listener")?;
        let listener: Value = serde_json::from_slice(&listener)?;
        let address = listener["addresses"][0].as_str().unwrap_or_default();
        let address = address.trim_start_matches("http://").trim_end_matches('/').to_owned();
        let token = std::fs::read_to_string(home.state().join("token"))?;
        let (_, link) = http::post(&home.socket(), "/api/v1/listener/codes", b"")?;
        let link: Value = serde_json::from_slice(&link)?;
        let link = link["url"].as_str().unwrap_or_default().to_owned();
        let path = link.find("/open").map(|at| &link[at..]).unwrap_or_default();
        let opened = http::over_tcp(&address, "GET", path, &[], b"")?;
        let cookie = opened.header("set-cookie").and_then(|cookie| cookie.split(';').next());
        let cookie = cookie.ok_or_else(|| io::Error::other("the page lets nobody in"))?.to_owned();
        let bearer = format!("Bearer {}", token.trim());
        Ok(Self { home, _hub: hub, address, bearer, cookie })
    }

    /// One race of so many for one question. Each is told the same winner, or it is an error that
    /// says who was told what.
    ///
    /// # Errors
    /// A promise is broken, or the hub does not answer.
    ///
    /// # Panics
    /// A racer's thread has died.
    pub fn race(&self, number: usize, racers: usize) -> io::Result<Finish> {
        let prompt = self.ask(number)?;
        let start = Barrier::new(racers);
        let told: io::Result<Vec<Told>> = std::thread::scope(|scope| {
            let running: Vec<_> = (0..racers)
                .map(|racer| {
                    let (prompt, start) = (&prompt, &start);
                    scope.spawn(move || self.run(prompt, racer, start))
                })
                .collect();
            let ended = running.into_iter().map(std::thread::ScopedJoinHandle::join);
            ended
                .map(|told| told.unwrap_or_else(|_| Err(io::Error::other("a racer died"))))
                .collect()
        });
        let told = told?;
        let broken =
            |what: &str| io::Error::other(format!("race {number} for {prompt}: {what}: {told:#?}"));
        let mut winners = told.iter().filter(|told| told.won);
        let (Some(winner), None) = (winners.next(), winners.next()) else {
            return Err(broken("there is not one winner"));
        };
        let kept = self.kept(&prompt)?;
        if told.iter().any(|told| told.resolution != kept) {
            return Err(broken(&format!("not all are told of {kept}")));
        }
        if kept["value"].as_str() != winner.value.as_deref() {
            return Err(broken(&format!("{kept} is not what the winner said")));
        }
        Ok(Finish { winner: winner.channel, took: told.iter().map(|told| told.took).collect() })
    }

    /// How often the log tells of an end, and of how many questions.
    ///
    /// # Errors
    /// The log is not what it should be.
    pub fn ends(&self) -> io::Result<(usize, usize)> {
        ends(self.home)
    }

    fn ask(&self, number: usize) -> io::Result<String> {
        let body = json!({"question": format!("Race {number}?"), "default_action": "wait"});
        let path = format!("/api/v1/agents/{ASKER}/prompts");
        let who = [("x-headsup-agent", ASKER)];
        let body = body.to_string();
        let (status, said) =
            http::request(&self.home.socket(), "POST", &path, &who, body.as_bytes())?;
        let said: Value = serde_json::from_slice(&said)?;
        let id = said["id"].as_str().filter(|_| status == 201).map(str::to_owned);
        id.ok_or_else(|| io::Error::other(format!("not asked: {status} {said}")))
    }

    /// The end as the hub keeps it.
    fn kept(&self, prompt: &str) -> io::Result<Value> {
        let (_, doc) = http::get(&self.home.socket(), &format!("/api/v1/prompts/{prompt}"))?;
        let doc: Value = serde_json::from_slice(&doc)?;
        Ok(doc["resolution"].clone())
    }

    fn run(&self, prompt: &str, racer: usize, start: &Barrier) -> io::Result<Told> {
        let channel = Channel::ALL[racer % Channel::ALL.len()];
        let said = format!("racer {racer}");
        let value = (channel != Channel::Agent).then_some(said.as_str());
        start.wait();
        let began = Instant::now();
        let answer = self.send(channel, prompt, &said)?;
        let took = began.elapsed();
        let (won, resolution) = match channel {
            Channel::Agent => of_tool(&answer)?,
            _ => of_route(&answer)?,
        };
        Ok(Told { channel, value: value.map(str::to_owned), took, won, resolution })
    }

    fn send(&self, channel: Channel, prompt: &str, said: &str) -> io::Result<Answer> {
        let target = format!("/api/v1/prompts/{prompt}/answer");
        let body = |via: &str| json!({"value": said, "via": via}).to_string();
        match channel {
            Channel::Api => {
                let headers = [("authorization", self.bearer.as_str())];
                http::over_tcp(&self.address, "POST", &target, &headers, body("api").as_bytes())
            }
            Channel::Web => {
                let origin = format!("http://{}", self.address);
                let headers = [
                    ("cookie", self.cookie.as_str()),
                    ("origin", origin.as_str()),
                    ("sec-fetch-site", "same-origin"),
                ];
                http::over_tcp(&self.address, "POST", &target, &headers, body("web").as_bytes())
            }
            Channel::Cli => {
                http::on_socket(&self.home.socket(), "POST", &target, &[], body("cli").as_bytes())
            }
            Channel::Agent => {
                let call = json!({
                    "jsonrpc": "2.0", "id": 1, "method": "tools/call",
                    "params": {"name": "cancel_input", "arguments": {"prompt_id": prompt}},
                });
                let headers = [
                    ("x-headsup-agent", ASKER),
                    ("accept", "application/json, text/event-stream"),
                    ("mcp-protocol-version", "2025-11-25"),
                ];
                let body = call.to_string();
                http::on_socket(&self.home.socket(), "POST", "/mcp", &headers, body.as_bytes())
            }
        }
    }
}

/// How often a hub's log tells of an end of a question, and of how many questions.
///
/// # Errors
/// The log is not what it should be.
pub fn ends(home: &Home) -> io::Result<(usize, usize)> {
    let told = home.run(["watch", "--since", "0", "--no-follow", "--json", "--no-start"]);
    let mut ended = Vec::new();
    for line in told.stdout.lines() {
        let event: Value = serde_json::from_str(line)?;
        if event["type"] == "prompt.resolved" {
            ended.push(event["prompt"]["id"].to_string());
        }
    }
    let times = ended.len();
    ended.sort_unstable();
    ended.dedup();
    Ok((times, ended.len()))
}

/// Whether it was the first, and the end as it was told.
fn of_route(answer: &Answer) -> io::Result<(bool, Value)> {
    let doc: Value = serde_json::from_slice(&answer.body)?;
    let is_late = answer.status == 409 && doc["code"] == "already_resolved";
    match answer.status {
        200 => Ok((true, doc["resolution"].clone())),
        _ if is_late => Ok((false, doc["resolution"].clone())),
        status => Err(io::Error::other(format!("{status}: {doc}"))),
    }
}

fn of_tool(answer: &Answer) -> io::Result<(bool, Value)> {
    let doc: Value = serde_json::from_slice(&answer.body)?;
    let told = &doc["result"]["structuredContent"];
    if told["state"] == "resolved" {
        return Ok((true, told["resolution"].clone()));
    }
    if told["error"]["code"] == "already_resolved" {
        return Ok((false, told["error"]["resolution"].clone()));
    }
    Err(io::Error::other(format!("{}: {doc}", answer.status)))
}
