//! The program's own status file, `sessions/PID.json`.
//!
//! Claude Code 2.1.330 (measured unless marked). It is undocumented and rewritten whole at every
//! change, also of a name or a mode, which moves `updatedAt` and leaves `statusUpdatedAt`; `claude agents --json` is the official reader. Beside it stands `PID.key`, a secret,
//! which is never opened.
//!
//! | `status` | level |
//! |---|---|
//! | `busy` | working |
//! | `idle` | idle |
//! | `shell` | idle, with background shells |
//! | `waiting` | blocked; `waitingFor` says on what |
//! | missing, as in the first moment | none |
//! | any other | none: it is not known, and counted |
//! | any, with `parkedJobId` | elsewhere: `status` is of before, and stays as it was |
//! | any, with `spare` | none |
//!
//! A session that is sent to the background (`←` in an empty box) goes on in a process of the program's
//! service, `"kind":"bg"`, whose `jobId` is its `parkedJobId`; its own process shows the list of all such jobs. The service keeps processes
//! ready that nobody has asked for yet: `spare`, which goes as soon as somebody has.

use super::KIND;
use crate::json::{self, Raw, skim};
use crate::registry::{RegistryRecord, WatchedFolder};
use crate::text;
use headsup_core::id::ProcessId;
use headsup_core::observation::Level;
use headsup_core::status::{Attach, BlockedReason};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Moves settings, transcripts and status files together.
const CONFIG_FOLDER: &str = "CLAUDE_CONFIG_DIR";

pub(crate) fn folder(variable: impl Fn(&str) -> Option<OsString>) -> Option<WatchedFolder> {
    let moved = variable(CONFIG_FOLDER).map(PathBuf::from);
    let config = moved.or_else(|| Some(PathBuf::from(variable("HOME")?).join(".claude")))?;
    config.is_absolute().then(|| WatchedFolder { kind: KIND, path: config.join("sessions") })
}

/// The folder that belongs to a log, `CONFIG/projects/FOLDER/SESSION.jsonl`: an agent may have been
/// started with another configuration folder than ours.
pub(crate) fn folder_of_log(log: &str) -> Option<WatchedFolder> {
    let projects = Path::new(log).parent()?.parent()?;
    let config = projects.parent().filter(|config| config.is_absolute())?;
    let named = projects.file_name()? == "projects";
    named.then(|| WatchedFolder { kind: KIND, path: config.join("sessions") })
}

/// `PID.json`.
pub(crate) fn pid(file_name: &str) -> Option<u32> {
    let digits = file_name.strip_suffix(".json")?;
    let plain = digits.bytes().all(|b| b.is_ascii_digit()) && !digits.starts_with('0');
    plain.then(|| digits.parse().ok()).flatten()
}

skim! {
    Record {
        pid: "pid",
        proc_start: "procStart",
        pid_domain: "pidDomain",
        session_id: "sessionId",
        cwd: "cwd",
        kind: "kind",
        spare: "spare",
        job: "jobId",
        parked_in: "parkedJobId",
        entrypoint: "entrypoint",
        tmux: "tmux",
        status: "status",
        waiting_for: "waitingFor",
        status_updated_at: "statusUpdatedAt",
    }
}

pub(crate) fn read(file_name: &str, bytes: &[u8]) -> Option<RegistryRecord> {
    let named = pid(file_name)?;
    let body = json::decode(bytes);
    let record: Record<'_> = serde_json::from_str(json::trim(&body)).ok()?;
    let said: u32 = record.pid.json()?.parse().ok()?;
    let start_ticks = record.proc_start.text()?.parse().ok().filter(|ticks| *ticks > 0)?;
    if said != named {
        return None;
    }
    let pid_namespace = record.pid_domain.text().and_then(|domain| namespace(&domain));
    let level = level(&record);
    let says_nothing = record.spare.is_true() || record.status.json().is_none();
    Some(RegistryRecord {
        process: ProcessId { pid_namespace, ..ProcessId::new(said, start_ticks) },
        session: record.session_id.text().and_then(|id| text::session(&id)),
        cwd: record.cwd.text().and_then(|path| text::folder(&path)),
        attach: attach(&record),
        tmux_pane: record.tmux.text().and_then(|place| pane(&place)),
        job: job(record.job),
        parked_in: job(record.parked_in),
        strange: (level.is_none() && !says_nothing).then_some("status"),
        level,
        statement: record.status_updated_at.json().and_then(|at| at.parse().ok()),
    })
}

/// `projects/CWD/SESSION.jsonl` beside the folder of status files; in CWD everything but letters and
/// digits is a dash (measured).
pub(crate) fn log_of(folder: &Path, record: &RegistryRecord) -> Option<PathBuf> {
    let session = record.session.as_deref()?;
    let is_plain = session.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let project: String = record
        .cwd
        .as_deref()?
        .encode_utf16()
        .map(|unit| {
            u8::try_from(unit).ok().filter(u8::is_ascii_alphanumeric).map_or('-', char::from)
        })
        .collect();
    let projects = folder.parent()?.join("projects");
    is_plain.then(|| projects.join(project).join(format!("{session}.jsonl")))
}

fn job(id: Raw<'_>) -> Option<String> {
    id.text().and_then(|id| text::id(&id))
}

fn level(record: &Record<'_>) -> Option<Level> {
    if record.spare.is_true() {
        return None;
    }
    if job(record.parked_in).is_some() {
        return Some(Level::Elsewhere);
    }
    Some(match &*record.status.text()? {
        "busy" => Level::Working { reason: None },
        "idle" => Level::Idle { shells: 0 },
        "shell" => Level::Idle { shells: 1 },
        "waiting" => {
            let waits_for = record.waiting_for.text();
            let reason = match waits_for.as_deref() {
                Some("permission prompt" | "sandbox request" | "worker request") => {
                    BlockedReason::Permission
                }
                Some("input needed") => BlockedReason::Question,
                Some("goal proposal") => BlockedReason::PlanApproval,
                _ => BlockedReason::Other,
            };
            let detail = waits_for.map(|word| text::line(&word, text::NAME));
            Level::Blocked { reason, detail: detail.filter(|detail| !detail.is_empty()) }
        }
        _ => return None,
    })
}

/// `linux:MACHINE:pid:[INODE]`.
fn namespace(domain: &str) -> Option<u64> {
    let (_, inode) = domain.rsplit_once("pid:[")?;
    inode.strip_suffix(']')?.parse().ok()
}

/// `sdk-cli` under a host and in print mode; a background job has nobody in front of it either.
fn attach(record: &Record<'_>) -> Option<Attach> {
    let in_background = record.kind.text().is_some_and(|kind| kind != "interactive");
    match record.entrypoint.text().as_deref() {
        Some("cli") if !in_background => Some(Attach::Interactive),
        Some(_) => Some(Attach::Headless),
        None => None,
    }
}

/// `SESSION:@WINDOW.%PANE`.
fn pane(place: &str) -> Option<String> {
    let (_, number) = place.rsplit_once(".%")?;
    let legal = (1..=9).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit());
    legal.then(|| format!("%{number}"))
}
