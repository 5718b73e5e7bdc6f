//! Floods: nonsense, and more agents than anybody has.

use crate::http::Line;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// How much of it.
#[derive(Clone, Copy, Debug)]
pub struct Flood {
    /// Connections at once.
    pub connections: usize,
    /// Requests on each.
    pub each: usize,
}

/// How often each status was answered.
pub type Answers = BTreeMap<u16, usize>;

/// Posts hooks that mean nothing: garbage, cut and mixed-up payloads, unknown events of nobody,
/// nesting without end. None of them may change anything.
///
/// # Errors
/// If the hub does not answer.
pub fn nonsense(socket: &Path, flood: Flood) -> io::Result<Answers> {
    run(socket, flood, &|connection, number| {
        let seed = (connection * flood.each + number) as u64;
        ("/api/v1/hooks/claude-code".to_owned(), rubbish(seed))
    })
}

/// One report each of as many agents as there are requests.
///
/// # Errors
/// If the hub does not answer.
pub fn agents(socket: &Path, flood: Flood) -> io::Result<Answers> {
    run(socket, flood, &|connection, number| {
        let target = format!("/api/v1/agents/agent-{connection}-{number}/reports");
        (target, b"{\"turn\":\"working\"}".to_vec())
    })
}

type Request<'a> = &'a (dyn Fn(usize, usize) -> (String, Vec<u8>) + Sync);

fn run(socket: &Path, flood: Flood, request: Request<'_>) -> io::Result<Answers> {
    let one = |connection: usize| -> io::Result<Answers> {
        let mut line = Line::open(socket)?;
        let mut answers = Answers::new();
        for number in 0..flood.each {
            let (target, body) = request(connection, number);
            *answers.entry(line.post(&target, &body)?.0).or_default() += 1;
        }
        Ok(answers)
    };
    let mut all = Answers::new();
    std::thread::scope(|scope| {
        let one = &one;
        let threads: Vec<_> =
            (0..flood.connections).map(|connection| scope.spawn(move || one(connection))).collect();
        for thread in threads {
            let answers = thread.join().map_err(|_| io::Error::other("a thread died"))??;
            for (status, count) in answers {
                *all.entry(status).or_default() += count;
            }
        }
        Ok(all)
    })
}

/// A sequence that looks like chance and is always the same.
pub fn chance(seed: u64) -> impl Iterator<Item = u64> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    })
}

fn rubbish(seed: u64) -> Vec<u8> {
    let mut chance = chance(seed);
    let mut number = move || chance.next().unwrap_or(0);
    match number() % 7 {
        0 => (0..number() % 400).map(|_| number().to_le_bytes()[0]).collect(),
        1 => b"{\"hook_event_name\":\"Stop\",\"session_id\":\"s".to_vec(),
        2 => format!("{{\"hook_event_name\":\"Surprise{}\"}}", number() % 99).into_bytes(),
        3 => "[".repeat(usize::try_from(number() % 50_000).unwrap_or(0)).into_bytes(),
        4 => format!("{{\"hook_event_name\":[{}],\"session_id\":{{}}}}", number()).into_bytes(),
        5 => format!("\"\\ud8{:02x}\u{0}{}\"", number() % 99, "\u{202e}".repeat(40)).into_bytes(),
        _ => format!("{}e{}", number(), number()).into_bytes(),
    }
}
