//! The process that a hook's own variable names as its agent, and whether that may be believed.

use super::words_of;
use crate::namespaces::Peer;
use crate::process;
use headsup_adapters::hook_table::pid_variable;
use headsup_adapters::{Above, Ancestor, HookContext, above};
use headsup_core::id::ProcessId;

/// A hook reads no longer chain: what stands behind it is named by the variable alone.
const MOST_ABOVE: usize = 8;

/// The first process of a namespace is above all others there.
const FIRST: u32 = 1;

/// Forgets the variable where it cannot name the agent, as of whoever calls a hook by hand or has the variable from
/// somebody else: everybody below that process would pass for the agent, and its end for the agent's. `is_here`: it is
/// of our own pid namespace.
pub(super) fn doubt(kind: &str, context: &mut HookContext, peer: Peer, is_here: bool) {
    let Some(variable) = pid_variable(kind) else { return };
    let named = context.env.get(variable).and_then(|pid| pid.parse::<u32>().ok());
    let parents = &context.parents;
    let Some(place) = parents.iter().position(|it| Some(it.pid) == named) else { return };
    let it = &parents[place];
    let is_told = is_above(parents, place);
    let is_above = is_told && (is_named(kind, it) || !is_beside(parents, it, peer));
    let is_first = is_here && it.pid == FIRST;
    let may_be = match is_program(kind, it, is_here) {
        // Another one is nearer, and its own.
        true => is_above || !parents[..place].iter().any(|nearer| is_named(kind, nearer)),
        // It may have any name, but in our own namespace the first process is the system's, or the container's.
        false => is_above && !is_first,
    };
    if may_be {
        return;
    }
    context.env.remove(variable);
    if !is_above {
        context.parents.remove(place);
    }
}

fn is_named(kind: &str, it: &Ancestor) -> bool {
    above(kind, &it.comm, || None) == Above::Program
}

/// By its name, or by its command line where that is to be seen.
fn is_program(kind: &str, it: &Ancestor, is_here: bool) -> bool {
    let words = || words_of(&ProcessId::new(it.pid, it.start));
    above(kind, &it.comm, || is_here.then(words).flatten()) == Above::Program
}

/// By what the hook has told: nobody is above the first process, and no process is younger than those below it.
fn is_above(parents: &[Ancestor], place: usize) -> bool {
    let below = &parents[..place];
    let own = parents[place].start;
    // 0: not known.
    let is_younger = below.last().is_some_and(|below| below.start > 0 && below.start < own);
    place < MOST_ABOVE && !is_younger && below.iter().all(|below| below.pid != FIRST)
}

/// By what we see above the hook, if it is the hook that we see: it may have ended, or somebody may have passed its
/// words on.
fn is_beside(parents: &[Ancestor], it: &Ancestor, peer: Peer) -> bool {
    let (Peer::Process(pid), Some(nearest)) = (peer, parents.first()) else { return false };
    let seen: Vec<_> = process::upwards(pid).collect();
    let is_seen = |it: &Ancestor| seen.contains(&(it.pid, it.start));
    is_seen(nearest) && !is_seen(it)
}

#[cfg(test)]
mod tests {
    use super::super::{Envelope, read};
    use super::*;
    use crate::namespaces::Namespaces;
    use std::process::{Command, Stdio};

    type Parents<'a> = &'a [(u32, u64, &'a str)];

    /// The agent's process by a hook with these processes above it.
    fn agent(named: u32, parents: Parents<'_>, is_contained: bool, peer: Peer) -> Option<u32> {
        agent_of(("claude-code", "CLAUDE_PID"), named, parents, is_contained, peer)
    }

    fn agent_of(
        (kind, variable): (&str, &str),
        named: u32,
        parents: Parents<'_>,
        is_contained: bool,
        peer: Peer,
    ) -> Option<u32> {
        let parents = parents.iter().map(
            |(pid, start, comm)| serde_json::json!({"pid": pid, "start": start, "comm": comm}),
        );
        let parents: Vec<_> = parents.collect();
        // No namespace of this machine has this inode.
        let namespace = is_contained.then_some(1_u64);
        let context = serde_json::json!({
            "env": {variable: named.to_string()}, "parents": parents, "pidns": namespace,
        });
        let (context, event) = (context.to_string(), Some("Stop"));
        let context = Some(context.as_str());
        let envelope = Envelope { kind, event, context, peer, ..Envelope::default() };
        let seen = read(envelope, br#"{"session_id":"s-1"}"#, &Namespaces::new()).unwrap();
        seen.sighting.process.map(|process| process.pid)
    }

    #[test]
    fn the_systems_first_process_is_no_agent() {
        let above = [(4_000_009, 9, "sh"), (4_000_007, 7, "bash"), (1, 1, "systemd")];
        let here = |named| agent(named, &above, false, Peer::Unseen);
        assert_eq!(here(1), None);
        assert_eq!(here(4_000_007), Some(4_000_007), "an agent may have any name");
        let own = [(4_000_009, 9, "sh"), (4_000_008, 8, "claude"), (1, 1, "systemd")];
        assert_eq!(agent(1, &own, false, Peer::Unseen), Some(4_000_008), "its own is there");
    }

    #[test]
    fn an_agent_may_be_the_first_process_of_its_container() {
        let (program, script) = ([(9, 9, "sh"), (1, 2, "claude")], [(9, 9, "sh"), (1, 2, "sh")]);
        assert_eq!(agent(1, &program, true, Peer::Unseen), Some(1));
        assert_eq!(agent(1, &script, true, Peer::Unseen), Some(1));
        // We may be in it as well.
        assert_eq!(agent(1, &program, false, Peer::Unseen), Some(1));
        assert_eq!(agent(1, &script, false, Peer::Unseen), None);
    }

    #[test]
    fn a_launcher_that_is_above_the_hook_is_believed_whatever_it_is_called() {
        let above =
            [(4_000_009, 9, "sh"), (4_000_008, 8, "node"), (4_000_007, 7, "node"), (1, 1, "init")];
        let qwen = ("qwen-code", "QWEN_CODE_LAUNCHER_PID");
        let named = |pid| agent_of(qwen, pid, &above, false, Peer::Unseen);
        assert_eq!(named(4_000_007), Some(4_000_008), "what it has started anew");
        assert_ne!(named(1), Some(1));
    }

    #[test]
    fn who_is_not_above_the_hook_is_its_agent_by_its_name_alone() {
        let behind = |comm: &'static str, nearest: &'static str| {
            let above = [(4_000_009, 9, nearest), (1, 1, "systemd"), (4_000_005, 5, comm)];
            agent(4_000_005, &above, false, Peer::Unseen)
        };
        assert_eq!(behind("postgres", "sh"), None);
        // What has called the hook for it has gone.
        assert_eq!(behind("claude", "sh"), Some(4_000_005));
        assert_eq!(behind("claude", "claude"), Some(4_000_009), "a variable of another one");
        // Nothing is to be seen of who is further up.
        let younger = [(4_000_007, 7, "bash"), (4_000_009, 9, "postgres")];
        assert_eq!(agent(4_000_009, &younger, false, Peer::Unseen), None);
    }

    /// Where we see the hook we need not believe who is above it.
    #[test]
    fn what_we_see_above_the_hook_decides() {
        let mut hook = Command::new("cat");
        let mut hook = hook.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let (own, start) = process::identity(std::process::id()).unwrap();
        let named = |pid, peer| {
            let above = [(own, start, "tests"), (4_000_005, 1, "postgres")];
            agent(pid, &above, false, peer)
        };
        let peer = Peer::Process(hook.id());
        let seen = (named(own, peer), named(4_000_005, peer));
        // With its input it ends.
        drop(hook.stdin.take());
        hook.wait().unwrap();
        assert_eq!(seen, (Some(own), None));
        assert_eq!(named(4_000_005, Peer::Unseen), Some(4_000_005), "nobody can tell");
    }
}
