//! Where a hook was called from.

use crate::text;
use headsup_core::id::ProcessId;
use headsup_core::status::Attach;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Programs that may stand between an agent and its hook.
const SHELLS: [&str; 8] = ["sh", "bash", "dash", "zsh", "fish", "ksh", "env", "timeout"];

/// What the hub needs from a hook's surroundings: the `X-Headsup-Context` header, parsed.
#[derive(Default, Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct HookContext {
    /// Variables of the hook's environment, from its kind's allow-list.
    pub env: BTreeMap<String, String>,
    /// The hook's ancestors, its parent first.
    pub parents: Vec<Ancestor>,
    /// Inode of the hook's pid namespace.
    pub pidns: Option<u64>,
    /// The name of the host, which a hook tells only where it is in another pid namespace than
    /// the machine's first: engines name it after the container.
    pub host: Option<String>,
    /// Whether a person can type to it, where its start was looked at ([`crate::hook_table::Headless`]).
    pub attach: Option<Attach>,
    /// Nobody can, and its prompt stands on its command line.
    pub prompted: bool,
    /// Somebody can, and a prompt that it takes first stands there.
    pub asked: bool,
}

/// A process above the hook.
#[derive(Default, Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Ancestor {
    pub pid: u32,
    /// Start time in the kernel's clock ticks after boot; 0 where it is not known.
    pub start: u64,
    /// The command's name as the kernel keeps it: at most 15 bytes.
    pub comm: String,
}

impl HookContext {
    /// Reads the header. Text that is not a context is an empty one: it helps, it never decides.
    pub fn parse(header: &str) -> Self {
        serde_json::from_str(header).unwrap_or_default()
    }

    /// A variable that is set and not empty.
    pub(crate) fn variable(&self, name: &str) -> Option<&str> {
        self.env.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Who has called the hook: the nearest ancestor apart from shells.
    pub(crate) fn caller(&self) -> Option<&Ancestor> {
        self.parents.iter().find(|parent| !is_shell(&parent.comm))
    }

    /// The agent program's process: the one its own pid variable names, if the hook has it among
    /// its ancestors (which proves that it is there, and since when), else the nearest ancestor
    /// apart from shells, if it has one of the program's command names. Nobody is guessed.
    pub(crate) fn process(&self, pid: Option<u32>, programs: &[&str]) -> Option<ProcessId> {
        let mut known = self.parents.iter().filter(|parent| parent.pid > 0 && parent.start > 0);
        let named = known.clone().find(|parent| Some(parent.pid) == pid);
        // A hook is the program's own child, or its shell's: what stands further up is another
        // program that merely started all of this.
        let mut caller = || known.find(|parent| !is_shell(&parent.comm));
        let is_program = |parent: &&Ancestor| programs.contains(&parent.comm.as_str());
        let found = named.or_else(|| caller().filter(is_program))?;
        Some(ProcessId::new(found.pid, found.start))
    }

    /// What the program's launcher has started, the one of its processes that is above every hook: what runs a hook may
    /// live no longer than that, and the launcher may be gone. The launcher itself where there is none.
    pub(crate) fn started_by(&self, launcher: u32, programs: &[&str]) -> Option<ProcessId> {
        let chain = self.parents.iter().skip_while(|parent| is_shell(&parent.comm));
        let is_below = |parent: &&Ancestor| {
            let is_program = programs.contains(&parent.comm.as_str());
            is_program && parent.pid > 1 && parent.pid != launcher
        };
        let started = chain.take_while(is_below).last().filter(|started| started.start > 0);
        let found = started.map(|started| ProcessId::new(started.pid, started.start));
        found.or_else(|| self.process(Some(launcher), programs))
    }

    /// Who is above the nearest ancestor apart from shells, if that is one of these programs.
    pub(crate) fn above(&self, programs: &[&str]) -> Option<&Ancestor> {
        let mut chain = self.parents.iter().skip_while(|parent| is_shell(&parent.comm));
        chain.next().filter(|parent| programs.contains(&parent.comm.as_str()))?;
        chain.next()
    }

    /// The tmux pane, `%5`.
    pub(crate) fn tmux_pane(&self) -> Option<String> {
        self.variable("TMUX_PANE").filter(|pane| is_pane(pane)).map(str::to_owned)
    }

    /// The name of the tmux server around it, empty for the usual one.
    pub fn tmux_server(&self) -> Option<String> {
        Some(tmux_server(tmux_words(self.variable("TMUX")?)?.0))
    }
}

/// The socket and the pid of the server that a value of `TMUX` names; behind them stands the session.
pub fn tmux_words(tmux: &str) -> Option<(&str, &str)> {
    let mut words = tmux.rsplitn(3, ',').skip(1);
    let (pid, socket) = (words.next()?, words.next()?);
    Some((socket, pid))
}

/// The name of the tmux server at this socket, as `tmux -L` takes it; empty for the usual one.
pub fn tmux_server(socket: &str) -> String {
    match socket.rsplit('/').next().unwrap_or_default() {
        "default" => String::new(),
        name => text::line(name, text::NAME),
    }
}

/// Whether it names a pane of tmux: `%5`.
pub fn is_pane(text: &str) -> bool {
    let Some(number) = text.strip_prefix('%') else { return false };
    (1..=9).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit())
}

/// Whether a command of this name may stand between an agent and its hook.
pub fn is_shell(comm: &str) -> bool {
    SHELLS.contains(&comm)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = r#"{"env":{"CLAUDE_PID":"42","TMUX_PANE":"%5","EMPTY":""},
        "parents":[{"pid":50,"start":900,"comm":"sh"},{"pid":42,"start":800,"comm":"claude"},
            {"pid":7,"start":100,"comm":"claude"},{"pid":1,"start":1,"comm":"init"}],
        "pidns":4026531836,"attach":"headless","prompted":true,"asked":true,"later":{}}"#;

    #[test]
    fn a_context_is_read_and_what_is_new_in_it_ignored() {
        let context = HookContext::parse(HEADER);
        assert_eq!(context.pidns, Some(4_026_531_836));
        assert_eq!(context.parents.len(), 4);
        assert_eq!((context.attach, context.prompted), (Some(Attach::Headless), true));
        assert!(context.asked);
        assert_eq!(context.variable("CLAUDE_PID"), Some("42"));
        assert_eq!(context.variable("EMPTY"), None);
        assert_eq!(context.tmux_pane().as_deref(), Some("%5"));
    }

    #[test]
    fn what_is_not_a_context_is_an_empty_one() {
        for bad in ["", "null", "[]", "{", r#"{"env":[1]}"#, r#"{"parents":"x"}"#, "\u{feff}x"] {
            assert_eq!(HookContext::parse(bad), HookContext::default(), "{bad}");
        }
    }

    #[test]
    fn the_pid_variable_names_the_process_if_an_ancestor_proves_it() {
        let context = HookContext::parse(HEADER);
        let found = context.process(Some(42), &["claude"]).unwrap();
        assert_eq!((found.pid, found.start_ticks, found.pid_namespace), (42, 800, None));
        let outer = context.process(Some(7), &["claude"]).unwrap();
        assert_eq!(outer.pid, 7);
    }

    #[test]
    fn without_it_the_nearest_program_of_the_name_is_the_process() {
        let context = HookContext::parse(HEADER);
        for pid in [None, Some(4711), Some(0)] {
            assert_eq!(context.process(pid, &["claude"]).unwrap().pid, 42);
        }
        assert_eq!(context.process(None, &["node"]), None);
        assert_eq!(context.process(Some(4711), &[]), None);
    }

    #[test]
    fn a_process_without_a_start_time_is_no_identity() {
        let parents = vec![Ancestor { pid: 42, start: 0, comm: "claude".to_owned() }];
        let context = HookContext { parents, ..HookContext::default() };
        assert_eq!(context.process(Some(42), &["claude"]), None);
    }

    #[test]
    fn a_tmux_server_has_a_name_where_it_is_not_the_usual_one() {
        for (tmux, name) in [
            ("/tmp/tmux-1000/default,4242,0", Some("")),
            ("/tmp/tmux-1000/work,4242,0", Some("work")),
            ("/run/a,b/x,y,1,0", Some("x,y")),
            ("/tmp/tmux-1000/work", None),
            ("", None),
        ] {
            let env = [("TMUX".to_owned(), tmux.to_owned())].into();
            let context = HookContext { env, ..HookContext::default() };
            assert_eq!(context.tmux_server().as_deref(), name, "{tmux}");
        }
    }

    #[test]
    fn only_a_pane_id_is_a_pane() {
        for bad in ["5", "%", "%5;rm", "%x", "#{pane}", "%0123456789"] {
            let env = [("TMUX_PANE".to_owned(), bad.to_owned())].into();
            assert_eq!(HookContext { env, ..HookContext::default() }.tmux_pane(), None, "{bad}");
        }
    }
}
