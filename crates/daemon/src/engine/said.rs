//! What container engines say: how a container is, and what befalls it, an event a line.

use serde::Deserialize;
use std::collections::HashMap;

/// How a container is.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub(crate) struct State {
    pub(crate) running: bool,
    pub(crate) paused: bool,
    pub(crate) exit_code: Option<i32>,
    #[serde(rename = "OOMKilled")]
    pub(crate) oom_killed: bool,
    /// RFC 3339.
    pub(crate) started_at: String,
}

impl State {
    /// Out of all that an engine says of one container.
    pub(crate) fn read(inspected: &[u8]) -> serde_json::Result<Self> {
        #[derive(Deserialize)]
        #[serde(rename_all = "PascalCase")]
        struct Inspected {
            state: State,
        }
        serde_json::from_slice::<Inspected>(inspected).map(|Inspected { state }| state)
    }
}

/// What befalls a container.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct Event {
    pub(crate) action: String,
    actor: Actor,
    #[serde(rename = "timeNano", default)]
    time_nano: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
struct Actor {
    #[serde(rename = "ID")]
    id: String,
    #[serde(rename = "Attributes", default)]
    attributes: HashMap<String, String>,
}

impl Event {
    pub(crate) fn is_of(&self, container: &str) -> bool {
        self.actor.id.starts_with(container)
    }

    /// When it was, by the engine's clock. Milliseconds.
    pub(crate) fn at_ms(&self) -> Option<i64> {
        self.time_nano.map(|nanos| nanos / 1_000_000)
    }

    pub(crate) fn number(&self, name: &str) -> Option<i32> {
        self.actor.attributes.get(name)?.parse().ok()
    }
}

/// Events, cut out of what comes.
#[derive(Debug)]
pub(crate) struct Lines {
    /// Bytes of a line at most.
    longest: usize,
    rest: Vec<u8>,
}

impl Lines {
    pub(crate) fn new(longest: usize) -> Self {
        Self { longest, rest: Vec::new() }
    }

    pub(crate) fn take(&mut self, piece: &[u8]) {
        self.rest.extend_from_slice(piece);
    }

    /// The next event that is whole and can be read.
    pub(crate) fn next(&mut self) -> Option<Event> {
        while let Some(end) = self.rest.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = self.rest.drain(..=end).collect();
            if let Ok(event) = serde_json::from_slice(&line) {
                return Some(event);
            }
        }
        None
    }

    /// A line has begun that is no event any more.
    pub(crate) fn is_too_long(&self) -> bool {
        self.rest.len() > self.longest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As Docker 27 (API 1.47) and Docker 29 (API 1.52) write it.
    #[test]
    fn an_event_is_read_in_the_old_form_and_in_the_new_one() {
        let old = r#"{"status":"die","id":"0a1b2c3d4e5f60","from":"agent:1","Type":"container","Action":"die",
            "Actor":{"ID":"0a1b2c3d4e5f60","Attributes":{"execDuration":"7","exitCode":"137","image":"agent:1","name":"api"}},
            "scope":"local","time":1795296597,"timeNano":1795296597200000000}"#;
        let new = r#"{"Type":"container","Action":"die","Actor":{"ID":"0a1b2c3d4e5f60","Attributes":{"exitCode":"137"}},
            "scope":"local","time":1795296597,"timeNano":1795296597200000000}"#;
        for text in [old, new] {
            let event: Event = serde_json::from_str(text).unwrap();
            assert!(event.is_of("0a1b2c3d4e5f") && !event.is_of("1a1b2c3d4e5f"));
            assert_eq!((&*event.action, event.number("exitCode")), ("die", Some(137)));
            assert_eq!(event.number("signal"), None);
            assert_eq!(event.at_ms(), Some(1_795_296_597_200));
        }
        assert!(serde_json::from_str::<Event>("{}").is_err());
    }

    #[test]
    fn a_containers_state_is_read_out_of_all_that_is_said_of_it() {
        let text = r#"{"Id":"0a1b","Created":"x","State":{"Status":"exited","Running":false,"Paused":false,
            "Restarting":false,"OOMKilled":true,"Dead":false,"Pid":0,"ExitCode":137,"Error":"",
            "StartedAt":"2026-11-21T21:29:57.2Z","FinishedAt":"2026-11-21T21:30:57.2Z"},"Name":"/api"}"#;
        let state = State::read(text.as_bytes()).unwrap();
        assert!(!state.running && !state.paused && state.oom_killed);
        assert_eq!((state.exit_code, &*state.started_at), (Some(137), "2026-11-21T21:29:57.2Z"));
    }
}
