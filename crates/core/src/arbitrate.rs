//! Which witness wins, and why the others lose.
//!
//! process > the program's own live status > hooks, plugins and reports > transcript > title >
//! screen > quiet time. A weaker source never overrides a fresh stronger one; a stronger one
//! that has gone silent ages. Between the two upper tiers of a turn, own status and edges, the
//! later word wins: an edge is a change, and a level that has not moved since says nothing new. A
//! title is heard against an edge only if it has changed after it, and if no other edge follows
//! while it settles.

use crate::prompt::OpenPrompt;
use crate::seat::{Claim, Seat};
use crate::source::{Confidence, Source, Tier};
use crate::time::UnixMs;

/// One source's word on a dimension.
#[derive(Clone, Debug, PartialEq)]
pub struct Word<T> {
    pub source: Source,
    pub value: T,
    /// When the source first said this value.
    pub since: UnixMs,
    /// When it last said so again.
    pub confirmed_at: UnixMs,
}

/// Why a word did not win.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// Not confirmed for too long.
    Aged,
    /// A stronger source is fresh.
    Outranked,
    /// An equal said something later.
    Older,
}

impl Lost {
    pub fn why(self) -> &'static str {
        match self {
            Self::Aged => "not confirmed for too long",
            Self::Outranked => "a stronger witness is fresh",
            Self::Older => "an equal witness said something later",
        }
    }
}

/// The verdict over all words: winner, how sure, and what was not believed.
#[derive(Clone, Debug, PartialEq)]
pub struct Arbitration<T> {
    pub winner: Option<Word<T>>,
    pub confidence: Confidence,
    pub losers: Vec<(Word<T>, Lost)>,
}

/// Weighs all words; those not confirmed since `earliest` have aged and win only alone.
pub fn arbitrate<T: Clone>(words: &[Word<T>], earliest: UnixMs) -> Arbitration<T> {
    // Own status and edges are judged by time, so they stand on one step.
    let step = |word: &Word<T>| match word.source.tier() {
        Tier::Own => Tier::Edge,
        tier => tier,
    };
    let is_fresh = |word: &Word<T>| word.confirmed_at >= earliest;
    let best = words
        .iter()
        .enumerate()
        .max_by_key(|(_, word)| (is_fresh(word), step(word), word.since, word.source.tier()));
    let Some((index, best)) = best else {
        return Arbitration { winner: None, confidence: Confidence::None, losers: Vec::new() };
    };
    let losers = words.iter().enumerate().filter(|(other, _)| *other != index);
    let losers = losers.map(|(_, word)| {
        let lost = match (is_fresh(word), step(word) < step(best)) {
            (false, _) if is_fresh(best) => Lost::Aged,
            (_, true) => Lost::Outranked,
            _ => Lost::Older,
        };
        (word.clone(), lost)
    });
    let mut confidence = best.source.confidence();
    if !is_fresh(best) {
        confidence = confidence.min(Confidence::Weak);
    }
    Arbitration { winner: Some(best.clone()), confidence, losers: losers.collect() }
}

/// May a source that contradicts the seat be heard?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    Heard,
    Outranked { by: Source },
}

/// Weighs `source` against who has spoken of the seat's turn since `earliest`.
pub fn standing(seat: &Seat, source: Source, earliest: UnixMs) -> Standing {
    let claims = seat.claims.iter().filter(|claim| claim.source != source);
    let mut words: Vec<Word<()>> = claims
        .map(|claim| Word {
            source: claim.source,
            value: (),
            since: claim.since,
            confirmed_at: claim.confirmed_at,
        })
        .collect();
    if let Some(at) = last_change(seat, source).filter(|at| !is_news(seat, source, *at)) {
        // Edges of whatever kind speak with one voice here.
        words.push(Word { source: Source::Hook, value: (), since: at, confirmed_at: at });
    }
    let now = UnixMs(i64::MAX);
    words.push(Word { source, value: (), since: now, confirmed_at: now });
    match arbitrate(&words, earliest).winner {
        Some(winner) if winner.source != source => Standing::Outranked { by: winner.source },
        _ => Standing::Heard,
    }
}

/// When a stronger source has told of a change last. Against a title the end of a turn counts
/// whoever told it: a title stands until the program has drawn its screen anew.
fn last_change(seat: &Seat, source: Source) -> Option<UnixMs> {
    let ended = seat.turn.ended.as_ref().filter(|_| !seat.turn.open).map(|ended| ended.at);
    seat.last_edge_at.max(ended.filter(|_| source.tier() == Tier::Title))
}

/// A title that has changed since the last edge tells what no edge has told: a program writes it
/// when something happens, and its hooks may be silent there. One that stood before says nothing, but a
/// dialog that it shows still is open. While nobody looked it may have changed and changed back: so work that it
/// shows behind a request of the main agent's that has waited for a hub says that this is over. Whether it shows
/// what helpers ask, or what only the screen tells, nobody knows.
fn is_news(seat: &Seat, source: Source, last_edge_at: UnixMs) -> bool {
    let mut claims = seat.claims.iter().filter(|claim| claim.source == source);
    let is_shown = |open: &OpenPrompt| open.actor.is_main() && open.source.tier() == Tier::Edge;
    let was_unseen = is_told_late(seat)
        && seat.own_prompts().next().is_some()
        && seat.own_prompts().all(is_shown);
    let is_later = |claim: &Claim| match claim.word.as_str() {
        "blocked" => claim.confirmed_at > last_edge_at,
        "working" if was_unseen => claim.confirmed_at > seat.spooled_until,
        _ => claim.since > last_edge_at,
    };
    source.tier() == Tier::Title && claims.any(is_later)
}

/// Has the last edge waited for a hub before it was told?
pub(crate) fn is_told_late(seat: &Seat) -> bool {
    seat.last_live_at.unwrap_or_default() < seat.spooled_until
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(source: Source, value: &'static str, since: i64, confirmed: i64) -> Word<&'static str> {
        Word { source, value, since: UnixMs(since), confirmed_at: UnixMs(confirmed) }
    }

    #[test]
    fn a_fresh_stronger_witness_outranks_a_later_weaker_one() {
        let words = [
            word(Source::Hook, "working", 10, 10),
            word(Source::Transcript, "idle", 20, 20),
            word(Source::Screen, "idle", 30, 30),
        ];
        let verdict = arbitrate(&words, UnixMs(0));
        assert_eq!(verdict.winner.unwrap().value, "working");
        assert_eq!(verdict.confidence, Confidence::Strong);
        let lost: Vec<Lost> = verdict.losers.iter().map(|(_, lost)| *lost).collect();
        assert_eq!(lost, [Lost::Outranked, Lost::Outranked]);
    }

    #[test]
    fn a_silent_stronger_witness_ages() {
        let words =
            [word(Source::Registry, "working", 10, 10), word(Source::Transcript, "idle", 90, 90)];
        let verdict = arbitrate(&words, UnixMs(50));
        assert_eq!(verdict.winner.unwrap().value, "idle");
        assert_eq!(verdict.losers[0].1, Lost::Aged);
    }

    #[test]
    fn between_own_status_and_edges_the_later_word_wins() {
        let registry = word(Source::Registry, "working", 10, 40);
        let hook = word(Source::Hook, "blocked", 30, 30);
        let verdict = arbitrate(&[registry.clone(), hook], UnixMs(0));
        assert_eq!(verdict.winner.unwrap().value, "blocked");
        let earlier = word(Source::Hook, "blocked", 5, 5);
        let verdict = arbitrate(&[registry, earlier], UnixMs(0));
        assert_eq!(verdict.winner.as_ref().unwrap().value, "working");
        assert_eq!(verdict.confidence, Confidence::Authoritative);
        assert_eq!(verdict.losers[0].1, Lost::Older);
    }

    #[test]
    fn all_permutations_agree() {
        let words = [
            word(Source::Registry, "a", 10, 10),
            word(Source::Hook, "b", 20, 20),
            word(Source::Title, "c", 30, 30),
        ];
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        for order in orders {
            let shuffled: Vec<_> = order.iter().map(|i| words[*i].clone()).collect();
            assert_eq!(arbitrate(&shuffled, UnixMs(0)).winner.unwrap().value, "b", "{order:?}");
        }
        assert!(arbitrate::<()>(&[], UnixMs(0)).winner.is_none());
    }
}
