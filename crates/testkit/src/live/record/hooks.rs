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

/// Its name is the moment. Of the environment it keeps what the program gives to hooks, without
/// the token.
const SCRIPT: &str = r#"at=$(date +%s%N)
call="$HOME/rec/$at-$$"
cat >"$call.json"
env | grep -E '^(CLAUDE|TMUX|AI_AGENT)' | grep -v TOKEN >"$call.env"
pid=$PPID
while [ "$pid" -gt 1 ]; do
    read -r name <"/proc/$pid/comm" || break
    echo "$pid $name"
    while read -r key value; do [ "$key" = PPid: ] && pid=$value; done <"/proc/$pid/status"
done >"$call.parents" 2>/dev/null
mv "$call.json" "$call.call"
exit 0
"#;

/// Registers it for every event in the person's settings.
pub(crate) fn install(home: &Path) {
    let folder = home.join(FOLDER);
    fs::create_dir_all(&folder).expect("a folder");
    let script = folder.join("hook.sh");
    fs::write(&script, SCRIPT).expect("a script");
    let command = format!("sh '{}'", script.display());
    let hook = json!([{ "hooks": [{ "type": "command", "command": command }] }]);
    let hooks: serde_json::Map<String, Value> =
        EVENTS.iter().map(|event| ((*event).to_owned(), hook.clone())).collect();
    let settings = json!({ "hooks": hooks }).to_string();
    fs::write(home.join(".claude/settings.json"), settings).expect("settings");
}

pub(super) fn rows(home: &Path, started_at: SystemTime) -> Vec<Row> {
    let calls = super::list(&home.join(FOLDER), "call");
    calls.iter().filter_map(|path| row(path, started_at)).collect()
}

fn row(call: &Path, started_at: SystemTime) -> Option<Row> {
    let (nanos, _) = call.file_stem()?.to_str()?.split_once('-')?;
    let at = SystemTime::UNIX_EPOCH + Duration::from_nanos(nanos.parse().ok()?);
    let t_ms = at.duration_since(started_at).unwrap_or_default().as_secs_f64() * 1_000.0;
    let payload: Value = serde_json::from_slice(&fs::read(call).ok()?).ok()?;
    let env = fs::read_to_string(call.with_extension("env")).unwrap_or_default();
    let pair = |line: &str| {
        let (name, value) = line.split_once('=')?;
        Some((name.to_owned(), Value::from(value)))
    };
    let env: serde_json::Map<String, Value> = env.lines().filter_map(pair).collect();
    let parents = fs::read_to_string(call.with_extension("parents")).unwrap_or_default();
    let parent = |line: &str| {
        let (pid, comm) = line.split_once(' ')?;
        Some(json!({ "pid": pid.parse::<u32>().ok()?, "comm": comm }))
    };
    let parents: Vec<Value> = parents.lines().filter_map(parent).collect();
    let row = json!({ "src": "hook", "env": env, "parents": parents, "payload": payload });
    Some(Row { t_ms, row })
}
