//! What programs say to their terminal, on its way to the hub: what the shim between the two does,
//! which for a recorded program is not there.

use super::recording::ProcessKey;
use super::stand_in::StandIn;
use crate::home::Home;
use crate::http;
use serde_json::{Value, json};
use std::collections::{HashMap, VecDeque};
use std::io;
use std::path::PathBuf;

#[derive(Debug)]
pub(super) struct Shim {
    socket: PathBuf,
    namespace: u64,
    /// Where each process sits, as far as that is known.
    seats: HashMap<ProcessKey, String>,
    /// What cannot be reported yet: a shim's agent has a seat from its beginning, one that was
    /// recorded without has it once it is heard of.
    unsaid: VecDeque<Word>,
}

#[derive(Debug)]
struct Word {
    process: ProcessKey,
    part: &'static str,
    body: String,
}

impl Shim {
    pub(super) fn new(home: &Home, namespace: u64) -> Self {
        let (seats, unsaid) = (HashMap::new(), VecDeque::new());
        Self { socket: home.socket(), namespace, seats, unsaid }
    }

    /// A process has a seat of this name.
    pub(super) fn seated(&mut self, process: ProcessKey, id: &str) {
        self.seats.insert(process, id.to_owned());
    }

    pub(super) fn say(&mut self, process: ProcessKey, part: &'static str, body: &str) {
        self.unsaid.push_back(Word { process, part, body: body.to_owned() });
    }

    /// Reports what can be reported by now, in order.
    pub(super) fn report(&mut self, stand_ins: &HashMap<ProcessKey, StandIn>) -> io::Result<()> {
        let unsaid = std::mem::take(&mut self.unsaid);
        for word in unsaid {
            let Some(stand_in) = stand_ins.get(&word.process) else {
                self.unsaid.push_back(word);
                continue;
            };
            match self.seat(word.process, stand_in.pid())? {
                Some(seat) => self.post(&seat, stand_in, &word)?,
                None => self.unsaid.push_back(word),
            }
        }
        Ok(())
    }

    fn seat(&mut self, process: ProcessKey, pid: u32) -> io::Result<Option<String>> {
        if let Some(seat) = self.seats.get(&process) {
            return Ok(Some(seat.clone()));
        }
        let (_, roster) = http::get(&self.socket, "/api/v1/agents?all=true")?;
        let roster: Value = serde_json::from_slice(&roster).unwrap_or_default();
        let agents = roster["agents"].as_array().into_iter().flatten();
        let sits = |agent: &&Value| {
            let pids = [&agent["process"]["pid"], &agent["location"]["pid"]];
            pids.iter().any(|known| known.as_u64() == Some(pid.into()))
        };
        let seat = agents.clone().find(sits).and_then(|agent| agent["id"].as_str());
        self.seats.extend(seat.map(|seat| (process, seat.to_owned())));
        Ok(seat.map(str::to_owned))
    }

    /// A program that has ended by then has said it in vain.
    fn post(&self, seat: &str, stand_in: &StandIn, word: &Word) -> io::Result<()> {
        let Some(start) = stand_in.start_ticks().and_then(|ticks| ticks.parse::<u64>().ok()) else {
            return Ok(());
        };
        let mut report = json!({
            "pid": stand_in.pid(), "start_ticks": start, "pid_namespace": self.namespace,
        });
        report[word.part] = word.body.as_str().into();
        let path = format!("/api/v1/agents/{seat}/terminal");
        let (status, answer) = http::post(&self.socket, &path, report.to_string().as_bytes())?;
        match status {
            200..300 | 404 | 409 => Ok(()),
            _ => Err(io::Error::other(format!("{path}: {}", String::from_utf8_lossy(&answer)))),
        }
    }
}
