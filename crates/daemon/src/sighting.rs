//! A hook's raw payload, read by the adapter of its kind.

mod named;

use crate::namespaces::{Namespaces, Peer};
use crate::service::Surroundings;
use crate::{beside, cgroup, process};
use headsup_adapters::hook_table::pid_variable;
use headsup_adapters::{
    Above, Ancestor, HookContext, Sighting, above, has_registry, is_borrowed,
    is_named_by_its_script, is_shell, may_be_program, serves_terminals,
};
use headsup_core::gate::Container;
use headsup_core::id::{AgentId, ProcessId};
use headsup_core::observation::Fact;
use headsup_core::status::BlockedReason;
use headsup_core::time::UnixMs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// One hook's report, ready for the writer.
#[derive(Debug)]
pub(crate) struct HookReport {
    pub(crate) kind: String,
    /// The seat the agent says it sits in.
    pub(crate) claimed: Option<AgentId>,
    /// A digest of the token that it shows, where no seat has that.
    pub(crate) token: Option<String>,
    pub(crate) sighting: Sighting,
    /// Pid and start ticks of the processes above the hook, below a service that runs agents.
    pub(crate) ancestors: Vec<(u32, u64)>,
    /// Its process is run by such a service.
    pub(crate) is_served: bool,
    /// Another agent's program has called this kind's hook as well.
    pub(crate) is_borrowed: bool,
    /// The hook's pid namespace where it is not ours.
    pub(crate) pid_namespace: Option<u64>,
    pub(crate) container: Container,
    /// The name of the tmux server that it was called in; empty for the usual one.
    pub(crate) tmux_server: Option<String>,
    /// When the hook ran, for a report that waited in the spool.
    pub(crate) spooled: Option<UnixMs>,
    /// What the agent's files are still to be asked for (`beside::look`).
    pub(crate) unclear: Option<Unclear>,
}

/// What its own files may tell of a hook that was just called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unclear {
    /// Beside this stop nothing runs, but other hooks of it may be listed.
    Stop,
    /// A model of the agent's own, or another hook of it, may answer what it asks.
    Request,
}

/// Why a payload could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unreadable {
    /// No adapter knows this kind.
    UnknownKind,
    /// The adapter has a defect.
    Defect,
}

/// What the request or the spool carries beside the payload.
#[derive(Debug, Default)]
pub(crate) struct Envelope<'a> {
    pub(crate) kind: &'a str,
    pub(crate) event: Option<&'a str>,
    pub(crate) claimed: Option<AgentId>,
    pub(crate) context: Option<&'a str>,
    pub(crate) spooled: Option<UnixMs>,
    pub(crate) peer: Peer,
}

/// Reads one payload, and finds the process that it speaks of.
pub(crate) fn read(
    envelope: Envelope<'_>,
    body: &[u8],
    namespaces: &Namespaces,
) -> Result<HookReport, Unreadable> {
    let Envelope { kind, event, mut claimed, context, spooled, peer } = envelope;
    // Any text may come from outside. What it breaks must stay this one report.
    let read = catch_unwind(AssertUnwindSafe(|| {
        let mut context = context.map(HookContext::parse).unwrap_or_default();
        namespaces.put_right(&mut context, peer);
        let is_seen_here = namespaces.foreign(context.pidns).is_none();
        named::doubt(kind, &mut context, peer, is_seen_here);
        let between = if is_seen_here { between(kind, &context) } else { 0 };
        let mut below: Vec<Ancestor> = context.parents.drain(..between).collect();
        let mut is_borrowed_now = is_borrowed(kind, &context);
        let mut sighting = headsup_adapters::hook(kind, event, body, &context);
        below.append(&mut context.parents);
        context.parents = below;
        let is_found = sighting.as_ref().is_ok_and(|sighting| sighting.process.is_some());
        if between > 0 && !is_found && !is_named_by_its_script(kind) {
            // A script that runs alone may be a program of that kind in a place that nobody knows.
            is_borrowed_now = is_borrowed(kind, &context);
            sighting = headsup_adapters::hook(kind, event, body, &context);
        }
        sighting.map(|sighting| (sighting, context, is_borrowed_now))
    }));
    let (mut sighting, context, is_borrowed) = match read {
        Ok(Ok(read)) => read,
        Ok(Err(_)) => return Err(Unreadable::UnknownKind),
        Err(_) => return Err(Unreadable::Defect),
    };
    let has_log = || sighting.log_path.as_ref().is_some_and(|path| Path::new(path).is_file());
    if sighting.needs_log && !has_log() {
        sighting.fact = Fact::Nothing;
    }
    let (pid_namespace, mut container) = match &mut sighting.process {
        Some(process) => {
            process.pid_namespace = context.pidns;
            let container = namespaces.settle(process, peer);
            (process.pid_namespace, container)
        }
        None => match namespaces.foreign(context.pidns) {
            Some(inode) => (Some(inode), Namespaces::container_of(peer)),
            None => (None, Container::Unsaid),
        },
    };
    if sighting.shares_process && is_alone(kind, sighting.process.as_ref()) {
        sighting.unshare(&context);
    }
    if pid_namespace.is_some() && !matches!(container, Container::Inside(_)) {
        // What we do not see of it, the engine's name for its host tells.
        let host = context.host.as_deref().and_then(cgroup::short);
        container = host.map_or(container, Container::Inside);
    }
    let mut ancestors = context.parents.iter().map(|parent| (parent.pid, parent.start)).collect();
    let own = sighting.process.as_ref().filter(|_| pid_namespace.is_none());
    let own = own.and_then(|own| context.parents.iter().position(|parent| parent.pid == own.pid));
    // A service that runs several agents is no process of this one.
    let is_here = own.is_some() || pid_namespace.is_none() && matches!(peer, Peer::Process(_));
    // Where nothing else tells when the turn is over, its stop does.
    let is_told_later = match &sighting.fact {
        Fact::TurnEnded { background, .. } if background.logged => is_here,
        Fact::TurnEnded { .. } => own.is_some() && has_registry(kind),
        _ => false,
    };
    let mut unclear = None;
    if is_told_later && spooled.is_none() {
        let hook = |own: usize| match (own.checked_sub(1), peer) {
            (Some(above_it), _) => Some(context.parents[above_it].pid),
            (None, Peer::Process(pid)) => Some(pid),
            (None, Peer::Unseen | Peer::Remote) => None,
        };
        let around = own.and_then(|own| Some((context.parents[own].pid, hook(own)?)));
        let runs = around.is_some_and(|(program, hook)| beside::runs(program, hook));
        if let Fact::TurnEnded { background, .. } = &mut sighting.fact {
            background.unsettled = runs;
        }
        unclear = (!runs).then_some(Unclear::Stop);
    }
    if asks_permission(&sighting.fact) && is_here {
        unclear = Some(Unclear::Request);
    }
    let below = own.and_then(|own| {
        let around = Surroundings { kind, claimed: &mut claimed, ancestors: &mut ancestors };
        // A service is the same program.
        let name = &context.parents[own].comm;
        around.without_service(|at| at > own && context.parents[at].comm == *name)
    });
    let is_served = below.is_some() && below == own.map(|own| own + 1);
    let kind = kind.to_owned();
    Ok(HookReport {
        kind,
        claimed,
        token: None,
        sighting,
        ancestors,
        is_served,
        is_borrowed,
        pid_namespace,
        container,
        tmux_server: context.tmux_server(),
        spooled,
        unclear,
    })
}

/// Whether an agent, or a helper of it, asks for something that it may be granted without a person.
fn asks_permission(fact: &Fact) -> bool {
    matches!(fact, Fact::PromptOpened { prompt, .. } if prompt.reason == BlockedReason::Permission)
}

/// How many of the processes above a hook, the nearest ones, only stand between it and its agent: scripts that were called
/// in its place and call it, and the shells around them. What the agent itself names is none of those.
fn between(kind: &str, context: &HookContext) -> usize {
    let own = |name: &str| context.env.get(name)?.parse::<u32>().ok();
    let named = pid_variable(kind).and_then(own);
    let is_script = |it: &Ancestor| {
        let words = || words_of(&ProcessId::new(it.pid, it.start));
        Some(it.pid) != named && above(kind, &it.comm, words) == Above::Script
    };
    // Of such a kind no script is the agent, whoever else is there.
    let is_never = is_named_by_its_script(kind);
    let mut passed = 0;
    for (place, it) in context.parents.iter().enumerate() {
        if is_shell(&it.comm) {
            continue;
        }
        // Else words are read only where somebody further up may be the agent, and then of that one as well: it may be
        // another program in the same language, from which all of this was started.
        let mut above = context.parents[place + 1..].iter();
        let is_asked =
            is_never || passed > 0 || above.any(|above| may_be_program(kind, &above.comm));
        if !is_asked || !is_script(it) {
            break;
        }
        passed = place + 1;
    }
    passed
}

/// The words that a living process was started with.
fn words_of(process: &ProcessId) -> Option<Vec<String>> {
    let words = process::command_line(process.pid_here()?)?;
    // Only now is it sure whose they are.
    process::is_alive(process).then_some(words)
}

/// Whether a process that may serve several agents, by what is above it, was not started to do so.
fn is_alone(kind: &str, process: Option<&ProcessId>) -> bool {
    let words = process.and_then(words_of);
    words.is_some_and(|words| serves_terminals(kind, &words) == Some(false))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read as _;
    use std::process::{Child, Command, Stdio};

    /// Also of one that has waited in the spool, where no caller is seen.
    #[test]
    fn whoever_asks_for_permission_may_be_answered_by_another_than_a_person() {
        let context = serde_json::json!({"parents": [{"pid": 8, "start": 1, "comm": "codex"}]});
        let context = context.to_string();
        let unclear = |helper: Option<&str>, context: Option<&str>| {
            let body = serde_json::json!({
                "hook_event_name": "PermissionRequest", "session_id": "s-1", "agent_id": helper,
            });
            let (kind, spooled) = ("codex", Some(UnixMs(1)));
            let envelope = Envelope { kind, context, spooled, ..Envelope::default() };
            let body = body.to_string();
            read(envelope, body.as_bytes(), &Namespaces::new()).unwrap().unclear
        };
        for helper in [None, Some("a-1")] {
            assert_eq!(unclear(helper, Some(context.as_str())), Some(Unclear::Request));
        }
        assert_eq!(unclear(None, None), None, "it may be of another machine");
    }

    fn compressing(log: &Path) -> Fact {
        let body = serde_json::json!({
            "hook_event_name": "PreCompress", "session_id": "s-1", "trigger": "manual",
            "transcript_path": log,
        });
        let envelope = Envelope { kind: "gemini-cli", ..Envelope::default() };
        let report = read(envelope, body.to_string().as_bytes(), &Namespaces::new());
        report.unwrap().sighting.fact
    }

    #[test]
    fn what_only_a_log_can_end_does_not_begin_without_one() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log.jsonl");
        assert_eq!(compressing(&log), Fact::Nothing);
        std::fs::write(&log, "").unwrap();
        assert_eq!(compressing(&log), Fact::CompactionStarted);
    }

    /// A program that says a word and waits, with its pid and its start.
    fn running(command: &mut Command) -> (Child, u32, u64) {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        // Its command line is there once it runs, which is a moment after its start.
        child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        let (pid, start) = process::identity(child.id()).unwrap();
        (child, pid, start)
    }

    /// What a hook of this kind, which these processes are above, tells of its agent's process.
    fn process_of(kind: &str, event: &str, parents: &[(u32, u64, &str)]) -> Option<u32> {
        let parents = parents.iter().map(
            |(pid, start, comm)| serde_json::json!({"pid": pid, "start": start, "comm": comm}),
        );
        let parents: Vec<_> = parents.collect();
        let context = serde_json::json!({ "parents": parents }).to_string();
        let (event, context) = (Some(event), Some(context.as_str()));
        let envelope = Envelope { kind, event, context, ..Envelope::default() };
        let body = br#"{"session_id":"s-1","parent_session_id":null}"#;
        let seen = read(envelope, body, &Namespaces::new()).unwrap().sighting;
        seen.process.map(|process| process.pid)
    }

    /// As of a script that calls hooks, in the language that an agent is written in.
    #[test]
    fn another_program_of_the_same_interpreter_is_no_agents_process() {
        let folder = tempfile::tempdir().unwrap();
        for (kind, event, comm, script, is_its) in [
            ("mistral-vibe", "post_agent", "python3", "vibe", true),
            ("mistral-vibe", "post_agent", "python3", "run-hooks", false),
            ("gemini-cli", "AfterAgent", "node", "gemini.js", true),
            // Nobody else is there who may be it.
            ("gemini-cli", "AfterAgent", "MainThread", "dist.js", true),
            ("qwen-code", "Stop", "node", "dist.js", true),
            ("copilot-cli", "agentStop", "MainThread", "dist.js", true),
            ("auggie", "Stop", "node", "auggie", true),
            ("auggie", "Stop", "node", "wrapper.js", false),
        ] {
            let path = folder.path().join(script);
            std::fs::write(&path, "echo; read line").unwrap();
            let (mut child, pid, start) = running(Command::new("sh").arg(&path));
            let seen = process_of(kind, event, &[(pid, start, comm)]);
            child.kill().unwrap();
            child.wait().unwrap();
            assert_eq!(seen.is_some(), is_its, "{kind} {script}");
        }
    }

    /// As an editor, in whose terminal a program was started from a place that nobody knows.
    #[test]
    fn what_an_agent_was_started_from_is_not_the_agent_for_being_of_its_language() {
        let folder = tempfile::tempdir().unwrap();
        let script = |name: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, "echo; read line").unwrap();
            running(Command::new("sh").arg(&path))
        };
        let (mut program, own, start) = script("dist.js");
        let (mut editor, above, began) = script("server-main.js");
        let parents = [(own, start, "node"), (4_000_007, 7, "bash"), (above, began, "node")];
        let seen = ["gemini-cli", "auggie"].map(|kind| process_of(kind, "AfterAgent", &parents));
        for child in [&mut program, &mut editor] {
            child.kill().unwrap();
            child.wait().unwrap();
        }
        // Of the second kind scripts are known by their names.
        assert_eq!(seen, [Some(own), None]);
    }

    /// The agent's end is not that of the script, which is gone with its hook.
    #[test]
    fn the_agent_is_whoever_is_above_the_scripts_that_call_its_hook() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("wrapper");
        std::fs::write(&path, "echo; read line").unwrap();
        let (mut child, pid, start) = running(Command::new("sh").arg(&path));
        // Nobody's: there are no such processes.
        let (shell, above) = ((4_000_009, 9, "sh"), (4_000_007, 7, "bash"));
        for (kind, event, own) in [
            ("codex", "Stop", "codex"),
            ("claude-code", "Stop", "claude"),
            ("gemini-cli", "AfterAgent", "node"),
            ("copilot-cli", "agentStop", "MainThread"),
            ("droid", "Stop", "droid"),
        ] {
            for comm in ["node", "python3", "wrapper"] {
                let script = (pid, start, comm);
                let parents = [shell, script, shell, (4_000_008, 8, own), above];
                assert_eq!(process_of(kind, event, &parents), Some(4_000_008), "{kind} {comm}");
            }
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// Whoever has outlived its parent looks like one that terminals share.
    #[test]
    fn an_orphan_is_no_process_that_several_share_unless_it_was_started_as_one() {
        for (words, is_shared) in
            [(&["resume"][..], false), (&["app-server", "--managed-daemon"], true)]
        {
            let mut shell = Command::new("sh");
            shell.args(["-c", "echo; read line", "sh"]).args(words);
            let (mut child, pid, start) = running(&mut shell);
            let context = serde_json::json!({
                "env": {"TMUX_PANE": "%3"},
                "parents": [
                    {"pid": pid, "start": start, "comm": "codex"},
                    {"pid": 1, "start": 1, "comm": "systemd"},
                ],
            });
            let context = context.to_string();
            let envelope =
                Envelope { kind: "codex", context: Some(&context), ..Envelope::default() };
            let body = br#"{"hook_event_name":"Stop","session_id":"s-1"}"#;
            let seen = read(envelope, body, &Namespaces::new()).unwrap().sighting;
            child.kill().unwrap();
            child.wait().unwrap();
            let pane = (!is_shared).then_some("%3");
            assert_eq!((seen.shares_process, seen.tmux_pane.as_deref()), (is_shared, pane));
        }
    }
}
