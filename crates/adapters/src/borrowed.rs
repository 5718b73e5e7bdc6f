//! Hooks of one program that another one calls as well.

use crate::{HookContext, claude_code, mapped};

/// Programs for which there are plugins that run the hooks in Claude Code's settings (oh-my-opencode 0.3.0, its release
/// notes), by the names of their own that their processes have.
const BY_PLUGIN: [&str; 5] = ["opencode", ".opencode", "opencode.exe", "kilo", ".kilo"];

/// Has a program called this kind's hook that reads the configuration of other programs beside its own? Then it tells
/// of no agent of this kind.
pub fn is_borrowed(kind: &str, context: &HookContext) -> bool {
    let Some(caller) = context.caller() else { return false };
    let by_itself = mapped::maps().iter().any(|map| {
        map.reads.iter().any(|other| other == kind) && map.processes.contains(&caller.comm)
    });
    by_itself || kind == claude_code::KIND && BY_PLUGIN.contains(&caller.comm.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Ancestor, is_kind};

    /// Who calls it, below a shell and an agent that has started that program.
    fn called_by(comm: &str) -> HookContext {
        let above = |(pid, comm): (u32, &str)| Ancestor { pid, start: 5, comm: comm.to_owned() };
        let parents = [(9, "sh"), (8, comm), (7, "bash"), (6, "claude")].map(above).into();
        HookContext { parents, ..HookContext::default() }
    }

    #[test]
    fn hooks_of_other_programs_that_a_program_calls_as_well_tell_of_none_of_theirs() {
        for (kind, comm, expected) in [
            ("claude-code", "grok", true),
            ("cursor", "grok", true),
            ("claude-code", "opencode", true),
            ("grok", "grok", false),
            ("codex", "grok", false),
            ("opencode", "opencode", false),
            ("claude-code", "claude", false),
            ("cursor", "node", false),
        ] {
            assert_eq!(is_borrowed(kind, &called_by(comm)), expected, "{kind} by {comm}");
        }
        assert!(!is_borrowed("claude-code", &HookContext::default()));
        assert!(mapped::maps().iter().flat_map(|map| &map.reads).all(|kind| is_kind(kind)));
    }
}
