//! Whose event it is, and where it came from.

use super::seen;
use crate::{HookContext, serves_terminals};
use headsup_core::observation::{Fact, SessionEnd};

fn context(parents: &[(u32, &str)]) -> HookContext {
    let parents: Vec<_> = parents
        .iter()
        .map(|(pid, comm)| serde_json::json!({"pid": pid, "start": 1_000, "comm": comm}))
        .collect();
    let header = serde_json::json!({"env": {"TMUX_PANE": "%3"}, "parents": parents});
    HookContext::parse(&header.to_string())
}

#[test]
fn the_process_is_the_program_above_the_hooks_shell() {
    let seen = seen("Stop", "", &context(&[(9, "bash"), (8, "codex"), (7, "bash"), (1, "init")]));
    assert_eq!(seen.process.unwrap().pid, 8);
    assert!(!seen.shares_process);
    assert_eq!(seen.tmux_pane.as_deref(), Some("%3"));
}

#[test]
fn a_daemons_hook_says_nothing_of_its_terminal() {
    for above in [(7, "codex"), (1, "anything"), (600, "systemd")] {
        let seen = seen("Stop", "", &context(&[(8, "codex"), above, (5, "tmux: server")]));
        assert!(seen.shares_process, "{above:?}");
        assert_eq!((seen.process.unwrap().pid, seen.tmux_pane), (8, None));
    }
    for first in ["bash", "node"] {
        let in_a_container = seen("Stop", "", &context(&[(8, "codex"), (1, first)]));
        assert!(!in_a_container.shares_process, "{first}");
    }
    let elsewhere = seen("Stop", "", &context(&[(8, "node"), (7, "codex")]));
    assert_eq!((elsewhere.process, elsewhere.shares_process), (None, false));
}

#[test]
fn the_command_line_tells_the_daemon_from_one_that_has_outlived_its_parent() {
    let serves = |line: &str| {
        let words: Vec<_> = line.split(' ').map(str::to_owned).collect();
        serves_terminals("codex", &words)
    };
    assert_eq!(serves("/opt/codex app-server --managed-daemon"), Some(true));
    for alone in ["codex", "codex --no-daemon resume ID", "app-server"] {
        assert_eq!(serves(alone), Some(false), "{alone}");
    }
    assert_eq!(serves_terminals("opencode", &["opencode".into(), "app-server".into()]), None);
    let context = context(&[(8, "codex"), (600, "systemd")]);
    let mut seen = seen("Stop", "", &context);
    seen.unshare(&context);
    assert_eq!((seen.shares_process, seen.tmux_pane.as_deref()), (false, Some("%3")));
}

/// The process of several lives on when one of their conversations has ended.
#[test]
fn a_goodbye_in_a_process_that_terminals_share_is_one() {
    let context = context(&[(8, "codex"), (600, "systemd")]);
    let ended = |how| Fact::SessionEnded { how };
    let mut seen = seen("SessionEnd", r#""reason":"other""#, &context);
    assert_eq!(seen.fact, ended(SessionEnd::Exit));
    seen.unshare(&context);
    assert_eq!(seen.fact, ended(SessionEnd::Either));
}

#[test]
fn session_folder_log_and_model_are_the_main_agents() {
    let nowhere = HookContext::default();
    let main = seen("UserPromptSubmit", r#""prompt":"go""#, &nowhere);
    assert_eq!(main.session.as_deref(), Some("s-1"));
    assert_eq!(main.cwd.as_deref(), Some("/home/dev/api"));
    assert_eq!(main.model.as_deref(), Some("gpt"));
    assert!(main.log_path.unwrap().ends_with("rollout-1.jsonl"));
    assert_eq!(main.helper_log, None);
    let helpers = seen("PreToolUse", r#""agent_id":"a-1""#, &nowhere);
    assert_eq!(helpers.session.as_deref(), Some("s-1"));
    assert_eq!((helpers.log_path, helpers.model), (None, None));
    assert!(helpers.helper_log.unwrap().ends_with("rollout-1.jsonl"));
}

#[test]
fn the_timeline_tells_prompts_tools_answers_and_interruptions() {
    let action = |event: &str, members: &str| {
        let activity = seen(event, members, &HookContext::default()).activity?;
        Some((activity.tool.unwrap_or_default(), activity.action.unwrap_or_default()))
    };
    let told = |tool: &str, action: &str| Some((tool.to_owned(), action.to_owned()));
    let call = r#""tool_name":"Bash","tool_input":{"command":"ls"}"#;
    assert_eq!(action("PreToolUse", call), told("Bash", "ls"));
    assert_eq!(action("UserPromptSubmit", r#""prompt":"go""#), told("", "prompt: go"));
    let said = r#""last_assistant_message":"Done.""#;
    assert_eq!(action("Stop", said), told("", "said: Done."));
    assert_eq!(action("Interrupt", ""), told("", "interrupted"));
    assert_eq!(action("PostToolUse", call), None);
}
