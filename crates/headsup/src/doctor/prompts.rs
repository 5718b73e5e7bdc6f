//! Everything that waits for a person: why nothing has answered it yet, and what would.

use super::Check;
use crate::cli::inbox;
use crate::client::{Client, page};
use crate::output::age;
use headsup_adapters::acp;
use headsup_core::prompt::{Answerable, Mark, Risk, Via};
use headsup_core::status::Headline;
use headsup_core::time::UnixMs;
use headsup_core::wire::{AgentDoc, PromptDoc};
use headsup_core::words;

/// Through what a person could be told now.
#[derive(Debug, Default)]
struct Reach {
    /// Where the page is served.
    page: Vec<String>,
    /// Pages, `watch` and the like that are open at this moment.
    open: u64,
}

/// A row for each prompt that is open. To wait is no fault: none is bad.
pub(super) async fn checks(client: &Client) -> Vec<Check> {
    let inbox = match inbox::fetch(client).await {
        Ok(inbox) => inbox,
        Err(error) => {
            return vec![Check::bad("prompts", error.message, "see hub.log in the state folder")];
        }
    };
    if inbox.prompts.is_empty() {
        return vec![Check::good("prompts", "nothing waits for a person")];
    }
    let reach = reach(client).await;
    let home = std::env::var("HOME").ok();
    let now = age::now();
    let row = |prompt: &PromptDoc| {
        let agent = inbox.agents.get(&prompt.agent_id);
        row(prompt, agent, &reach, home.as_deref(), now)
    };
    inbox.prompts.iter().map(row).collect()
}

async fn reach(client: &Client) -> Reach {
    // Over TCP the hub does not say; but then it is served there.
    let page = match client.address().socket() {
        Some(_) => {
            let found = page::listening(client).await.map(|found| found.addresses);
            found.unwrap_or_default().iter().map(|address| format!("http://{address}")).collect()
        }
        None => vec![client.address().to_string()],
    };
    let metrics = client.get_text("/metrics").await.unwrap_or_default();
    let open = metrics.lines().find_map(|line| line.strip_prefix("headsup_subscribers "));
    let open = open.and_then(|open| open.trim().parse().ok()).unwrap_or(0);
    Reach { page, open }
}

fn row(
    prompt: &PromptDoc,
    agent: Option<&AgentDoc>,
    reach: &Reach,
    home: Option<&str>,
    now: UnixMs,
) -> Check {
    let name = format!("prompt {}", prompt.id);
    let kind = prompt.kind.word().replace('_', " ");
    let asked = age::since(prompt.opened_at, now);
    let mut said = vec![format!("{kind}, asked {asked} ago: {}", prompt.title)];
    if let Some(helper) = &prompt.subagent {
        said.push(format!("helper {helper} asks"));
    }
    let hint = if prompt.answerable.contains(&Answerable::Api) {
        said.push(who_knows(prompt, reach, now));
        of_headsup(&mut said, prompt, agent, now);
        how(prompt, agent, reach)
    } else {
        let place = agent.map(|agent| words::location(agent, home));
        let place = place.as_deref().filter(|place| *place != "-");
        // Who drives it by a protocol shows what it asks, and the agent has no terminal.
        let is_driven = agent.is_some_and(|agent| acp::is_kind(&agent.kind));
        let (taker, sought) = match is_driven {
            true => ("the client that drives it", "the client that drives"),
            false => ("its own terminal", "the terminal of"),
        };
        let (where_to, hint) = if let Some(place) = place {
            (place.to_owned(), format!("go to {place} and answer there"))
        } else {
            let unknown = "which is not known".to_owned();
            (unknown, format!("look for {sought} {}", prompt.agent_id))
        };
        said.push(format!("only {taker} takes the answer: {where_to}"));
        hint
    };
    if let Some(until) = agent.and_then(|agent| agent.snoozed_until).filter(|at| *at > now) {
        let left = words::age::short(until.since(now));
        said.push(format!("you have put {} off for {left}", prompt.agent_id));
    }
    Check::good(name, said.join("; ")).with(hint)
}

/// Whom it has come to.
fn who_knows(prompt: &PromptDoc, reach: &Reach, now: UnixMs) -> String {
    let marks = |marks: &[Mark]| {
        let one = |mark: &Mark| format!("{} {} ago", place(mark.via), age::since(mark.at, now));
        marks.iter().map(one).collect::<Vec<_>>().join(", ")
    };
    match (prompt.seen.as_slice(), prompt.delivered.as_slice(), reach.open) {
        ([], [], 0) => "nobody has seen it, and no page or `headsup watch` is open".to_owned(),
        ([], [], 1) => "nobody has seen it; one page or watcher is open".to_owned(),
        ([], [], open) => format!("nobody has seen it; {open} pages and watchers are open"),
        ([], delivered, _) => format!("brought to {}, and nobody has looked", marks(delivered)),
        (seen, ..) => format!("a person has seen it: {}", marks(seen)),
    }
}

/// A channel, as people call it.
fn place(via: Via) -> &'static str {
    match via {
        Via::Comment => "its task's comments",
        via => via.word(),
    }
}

/// What an input request has beside what every prompt has.
fn of_headsup(said: &mut Vec<String>, prompt: &PromptDoc, agent: Option<&AgentDoc>, now: UnixMs) {
    if let Some(agent) = agent.filter(|agent| is_gone(agent)) {
        let since = age::since(agent.since, now);
        said.push(format!("its agent does not run ({} {since} ago)", agent.headline.word()));
    }
    if prompt.risk == Some(Risk::High) {
        said.push("much depends on it".to_owned());
    }
    if let (Some(at), Some(default)) = (prompt.expires_at, &prompt.default_action) {
        let left = words::age::short(at.since(now).max(0));
        said.push(format!("{left} left, then {}", words::fallback(prompt, default)));
    }
}

fn is_gone(agent: &AgentDoc) -> bool {
    use Headline::{Absent, Crashed, Ended, Suspended};
    matches!(agent.headline, Absent | Crashed | Ended | Suspended)
}

/// What a person does about it.
fn how(prompt: &PromptDoc, agent: Option<&AgentDoc>, reach: &Reach) -> String {
    let id = &prompt.id;
    let what = match prompt.options.is_empty() {
        true => "'…'",
        false if prompt.multi_select => "--option N --option M",
        false => "--option N",
    };
    let answer = format!("answer it: `headsup answer {id} {what}`");
    if agent.is_some_and(is_gone) {
        return format!("{answer}; or take it back: `headsup prompt cancel {id}`");
    }
    match reach.page.as_slice() {
        [] => format!("{answer}; `headsup open` has the page served, which shows it"),
        [address, ..] => format!("{answer}; or on the page at {address}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::fixture::{AT, agent_with, prompt};
    use serde_json::{Value, json};

    fn row_of(more: Value, agent: Option<&AgentDoc>, reach: &Reach) -> (String, String) {
        let mut asked = prompt("api", "Which database?");
        for (name, value) in more.as_object().unwrap() {
            asked[name] = value.clone();
        }
        let prompt = serde_json::from_value(asked).unwrap();
        let now = UnixMs::parse(AT).unwrap().plus(240_000);
        let check = row(&prompt, agent, reach, Some("/home/ada"), now);
        assert!(check.ok && check.name == "prompt api-p1", "{check:?}");
        (check.detail, check.hint.unwrap())
    }

    fn input() -> Value {
        json!({
            "kind": "input", "answerable": ["api"], "default_action": "use SQLite",
            "expires_at": "2026-11-21T21:30:00.000Z", "on_timeout": "default",
        })
    }

    fn with(name: &str, value: Value) -> Value {
        let mut input = input();
        input[name] = value;
        input
    }

    #[test]
    fn a_question_says_who_has_seen_it_how_long_it_has_and_how_it_is_answered() {
        let alone = Reach::default();
        let (detail, hint) = row_of(input(), None, &alone);
        assert_eq!(
            detail,
            "input, asked 4m ago: Which database?; nobody has seen it, and no page or `headsup watch` \
             is open; 26m left, then the default: use SQLite"
        );
        assert_eq!(
            hint,
            "answer it: `headsup answer api-p1 '…'`; `headsup open` has the page served, which shows it"
        );
        let open = Reach { page: vec!["http://127.0.0.1:7717".to_owned()], open: 2 };
        let (detail, hint) = row_of(input(), None, &open);
        assert!(detail.contains("nobody has seen it; 2 pages and watchers are open"), "{detail}");
        assert!(hint.ends_with("or on the page at http://127.0.0.1:7717"), "{hint}");
        let mark = json!([{"via": "web", "at": "2026-11-21T21:01:00.000Z"}]);
        let (detail, _) = row_of(with("delivered", mark.clone()), None, &open);
        assert!(detail.contains("brought to web 3m ago, and nobody has looked"), "{detail}");
        let posted = json!([{"via": "comment", "at": "2026-11-21T21:01:00.000Z"}]);
        let (detail, _) = row_of(with("delivered", posted), None, &open);
        assert!(detail.contains("brought to its task's comments 3m ago"), "{detail}");
        let (detail, _) = row_of(with("seen", mark), None, &open);
        assert!(detail.contains("a person has seen it: web 3m ago"), "{detail}");
    }

    #[test]
    fn an_agent_that_is_gone_or_put_off_is_said() {
        let reach = Reach::default();
        let gone = agent_with("api", "crashed", json!({}));
        let (detail, hint) = row_of(input(), Some(&gone), &reach);
        assert!(detail.contains("its agent does not run (crashed 4m ago)"), "{detail}");
        assert!(hint.contains("headsup prompt cancel api-p1"), "{hint}");
        let until = json!({"snoozed_until": "2026-11-21T21:10:00.000Z"});
        let later = agent_with("api", "blocked", until);
        let mut risky = with("risk", json!("high"));
        risky["on_timeout"] = json!("block");
        let (detail, _) = row_of(risky, Some(&later), &reach);
        let end = "much depends on it; 26m left, then it is blocked; you have put api off for 6m";
        assert!(detail.ends_with(end), "{detail}");
    }

    #[test]
    fn a_dialog_of_the_agents_own_names_its_terminal() {
        let reach = Reach::default();
        let there = agent_with("api", "blocked", json!({"location": {"tmux": "%3"}}));
        let (detail, hint) = row_of(json!({}), Some(&there), &reach);
        assert!(
            detail.ends_with("Which database?; only its own terminal takes the answer: tmux %3"),
            "{detail}"
        );
        assert_eq!(hint, "go to tmux %3 and answer there");
        let driven = json!({"kind": "acp:some", "location": {"tmux": "%3"}});
        let driven = agent_with("api", "blocked", driven);
        let (detail, _) = row_of(json!({}), Some(&driven), &reach);
        let end = "only the client that drives it takes the answer: tmux %3";
        assert!(detail.ends_with(end), "{detail}");
        let driven = agent_with("api", "blocked", json!({"kind": "acp:some", "cwd": null}));
        let (detail, hint) = row_of(json!({}), Some(&driven), &reach);
        assert!(detail.ends_with("takes the answer: which is not known"), "{detail}");
        assert_eq!(hint, "look for the client that drives api");
        let (detail, hint) = row_of(json!({}), None, &reach);
        assert!(detail.ends_with("which is not known"), "{detail}");
        assert_eq!(hint, "look for the terminal of api");
    }
}
