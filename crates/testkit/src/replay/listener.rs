//! What the hub tells while a recording is played.

use serde_json::Value;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// What was told of one agent, and when.
#[derive(Clone, Debug)]
pub(super) struct Told {
    pub(super) at_ms: u64,
    pub(super) agent: String,
    pub(super) session: Option<String>,
    pub(super) pid: Option<u32>,
    pub(super) headline: String,
    pub(super) outcome: Option<String>,
    /// Nobody has confirmed it for long.
    pub(super) stale: bool,
}

/// Takes down every event from the moment it is started.
#[derive(Debug)]
pub(super) struct Listener {
    told: Arc<Mutex<Vec<Told>>>,
}

impl Listener {
    /// `start` is the recording's beginning.
    pub(super) fn start(socket: &Path, start: Instant) -> io::Result<Self> {
        let mut stream = UnixStream::connect(socket)?;
        // The older protocol, for a body that ends with the connection and is not cut in chunks.
        stream.write_all(b"GET /api/v1/events?since=0 HTTP/1.0\r\nhost: localhost\r\n\r\n")?;
        let told = Arc::new(Mutex::new(Vec::new()));
        let into = Arc::clone(&told);
        std::thread::spawn(move || {
            for line in BufReader::new(stream).lines() {
                let Ok(line) = line else { return };
                let at_ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
                let event = line.strip_prefix("data:").map(str::trim_start);
                let event = event.and_then(|event| serde_json::from_str::<Value>(event).ok());
                if let Some(told) = event.and_then(|event| understand(at_ms, &event)) {
                    into.lock().unwrap_or_else(PoisonError::into_inner).push(told);
                }
            }
        });
        Ok(Self { told })
    }

    pub(super) fn told(&self) -> Vec<Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn understand(at_ms: u64, event: &Value) -> Option<Told> {
    let agent = event["agent_id"].as_str()?.to_owned();
    let document = &event["agent"];
    let headline = match event["type"].as_str()? {
        "agent.status_changed" => event["to"].as_str()?,
        "agent.registered" | "agent.updated" => document["headline"].as_str()?,
        _ => return None,
    };
    let outcome = [&event["outcome"], &document["outcome"]];
    let outcome = outcome.iter().find_map(|outcome| outcome["kind"].as_str());
    let session = document["session_id"].as_str().or_else(|| event["session_id"].as_str());
    let pid = [&document["location"]["pid"], &document["process"]["pid"], &event["process"]["pid"]];
    let pid = pid.iter().find_map(|pid| u32::try_from(pid.as_u64()?).ok());
    Some(Told {
        at_ms,
        pid,
        agent,
        session: session.map(str::to_owned),
        headline: headline.to_owned(),
        outcome: outcome.map(str::to_owned),
        stale: document["stale"] == true,
    })
}
