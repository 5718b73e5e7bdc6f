//! Is everything there, and does a report arrive?

mod agents;
mod containers;
mod counted;
mod files;
mod hub;
mod logs;
mod outbox;
mod panes;
mod prompts;
mod servers;
mod tools;
mod webhooks;

use crate::cli::{Context, listen};
use crate::config::{self, Config};
use crate::launch::tmux::Tmux;
use serde::Serialize;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// One row of the answer.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Check {
    pub(crate) name: String,
    pub(crate) ok: bool,
    pub(crate) detail: String,
    /// For people, where all of it is more than anybody reads.
    #[serde(skip)]
    pub(crate) brief: Option<String>,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hint: Option<String>,
}

impl Check {
    fn good(name: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { name: name.into(), ok: true, detail: detail.into(), brief: None, hint: None }
    }

    fn bad(name: impl Into<String>, detail: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { ok: false, hint: Some(hint.into()), ..Self::good(name, detail) }
    }

    fn with(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

/// All checks, in the order in which one builds on the other.
pub(crate) async fn examine(context: &Context) -> Vec<Check> {
    let mut checks = Vec::new();
    match context.place.home.as_deref() {
        None => checks.push(Check::bad(
            "home",
            "there is no place for headsup's state",
            "set HOME or HEADSUP_HOME",
        )),
        Some(home) => {
            // The hub makes the folder where there is none; so it is asked first.
            let mut hub = hub::checks(context).await;
            checks.push(folder(home));
            checks.push(config());
            checks.append(&mut hub.checks);
            if let Some(client) = &hub.client {
                checks.extend(counted::checks(client, home, &context.config).await);
                checks.extend(logs::check(client).await);
                checks.push(webhooks::check(client).await);
                checks.extend(prompts::checks(client).await);
                checks.push(outbox::check(client).await);
            } else {
                checks.push(counted::database(home, ""));
            }
            checks.push(spool(home));
            checks.push(tmux());
            checks.push(containers::check().await);
            checks.extend(agents::checks(context, hub.to_try()).await);
            checks.extend(tools::checks(context));
        }
    }
    checks
}

fn folder(home: &Path) -> Check {
    let at = home.display();
    let hint = format!("make it yours alone: chmod 700 {at}");
    match fs::metadata(home) {
        Err(_) if home.is_symlink() => {
            let hint = "make that folder, or set HEADSUP_HOME to another";
            Check::bad("home", format!("{at} is a link to a folder that cannot be reached"), hint)
        }
        Err(error) => Check::bad("home", format!("{at}: {error}"), "start the hub: `headsup up`"),
        Ok(meta) if !meta.is_dir() => {
            Check::bad("home", format!("{at} is not a folder"), "move it away")
        }
        Ok(meta) if meta.uid() != rustix::process::geteuid().as_raw() => {
            let hint = "set HEADSUP_HOME to a folder of yours";
            Check::bad("home", format!("{at} belongs to another user"), hint)
        }
        Ok(meta) if meta.mode() & 0o077 != 0 => {
            let mode = meta.mode() & 0o777;
            Check::bad("home", format!("{at} is open to others ({mode:o})"), hint)
        }
        Ok(_) => match headsup_daemon::remote(home) {
            None => Check::good("home", format!("{at}, yours alone")),
            Some(on) => {
                let detail = format!("{at} is on {on}, where a database is not safe");
                Check::bad(
                    "home",
                    detail,
                    "set HEADSUP_HOME to a folder on this machine's own disk",
                )
            }
        },
    }
}

fn config() -> Check {
    let path = config::path(|name| std::env::var_os(name));
    let at = path.map(|path| path.display().to_string()).unwrap_or_default();
    // Where to listen is only looked at by a hub that starts.
    let checked = Config::load().and_then(|config| listen::settled(&config).map(|_| config));
    match checked {
        Ok(_) if fs::exists(&at).unwrap_or(false) => Check::good("config", at),
        Ok(_) => Check::good("config", format!("defaults; there is no {at}")),
        Err(error) => {
            let hint = error.hints.first().cloned();
            let hint = hint.unwrap_or_else(|| format!("correct it in {at}"));
            Check::bad("config", error.message, hint)
        }
    }
}

/// Reports wait here while no hub runs; one that runs takes them at once.
fn spool(home: &Path) -> Check {
    let (folder, path) = (home.join("spool"), home.join("spool/queue"));
    let bad = |path: &Path, why: &str| {
        let detail =
            format!("{}: {why}; without a hub nothing that is reported is kept", path.display());
        Check::bad("spool", detail, "move away what is there: the next report makes it anew")
    };
    match fs::symlink_metadata(&folder) {
        // Hooks follow no link, wherever that leads.
        Ok(meta) if !meta.is_dir() => return bad(&folder, "it is no folder"),
        // Nor do they write into a stranger's folder, or as root into a user's.
        Ok(meta) if meta.uid() != rustix::process::geteuid().as_raw() => {
            return bad(&folder, "it is another user's");
        }
        _ => {}
    }
    match fs::symlink_metadata(&path) {
        Ok(meta) if !meta.is_file() => bad(&path, "it is no regular file"),
        Err(error) if error.kind() != io::ErrorKind::NotFound => bad(&path, &error.to_string()),
        found => match found.map_or(0, |meta| meta.len()) + taken(&folder) {
            0 => Check::good("spool", "empty"),
            bytes => Check::good("spool", format!("{bytes} bytes wait for the hub"))
                .with("the hub takes them at its next look; if they stay, see hub.log"),
        },
    }
}

/// Bytes of what the hub has taken out of the queue and could not store yet.
fn taken(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let taken = entries.filter(|file| file.file_name().to_string_lossy().starts_with("draining-"));
    let files = taken.filter_map(|file| file.metadata().ok()).filter(fs::Metadata::is_file);
    files.map(|file| file.len()).sum()
}

fn tmux() -> Check {
    match Tmux::version() {
        Some(version) => Check::good("tmux", version),
        None => Check::good("tmux", "not installed; `headsup run` uses the terminal it is in")
            .with("install tmux to run agents in sessions of their own"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spool_that_nothing_can_be_written_to_is_bad() {
        let home = tempfile::tempdir().unwrap();
        let (folder, queue) = (home.path().join("spool"), home.path().join("spool/queue"));
        assert!(spool(home.path()).ok);
        fs::create_dir(&folder).unwrap();
        fs::write(&queue, "1234").unwrap();
        let check = spool(home.path());
        assert!(check.ok && check.detail.starts_with("4 bytes"), "{check:?}");
        // What the hub could not store waits beside the queue.
        fs::write(folder.join("draining-7"), "567").unwrap();
        assert!(spool(home.path()).detail.starts_with("7 bytes"), "{:?}", spool(home.path()));
        fs::remove_file(folder.join("draining-7")).unwrap();
        fs::rename(&queue, home.path().join("elsewhere")).unwrap();
        std::os::unix::fs::symlink("../elsewhere", &queue).unwrap();
        assert!(!spool(home.path()).ok, "hooks follow no link");
        fs::remove_file(&queue).unwrap();
        let own = rustix::process::geteuid().as_raw();
        // Only root can give a folder away.
        if std::os::unix::fs::chown(&folder, Some(own + 1), None).is_ok() {
            let check = spool(home.path());
            assert!(!check.ok && check.detail.contains("another user's"), "{check:?}");
            std::os::unix::fs::chown(&folder, Some(own), None).unwrap();
        }
        fs::create_dir(&queue).unwrap();
        assert!(!spool(home.path()).ok);
        fs::remove_dir_all(&folder).unwrap();
        fs::write(&folder, "").unwrap();
        assert!(!spool(home.path()).ok);
        fs::remove_file(&folder).unwrap();
        for target in ["/nowhere/spool", "elsewhere-too"] {
            fs::create_dir_all(home.path().join("elsewhere-too")).unwrap();
            std::os::unix::fs::symlink(target, &folder).unwrap();
            let check = spool(home.path());
            assert!(!check.ok && check.detail.contains("it is no folder"), "{check:?}");
            fs::remove_file(&folder).unwrap();
        }
    }
}
