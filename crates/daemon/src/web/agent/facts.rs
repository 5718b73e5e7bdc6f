//! What is known of an agent.

use crate::web::ages::Ages;
use headsup_core::time::UnixMs;
use headsup_core::wire::AgentDoc;
use headsup_core::words::{self, word};
use maud::{Markup, html};
use std::borrow::Cow;

pub(super) fn section(agent: &AgentDoc, home: Option<&str>, ages: Ages) -> Markup {
    type Text<'a> = Option<Cow<'a, str>>;
    let text = |text: &Text<'_>| text.clone().map(Cow::into_owned);
    let path = |path: &Text<'_>| path.as_deref().map(|path| words::tilde(path, home).into_owned());
    let labels: Vec<String> = agent.labels.iter().map(|(k, v)| format!("{k}={v}")).collect();
    let location = &agent.location;
    let texts: [(&str, Option<String>); 15] = [
        ("Id", Some(agent.id.to_string())),
        ("Kind", Some(agent.kind.to_string())),
        ("Role", text(&agent.role)),
        ("Labels", Some(labels.join(", ")).filter(|labels| !labels.is_empty())),
        ("Model", text(&agent.model)),
        ("Folder", path(&agent.cwd)),
        ("Repository", path(&agent.repo)),
        ("Branch", text(&agent.branch)),
        ("Worktree", path(&agent.worktree)),
        ("tmux", words::pane(location).map(Into::into)),
        ("Container", location.container.clone()),
        ("Session", text(&agent.session_id)),
        ("Log", path(&agent.log_path)),
        ("Nested in", agent.parent.as_ref().map(ToString::to_string)),
        ("Host", text(&agent.host)),
    ];
    html! {
        section #facts .card aria-labelledby="facts-head" {
            h2 #facts-head { "Facts" }
            dl.facts {
                (fact("Process", &html! { (process(agent)) }))
                (fact("Turn", &turn(agent, ages)))
                @if let Some(outcome) = &agent.outcome {
                    (fact("Outcome", &html! {
                        bdi { (words::outcome(outcome)) } ", " (ages.since(outcome.at)) " ago, "
                        @if agent.seen { "seen" } @else { "not seen yet" }
                    }))
                }
                @if let Some(stage) = &agent.stage {
                    (fact("Stage", &html! {
                        (stage.stage.word().replace('_', " "))
                        @for text in [&stage.message, &stage.phase].into_iter().flatten() {
                            " · " bdi { (text) }
                        }
                    }))
                }
                @for verdict in &agent.verdicts {
                    (fact("Verdict", &html! {
                        bdi { (verdict.task) } ": " bdi { (verdict.verdict) }
                        @if let Some(notes) = &verdict.notes { " (" bdi { (notes) } ")" }
                    }))
                }
                @for (name, text) in texts {
                    @if let Some(text) = text { (fact(name, &html! { bdi { (text) } })) }
                }
                (moment("Started", agent.started_at, ages))
                (moment("Suspended", agent.suspended_at, ages))
                (moment("Resumed", agent.resumed_at, ages))
                (fact("Counted", &html! {
                    (count(agent.counters.prompts, "prompt")) ", "
                    (count(agent.counters.turns, "turn")) ", "
                    (count(agent.counters.tools, "tool"))
                }))
            }
        }
    }
}

fn count(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

fn fact(name: &str, value: &Markup) -> Markup {
    html! { dt { (name) } dd { (value) } }
}

fn moment(name: &str, moment: Option<UnixMs>, ages: Ages) -> Markup {
    html! { @if let Some(moment) = moment { (fact(name, &html! { (ages.since(moment)) " ago" })) } }
}

fn process(agent: &AgentDoc) -> String {
    let process = &agent.process;
    let mut text = match process.kind {
        Some(_) => words::ending(process),
        None => process.state.to_string(),
    };
    let mode = process.attach.as_ref().and_then(word).or(process.phase.as_ref().and_then(word));
    if let Some(mode) = mode {
        text = format!("{text}, {mode}");
    }
    if let Some(pid) = process.pid {
        text = format!("{text}, pid {pid}");
    }
    text
}

fn turn(agent: &AgentDoc, ages: Ages) -> Markup {
    let turn = &agent.turn;
    html! {
        (turn.state)
        @if let Some(reason) = &turn.reason { " (" (reason.replace('_', " ")) ")" }
        " for " (ages.since(turn.since)) ", turn " (turn.turn_seq)
    }
}
