//! The evidence, in words: per dimension who won and who lost, then what was refused.

use crate::output::line::Line;
use crate::output::{age, roster, theme};
use headsup_core::source::Source;
use headsup_core::time::UnixMs;
use headsup_core::wire::{DimensionDoc, ExplainDoc, LoserDoc, RejectedDoc, WinnerDoc};
use headsup_core::words;

/// The dimensions in the order people ask for them.
const ORDER: [&str; 7] = ["turn", "prompts", "process", "outcome", "seen", "stage", "verdict"];

/// `name`: what people call the agent.
pub(crate) fn lines(doc: &ExplainDoc, name: &str, now: UnixMs) -> Vec<Line> {
    let stale = if doc.stale { " stale" } else { "" };
    let id = doc.agent_id.as_str();
    let name = if name.is_empty() || name == id { String::new() } else { format!(" ({name})") };
    let head = Line::new().styled(theme::STRONG, id).styled(theme::DIM, name).then("  ");
    let mut lines = vec![head.and(&roster::status(doc.headline)).styled(theme::DIM, stale)];
    let known = ORDER.iter().filter_map(|name| doc.dimensions.get_key_value(*name));
    let others = doc.dimensions.iter().filter(|(name, _)| !ORDER.contains(&name.as_str()));
    for (name, dimension) in known.chain(others) {
        lines.extend(self::dimension(name, dimension));
    }
    if !doc.rejected.is_empty() {
        lines.push(Line::new());
        lines.push(Line::new().styled(theme::STRONG, "not believed lately"));
        lines.extend(doc.rejected.iter().map(|rejected| refusal(rejected, now)));
    }
    lines
}

fn dimension(name: &str, dimension: &DimensionDoc) -> Vec<Line> {
    let head = Line::new().styled(theme::STRONG, name).pad(9).then(&dimension.value);
    let mut lines = vec![Line::new(), head];
    lines.extend(dimension.winner.iter().flat_map(winner));
    lines.extend(dimension.losers.iter().map(loser));
    lines
}

/// The source, and which event of it; what is called as the source is, is not said twice.
fn whose(source: Source, event: Option<&str>) -> String {
    let source = source.word();
    match event.filter(|event| *event != source) {
        Some(event) => format!("{source} {event}"),
        None => source.to_owned(),
    }
}

fn winner(winner: &WinnerDoc) -> Vec<Line> {
    let sure = words::word(&winner.confidence).unwrap_or_default();
    let whose = whose(winner.source, winner.event.as_deref());
    let ago = age::short(winner.age_ms);
    let said = format!("  says so  {whose}, {sure}, {ago} ago");
    let notes = winner.notes.iter().map(|note| Line::plain(format!("           {note}")));
    std::iter::once(Line::plain(said)).chain(notes).collect()
}

fn loser(loser: &LoserDoc) -> Line {
    let whose = whose(loser.source, loser.event.as_deref());
    let ago = age::short(loser.age_ms);
    Line::new().styled(
        theme::DIM,
        format!("  lost     {whose}, {ago} ago, said {}: {}", loser.value, loser.why),
    )
}

fn refusal(rejected: &RejectedDoc, now: UnixMs) -> Line {
    let (whose, ago) =
        (whose(rejected.source, Some(&rejected.event)), age::since(rejected.at, now));
    let (rule, why) = (&rejected.rule, &rejected.why);
    Line::plain(format!("  {rule:<8} {whose}, {ago} ago: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::fixture::AT;
    use serde_json::json;

    #[test]
    fn what_is_called_as_its_source_is_is_named_once() {
        assert_eq!(whose(Source::Report, Some("report")), "report");
        assert_eq!(whose(Source::Report, Some("reported")), "report reported");
        assert_eq!(whose(Source::Process, None), "process");
    }

    #[test]
    fn the_evidence_is_told_with_winners_and_losers() {
        let turn = json!({
            "value": "blocked(permission)",
            "winner": {
                "source": "hook", "confidence": "strong", "event": "PermissionRequest",
                "observed_at": AT, "confirmed_at": AT, "age_ms": 4_000, "notes": ["one prompt"],
            },
            "losers": [{
                "source": "transcript", "value": "working(tool)", "event": "assistant",
                "observed_at": AT, "age_ms": 61_000, "why": "an open prompt outranks it (G4)",
            }],
        });
        let plain = json!({"value": "none", "winner": null, "losers": []});
        let doc = json!({
            "schema": 1, "agent_id": "api", "headline": "blocked", "stale": true,
            "dimensions": {"stage": plain, "turn": turn},
            "rejected": [{
                "at": AT, "source": "hook", "event": "Stop", "rule": "G1",
                "why": "of a session that has ended",
            }],
        });
        let doc: ExplainDoc = serde_json::from_value(doc).unwrap();
        let now = UnixMs::parse(AT).unwrap().plus(5_000);
        let shown = |name: &str| -> Vec<String> {
            lines(&doc, name, now).iter().map(|line| line.render(false)).collect()
        };
        assert_eq!(shown("front")[0], "api (front)  ▲ blocked stale");
        let lines = shown("api");
        insta::assert_snapshot!(lines.join("\n"), @"
        api  ▲ blocked stale

        turn     blocked(permission)
          says so  hook PermissionRequest, strong, 4s ago
                   one prompt
          lost     transcript assistant, 1m ago, said working(tool): an open prompt outranks it (G4)

        stage    none

        not believed lately
          G1       hook Stop, 5s ago: of a session that has ended
        ");
    }
}
