//! What the host keeps.

use serde_json::{Value, json};
use std::collections::BTreeMap;

#[derive(Clone, Debug, Default)]
pub struct Issue {
    pub title: String,
    pub body: String,
    pub is_closed: bool,
    pub state_reason: Option<String>,
    pub labels: Vec<String>,
    pub comments: Vec<Said>,
    pub(super) created: u64,
    pub(super) updated: u64,
}

/// A comment.
#[derive(Clone, Debug)]
pub struct Said {
    pub id: u64,
    pub who: String,
    pub body: String,
    pub(super) at: u64,
}

#[derive(Clone, Debug, Default)]
pub struct Pull {
    pub title: String,
    pub body: String,
    pub is_closed: bool,
    pub draft: bool,
    pub head: String,
    pub base: String,
    /// It cannot be merged.
    pub conflicts: bool,
    /// `clean` where nothing is said.
    pub mergeable_state: Option<String>,
    /// As it tells them.
    pub reviews: Vec<Value>,
    /// The commits that it was merged as: one, or there is a defect.
    pub merges: Vec<String>,
    /// How, each time.
    pub methods: Vec<String>,
    /// The commit that was merged.
    pub(super) merged_head: Option<String>,
    pub(super) created: u64,
    pub(super) updated: u64,
}

impl Pull {
    pub(super) fn of(head: &str, now: u64) -> Self {
        let (title, base) = (format!("Work of {head}"), "main".to_owned());
        Self { title, head: head.to_owned(), base, created: now, updated: now, ..Self::default() }
    }
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) issues: BTreeMap<u64, Issue>,
    pub(super) pulls: BTreeMap<u64, Pull>,
    pub(super) branches: BTreeMap<String, String>,
    pub(super) checks: Value,
    /// Where its pages are.
    pub(super) web: String,
    number: u64,
    id: u64,
    /// Seconds since its start: every change is later than the last.
    seconds: u64,
}

impl Default for State {
    fn default() -> Self {
        Self {
            issues: BTreeMap::new(),
            pulls: BTreeMap::new(),
            branches: BTreeMap::new(),
            checks: json!([]),
            web: String::new(),
            number: 0,
            id: 1_000,
            seconds: 0,
        }
    }
}

impl State {
    /// Issues and pull requests count together.
    pub(super) fn next_number(&mut self) -> u64 {
        self.number += 1;
        self.number
    }

    pub(super) fn next_id(&mut self) -> u64 {
        self.id += 1;
        self.id
    }

    pub(super) fn now(&mut self) -> u64 {
        self.seconds += 1;
        self.seconds
    }

    pub(super) fn push(&mut self, branch: &str, sha: &str) {
        self.branches.insert(branch.to_owned(), sha.to_owned());
    }
}

/// A moment as it is told.
pub(super) fn moment(seconds: u64) -> String {
    let (minutes, seconds) = (seconds / 60, seconds % 60);
    let (hours, minutes) = (minutes / 60, minutes % 60);
    format!("2026-01-02T{:02}:{minutes:02}:{seconds:02}Z", hours % 24)
}

impl Issue {
    pub(super) fn told(&self, web: &str, number: u64) -> Value {
        let labels: Vec<Value> = self.labels.iter().map(|name| json!({ "name": name })).collect();
        json!({
            "number": number, "title": self.title, "body": self.body,
            "state": if self.is_closed { "closed" } else { "open" },
            "state_reason": self.state_reason, "labels": labels,
            "html_url": format!("{web}/ada/app/issues/{number}"),
            "created_at": moment(self.created), "updated_at": moment(self.updated),
        })
    }
}

impl Said {
    pub(super) fn told(&self) -> Value {
        json!({
            "id": self.id, "body": self.body, "user": {"login": self.who, "type": "User"},
            "html_url": format!("https://pages.example/comment/{}", self.id),
            "created_at": moment(self.at),
        })
    }
}
