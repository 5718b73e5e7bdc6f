//! A second hook beside headsup's, which only writes down that it was called.

use super::Row;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Beside the program's own folders.
const FOLDER: &str = "rec";

/// All events of Claude Code 2.1.330 but two: registering `WorktreeCreate` changes what the program
/// does, and `FileChanged` wants names of files.
const EVENTS: [&str; 31] = [
    "SessionStart",
    "SessionEnd",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "PermissionRequest",
    "PermissionDenied",
    "Stop",
    "StopFailure",
    "SubagentStart",
    "SubagentStop",
    "Notification",
    "PreCompact",
    "PostCompact",
    "PreModelSwitch",
    "PostModelSwitch",
    "Elicitation",
    "ElicitationResult",
    "TaskCreated",
    "TaskCompleted",
    "TeammateIdle",
    "ConfigChange",
    "CwdChanged",
    "DirectoryAdded",
    "InstructionsLoaded",
    "MessageDisplay",
    "Setup",
    "WorktreeRemove",
];

/// Its name is the moment, in microseconds. What is measured runs beside it, so it starts one other
/// program and no more: the payload and, behind it, its own environment make one file.
const SCRIPT: &str = r#"call=$HOME/rec/${EPOCHREALTIME/[.,]/}-$$
cat - "/proc/$$/environ" >"$call.call"
pid=$PPID
while [ "$pid" -gt 1 ]; do
    read -r name <"/proc/$pid/comm" || break
    echo "$pid $name"
    while read -r key value; do [ "$key" = PPid: ] && pid=$value; done <"/proc/$pid/status"
done >"$call.parents" 2>/dev/null
exit 0
"#;

/// Of the environment a recording keeps what the program gives to hooks, without the token.
const GIVEN: [&str; 3] = ["CLAUDE", "TMUX", "AI_AGENT"];

/// Registers it for every event in the person's settings.
pub(crate) fn install(home: &Path) {
    let folder = home.join(FOLDER);
    fs::create_dir_all(&folder).expect("a folder");
    let script = folder.join("hook.sh");
    fs::write(&script, SCRIPT).expect("a script");
    // It says nothing to the agent, as headsup's own, and is to be taken for one of these: another one
    // at a stop would have the turn's end told later.
    let hook = |event: &&str| {
        let command = format!("bash '{}' # headsup hook claude-code {event}", script.display());
        let hooks = json!([{ "hooks": [{ "type": "command", "command": command }] }]);
        ((*event).to_owned(), hooks)
    };
    let hooks: serde_json::Map<String, Value> = EVENTS.iter().map(hook).collect();
    let settings = json!({ "hooks": hooks }).to_string();
    fs::write(home.join(".claude/settings.json"), settings).expect("settings");
}

pub(super) fn rows(home: &Path, started_at: SystemTime) -> Vec<Row> {
    let calls = super::list(&home.join(FOLDER), "call");
    calls.iter().filter_map(|path| row(path, started_at)).collect()
}

fn row(call: &Path, started_at: SystemTime) -> Option<Row> {
    let (micros, _) = call.file_stem()?.to_str()?.split_once('-')?;
    let at = SystemTime::UNIX_EPOCH + Duration::from_micros(micros.parse().ok()?);
    let t_ms = at.duration_since(started_at).unwrap_or_default().as_secs_f64() * 1_000.0;
    let (payload, env) = apart(&fs::read(call).ok()?)?;
    let parents = fs::read_to_string(call.with_extension("parents")).unwrap_or_default();
    let parent = |line: &str| {
        let (pid, comm) = line.split_once(' ')?;
        Some(json!({ "pid": pid.parse::<u32>().ok()?, "comm": comm }))
    };
    let parents: Vec<Value> = parents.lines().filter_map(parent).collect();
    let row = json!({ "src": "hook", "env": env, "parents": parents, "payload": payload });
    Some(Row { t_ms, row })
}

/// The payload, and what stands behind it. `None` of a call that was cut off.
fn apart(call: &[u8]) -> Option<(Value, serde_json::Map<String, Value>)> {
    let mut values = serde_json::Deserializer::from_slice(call).into_iter();
    let payload = values.next()?.ok()?;
    let rest = String::from_utf8_lossy(call.get(values.byte_offset()..)?);
    let given =
        |name: &str| GIVEN.iter().any(|given| name.starts_with(given)) && !name.contains("TOKEN");
    let pair = |line: &str| {
        let (name, value) = line.trim_start().split_once('=')?;
        given(name).then(|| (name.to_owned(), Value::from(value)))
    };
    Some((payload, rest.split('\0').filter_map(pair).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_the_environment_behind_a_payload_only_what_the_program_gives_is_kept() {
        let call = b"{\"a\":1}\nPATH=/bin\0CLAUDECODE=1\0TMUX=\0AI_AGENT_TOKEN=x\0TMUX_PANE=%0\0";
        let (payload, env) = apart(call).unwrap();
        assert_eq!(payload, json!({ "a": 1 }));
        assert_eq!(Value::from(env), json!({ "CLAUDECODE": "1", "TMUX": "", "TMUX_PANE": "%0" }));
        let (_, env) = apart(b"{}TMUX=1\0").unwrap();
        assert_eq!(Value::from(env), json!({ "TMUX": "1" }));
        assert!(apart(b"{\"a\":").is_none());
    }
}
