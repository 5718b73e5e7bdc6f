//! Which seat an agent in a chat sits in.

use crate::id::AgentId;
use crate::seat::Seat;
use std::sync::Arc;

/// The label that holds the chat's id, and the one that holds the agent's name there.
pub const CHAT_LABEL: &str = "chat_id";
pub const AGENT_LABEL: &str = "agent";

/// Characters of each name in an id that could not hold them whole.
const SHORT: usize = 40;

/// The seat of an agent in a chat, among those that `seat` finds: the one with the labels of both, or
/// where it is to be. Somebody else may have the id of the two names, as an agent's child has (`ID.1`).
pub fn seat_of(
    chat_id: &str,
    agent: &str,
    seat: impl Fn(&AgentId) -> Option<Arc<Seat>>,
) -> AgentId {
    let is_its = |seat: &Arc<Seat>| {
        let is =
            |label: &str, name: &str| seat.about.labels.get(label).is_some_and(|it| it == name);
        is(CHAT_LABEL, chat_id) && is(AGENT_LABEL, agent)
    };
    let id = seat_id(chat_id, agent);
    let sits = seat(&id);
    if sits.as_ref().is_some_and(is_its) {
        return id;
    }
    let digested = digested_id(chat_id, agent);
    // Whoever was in the way may have gone since.
    let is_there = seat(&digested).as_ref().is_some_and(is_its);
    if sits.is_some() || is_there { digested } else { id }
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
        let of =
            |seats: &HashMap<AgentId, Arc<Seat>>| seat_of("1", "api", |id| seats.get(id).cloned());
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
}
