//! Each agent's hooks: in place, and a real event arrives through the very command.

use super::Check;
use crate::cli::{Context, hooks};
use crate::client::Client;
use crate::setup::Site;
use crate::setup::status::{Status, status};
use headsup_adapters::hook_table::pid_variable;
use headsup_adapters::inject::{quote, recipes};
use headsup_adapters::support::{self, Shown};
use headsup_core::wire::AgentDoc;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;
use tokio::time::{Instant, sleep, timeout};

/// A hook ends within 150 ms; this is for machines that are out of breath.
const HOOK_WITHIN: Duration = Duration::from_secs(5);
/// From the hook's end to the roster; longer if it had to wait in the spool.
const ARRIVES_WITHIN: Duration = Duration::from_secs(5);
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// An id that nobody else has.
pub(super) fn probe_id() -> String {
    format!("doctor-{}", uuid::Uuid::now_v7().simple())
}

/// To whom a real event can be sent; else why none is, and where it stands what to do.
type Reached<'a> = Result<&'a Client, [&'static str; 2]>;

pub(super) async fn checks(context: &Context, hub: Reached<'_>) -> Vec<Check> {
    let mut checks = Vec::new();
    for recipe in recipes() {
        let site = match hooks::site(recipe, context) {
            Ok(site) => site,
            Err(error) => {
                checks.push(Check::bad(recipe.kind, error.message, "set HOME"));
                continue;
            }
        };
        let found = status(&site);
        if found.is_installed() {
            checks.push(in_place(&site, &found));
            checks.push(fires(&site, &found, hub).await);
        } else if site.is_present() || found.was_installed {
            checks.push(without(&found, site.recipe.takes_settings()));
        }
    }
    if checks.is_empty() {
        checks.push(Check::good("agents", "none that hooks can be installed into is here"));
    }
    checks
}

/// Nothing is wrong with that: `headsup run` brings its own hooks. But somebody who has installed
/// them for this hub waits for what another one is told.
fn without(found: &Status, by_launch: bool) -> Check {
    if !found.elsewhere.is_empty() {
        let (name, kind) = (format!("{} hooks", found.kind), found.kind);
        let detail = format!("they report to the hub of {}", found.elsewhere.join(", "));
        return match found.was_installed {
            true => Check::bad(
                name,
                format!("{detail}, and no more to this one"),
                format!(
                    "`headsup hooks install {kind}` takes them back; `headsup hooks uninstall \
                     {kind}` leaves them there"
                ),
            ),
            false => Check::good(name, detail)
                .with(format!("to have them report here: `headsup hooks install {kind}`")),
        };
    }
    if found.was_installed || found.is_unreadable {
        return lost(found, format!("{} hooks", found.kind), "hooks");
    }
    if found.is_pasted {
        let hint = format!(
            "`headsup hooks install {}` puts up-to-date ones in; remove the pasted ones then",
            found.kind
        );
        let name = format!("{} hooks", found.kind);
        return Check::good(name, "none installed, but pasted by hand").with(hint);
    }
    let detail = match by_launch {
        true => "none installed: agents report that `headsup run` has started",
        false => "none installed: only process, title and status reports of its agents are seen",
    };
    let hint = format!("to have all report: `headsup hooks install {}`", found.kind);
    Check::good(format!("{} hooks", found.kind), detail).with(hint)
}

/// What was installed, and is not there: somebody has taken it away, or has broken the file around it.
/// Of a file that cannot be read nobody knows whether it ever was.
pub(super) fn lost(found: &Status, name: String, command: &str) -> Check {
    let (kind, problems) = (found.kind, found.problems.join("; "));
    let install = format!("`headsup {command} install {kind}`");
    if found.is_unreadable {
        let (what, then) = match found.was_installed {
            true => ("what was installed is still there", ""),
            false => ("any are installed", " if all are to report"),
        };
        let detail = format!("whether {what} cannot be read: {problems}");
        let right = match found.closed.first() {
            Some(path) => {
                let path = quote(&path.to_string_lossy());
                format!("let yourself read it (`chmod u+rw {path}`)")
            }
            None => "put that right in the file".to_owned(),
        };
        let hint = format!("{right}, then {install}{then}");
        return Check::bad(name, detail, hint);
    }
    let detail = match problems.is_empty() {
        true => "what was installed is gone from its file".to_owned(),
        false => format!("what was installed is gone from its file; {problems}"),
    };
    let hint = format!(
        "{install} puts it back; `headsup {command} uninstall {kind}` if it is to stay away"
    );
    Check::bad(name, detail, hint)
}

/// The command that installs it once more, in the way in which it is there.
fn install_again(site: &Site, found: &Status) -> String {
    let has_both_ways = site.recipe.plugin.is_some();
    let is_live = has_both_ways && found.settings.is_installed();
    let live = if is_live { " --live" } else { "" };
    format!("`headsup hooks install {}{live}`", found.kind)
}

fn in_place(site: &Site, found: &Status) -> Check {
    let name = format!("{} hooks", found.kind);
    if !found.is_complete() {
        let mut said = vec![hooks::summary(found)];
        said.extend(found.problems.iter().cloned());
        return Check::bad(name, said.join("; "), install_again(site, found));
    }
    if found.is_dead {
        let others = if found.problems.len() > 1 { "; the rest, in the file it names" } else { "" };
        let hint = format!("{} puts the program back{others}", install_again(site, found));
        return Check::bad(name, found.problems.join("; "), hint);
    }
    match (found.problems.as_slice(), &found.untrusted) {
        ([], Some(untrusted)) => {
            Check::bad(name, untrusted.clone(), "it is for you to trust them, in the agent itself")
        }
        ([], None) => {
            let detail = format!("{}{}", hooks::summary(found), known_by(found.kind));
            let check = Check::good(name, detail);
            match site.awaits() {
                Some(what) => check.with(what),
                None => check,
            }
        }
        (problems, _) => {
            Check::bad(name, problems.join("; "), "put that right in the file it names")
        }
    }
}

/// Of what nobody has run, from where it is known.
fn known_by(kind: &str) -> String {
    match support::of(kind) {
        Some(row) if row.shown == Shown::Documented => {
            format!("; known by the documentation of {} alone", row.version)
        }
        _ => String::new(),
    }
}

async fn fires(site: &Site, found: &Status, hub: Reached<'_>) -> Check {
    let name = format!("{} fires", site.recipe.kind);
    let hub = match hub {
        Ok(hub) => hub,
        Err([why, hint]) => return Check::bad(name, format!("not tried: {why}"), hint),
    };
    let id = probe_id();
    let folder = std::env::temp_dir().display().to_string();
    let (event, payload) = site.recipe.probe(&id, &folder);
    let Some((_, command)) = found.entries.iter().find(|(of, _)| of == event) else {
        let detail = format!("not tried: what is installed for {event} is outdated or gone");
        return Check::bad(name, detail, install_again(site, found));
    };
    let start = Instant::now();
    let ran = timeout(HOOK_WITHIN, run(site, command, &id, &payload)).await;
    let why = match ran {
        Err(_) => Some("its command does not end".to_owned()),
        Ok(Err(error)) => Some(format!("its command cannot be run: {error}")),
        Ok(Ok(Some(code))) if code != 0 => Some(format!("its command ended with {code}")),
        Ok(Ok(_)) => {
            // Where the program is gone there is nothing to wait for.
            let within = if found.is_dead { Duration::ZERO } else { ARRIVES_WITHIN };
            arrives(hub, &id, within).await
        }
    };
    hub.delete(&format!("/api/v1/agents/{id}?force=true")).await.ok();
    if let Some(why) = why {
        let hint = match found.is_dead {
            true => install_again(site, found),
            false => format!("try it yourself: {command}"),
        };
        return Check::bad(name, why, hint);
    }
    let ms = start.elapsed().as_millis();
    Check::good(name, format!("{event} went through the installed command in {ms} ms"))
        .with(site.recipe.advice)
}

/// As the agent runs it: through a shell, payload on standard input.
async fn run(site: &Site, command: &str, id: &str, payload: &str) -> std::io::Result<Option<i32>> {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", command]).env("HEADSUP_AGENT_ID", id);
    shell.env_remove("HEADSUP_AGENT_TOKEN").env_remove("PANOPTICON_AGENT_ID");
    if let Some(variable) = pid_variable(site.recipe.kind) {
        // It is this process that speaks, also where an agent has called it.
        shell.env(variable, std::process::id().to_string());
    }
    shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    let mut child = shell.spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // A command that reads nothing has closed its end.
        stdin.write_all(payload.as_bytes()).await.ok();
    }
    child.wait().await.map(|status| status.code())
}

/// `None` once the seat is there; else why it is not.
async fn arrives(hub: &Client, id: &str, within: Duration) -> Option<String> {
    let end = Instant::now() + within;
    let path = format!("/api/v1/agents/{id}");
    loop {
        match hub.get_doc::<AgentDoc<'static>>(&path).await {
            Ok(agent) if agent.session_id.as_deref() == Some(id) => return None,
            Ok(_) => return Some("its event arrived without what it said".to_owned()),
            Err(error) if error.code != "no_such_agent" => return Some(error.message),
            Err(_) if Instant::now() >= end => {
                return Some("its command ran, and nothing arrived at the hub".to_owned());
            }
            Err(_) => sleep(BETWEEN_LOOKS).await,
        }
    }
}
