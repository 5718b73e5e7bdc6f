//! A stand-in for an agent: it fires real hooks, one process each.

use headsup_testkit::home::Home;
use headsup_testkit::{hook, http};
use serde_json::{Value, json};
use std::fs;

/// A home for this test's processes.
pub(crate) fn home() -> Home {
    Home::new(env!("CARGO_BIN_EXE_headsup"))
}

/// An agent in a seat of its own.
pub(crate) struct Agent<'a> {
    home: &'a Home,
    id: &'a str,
}

impl<'a> Agent<'a> {
    pub(crate) fn new(home: &'a Home, id: &'a str) -> Self {
        Self { home, id }
    }

    /// The payload of one event of this agent, with `more` laid over it.
    pub(crate) fn payload(&self, event: &str, more: &Value) -> String {
        let mut payload = json!({
            "session_id": format!("session-of-{}", self.id),
            "transcript_path": "/home/dev/.claude/projects/-home-dev-api/x.jsonl",
            "cwd": "/home/dev/api",
            "hook_event_name": event,
            "prompt_id": "prompt-1",
        });
        let fields = payload.as_object_mut().unwrap();
        for (key, value) in more.as_object().unwrap() {
            fields.insert(key.clone(), value.clone());
        }
        payload.to_string()
    }

    /// Fires one hook and checks what every hook must hold. A hub knows of it then; without one it
    /// is in the spool, which a busy machine's hook may need some tries for.
    #[track_caller]
    pub(crate) fn fires(&self, event: &str, more: &Value) {
        let payload = self.payload(event, more);
        let fire = || {
            let done = self.home.hook("claude-code", &payload, &[("HEADSUP_AGENT_ID", self.id)]);
            assert_eq!((done.code, &*done.stdout, &*done.stderr), (0, "", ""), "{event}");
        };
        if http::get(&self.home.socket(), "/healthz").is_ok() {
            fire();
            return self.home.is_told();
        }
        let before = self.spooled(&payload);
        hook::until(event, fire, || (self.spooled(&payload) > before).then_some(()));
    }

    /// How often the spool holds this payload.
    fn spooled(&self, payload: &str) -> usize {
        let queue = fs::read(self.home.state().join("spool/queue")).unwrap_or_default();
        String::from_utf8_lossy(&queue).matches(payload).count()
    }

    pub(crate) fn starts(&self) {
        self.fires("SessionStart", &json!({"source": "startup", "model": "m"}));
    }

    pub(crate) fn is_prompted(&self, prompt: &str) {
        self.fires("UserPromptSubmit", &json!({"prompt": "do it", "prompt_id": prompt}));
    }

    pub(crate) fn stops(&self, prompt: &str) {
        let more = json!({"stop_hook_active": false, "background_tasks": [], "prompt_id": prompt});
        self.fires("Stop", &more);
    }

    pub(crate) fn asks(&self) {
        let input = json!({"command": "touch asked.txt", "description": "Create a file"});
        let call = json!({"tool_name": "Bash", "tool_input": input, "tool_use_id": "call-1"});
        self.fires("PreToolUse", &call);
        self.fires("PermissionRequest", &json!({"tool_name": "Bash", "tool_input": input}));
    }

    /// Its document, as `headsup show` gives it.
    #[track_caller]
    pub(crate) fn shown(&self) -> Value {
        self.home.is_told();
        self.home.run(["show", self.id, "--json", "--no-start"]).ok().json()
    }

    #[track_caller]
    pub(crate) fn headline(&self) -> String {
        self.shown()["headline"].as_str().unwrap().to_owned()
    }

    #[track_caller]
    pub(crate) fn explained(&self) -> Value {
        self.home.is_told();
        self.home.run(["explain", self.id, "--json", "--no-start"]).ok().json()
    }
}

/// Every event of a home's hub, oldest first.
#[track_caller]
pub(crate) fn events(home: &Home) -> Vec<Value> {
    let done = home.run(["watch", "--since", "0", "--no-follow", "--json", "--no-start"]);
    let line = |line: &str| serde_json::from_str(line).expect("an event a line");
    done.ok().stdout.lines().map(line).collect()
}

/// How often a type of event was published for an agent.
pub(crate) fn count(events: &[Value], agent: &str, kind: &str) -> usize {
    events.iter().filter(|event| event["agent_id"] == agent && event["type"] == kind).count()
}
