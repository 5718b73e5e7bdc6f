//! Payloads of hooks, as far as several programs write them alike.

use crate::json::{self, Raw};
use crate::{FactExt, HookContext, Sighting, text};
use headsup_core::observation::{Fact, SessionEnd, SessionStart};
use headsup_core::prompt::Actor;
use serde::Deserialize;

/// A payload, or an empty one and why it is none.
pub(crate) fn read<'a, P: Deserialize<'a> + Default>(body: &'a str) -> (P, Option<&'static str>) {
    match json::payload(json::trim(body)) {
        Ok(payload) => (payload, None),
        Err(why) => (P::default(), Some(why)),
    }
}

/// What a payload says: of which event it is, by its own name for it before the command line's, and what
/// that means. `broken` is why it is none.
pub(crate) fn sighting(
    event: Option<&str>,
    named: Raw<'_>,
    broken: Option<&'static str>,
    fact: impl FnOnce(&str) -> Fact,
) -> Sighting {
    let mut seen = Sighting::new(event, named.text().as_deref(), Fact::Nothing);
    seen.fact = match broken {
        Some(why) => Fact::not_understood(why),
        None => fact(&seen.event),
    };
    seen
}

/// Whose it is and where: the members and surroundings that most programs have.
pub(crate) fn place(
    seen: &mut Sighting,
    [session, cwd]: [Raw<'_>; 2],
    context: &HookContext,
    programs: &[&str],
) {
    seen.session = session.text().and_then(|id| text::session(&id));
    seen.cwd = cwd.text().and_then(|path| text::folder(&path));
    seen.tmux_pane = context.tmux_pane();
    seen.process = context.process(None, programs);
}

/// A name that is in no program's list.
pub(crate) fn unknown(event: &str) -> Fact {
    Fact::NotUnderstood { why: format!("unknown event {event}") }
}

/// By whose wish a conversation is compacted.
pub(crate) const COMPACTS: &[&str] = &["manual", "auto"];

/// Did a person ask for the compaction? `None` where that is not said, or in a word that nobody knows.
pub(crate) fn by_person(trigger: Raw<'_>) -> Option<bool> {
    match trigger.text().as_deref() {
        Some("manual") => Some(true),
        Some("auto") => Some(false),
        _ => None,
    }
}

/// A member that an event has in all versions that are known, with the words that it may say; any text where
/// there are none.
pub(crate) type Wanted<'a> = (&'static str, Raw<'a>, &'static [&'static str]);

/// The words of a member that may say anything.
pub(crate) const ANY: &[&str] = &[];

/// The first of these that is strange.
pub(crate) fn any_strange<const N: usize>(all: [Wanted<'_>; N]) -> Option<&'static str> {
    all.into_iter().find_map(strange)
}

/// Its name, if it is not there, is no text, or says a word that nobody knows.
pub(crate) fn strange((name, member, words): Wanted<'_>) -> Option<&'static str> {
    let is_known = match words {
        [] => member.json().is_some() && !member.is_other_than('"'),
        words => member.text().is_some_and(|said| words.contains(&&*said)),
    };
    (!is_known).then_some(name)
}

/// The name of a list that an event has in all versions that are known, if it is not there or is none.
pub(crate) fn unlisted(name: &'static str, member: Raw<'_>) -> Option<&'static str> {
    (!member.is_list()).then_some(name)
}

/// The first of these texts, which all events of a program have, that is not there or is none: it says of which
/// conversation an event is, or where that is.
pub(crate) fn missing(texts: &[(&'static str, Raw<'_>)]) -> Option<&'static str> {
    texts.iter().find(|(_, raw)| raw.text().is_none()).map(|(name, _)| *name)
}

/// Why an end must not be taken for granted: a member that says whose it is, or what goes on behind it,
/// is of another type than known. `lists` are lists, all others are texts.
pub(crate) fn unreadable_end(
    texts: &[(&str, Raw<'_>)],
    lists: &[(&str, Raw<'_>)],
) -> Option<String> {
    let bad = |all: &[(&str, Raw<'_>)], mark: char, what: &str| {
        let found = all.iter().find(|(_, raw)| raw.is_other_than(mark));
        found.map(|(name, _)| format!("{name} is not {what}"))
    };
    bad(texts, '"', "a string").or_else(|| bad(lists, '[', "a list"))
}

/// Why a session may end, in a program's own words.
#[derive(Clone, Copy)]
pub(crate) struct Reasons {
    /// The program goes on.
    pub clears: &'static [&'static str],
    /// It leaves.
    pub exits: &'static [&'static str],
    /// It leaves or goes on: its process tells.
    pub either: &'static [&'static str],
}

/// How a session ended, by the reason it gives. Without a reason its process tells; another word, or what
/// is no word at all, is of a version that nobody knows, in which the conversation may as well go on elsewhere.
pub(crate) fn session_end(reason: Raw<'_>, reasons: &Reasons) -> Fact {
    if reason.is_other_than('"') {
        return Fact::SessionEnded { how: SessionEnd::Unclear };
    }
    let Some(said) = reason.text() else {
        return Fact::SessionEnded { how: SessionEnd::Either };
    };
    let how = match &*said {
        said if reasons.clears.contains(&said) => SessionEnd::Clear,
        said if reasons.exits.contains(&said) => SessionEnd::Exit,
        said if reasons.either.contains(&said) => SessionEnd::Either,
        _ => SessionEnd::Unclear,
    };
    Fact::SessionEnded { how }
}

/// What an end lacks or says anew: its reason.
pub(crate) fn strange_end(reason: Raw<'_>, reasons: &Reasons) -> Option<&'static str> {
    let known = |said: &str| {
        [reasons.clears, reasons.exits, reasons.either].iter().any(|words| words.contains(&said))
    };
    (!reason.text().is_some_and(|said| known(&said))).then_some("reason")
}

/// Whose event it is, where a helper's events alone carry its id. Whatever stands there, it is not
/// the main agent.
pub(crate) fn actor(helper: Raw<'_>) -> Actor {
    match helper.json() {
        None | Some("\"\"") => Actor::Main,
        Some(json) => {
            let id = helper.text().and_then(|id| text::id(&id));
            Actor::Sub(id.unwrap_or_else(|| text::line(json, text::NAME)))
        }
    }
}

/// Is it a helper's, and does not say whose? `told` stands in a helper's events alone.
pub(crate) fn is_nameless(helper: Raw<'_>, told: Raw<'_>) -> bool {
    let is_told = told.json().is_some_and(|json| json != "\"\"");
    is_told && actor(helper).is_main()
}

/// A helper that does not say which it is.
pub(crate) const UNNAMED: &str = "unnamed";

/// The start or the end of a helper, also where nothing in it says so: its name tells. Those that have lost their names
/// are counted, as others of one name are: the turn goes on with them, as with any.
pub(crate) fn helper(actor: Actor, is_nameless: bool, starts: bool) -> Fact {
    let (name, is_counted) = match actor {
        Actor::Main => (UNNAMED.to_owned(), true),
        Actor::Sub(name) => (name, is_nameless),
    };
    match (starts, is_counted) {
        (true, true) => Fact::NamesakeStarted { name },
        (false, true) => Fact::NamesakeEnded { name },
        (true, false) => Fact::SubagentStarted { id: name },
        (false, false) => Fact::SubagentEnded { id: name },
    }
}

/// The start of a helper that begins a run of this name.
pub(crate) fn in_run(fact: Fact, run: Option<String>) -> Fact {
    match (fact, run) {
        (Fact::SubagentStarted { id }, Some(run)) => Fact::RunStarted { id, run },
        (fact, _) => fact,
    }
}

/// The start of a compaction, by the name of its turn where that has one.
pub(crate) fn compaction(turn_ref: Option<String>) -> Fact {
    match turn_ref {
        Some(turn_ref) => Fact::CompactionBegun { turn_ref },
        None => Fact::CompactionStarted,
    }
}

/// The start of a program that tells it while it may still ask something first.
pub(crate) fn early(how: SessionStart) -> SessionStart {
    match how {
        SessionStart::Startup => SessionStart::Early,
        SessionStart::Resume => SessionStart::EarlyResume,
        how => how,
    }
}

/// How a session started, by the words that programs agree on.
pub(crate) fn session_start(source: Raw<'_>) -> SessionStart {
    match source.text().as_deref() {
        Some("resume") => SessionStart::Resume,
        Some("clear") => SessionStart::Clear,
        Some("compact") => SessionStart::Compact,
        // Qwen Code says the second one (read).
        Some("fork" | "branch") => SessionStart::Fork,
        _ => SessionStart::Startup,
    }
}
