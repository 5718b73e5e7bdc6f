//! What no witness of a program tells, and what recorders wrote down wrong: why a span of a recording is not told as it
//! was.

use super::recording::Witness;

/// Something that happens to a program and that none of its witnesses tells. Where it does, `unknown`, or what
/// was so before, marked stale, is as right as can be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Silence {
    kind: &'static str,
    /// What is true, and what was true before.
    truth: &'static str,
    after: &'static str,
    /// What the recording's word for why it is true has in it.
    said: &'static str,
    /// The witness that does tell, where it is recorded.
    but: Option<Witness>,
    why: &'static str,
}

/// Of the programs that have any, each with the reason.
const SILENCES: [Silence; 2] = [
    Silence {
        kind: "gemini-cli",
        truth: "error",
        after: "working",
        said: "API",
        but: Some(Witness::Transcript),
        why: "an API error looks like an end without an answer, and so does Esc before the first word: \
              the log alone tells, and none is recorded",
    },
    Silence {
        kind: "copilot-cli",
        truth: "idle",
        after: "working",
        said: "Esc",
        but: None,
        why: "no hook, no title and no line of the log tells of Esc while it streams: it stays working, \
              stale after 60 s and unknown after 120 s; a recording that ends before has only the first",
    },
];

/// A truth that its recorder did not note as it was: the recording, when, and why.
const FLAWS: [(&str, u64, &str); 1] = [(
    "compaction.jsonl",
    695,
    "the recorder noted 2 s late that the compaction was over: by the recorded bus `session.compacted` and \
     `session.idle` came at 902 ms, and `compacted` was written down at 2912 ms",
)];

/// What is known of a truth beside its words.
#[derive(Clone, Copy, Debug)]
pub(super) struct About<'a> {
    /// Of what kind the program is.
    pub(super) kind: &'a str,
    pub(super) truth: &'a str,
    /// Why that is true, by the recording's word.
    pub(super) said: &'a str,
    /// What was true before.
    pub(super) before: Option<&'a str>,
    /// Some of what was recorded is not played, or is not there at all.
    pub(super) without: &'a [Witness],
    pub(super) has_log: bool,
}

/// Why nothing tells this, if nothing does. Whoever silences a witness wants to see what it tells, and so
/// nothing is a silence then.
pub(super) fn silence(about: About<'_>) -> Option<&'static str> {
    let About { kind, truth, said, before, without, has_log } = about;
    let is_told = |but: Option<Witness>| but == Some(Witness::Transcript) && has_log;
    let is_it = |one: &&Silence| {
        let is_so = one.truth == truth && before == Some(one.after) && said.contains(one.said);
        one.kind == kind && is_so && !is_told(one.but)
    };
    let mut known = SILENCES.iter().filter(|_| without.is_empty());
    known.find(is_it).map(|one| one.why)
}

/// Why a truth of this recording at this time was another one.
pub(super) fn flaw(case: &str, t_ms: u64) -> Option<&'static str> {
    let mut flaws = FLAWS.iter().filter(|(of, at, _)| *of == case && *at == t_ms);
    flaws.next().map(|(.., why)| *why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_silence_is_that_of_one_program_in_one_place_with_all_witnesses() {
        let error = About {
            kind: "gemini-cli",
            truth: "error",
            said: "API answered 400",
            before: Some("working"),
            without: &[],
            has_log: false,
        };
        assert!(silence(error).is_some());
        for other in [
            About { kind: "qwen-code", ..error },
            About { truth: "idle", ..error },
            About { before: Some("idle"), ..error },
            About { before: None, ..error },
            About { said: "it was too long", ..error },
            About { without: &[Witness::Screen], ..error },
            About { has_log: true, ..error },
        ] {
            assert!(silence(other).is_none(), "{other:?}");
        }
        let (kind, truth, said) = ("copilot-cli", "idle", "Esc pressed");
        let stopped = About { kind, truth, said, has_log: true, ..error };
        assert!(silence(stopped).is_some(), "its log does not tell");
        assert!(silence(About { said: "turn over", ..stopped }).is_none(), "of that hooks tell");
    }

    #[test]
    fn a_flaw_is_that_of_one_moment() {
        assert!(flaw("compaction.jsonl", 695).is_some());
        assert!(flaw("compaction.jsonl", 696).is_none() && flaw("other.jsonl", 695).is_none());
    }
}
