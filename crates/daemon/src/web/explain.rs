//! Why an agent's status is what it is, for people to read.

use super::ages::Ages;
use headsup_core::wire::{DimensionDoc, ExplainDoc, LoserDoc, WinnerDoc};
use headsup_core::words;
use maud::{Markup, html};

/// The dimensions in the order people ask for them, and what each answers.
const ORDER: [(&str, &str); 7] = [
    ("turn", "What it is doing"),
    ("prompts", "What it asks you"),
    ("process", "Its process"),
    ("outcome", "How the last turn ended"),
    ("seen", "Have you seen how it ended"),
    ("stage", "Its workflow"),
    ("verdict", "What it last found of a task"),
];

pub(super) fn section(doc: &ExplainDoc, ages: Ages) -> Markup {
    let has_ended = doc.dimensions.get("outcome").is_some_and(|outcome| outcome.value != "none");
    html! {
        section #explain .card aria-labelledby="explain-head" {
            h2 #explain-head { "Why headsup believes so" }
            dl.why {
                @for (name, question) in ORDER.into_iter().filter(|(name, _)| *name != "seen" || has_ended) {
                    @if let Some(dimension) = doc.dimensions.get(name) {
                        @if let Some(value) = value(name, &dimension.value) {
                            dt { (question) }
                            dd {
                                p.value { bdi { (value) } }
                                (evidence(dimension, ages))
                            }
                        }
                    }
                }
            }
            @if !doc.rejected.is_empty() {
                h3 { "Not believed lately" }
                ul.refused {
                    @for refused in &doc.rejected {
                        li {
                            span.rule { (refused.rule) } " "
                            (refused.source.word()) " " bdi { (refused.event) }
                            ", " (ages.since(refused.at)) " ago: " bdi { (refused.why) }
                        }
                    }
                }
            }
        }
    }
}

/// A value as people say it; `None` where there is nothing to say.
fn value(dimension: &str, value: &str) -> Option<String> {
    match (dimension, value) {
        ("outcome" | "stage", "none") => None,
        ("seen", "true") => Some("yes".to_owned()),
        ("seen", "false") => Some("not yet".to_owned()),
        _ => Some(value.replace('(', " (").replace('_', " ")),
    }
}

fn evidence(dimension: &DimensionDoc, ages: Ages) -> Markup {
    html! {
        @if let Some(winner) = &dimension.winner { (winner_line(winner, ages)) }
        @for loser in &dimension.losers { (loser_line(loser, ages)) }
    }
}

fn winner_line(winner: &WinnerDoc, ages: Ages) -> Markup {
    html! {
        p {
            (winner.source.word()) " says so"
            @if let Some(event) = &winner.event { " (" bdi { (event) } ")" }
            ", " (words::word(&winner.confidence).unwrap_or_default())
            ", first " (ages.since(winner.observed_at)) " ago"
            @if winner.confirmed_at != winner.observed_at {
                ", last confirmed " (ages.since(winner.confirmed_at)) " ago"
            }
        }
        @for note in &winner.notes { p.dim { bdi { (note) } } }
    }
}

fn loser_line(loser: &LoserDoc, ages: Ages) -> Markup {
    html! {
        p.dim {
            (loser.source.word()) " said " bdi { (loser.value) }
            @if let Some(event) = &loser.event { " (" bdi { (event) } ")" }
            " " (ages.since(loser.observed_at)) " ago and lost: " bdi { (loser.why) }
        }
    }
}
