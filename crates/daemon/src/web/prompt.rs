//! What an agent asks its person.

use super::ages::Ages;
use headsup_core::prompt::Answerable;
use headsup_core::wire::PromptDoc;
use maud::{Markup, html};

/// How much of a prompt is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Room {
    /// In the roster: a long body is cut off by the style sheet.
    Row,
    /// On the agent's own page.
    Page,
}

pub(super) fn prompt(prompt: &PromptDoc, room: Room, ages: Ages) -> Markup {
    let kind = prompt.kind.word().replace('_', " ");
    html! {
        div.ask.whole[room == Room::Page] {
            p.asked {
                span.of { (kind) } " "
                bdi.title { (prompt.title) }
                @if let Some(helper) = &prompt.subagent {
                    " " span.dim { "asked by helper " bdi { (helper) } }
                }
            }
            @if let Some(body) = &prompt.body { pre.body { bdi { (body) } } }
            @if !prompt.options.is_empty() {
                ol.options {
                    @for option in &prompt.options {
                        li {
                            bdi { (option.label) }
                            @if let (Room::Page, Some(text)) = (room, &option.description) {
                                span.dim { " " bdi { (text) } }
                            }
                        }
                    }
                }
            }
            @if room == Room::Page {
                p.dim {
                    "asked " (ages.since(prompt.opened_at)) " ago · " (answer(&prompt.answerable))
                    @if prompt.multi_select { " · several may be chosen" }
                }
            }
        }
    }
}

fn answer(ways: &[Answerable]) -> &'static str {
    if ways.is_empty() || ways.contains(&Answerable::Terminal) {
        "answer it in the agent's terminal"
    } else {
        "not answered in a terminal"
    }
}
