//! A hub with a page, and a browser that has been let in.

use headsup_testkit::browser::Browser;
use headsup_testkit::home::Home;
use headsup_testkit::hub::Hub;
use headsup_testkit::{hook, http, wait};
use serde_json::{Value, json};
use std::cell::RefCell;

pub(crate) struct Board {
    pub(crate) browser: Browser,
    pub(crate) home: Home,
    hub: RefCell<Option<Hub>>,
    /// `http://127.0.0.1:PORT`
    pub(crate) url: String,
}

impl Board {
    /// `None` where there is no Chromium: then the test has said so and is over.
    pub(crate) fn start() -> Option<Self> {
        Self::start_with(&[])
    }

    pub(crate) fn start_with(switches: &[&str]) -> Option<Self> {
        let browser = Browser::start(switches)?;
        let home = Home::new(env!("CARGO_BIN_EXE_headsup"));
        let hub = Hub::start_with(&home, &["--listen", "127.0.0.1:0"]);
        let url = wait::until("the page's address", || {
            let (_, listener) = http::get(&home.socket(), "/api/v1/listener").ok()?;
            let listener: Value = serde_json::from_slice(&listener).ok()?;
            Some(listener["url"].as_str()?.trim_end_matches('/').to_owned())
        });
        let board = Self { browser, home, hub: RefCell::new(Some(hub)), url };
        board.sign_in();
        Some(board)
    }

    /// Tells who an agent is.
    pub(crate) fn describe(&self, method: &str, agent: &str, body: &Value) {
        let path = format!("/api/v1/agents/{agent}");
        let body = body.to_string();
        let sent = http::request(&self.home.socket(), method, &path, &[], body.as_bytes());
        let (status, text) = sent.unwrap();
        assert!(status < 300, "{status} {}", String::from_utf8_lossy(&text));
    }

    /// Where the log stands: it moves with every change.
    pub(crate) fn cursor(&self) -> Value {
        let (_, health) = http::get(&self.home.socket(), "/healthz").unwrap();
        serde_json::from_slice::<Value>(&health).unwrap()["cursor"].clone()
    }

    /// How many requests were refused for this reason.
    pub(crate) fn refused(&self, code: &str) -> u64 {
        let (_, text) = http::get(&self.home.socket(), "/metrics").unwrap();
        let name = format!("headsup_refusals_total{{code=\"{code}\"}} ");
        let text = String::from_utf8(text).unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix(&name));
        line.map_or(0, |count| count.parse().unwrap())
    }

    /// Opens a one-time link as a person would, and ends on a live roster.
    pub(crate) fn sign_in(&self) {
        let link = self.home.run(["open", "--no-browser", "--json"]).ok().json();
        self.browser.open(link["url"].as_str().unwrap());
        self.live();
    }

    pub(crate) fn open(&self, path: &str) {
        self.browser.open(&format!("{}{path}", self.url));
    }

    /// Waits until the page says that it hears the hub.
    pub(crate) fn live(&self) {
        self.browser
            .until("the page to be live", "document.documentElement.dataset.link === 'live'");
    }

    /// Ends the hub as `headsup down` does, or on the spot.
    pub(crate) fn stop(&self) {
        self.home.run(["down"]).ok();
        self.hub.take();
    }

    pub(crate) fn kill(&self) {
        self.hub.take().unwrap().kill();
    }

    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        self.hub.borrow().as_ref().unwrap().signal(signal);
    }

    /// A new hub on the same folder; it remembers where it listened.
    pub(crate) fn restart(&self) {
        *self.hub.borrow_mut() = Some(Hub::start(&self.home));
    }

    /// One hook of an agent, through the real hook path.
    pub(crate) fn hook(&self, agent: &str, event: &str, more: Value) {
        let mut payload = json!({
            "hook_event_name": event, "session_id": format!("session-{agent}"),
            "cwd": self.home.path().join("src").join(agent), "source": "startup", "prompt": "go",
            "background_tasks": [],
        });
        for (name, value) in more.as_object().unwrap() {
            payload[name] = value.clone();
        }
        let env = [("HEADSUP_AGENT_ID", agent)];
        let fire = || {
            self.home.hook("claude-code", &payload.to_string(), &env).ok();
        };
        if self.hub.borrow().is_some() {
            fire();
            return;
        }
        let queue = self.home.state().join("spool/queue");
        let length = || std::fs::metadata(&queue).map_or(0, |queue| queue.len());
        let before = length();
        hook::until("a report to be kept", fire, || (length() > before).then_some(()));
    }

    /// An agent that works.
    pub(crate) fn works(&self, agent: &str) {
        self.hook(agent, "SessionStart", json!({}));
        self.hook(agent, "UserPromptSubmit", json!({}));
    }

    /// An agent that asks whether it may run `command`.
    pub(crate) fn asks(&self, agent: &str, command: &str) {
        let input = json!({"command": command, "description": "Clean and test"});
        let ask = json!({"tool_name": "Bash", "tool_use_id": "t1", "tool_input": input});
        self.hook(agent, "PermissionRequest", ask);
    }

    /// Reports by itself, over the API.
    pub(crate) fn report(&self, agent: &str, body: Value) {
        let path = format!("/api/v1/agents/{agent}/reports");
        let (status, text) =
            http::post(&self.home.socket(), &path, body.to_string().as_bytes()).unwrap();
        assert!(status < 300, "{status} {}", String::from_utf8_lossy(&text));
    }

    /// Waits until the agent's row shows this headline.
    #[track_caller]
    pub(crate) fn shows(&self, agent: &str, headline: &str) {
        let row =
            format!("document.getElementById('a-{agent}')?.dataset.headline === '{headline}'");
        self.browser.until(&format!("{agent} to be {headline} on the page"), &row);
    }

    /// The ids of the rows of a list, in order.
    pub(crate) fn list(&self, id: &str) -> Vec<String> {
        let rows = self.browser.js(&format!(
            "return [...document.getElementById('{id}').children].map((row) => row.id.slice(2))"
        ));
        serde_json::from_value(rows).unwrap()
    }

    /// The hub's roster: id and headline in order.
    pub(crate) fn roster(&self) -> Vec<(String, String)> {
        let (_, roster) = http::get(&self.home.socket(), "/api/v1/agents").unwrap();
        let roster: Value = serde_json::from_slice(&roster).unwrap();
        let word = |agent: &Value, name: &str| agent[name].as_str().unwrap().to_owned();
        let agents = roster["agents"].as_array().unwrap().iter();
        agents.map(|agent| (word(agent, "id"), word(agent, "headline"))).collect()
    }

    /// The same as the page shows it.
    pub(crate) fn page_roster(&self) -> Vec<(String, String)> {
        let rows = self.browser.js(
            "return [...document.querySelectorAll('.row')].map((r) => [r.id.slice(2), r.dataset.headline])",
        );
        serde_json::from_value(rows).unwrap()
    }

    /// Waits until the page shows exactly what the hub says.
    #[track_caller]
    pub(crate) fn agrees(&self) {
        wait::until("page and hub to agree", || {
            (self.roster() == self.page_roster()).then_some(())
        });
    }

    /// The console must have had nothing to say about us.
    #[track_caller]
    pub(crate) fn is_clean(&self) {
        let console = self.browser.console();
        assert!(console.is_empty(), "{console:#?}");
    }
}
