//! Which seat an agent in a chat sits in.

use crate::id::AgentId;

/// The label that holds the chat's id, and the one that holds the agent's name there.
pub const CHAT_LABEL: &str = "chat_id";
pub const AGENT_LABEL: &str = "agent";

/// Characters of each name in an id that could not hold them whole.
const SHORT: usize = 40;

/// The seat's id: `AGENT.CHAT`. Two pairs never have the same one: names that do not fit into an
/// id, or hold a dot, are made to fit and followed by a digest of both.
pub fn seat_id(chat_id: &str, agent: &str) -> AgentId {
    let plain = |name: &str| {
        let legal = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
        !name.is_empty() && name.bytes().all(legal)
    };
    let whole = format!("{agent}.{chat_id}");
    match AgentId::new(&whole) {
        Ok(id) if plain(agent) && plain(chat_id) => id,
        _ => {
            let short = |name: &str| {
                let slug = AgentId::slug(name);
                slug.as_str().chars().filter(|c| *c != '.').take(SHORT).collect::<String>()
            };
            let digest = digest(chat_id, agent);
            AgentId::slug_keeping(&format!("{}.{}.{digest:032x}", short(agent), short(chat_id)))
        }
    }
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
    use std::collections::HashSet;

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
}
