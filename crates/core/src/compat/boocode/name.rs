//! Which seat an agent in a chat sits in.

use crate::id::AgentId;
use crate::seat::Seat;
use std::sync::Arc;

/// The label that holds the chat's id, and the one that holds the agent's name there.
pub const CHAT_LABEL: &str = "chat_id";
pub const AGENT_LABEL: &str = "agent";

/// Stands before a seat's id where that alone is another one's name in the chat.
pub const ID_MARK: char = '#';

/// Characters of each name in an id that could not hold them whole.
const SHORT: usize = 40;

/// The seat of an agent in a chat, among those that `seat` finds by their ids and those that are `in_chat`, where others
/// may be as well: one with the labels of both, also behind its end, or else one that was started in the chat and goes by
/// its kind there, or else the one in the chat that has this id. Of several it is one that lives, and of those the first
/// by its id. Without any, it is where it is to be: somebody else may have the id of the two names, as an agent's child
/// has (`ID.1`).
pub fn seat_of(
    chat_id: &str,
    agent: &str,
    seat: impl Fn(&AgentId) -> Option<Arc<Seat>>,
    in_chat: impl FnOnce() -> Vec<Arc<Seat>>,
) -> AgentId {
    let is_its = |seat: &Seat| called_by(seat, chat_id, agent) == Some(Called::Label);
    let lives = |seat: &Seat| !seat.process.state.is_over();
    let id = seat_id(chat_id, agent);
    let sits = seat(&id);
    if sits.as_deref().is_some_and(|seat| is_its(seat) && lives(seat)) {
        return id;
    }
    let digested = digested_id(chat_id, agent);
    // Whoever was in the way may have gone since.
    let other = seat(&digested);
    if other.as_deref().is_some_and(|seat| is_its(seat) && lives(seat)) {
        return digested;
    }
    let known = in_chat();
    let called = known.iter().filter_map(|seat| {
        let by = called_by(seat, chat_id, agent)?;
        Some((by, !lives(seat), &seat.id))
    });
    if let Some((.., first)) = called.min() {
        return first.clone();
    }
    let is_taken = sits.as_deref().is_some_and(|seat| !is_its(seat));
    let has_moved = sits.is_none() && other.as_deref().is_some_and(is_its);
    if is_taken || has_moved { digested } else { id }
}

/// By what a seat goes by a name. Whoever has it by the first of these is meant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Called {
    Label,
    /// As one that was started with the chat's label alone.
    Kind,
    Id,
}

/// How a seat of this chat comes to be called so there. `None`: it is not.
fn called_by(seat: &Seat, chat_id: &str, agent: &str) -> Option<Called> {
    let labels = &seat.about.labels;
    labels.get(CHAT_LABEL).filter(|chat| *chat == chat_id)?;
    match labels.get(AGENT_LABEL) {
        Some(label) if label == agent => Some(Called::Label),
        None if *seat.kind == *agent => Some(Called::Kind),
        _ => is_id(agent, &seat.id).then_some(Called::Id),
    }
}

/// Whether a seat with this id may go by this name where another one is meant by its label or its kind.
pub fn is_id(agent: &str, id: &AgentId) -> bool {
    agent.strip_prefix(ID_MARK).unwrap_or(agent) == id.as_str()
}

/// The seat's id where nobody else has it: `AGENT.CHAT`. Two pairs never have the same one: names that
/// do not fit into an id, or hold a dot, are made to fit and followed by a digest of both.
pub fn seat_id(chat_id: &str, agent: &str) -> AgentId {
    let plain = |name: &str| {
        let legal = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
        !name.is_empty() && name.bytes().all(legal)
    };
    let whole = format!("{agent}.{chat_id}");
    match AgentId::new(&whole) {
        Ok(id) if plain(agent) && plain(chat_id) => id,
        _ => digested_id(chat_id, agent),
    }
}

/// One that no other pair has, and nobody else by chance.
fn digested_id(chat_id: &str, agent: &str) -> AgentId {
    let short = |name: &str| {
        let slug = AgentId::slug(name);
        slug.as_str().chars().filter(|c| *c != '.').take(SHORT).collect::<String>()
    };
    let digest = digest(chat_id, agent);
    AgentId::slug_keeping(&format!("{}.{}.{digest:032x}", short(agent), short(chat_id)))
}

/// FNV-1a over both names and the place where one ends, 128 bits.
fn digest(chat_id: &str, agent: &str) -> u128 {
    const START: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    // No text holds this byte.
    let bytes = agent.bytes().chain([0xff]).chain(chat_id.bytes());
    bytes.fold(START, |hash, byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;
    use crate::status::{Exit, ExitKind, Process, StartPhase};
    use crate::time::UnixMs;
    use std::collections::{HashMap, HashSet};

    #[test]
    fn plain_names_are_the_id_and_no_two_pairs_share_one() {
        assert_eq!(seat_id("c-1", "coder").as_str(), "coder.c-1");
        let long = "x".repeat(200);
        let names = ["a", "b", "a.b", "b.c", "a-b", "é", "ö", "", " ", "..", "a/b", "a b", &long];
        let mut ids = HashSet::new();
        for chat in names {
            for agent in names {
                let id = seat_id(chat, agent);
                assert!(AgentId::new(id.as_str()).is_ok(), "{id}");
                assert!(ids.insert(id.clone()), "{chat:?} {agent:?}: {id}");
            }
        }
    }

    #[test]
    fn a_seat_of_somebody_else_is_never_taken() {
        let seat = |id: &AgentId, labels: &[(&str, &str)]| {
            let mut seat = Seat::new(id.clone(), "custom", Source::Report, UnixMs(0));
            for (label, value) in labels {
                seat.about.labels.insert((*label).to_owned(), (*value).to_owned());
            }
            (id.clone(), Arc::new(seat))
        };
        let of = |seats: &HashMap<AgentId, Arc<Seat>>| {
            seat_of("1", "api", |id| seats.get(id).cloned(), Vec::new)
        };
        let plain = seat_id("1", "api");
        let mut seats = HashMap::new();
        assert_eq!(of(&seats), plain);
        let own = [(CHAT_LABEL, "1"), (AGENT_LABEL, "api")];
        seats.extend([seat(&plain, &own)]);
        assert_eq!(of(&seats), plain, "its own, of whatever version");
        for labels in [&own[..0], &own[..1], &own[1..], &[(CHAT_LABEL, "2"), own[1]]] {
            seats.extend([seat(&plain, labels)]);
            let other = of(&seats);
            assert!(other != plain && other.as_str().starts_with("api.1."), "{labels:?}: {other}");
        }
        // It stays where it is when the other one has gone.
        let other = of(&seats);
        seats.extend([seat(&other, &own)]);
        assert_eq!(of(&seats), other);
        seats.remove(&plain);
        assert_eq!(of(&seats), other);
    }

    #[test]
    fn whoever_was_started_in_the_chat_goes_by_its_kind_there() {
        let starting = Process::Starting { phase: StartPhase::Booting };
        let gone = Process::Exited(Exit::of(ExitKind::Clean));
        let seat = |id: &str, labels: &[(&str, &str)], state: Process| {
            let id = AgentId::new(id).unwrap();
            let mut seat = Seat::new(id, "agent", Source::Process, UnixMs(0));
            for (label, value) in labels {
                seat.about.labels.insert((*label).to_owned(), (*value).to_owned());
            }
            seat.process.state = state;
            Arc::new(seat)
        };
        let of = |known: &[Arc<Seat>]| {
            let find = |id: &AgentId| known.iter().find(|seat| seat.id == *id).cloned();
            seat_of("1", "agent", find, || known.to_vec()).to_string()
        };
        let (chat, name) = ((CHAT_LABEL, "1"), (AGENT_LABEL, "agent"));
        let (b, c) = (seat("b", &[chat], starting), seat("c", &[chat], starting));
        assert_eq!(of(&[c.clone(), b.clone()]), "b", "the first of several");
        for other in [
            seat("a", &[(CHAT_LABEL, "2")], starting),
            seat("a", &[chat, (AGENT_LABEL, "reviewer")], starting),
            seat("a", &[chat], gone),
        ] {
            assert_eq!(of(&[other, c.clone()]), "c");
        }
        let other = seat("a", &[chat, (AGENT_LABEL, "reviewer")], starting);
        assert_eq!(of(&[other]), "agent.1", "where it is to be");
        assert_eq!(of(&[b.clone(), seat("z", &[chat, name], starting)]), "z", "its own label");
        let left = seat("agent.1", &[chat, name], gone);
        assert_eq!(of(&[left.clone(), b.clone()]), "agent.1", "it keeps its name behind its end");
        let elsewhere = seat("z", &[chat, name], gone);
        assert_eq!(of(&[elsewhere.clone(), b]), "z", "wherever it sits");
        assert_eq!(of(&[left.clone(), seat("z", &[chat, name], starting)]), "z", "one that lives");
        assert_eq!(of(&[left, elsewhere]), "agent.1");
        assert_eq!(of(&[seat("b", &[chat], gone)]), "b", "an end that is told once more is its");
    }

    #[test]
    fn whoever_is_in_the_chat_goes_by_its_id_where_nobody_else_has_that_name() {
        let seat = |id: &str, kind: &str, labels: &[(&str, &str)]| {
            let id = AgentId::new(id).unwrap();
            let mut seat = Seat::new(id, kind, Source::Process, UnixMs(0));
            for (label, value) in labels {
                seat.about.labels.insert((*label).to_owned(), (*value).to_owned());
            }
            Arc::new(seat)
        };
        let of = |agent: &str, known: &[Arc<Seat>]| {
            let find = |id: &AgentId| known.iter().find(|seat| seat.id == *id).cloned();
            seat_of("1", agent, find, || known.to_vec()).to_string()
        };
        let chat = (CHAT_LABEL, "1");
        let (one, two) = (seat("one", "agent", &[chat]), seat("two", "agent", &[chat]));
        let both = [one.clone(), two.clone()];
        let names = ["agent", "one", "two", "#two", "three"];
        let meant = names.map(|name| of(name, &both));
        assert_eq!(meant, ["one", "one", "two", "two", "three.1"]);
        for other in [seat("z", "agent", &[chat, (AGENT_LABEL, "two")]), seat("z", "two", &[chat])]
        {
            let known = [one.clone(), two.clone(), other];
            assert_eq!([of("two", &known), of("#two", &known)], ["z", "two"]);
        }
        let labelled = seat("two", "agent", &[chat, (AGENT_LABEL, "reviewer")]);
        assert_eq!(of("two", &[labelled]), "two");
        let elsewhere = seat("two", "agent", &[(CHAT_LABEL, "2")]);
        assert_eq!(of("two", &[elsewhere]), "two.1", "it is in another chat");
    }
}
