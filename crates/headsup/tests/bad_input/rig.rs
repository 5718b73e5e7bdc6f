//! A hub, and what every row must leave as it was.

use headsup_testkit::home::{Done, Home};
use headsup_testkit::http;
use headsup_testkit::hub::Hub;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// Ids with their headlines.
pub(crate) type Roster = BTreeMap<String, String>;

pub(crate) struct Rig {
    pub(crate) home: Home,
    hub: Option<Hub>,
}

/// A hook's call as an agent makes it.
#[derive(Default)]
pub(crate) struct Call<'a> {
    pub(crate) payload: &'a [u8],
    pub(crate) env: &'a [(&'a str, &'a str)],
    /// Its input stays open until it has ended.
    pub(crate) unclosed: bool,
}

impl Rig {
    pub(crate) fn new() -> Self {
        let home = Home::new(env!("CARGO_BIN_EXE_headsup"));
        let hub = Hub::start(&home);
        Self::of(home, hub)
    }

    /// Around a hub that has been started otherwise.
    pub(crate) fn of(home: Home, hub: Hub) -> Self {
        Self { home, hub: Some(hub) }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.hub.as_ref().unwrap().pid()
    }

    /// The hub is killed, and another one takes its place.
    pub(crate) fn restart(&mut self) {
        self.hub = None;
        self.hub = Some(Hub::start(&self.home));
    }

    pub(crate) fn get(&self, target: &str) -> Value {
        let (status, body) = http::get(&self.home.socket(), target).unwrap();
        assert!(status < 500, "{target}: {status}");
        serde_json::from_slice(&body).unwrap_or_default()
    }

    pub(crate) fn roster(&self) -> Roster {
        let doc = self.get("/api/v1/agents?all=true");
        let text = |agent: &Value, name: &str| agent[name].as_str().unwrap().to_owned();
        let agents = doc["agents"].as_array().unwrap().iter();
        agents.map(|agent| (text(agent, "id"), text(agent, "headline"))).collect()
    }

    /// Everything that the hub counts.
    pub(crate) fn counters(&self) -> BTreeMap<String, u64> {
        let (_, body) = http::get(&self.home.socket(), "/metrics").unwrap();
        let text = String::from_utf8(body).unwrap();
        let read = |line: &str| {
            let (name, value) = line.rsplit_once(' ')?;
            Some((name.to_owned(), value.parse().ok()?))
        };
        text.lines().filter(|line| line.starts_with("headsup_")).filter_map(read).collect()
    }

    pub(crate) fn counter(&self, name: &str) -> u64 {
        self.counters().get(name).copied().unwrap_or(0)
    }

    /// How often something was wrong in this way, and was taken all the same.
    pub(crate) fn flaws(&self, word: &str) -> u64 {
        self.counter(&flaw(word))
    }

    /// What `explain` says was wrong with what this agent's status is made of.
    pub(crate) fn noted(&self, agent: &str) -> Vec<&'static str> {
        let doc = self.get(&format!("/api/v1/agents/{agent}/explain"));
        let notes = doc["dimensions"]["turn"]["winner"]["notes"].to_string();
        FLAWS.into_iter().filter(|word| notes.contains(&format!("\"{word}: "))).collect()
    }

    /// Runs one hook, and waits until the hub has all that it left.
    pub(crate) fn hook(&self, case: &str, call: &Call<'_>) {
        self.fire(case, call);
        // One that a busy machine made late waits in the spool for a moment.
        self.home.is_told();
    }

    /// Runs one hook; it ends well and says nothing, whatever it was given.
    pub(crate) fn fire(&self, case: &str, call: &Call<'_>) {
        let mut command = self.home.command(["hook", "claude-code"]);
        command.envs(call.env.iter().copied());
        let done = feed(command, call);
        assert_eq!((done.code, &*done.stdout, &*done.stderr), (0, "", ""), "{case}");
    }

    /// What must hold behind every row: the hub answers, no defect was met, and a person's
    /// terminal gets text and nothing but text.
    pub(crate) fn stands(&self, case: &str) {
        let (status, _) = http::get(&self.home.socket(), "/healthz").unwrap();
        assert_eq!(status, 200, "{case}");
        let defects = self.counters().into_iter().filter(|(n, _)| n.starts_with("headsup_panics"));
        assert!(defects.map(|(_, count)| count).sum::<u64>() == 0, "{case}: a defect");
    }

    /// What a person is shown of all of it.
    pub(crate) fn shown(&self) -> String {
        let mut shown = String::new();
        for args in [&["ls", "--all"][..], &["watch", "--since", "0", "--no-follow"]] {
            shown.push_str(&self.home.run(args).ok().stdout);
        }
        for id in self.roster().keys() {
            for command in ["show", "explain", "log"] {
                let done = self.home.run([command, id.as_str()]);
                shown.push_str(&done.stdout);
            }
        }
        shown
    }
}

/// What may be wrong with what is taken all the same.
pub(crate) const FLAWS: [&str; 4] = ["lossy", "duplicate_member", "skew", "source_lost"];

/// What counts it.
pub(crate) fn flaw(word: &str) -> String {
    format!("headsup_flaws_total{{flaw=\"{word}\"}}")
}

fn feed(mut command: Command, call: &Call<'_>) -> Done {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // A hook that has seen enough closes its end.
    let _closed = stdin.write_all(call.payload);
    let kept = call.unclosed.then_some(stdin);
    let output = child.wait_with_output().unwrap();
    drop(kept);
    Done::from(output)
}

/// Bytes that would do something to a terminal, or hide in a text.
pub(crate) fn is_trick(c: char) -> bool {
    (c.is_control() && c != '\n')
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        || matches!(c, '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}
