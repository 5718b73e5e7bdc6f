//! A hub on a machine that does as the test says, and a client of it.

use headsup_testkit::faults::Faults;
use headsup_testkit::home::Home;
use headsup_testkit::hub::Hub;
use headsup_testkit::{http, wait};
use serde_json::{Value, json};
use std::path::PathBuf;

pub(crate) struct Rig {
    pub(crate) home: Home,
    pub(crate) faults: Faults,
}

/// Status and body of an answer.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) body: Value,
}

impl Reply {
    pub(crate) fn code(&self) -> &str {
        self.body["code"].as_str().unwrap_or_default()
    }
}

impl Rig {
    pub(crate) fn new() -> Self {
        let home = Home::new(env!("CARGO_BIN_EXE_headsup"));
        let faults = Faults::new(home.path()).unwrap();
        Self { home, faults }
    }

    /// A hub under the faults of this rig.
    pub(crate) fn hub(&self) -> Hub {
        let mut command = self.home.command(["up", "--foreground"]);
        self.faults.preload(&mut command);
        Hub::start_as(command, &self.home.socket())
    }

    pub(crate) fn client(&self) -> Client {
        Client(self.home.socket())
    }
}

/// A client of the hub at this socket.
#[derive(Clone)]
pub(crate) struct Client(pub(crate) PathBuf);

impl Client {
    pub(crate) fn send(&self, method: &str, target: &str, body: &str) -> Reply {
        let answer = http::request(&self.0, method, target, &[], body.as_bytes());
        let (status, body) = answer.unwrap_or_else(|error| panic!("{method} {target}: {error}"));
        Reply { status, body: serde_json::from_slice(&body).unwrap_or_default() }
    }

    pub(crate) fn get(&self, target: &str) -> Reply {
        self.send("GET", target, "")
    }

    pub(crate) fn report(&self, agent: &str, turn: &str) -> Reply {
        let body = json!({ "turn": turn }).to_string();
        self.send("POST", &format!("/api/v1/agents/{agent}/reports"), &body)
    }

    pub(crate) fn headline(&self, agent: &str) -> Option<String> {
        let reply = self.get(&format!("/api/v1/agents/{agent}"));
        reply.body["headline"].as_str().map(str::to_owned)
    }

    /// Ids of all agents in the roster.
    pub(crate) fn roster(&self) -> Vec<String> {
        let reply = self.get("/api/v1/agents?all=true");
        let agents = reply.body["agents"].as_array().unwrap();
        agents.iter().map(|agent| agent["id"].as_str().unwrap().to_owned()).collect()
    }

    pub(crate) fn is_ok(&self) -> bool {
        self.get("/healthz").body["ok"] == true
    }

    pub(crate) fn head(&self) -> u64 {
        self.get("/healthz").body["cursor"].as_str().unwrap().parse().unwrap()
    }

    /// Every event behind `since`, as a stream that does not follow has it.
    pub(crate) fn log(&self, since: u64) -> Vec<Value> {
        let target = format!("/api/v1/events?since={since}&follow=false");
        let (status, body) = http::get(&self.0, &target).unwrap();
        assert_eq!(status, 200);
        events_of(&body)
    }

    /// A counter; 0 where it is not there yet.
    pub(crate) fn metric(&self, name: &str) -> u64 {
        let (_, body) = http::get(&self.0, "/metrics").unwrap();
        let text = String::from_utf8(body).unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.map_or(0, |value| value.parse().unwrap())
    }

    pub(crate) fn until_headline(&self, agent: &str, headline: &str) {
        wait::until(&format!("{agent} to be {headline}"), || {
            (self.headline(agent)? == headline).then_some(())
        });
    }
}

/// The data of all messages of an event stream, pieces of a chunked body or not.
pub(crate) fn events_of(body: &[u8]) -> Vec<Value> {
    let text = String::from_utf8_lossy(body);
    let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
    data.map(|json| serde_json::from_str(json).unwrap()).collect()
}
