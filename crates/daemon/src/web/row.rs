//! One agent in the roster.

use super::ages::Ages;
use super::prompt::{Room, is_answered_here, prompt};
use headsup_core::status::Headline;
use headsup_core::wire::AgentDoc;
use headsup_core::words;
use maud::{Markup, html};

/// The id of the agent's element. An agent's id has no character that means anything in HTML.
pub(super) fn id(agent: &str) -> String {
    format!("a-{agent}")
}

pub(super) fn row(agent: &AgentDoc, home: Option<&str>, ages: Ages) -> Markup {
    drawn(agent, home, ages, None, asks(agent, ages))
}

/// What it asks first, and behind what is for its terminal alone what can be answered here.
fn asks(agent: &AgentDoc, ages: Ages) -> Option<Markup> {
    let first = agent.prompts.first()?;
    let shown = prompt(first, &agent.kind, Room::Row, ages);
    if is_answered_here(first) {
        return Some(shown);
    }
    let Some(ours) = agent.prompts.iter().find(|open| is_answered_here(open)) else {
        return Some(shown);
    };
    Some(html! { div.asks { (shown) (prompt(ours, &agent.kind, Room::Row, ages)) } })
}

/// The same with one more mark, where what it asks has a card of its own.
pub(super) fn marked(
    agent: &AgentDoc,
    home: Option<&str>,
    ages: Ages,
    mark: Option<Markup>,
) -> Markup {
    drawn(agent, home, ages, mark, None)
}

/// `asks`: what it asks, which says more than its brief does.
fn drawn(
    agent: &AgentDoc,
    home: Option<&str>,
    ages: Ages,
    mark: Option<Markup>,
    asks: Option<Markup>,
) -> Markup {
    let brief = if asks.is_none() { words::brief(agent) } else { None };
    html! {
        li.row.{ "s-" (agent.headline.word()) } id=(id(agent.id.as_str()))
            data-headline=(agent.headline.word())
        {
            (status(agent.headline))
            div.who {
                a.name id={ "to-" (agent.id) } href={ "/agents/" (agent.id) } {
                    bdi { (name(agent)) }
                }
                span.kind { (agent.kind) }
                @for mark in words::marks(agent) { span.mark { (mark) } }
                @if let Some(mark) = mark { (mark) }
            }
            div.where title=[agent.cwd.as_deref()] { (place(agent, home)) }
            div.when { (ages.since(agent.since)) }
            @if let Some(brief) = brief { p.brief { bdi { (brief) } } }
            @if let Some(asks) = asks { (asks) }
        }
    }
}

/// Sign and word; the colour is an extra.
pub(super) fn status(headline: Headline) -> Markup {
    html! {
        span.status { span.sign aria-hidden="true" { (headline.glyph()) } (headline.word()) }
    }
}

/// The name that a person gave, else the id.
pub(super) fn name<'a>(agent: &'a AgentDoc<'_>) -> &'a str {
    if agent.name.is_empty() { agent.id.as_str() } else { &agent.name }
}

/// Repository and branch, else the folder; the pane beside it.
fn place(agent: &AgentDoc, home: Option<&str>) -> Markup {
    let folder = agent.cwd.as_deref().map(|cwd| words::tilde(cwd, home));
    let repo = agent.repo.as_deref().map(last);
    html! {
        @match (repo, &agent.branch, folder) {
            (Some(repo), Some(branch), _) => { bdi.path { (repo) } " " bdi.branch { (branch) } }
            (_, Some(branch), Some(folder)) => { bdi.path { (last(&folder)) } " " bdi.branch { (branch) } }
            (_, _, Some(folder)) => { bdi.path { (folder) } }
            (Some(repo), ..) => { bdi.path { (repo) } }
            _ => {}
        }
        @if let Some(pane) = words::pane(&agent.location) { span.pane { "tmux " (pane) } }
        @if let Some(container) = &agent.location.container { span.pane { "in " (container) } }
    }
}

fn last(path: &str) -> &str {
    path.rsplit('/').find(|part| !part.is_empty()).unwrap_or(path)
}
