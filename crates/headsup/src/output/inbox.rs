//! What waits for a person, as cards that say how each is answered.

use crate::output::line::Line;
use crate::output::roster::View;
use crate::output::{age, roster, theme};
use anstyle::Style;
use headsup_adapters::acp;
use headsup_core::id::AgentId;
use headsup_core::prompt::Answerable;
use headsup_core::status::Headline;
use headsup_core::time::UnixMs;
use headsup_core::wire::{AgentDoc, PromptDoc};
use headsup_core::words;
use std::collections::{BTreeMap, BTreeSet};

/// What stands under a question.
const INDENT: usize = 4;
/// What stands under an option.
const UNDER_OPTION: usize = INDENT + 3;
/// Lines of a long question.
const MOST_BODY: usize = 12;

/// The place of which nothing is known.
const NOWHERE: &str = "-";
const UNKNOWN_PLACE: &str =
    "known by its reports alone: answer it where it runs; it says when it goes on";

/// Everything that waits.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    /// Oldest first.
    pub(crate) prompts: Vec<PromptDoc>,
    /// Agents that have ended something, in attention order.
    pub(crate) outcomes: Vec<AgentDoc<'static>>,
    pub(crate) agents: BTreeMap<AgentId, AgentDoc<'static>>,
}

impl Inbox {
    pub(crate) fn is_empty(&self) -> bool {
        self.prompts.is_empty() && self.outcomes.is_empty()
    }

    /// Until when a person wants to hear nothing of an agent.
    fn snoozed(&self, agent: &AgentId, now: UnixMs) -> Option<UnixMs> {
        let until = self.agents.get(agent)?.snoozed_until;
        until.filter(|until| *until > now)
    }

    /// Who waits here and is put off, and until when.
    pub(crate) fn all_snoozed(&self, now: UnixMs) -> impl Iterator<Item = (&AgentId, UnixMs)> {
        let asks = self.prompts.iter().map(|prompt| &prompt.agent_id);
        let waiting: BTreeSet<&AgentId> =
            asks.chain(self.outcomes.iter().map(|agent| &agent.id)).collect();
        waiting.into_iter().filter_map(move |agent| Some((agent, self.snoozed(agent, now)?)))
    }

    /// Puts what is put off behind everything else of its kind.
    pub(crate) fn put_snoozed_last(&mut self, now: UnixMs) {
        let later: BTreeSet<AgentId> =
            self.all_snoozed(now).map(|(agent, _)| agent.clone()).collect();
        self.prompts.sort_by_key(|prompt| later.contains(&prompt.agent_id));
        self.outcomes.sort_by_key(|agent| later.contains(&agent.id));
    }
}

/// One card a prompt, one line an outcome; what is snoozed comes last.
pub(crate) fn lines(inbox: &Inbox, view: &View) -> Vec<Line> {
    let is_snoozed = |agent: &AgentId| inbox.snoozed(agent, view.now).is_some();
    let (later, now): (Vec<_>, Vec<_>) =
        inbox.prompts.iter().partition(|prompt| is_snoozed(&prompt.agent_id));
    let (late, soon): (Vec<_>, Vec<_>) =
        inbox.outcomes.iter().partition(|agent| is_snoozed(&agent.id));
    let mut lines = Vec::new();
    for prompt in now {
        card(&mut lines, prompt, inbox, view);
    }
    lines.extend(soon.into_iter().map(|agent| fit(outcome(agent, inbox, view), view)));
    for prompt in later {
        card(&mut lines, prompt, inbox, view);
    }
    lines.extend(late.into_iter().map(|agent| fit(outcome(agent, inbox, view), view)));
    lines
}

fn fit(line: Line, view: &View) -> Line {
    match view.width {
        Some(width) => line.cut(width),
        None => line,
    }
}

/// What is asked, and what comes of it, is said whole, as it is answered from here: on a narrow terminal it goes on
/// in the next line.
fn whole(line: Line, indent: usize, view: &View) -> Vec<Line> {
    match view.width {
        Some(width) => line.folded(width, indent, MOST_BODY),
        None => vec![line],
    }
}

fn card(lines: &mut Vec<Line>, prompt: &PromptDoc, inbox: &Inbox, view: &View) {
    let agent = inbox.agents.get(&prompt.agent_id);
    let blocked = theme::style(Headline::Blocked);
    let head = Line::new().styled(blocked, Headline::Blocked.glyph()).then(" ");
    let mut head = whose(head, &prompt.agent_id, agent, view)
        .then("  ")
        .styled(blocked, prompt.kind.word().replace('_', " "))
        .then("  ")
        .then(&prompt.title);
    if let Some(helper) = &prompt.subagent {
        head = head.styled(theme::DIM, format!(" [helper {helper} asks]"));
    }
    lines.extend(whole(snoozed(head, &prompt.agent_id, inbox, view.now), INDENT, view));
    let under = || Line::new().spaces(INDENT);
    let body = prompt.body.as_deref().unwrap_or_default().lines();
    let mut body = body.flat_map(|line| whole(under().then(line), INDENT, view));
    lines.extend(body.by_ref().take(MOST_BODY));
    if body.next().is_some() {
        lines.push(under().styled(theme::DIM, "…"));
    }
    for (place, option) in (1..).zip(&prompt.options) {
        let line = under().styled(theme::DIM, format!("{place}. ")).then(&option.label);
        let text = option.description.as_deref();
        let line =
            text.iter().fold(line, |line, text| line.styled(theme::DIM, format!("  {text}")));
        lines.extend(whole(line, UNDER_OPTION, view));
    }
    let mut times = format!("asked {} ago", age::since(prompt.opened_at, view.now));
    if let Some(left) = left(prompt, view.now) {
        times = format!("{times} · {left}");
    }
    lines.extend(whole(under().styled(theme::DIM, times), INDENT, view));
    let answer = under().and(&how(prompt, agent, view));
    // A command is copied: it is no two lines.
    if is_typed(prompt) {
        lines.push(answer);
    } else {
        lines.extend(whole(answer, INDENT, view));
    }
}

/// Whether it is answered by a command.
fn is_typed(prompt: &PromptDoc) -> bool {
    prompt.answerable.contains(&Answerable::Api)
}

/// Until when it stands, and what happens then.
pub(super) fn left(prompt: &PromptDoc, now: UnixMs) -> Option<String> {
    let left = words::age::short(prompt.expires_at?.since(now));
    let then = words::fallback(prompt, prompt.default_action.as_deref()?);
    Some(format!("{left} left, then {then}"))
}

/// What to type, or where to go.
pub(crate) fn how(prompt: &PromptDoc, agent: Option<&AgentDoc>, view: &View) -> Line {
    if !is_typed(prompt) {
        return place(agent, view);
    }
    let what = match prompt.options.is_empty() {
        true => "'…'",
        false if prompt.multi_select => "--option N --option M",
        false => "--option N",
    };
    Line::new().styled(theme::HINT, format!("headsup answer {} {what}", prompt.id))
}

/// Where to go to what is answered there alone.
pub(crate) fn place(agent: Option<&AgentDoc>, view: &View) -> Line {
    let place = agent.map(|agent| words::location(agent, view.home.as_deref()));
    match place.as_deref() {
        None | Some(NOWHERE) => Line::new().styled(theme::DIM, UNKNOWN_PLACE),
        Some(place) => {
            // Who drives it by a protocol shows what it asks, and the agent has no terminal.
            let is_driven = agent.is_some_and(|agent| acp::is_kind(&agent.kind));
            let taker = if is_driven { "the client that drives it" } else { "its terminal" };
            Line::new().styled(theme::DIM, format!("answer it in {taker}: ")).then(place)
        }
    }
}

fn outcome(agent: &AgentDoc, inbox: &Inbox, view: &View) -> Line {
    let line = roster::status(agent.headline).then("  ");
    let mut line = whose(line, &agent.id, Some(agent), view)
        .styled(Style::new(), format!("  {} ago", age::since(agent.since, view.now)));
    if let Some(brief) = words::brief(agent) {
        line = line.styled(theme::DIM, "  ").then(brief);
    }
    snoozed(line, &agent.id, inbox, view.now)
}

/// The id, with the name beside it where a person gave one. They take half of a line at most: what
/// is asked stands behind them.
fn whose(line: Line, id: &AgentId, agent: Option<&AgentDoc>, view: &View) -> Line {
    let mut who = Line::new().styled(theme::STRONG, id.as_str());
    if let Some(name) = agent.map(|agent| &*agent.name).filter(|name| *name != id.as_str()) {
        who = who.styled(theme::DIM, format!(" ({name})"));
    }
    line.and(&match view.width {
        Some(width) => who.cut(width / 2),
        None => who,
    })
}

fn snoozed(line: Line, agent: &AgentId, inbox: &Inbox, now: UnixMs) -> Line {
    match inbox.snoozed(agent, now) {
        Some(until) => line.styled(theme::DIM, format!(" ({})", words::snoozed(until, now))),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::fixture::{AT, agent_with, prompt};
    use serde_json::json;

    #[test]
    fn what_is_put_off_comes_last_and_the_rest_stays_in_its_order() {
        let later = json!({"snoozed_until": "2026-11-21T21:10:00.000Z"});
        let agents = [
            agent_with("a", "done", later.clone()),
            agent_with("b", "done", json!({})),
            agent_with("c", "failed", later),
            agent_with("d", "failed", json!({})),
        ];
        let asked = |id| serde_json::from_value::<PromptDoc>(prompt(id, "x")).unwrap();
        let mut inbox = Inbox {
            prompts: ["a", "b", "c", "d"].map(asked).to_vec(),
            outcomes: agents.to_vec(),
            agents: agents.map(|agent| (agent.id.clone(), agent)).into(),
        };
        let order = |inbox: &Inbox| {
            let prompts: String = inbox.prompts.iter().map(|p| p.agent_id.as_str()).collect();
            let outcomes: String = inbox.outcomes.iter().map(|a| a.id.as_str()).collect();
            (prompts, outcomes)
        };
        let now = UnixMs::parse(AT).unwrap();
        inbox.put_snoozed_last(now);
        assert_eq!(order(&inbox), ("bdac".to_owned(), "bdac".to_owned()));
    }

    #[test]
    fn a_card_says_what_is_asked_until_when_and_how_it_is_answered() {
        let mut asked = prompt("api", "Which database?");
        let more = json!({
            "kind": "input", "answerable": ["api"], "default_action": "use SQLite",
            "expires_at": "2026-11-21T21:30:00.000Z", "on_timeout": "default",
            "options": [{"label": "Postgres", "value": "pg", "description": "as in production"},
                {"label": "SQLite", "value": "lite"}],
        });
        for (name, value) in more.as_object().unwrap() {
            asked[name] = value.clone();
        }
        let read = |value| serde_json::from_value::<PromptDoc>(value).unwrap();
        let place = json!({"location": {"tmux": "%3"}, "name": "front"});
        let web = agent_with("web", "blocked", place);
        let docs = agent_with("docs", "done", json!({"name": "manual"}));
        let api =
            agent_with("api", "blocked", json!({"snoozed_until": "2026-11-21T21:10:00.000Z"}));
        let agents = [web, docs.clone(), api].map(|agent| (agent.id.clone(), agent));
        let inbox = Inbox {
            prompts: vec![read(asked), read(prompt("web", "Bash: make"))],
            outcomes: vec![docs],
            agents: agents.into(),
        };
        let now = UnixMs::parse(AT).unwrap().plus(240_000);
        let view = View { now, home: None, width: Some(80), colour: false };
        let lines: Vec<_> = lines(&inbox, &view).iter().map(|line| line.render(false)).collect();
        insta::assert_snapshot!(lines.join("\n"), @"
        ▲ web (front)  permission  Bash: make
            asked 4m ago
            answer it in its terminal: tmux %3
        ✓ done  docs (manual)  4m ago
        ▲ api  input  Which database? (snoozed for 6m)
            1. Postgres  as in production
            2. SQLite
            asked 4m ago · 26m left, then the default: use SQLite
            headsup answer api-p1 --option N
        ");
        let narrow = View { width: Some(30), ..view };
        let lines: Vec<_> =
            super::lines(&inbox, &narrow).iter().map(|line| line.render(false)).collect();
        insta::assert_snapshot!(lines.join("\n"), @"
        ▲ web (front)  permission
            Bash: make
            asked 4m ago
            answer it in its terminal:
            tmux %3
        ✓ done  docs (manual)  4m ago
        ▲ api  input  Which database?
            (snoozed for 6m)
            1. Postgres  as in
               production
            2. SQLite
            asked 4m ago · 26m left,
            then the default: use
            SQLite
            headsup answer api-p1 --option N
        ");
    }

    #[test]
    fn what_an_agent_asks_by_a_protocol_is_answered_in_its_client() {
        let view = View { now: UnixMs::parse(AT).unwrap(), home: None, width: None, colour: false };
        for (kind, taker) in [("acp:some", "the client that drives it"), ("custom", "its terminal")]
        {
            let agent = agent_with("api", "blocked", json!({"kind": kind, "cwd": "/x"}));
            let said = place(Some(&agent), &view).render(false);
            assert_eq!(said, format!("answer it in {taker}: /x"));
        }
    }

    #[test]
    fn a_long_question_has_an_end_on_every_terminal() {
        let mut asked = prompt("api", "x");
        asked["body"] = json!("word ".repeat(400));
        let asked = serde_json::from_value::<PromptDoc>(asked).unwrap();
        let inbox = Inbox { prompts: vec![asked], ..Inbox::default() };
        let now = UnixMs::parse(AT).unwrap();
        let view = View { now, home: None, width: Some(40), colour: false };
        let lines: Vec<_> = lines(&inbox, &view).iter().map(|line| line.render(false)).collect();
        assert!(lines.iter().all(|line| line.len() <= 42), "{lines:?}");
        assert!(lines[MOST_BODY].ends_with('…') && lines[MOST_BODY + 1] == "    asked 0s ago");
    }

    #[test]
    fn what_to_do_about_an_agent_without_a_place_fits_a_terminal() {
        let asked = serde_json::from_value::<PromptDoc>(prompt("api", "Which?")).unwrap();
        let inbox = Inbox { prompts: vec![asked], ..Inbox::default() };
        let now = UnixMs::parse(AT).unwrap().plus(240_000);
        let view = View { now, home: None, width: Some(80), colour: false };
        let lines = lines(&inbox, &view);
        assert!(lines.last().unwrap().render(false).ends_with(UNKNOWN_PLACE), "{lines:?}");
    }

    #[test]
    fn the_longest_id_leaves_room_for_what_is_asked() {
        let id = "a".repeat(128);
        let asked = serde_json::from_value::<PromptDoc>(prompt(&id, "Bash: make")).unwrap();
        let ended = agent_with(&id, "failed", json!({"name": "n".repeat(100)}));
        let inbox =
            Inbox { prompts: vec![asked], outcomes: vec![ended], agents: BTreeMap::default() };
        let now = UnixMs::parse(AT).unwrap().plus(240_000);
        for width in [40, 80] {
            let view = View { now, home: None, width: Some(width), colour: false };
            let shown: Vec<_> =
                lines(&inbox, &view).iter().map(|line| line.render(false)).collect();
            assert!(shown[0].contains("a…  permission"), "{shown:?}");
            assert!(shown[..2].concat().contains("  Bash: make"), "{shown:?}");
            assert!(shown.last().unwrap().ends_with("a…  4m ago"), "{shown:?}");
        }
    }
}
