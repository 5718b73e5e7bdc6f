//! What only captures tell, on its way to the hub: a launcher's and a reporter's own requests.

use super::Player;
use crate::http;
use crate::replay::recording::{Captured, ProcessKey};
use crate::replay::stand_in::StandIn;
use crate::replay::terminal;
use serde_json::{Value, json};
use std::io;

/// The one agent of a capture.
const NAME: &str = "agent-1";

impl Player<'_> {
    pub(super) fn captured(&mut self, captured: &Captured) -> io::Result<()> {
        match captured {
            Captured::Launch { process, told } => self.begin(*process, told),
            Captured::Exit { process, told } => self.finish(*process, told),
            Captured::Report { by, body } => self.report(by, body),
        }
    }

    fn begin(&mut self, process: ProcessKey, told: &Value) -> io::Result<()> {
        if !self.stand_ins.contains_key(&process) {
            terminal::install(self.home.path())?;
            let mut like = self.home.command([""; 0]);
            like.envs(terminal::ENV).env("HEADSUP_AGENT_ID", NAME);
            let stand_in = StandIn::start(&like, &self.program, self.home.path())?;
            self.stand_ins.insert(process, stand_in);
            let kind = json!({ "kind": self.recording.kind }).to_string();
            let seat = format!("/api/v1/agents/{NAME}");
            // It may sit there already.
            http::request(&self.home.socket(), "PUT", &seat, &[], kind.as_bytes())?;
        }
        self.shim.seated(process, NAME);
        self.launched.insert(process, NAME.to_owned());
        let Some(stand_in) = self.stand_ins.get(&process) else { return Ok(()) };
        let mut body = stand_in.told(told["state"].as_str().unwrap_or("starting"));
        body["attach"] = told["attach"].clone();
        self.put_process(NAME, &body)
    }

    /// Its launcher waits for it.
    fn finish(&mut self, process: ProcessKey, told: &Value) -> io::Result<()> {
        self.wait_for_hook(process);
        let Some(stand_in) = self.stand_ins.get_mut(&process) else { return Ok(()) };
        let mut body = stand_in.told("exited");
        match told["signal"].is_null() {
            true => stand_in.ended()?,
            false => stand_in.kill()?,
        }
        for part in ["code", "signal"] {
            body[part] = told[part].clone();
        }
        if told["hung_up"] == true {
            body["hung_up"] = true.into();
        }
        self.put_process(NAME, &body)
    }

    fn report(&self, by: &str, body: &str) -> io::Result<()> {
        let path = match by {
            "report" => format!("/api/v1/agents/{}/reports", self.seat()?),
            "panopticon" => format!("/api/agents/{}/heartbeat", self.seat()?),
            "boocode" => "/api/coder/agent-status".to_owned(),
            _ => return Ok(()),
        };
        let (status, answer) = http::post(&self.home.socket(), &path, body.as_bytes())?;
        match status {
            200..300 => Ok(()),
            _ => Err(io::Error::other(format!("{path}: {}", String::from_utf8_lossy(&answer)))),
        }
    }

    /// The seat of the agent, which others may have heard of before.
    fn seat(&self) -> io::Result<String> {
        let (_, roster) = http::get(&self.home.socket(), "/api/v1/agents?all=true")?;
        let roster: Value = serde_json::from_slice(&roster).unwrap_or_default();
        Ok(roster["agents"][0]["id"].as_str().unwrap_or(NAME).to_owned())
    }
}
