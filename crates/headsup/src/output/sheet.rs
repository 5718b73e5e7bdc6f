//! One agent whole, as a sheet people can read.

use crate::output::line::Line;
use crate::output::roster::{self, View};
use crate::output::{age, inbox, theme};
use headsup_core::time::UnixMs;
use headsup_core::wire::AgentDoc;
use headsup_core::words;

const LABELS: usize = 12;

/// All dimensions of `agent`, and what is known of it.
pub(crate) fn lines(agent: &AgentDoc, view: &View) -> Vec<Line> {
    let mut sheet = Sheet { lines: Vec::new(), now: view.now };
    sheet.head(agent);
    sheet.dimensions(agent);
    sheet.prompts(agent, view);
    sheet.facts(agent, view);
    sheet.lines
}

struct Sheet {
    lines: Vec<Line>,
    now: UnixMs,
}

impl Sheet {
    fn field(&mut self, label: &str, value: impl AsRef<str>) {
        let label = Line::new().styled(theme::DIM, label).pad(LABELS);
        self.lines.push(label.then(value));
    }

    fn known(&mut self, label: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.field(label, value);
        }
    }

    fn moment(&mut self, label: &str, moment: Option<UnixMs>) {
        if let Some(moment) = moment {
            self.field(label, format!("{moment} ({} ago)", age::since(moment, self.now)));
        }
    }

    fn head(&mut self, agent: &AgentDoc) {
        let mut line = Line::new()
            .styled(theme::STRONG, agent.id.as_str())
            .then("  ")
            .and(&roster::status(agent.headline))
            .then(format!(" for {}", age::since(agent.since, self.now)));
        for mark in words::marks(agent) {
            line = line.styled(theme::DIM, format!(" {mark}"));
        }
        if let Some(until) = agent.snoozed_until.filter(|until| *until > self.now) {
            line = line.styled(theme::DIM, format!(" ({})", words::snoozed(until, self.now)));
        }
        self.lines.push(line);
    }

    fn dimensions(&mut self, agent: &AgentDoc) {
        let process = &agent.process;
        let mut text = match process.kind {
            Some(_) => format!("{}: {}", process.state, words::ending(process)),
            None => process.state.to_string(),
        };
        let mode = process
            .attach
            .as_ref()
            .and_then(words::word)
            .or(process.phase.as_ref().and_then(words::word));
        if let Some(mode) = mode {
            text = format!("{text} ({mode})");
        }
        if let Some(pid) = process.pid {
            text = format!("{text}, pid {pid}");
        }
        if agent.outcome.is_none() && !agent.seen {
            text = format!("{text}, not seen yet");
        }
        self.field("process", text);

        let turn = &agent.turn;
        let mut text = turn.state.to_string();
        if let Some(reason) = &turn.reason {
            text = format!("{text} ({reason})");
        }
        if let Some(detail) = &turn.detail {
            text = format!("{text}: {detail}");
        }
        let seq = turn.turn_seq;
        self.field("turn", format!("{text}, for {}, turn {seq}", age::since(turn.since, self.now)));

        if let Some(outcome) = &agent.outcome {
            let seen = if agent.seen { "seen" } else { "not seen yet" };
            let ago = age::since(outcome.at, self.now);
            self.field("outcome", format!("{}, {ago} ago, {seen}", words::outcome(outcome)));
        }
        if let Some(stage) = &agent.stage {
            let parts = [stage.message.as_deref(), stage.phase.as_deref()];
            let parts = parts.into_iter().flatten();
            let words = std::iter::once(stage.stage.word()).chain(parts);
            self.field("stage", words.collect::<Vec<_>>().join(" · "));
        }
        for verdict in &agent.verdicts {
            let notes = verdict.notes.as_deref().map(|notes| format!(" ({notes})"));
            let notes = notes.unwrap_or_default();
            self.field("verdict", format!("{}: {}{notes}", verdict.task, verdict.verdict));
        }
        let evidence = &agent.evidence;
        let sure = words::word(&evidence.confidence).unwrap_or_default();
        let ago = age::since(evidence.confirmed_at, self.now);
        let source = evidence.source.word();
        self.field("evidence", format!("{source}, {sure}, confirmed {ago} ago"));
    }

    fn prompts(&mut self, agent: &AgentDoc, view: &View) {
        for prompt in &agent.prompts {
            let ago = age::since(prompt.opened_at, self.now);
            let (id, asked) = (&prompt.id, words::prompt(prompt));
            self.field("prompt", format!("{id}, {asked} ({ago} ago)"));
            let body = prompt.body.iter().flat_map(|body| body.lines());
            for line in body.take(20) {
                self.field("", format!("  {line}"));
            }
            for (i, option) in prompt.options.iter().enumerate() {
                self.field("", format!("  {}. {}", i + 1, option.label));
            }
            if let Some(left) = inbox::left(prompt, self.now) {
                self.field("", format!("  {left}"));
            }
            let how = inbox::how(prompt, Some(agent), view);
            self.lines.push(Line::new().spaces(LABELS + 2).and(&how));
        }
    }

    fn facts(&mut self, agent: &AgentDoc, view: &View) {
        let home = view.home.as_deref();
        if agent.name != agent.id.as_str() {
            self.field("name", &agent.name);
        }
        self.field("kind", &*agent.kind);
        self.known("parent", agent.parent.as_ref().map(headsup_core::id::AgentId::as_str));
        self.known("role", agent.role.as_deref());
        let labels = agent.labels.iter().map(|(key, value)| format!("{key}={value}"));
        let labels = labels.collect::<Vec<_>>().join(" ");
        self.known("labels", Some(labels.as_str()).filter(|labels| !labels.is_empty()));
        self.known("title", agent.title.as_deref());
        self.known("model", agent.model.as_deref());
        self.known("where", words::spot(agent).as_deref());
        self.known("host", agent.host.as_deref());
        let mut path = |label, path: Option<&str>| {
            let path = path.map(|path| words::tilde(path, home));
            self.known(label, path.as_deref());
        };
        path("folder", agent.cwd.as_deref());
        path("repo", agent.repo.as_deref());
        path("worktree", agent.worktree.as_deref());
        self.known("branch", agent.branch.as_deref());
        self.known("task", agent.task.as_deref());
        self.known("session", agent.session_id.as_deref());
        let log = agent.log_path.as_deref().map(|path| words::tilde(path, home));
        self.known("log", log.as_deref());
        self.moment("started", agent.started_at);
        self.moment("suspended", agent.suspended_at);
        self.moment("resumed", agent.resumed_at);
        let counters = agent.counters;
        let (prompts, turns, tools) = (counters.prompts, counters.turns, counters.tools);
        self.field("counted", format!("prompts {prompts}, turns {turns}, tools {tools}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::fixture::{AT, agent_with, prompt};
    use serde_json::json;

    #[test]
    fn what_is_put_off_says_so_for_as_long_as_it_is() {
        let later = json!({"snoozed_until": "2026-11-21T21:10:00.000Z"});
        let agent = agent_with("api", "blocked", later);
        for (minutes, head) in
            [(4, "api  ▲ blocked for 4m (snoozed for 6m)"), (10, "api  ▲ blocked for 10m")]
        {
            let now = UnixMs::parse(AT).unwrap().plus(minutes * 60_000);
            let view = View { now, home: None, width: None, colour: false };
            assert_eq!(lines(&agent, &view)[0].render(false), head);
        }
    }

    #[test]
    fn a_sheet_shows_every_dimension() {
        let mut asked = prompt("api", "Which database?");
        asked["kind"] = json!("question");
        asked["body"] = json!("Two are configured.\nPick one.");
        asked["options"] =
            json!([{"label": "main", "value": "m"}, {"label": "test", "value": "t"}]);
        let turn = json!({
            "state": "blocked", "reason": "question", "detail": "Which database?", "since": AT,
            "turn_seq": 4,
        });
        let agent = agent_with(
            "api",
            "blocked",
            json!({
                "turn": turn, "prompts": [asked], "model": "large", "session_id": "s-1",
                "labels": {"team": "core"}, "started_at": AT, "branch": "main",
                "repo": "/home/ada/shop", "worktree": "/home/ada/work",
                "outcome": {"kind": "failed", "code": "overloaded", "at": AT},
                "process": {"state": "running", "attach": "interactive", "pid": 4242},
            }),
        );
        let now = UnixMs::parse(AT).unwrap().plus(90_000);
        let view = View { now, home: Some("/home/ada".to_owned()), width: None, colour: true };
        let lines = lines(&agent, &view).iter().map(|line| line.render(false)).collect::<Vec<_>>();
        insta::assert_snapshot!(lines.join("\n"), @"
        api  ▲ blocked for 1m
        process     running (interactive), pid 4242
        turn        blocked (question): Which database?, for 1m, turn 4
        outcome     failed (overloaded), 1m ago, not seen yet
        evidence    hook, strong, confirmed 1m ago
        prompt      api-p1, question: Which database? (1m ago)
                      Two are configured.
                      Pick one.
                      1. main
                      2. test
                      answer it in its terminal: ~/work
        kind        custom
        labels      team=core
        model       large
        folder      ~/work
        repo        ~/shop
        worktree    ~/work
        branch      main
        session     s-1
        started     2026-11-21T21:00:00.000Z (1m ago)
        counted     prompts 1, turns 1, tools 3
        ");
    }
}
