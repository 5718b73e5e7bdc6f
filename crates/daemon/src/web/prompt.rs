//! What an agent asks its person, and where the person answers.

use super::ages::Ages;
use headsup_adapters::acp;
use headsup_core::prompt::{Answerable, Choice, Risk};
use headsup_core::wire::{PromptDoc, PromptState};
use headsup_core::words;
use maud::{Markup, html};

/// How much of a prompt is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Room {
    /// In the roster: a long body is cut off by the style sheet.
    Row,
    /// On a page of its own.
    Page,
}

/// `of`: what kind of agent asks it.
pub(super) fn prompt(prompt: &PromptDoc, of: &str, room: Room, ages: Ages) -> Markup {
    let kind = prompt.kind.word().replace('_', " ");
    let is_ours = is_answered_here(prompt);
    html! {
        div.ask.whole[room == Room::Page] {
            p.asked {
                span.of { (kind) } " "
                bdi.title id={ "q-" (prompt.id) } { (prompt.title) }
                @if prompt.risk == Some(Risk::High) { " " span.mark { "high risk" } }
                @if let Some(helper) = &prompt.subagent {
                    " " span.dim { "asked by helper " bdi { (helper) } }
                }
            }
            @if let Some(body) = &prompt.body { pre.body { bdi { (body) } } }
            @if is_ours {
                (answers(prompt, room, ages))
            } @else {
                @if !prompt.options.is_empty() { (options(&prompt.options, room)) }
                @if room == Room::Page {
                    p.dim {
                        "asked " (ages.since(prompt.opened_at)) " ago · "
                        (elsewhere(&prompt.answerable, of))
                        @if prompt.multi_select { " · several may be chosen" }
                    }
                }
            }
        }
    }
}

fn options(options: &[Choice], room: Room) -> Markup {
    html! {
        ol.options {
            @for option in options {
                li {
                    bdi { (option.label) }
                    @if let (Room::Page, Some(text)) = (room, &option.description) {
                        span.dim { " " bdi { (text) } }
                    }
                }
            }
        }
    }
}

/// Does the hub take an answer to it?
pub(super) fn is_answered_here(prompt: &PromptDoc) -> bool {
    prompt.state == PromptState::Open && prompt.answerable.contains(&Answerable::Api)
}

/// Its options as buttons, or a place to write; what happens without an answer, and when.
/// `assets/answer.js` sends what is chosen.
fn answers(prompt: &PromptDoc, room: Room, ages: Ages) -> Markup {
    let id = &prompt.id;
    let whose = match room {
        Room::Row => format!("to-{}", prompt.agent_id),
        // A card names its agent; a page of one agent need not.
        Room::Page => format!("of-{id}"),
    };
    html! {
        // Who comes to a button by the keyboard hears whose question it answers, and which.
        div.answers data-prompt=(id) role="group" aria-labelledby={ (whose) " q-" (id) } {
            @if prompt.multi_select {
                fieldset {
                    legend.unseen { "Several may be chosen" }
                    @for (place, option) in (1_usize..).zip(&prompt.options) {
                        label.choice {
                            input type="checkbox" id={ "c-" (id) "-" (place) } value=(place);
                            (choice(option))
                        }
                    }
                }
                button.option type="button" id={ "b-" (id) } data-answer="chosen" { "Answer" }
            } @else if prompt.options.is_empty() {
                input.text type="text" id={ "t-" (id) } aria-label="Your answer"
                    placeholder="Your answer" autocomplete="off" maxlength="4000";
                button.option type="button" id={ "b-" (id) } data-answer="text" { "Answer" }
            } @else {
                @for (place, option) in (1_usize..).zip(&prompt.options) {
                    button.option type="button" id={ "b-" (id) "-" (place) } data-answer=(place) {
                        (choice(option))
                    }
                }
            }
            @if let Some(default) = &prompt.default_action { (deadline(prompt, default, ages)) }
            p.told id={ "told-" (id) } role="status" {}
        }
    }
}

fn choice(option: &Choice) -> Markup {
    html! {
        bdi { (option.label) }
        @if let Some(text) = &option.description { span.dim { " " bdi { (text) } } }
    }
}

fn deadline(prompt: &PromptDoc, default: &str, ages: Ages) -> Markup {
    html! {
        p.times {
            "asked " (ages.since(prompt.opened_at)) " ago"
            @if let Some(at) = prompt.expires_at {
                " · " (ages.until(at)) " left, then " bdi { (words::fallback(prompt, default)) }
            }
            " "
            button.quiet type="button" id={ "d-" (prompt.id) } data-answer="default" {
                "Take the default now"
            }
        }
    }
}

fn elsewhere(ways: &[Answerable], of: &str) -> &'static str {
    let is_elsewhere = ways.is_empty() || ways.contains(&Answerable::Terminal);
    match is_elsewhere {
        // Who drives it by a protocol shows what it asks, and the agent has no terminal.
        true if acp::is_kind(of) => "answer it in the client that drives the agent",
        true => "answer it in the agent's terminal",
        false => "not answered in a terminal",
    }
}
