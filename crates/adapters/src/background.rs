//! What goes on behind a turn that has ended.

use crate::json::{Raw, skim};
use crate::{payload, text};
use headsup_core::observation::Background;

skim! {
    /// One entry of the list.
    Task {
        id: "id",
        kind: "type",
        status: "status",
    }
}

/// The work that a `Stop` lists in its `background_tasks`. Qwen Code 0.24.4 lists its helpers in the
/// same form, without a `type` (read). A monitor is a command that is watched, and counts as a shell; in all
/// else, and in what is to come, some agent works, and it counts as a helper.
///
/// The list is there in every stop, also an empty one (measured).
pub(crate) fn of(tasks: Raw<'_>) -> Background {
    if tasks.json().is_none() {
        return Background::unclear();
    }
    let mut found = Background::default();
    for (index, task) in tasks.items().into_iter().enumerate() {
        let task: Task = task.object();
        if !is_live(&task) {
            continue;
        }
        if let Some("shell" | "monitor") = task.kind.text().as_deref() {
            found.shells += 1;
            continue;
        }
        let id = task.id.text().and_then(|id| text::id(&id));
        found.subagents.push(id.unwrap_or_else(|| format!("task-{}", index + 1)));
    }
    found
}

/// Finished tasks leave the list, so an entry is a live one unless it says that it is over. `running` is
/// measured of both programs.
fn is_live(task: &Task<'_>) -> bool {
    let status = task.status.text();
    status.is_none_or(|status| !OVER.contains(&&*status))
}

const LIVE: [&str; 2] = ["running", "pending"];
/// Read.
const OVER: [&str; 5] = ["completed", "failed", "killed", "cancelled", "stopped"];

/// Claude Code 2.1.330: `shell` and `subagent` are measured, the others read in the program.
const TYPES: &[&str] = &[
    "shell",
    "subagent",
    "monitor",
    "workflow",
    "teammate",
    "cloud session",
    "MCP task",
    "dream",
    "auto-mode scan",
    "memory save",
    "code",
];

/// What a stop lacks or says anew: its list, or the state or the type of something in it. `is_typed`:
/// each entry says its type, whether it is a shell or a helper.
pub(crate) fn strange(tasks: Raw<'_>, is_typed: bool) -> Option<&'static str> {
    let is_new = |task: Raw<'_>| {
        let task: Task<'_> = task.object();
        let status = task.status.text();
        let is_known =
            status.is_some_and(|status| LIVE.contains(&&*status) || OVER.contains(&&*status));
        let has_type = is_typed || task.kind.json().is_some();
        !is_known || has_type && payload::strange(("type", task.kind, TYPES)).is_some()
    };
    let is_strange = tasks.json().is_none() || tasks.items().into_iter().any(is_new);
    is_strange.then_some("background_tasks")
}
