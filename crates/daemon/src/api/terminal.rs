//! `POST /api/v1/agents/{id}/terminal`: what an agent has said to the terminal that its launcher has
//! put it on. What it means is its adapter's to say.

use super::agent_path::AgentPath;
use super::{App, Receipt, Refused, asked, peer, receipt};
use crate::caller::may_tend;
use crate::job::{Reply, Witnessed, Work};
use crate::process;
use crate::spoken::{self, TerminalBody, sight};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use headsup_adapters::evidence::progress;
use headsup_adapters::terminal;
use headsup_core::gate;
use headsup_core::id::{AgentId, ProcessId};
use headsup_core::observation::Fact;
use headsup_core::seat::Seat;
use headsup_core::source::Source;
use headsup_core::wire::Problem;
use serde_json::{Value, json};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

#[utoipa::path(
    post,
    path = "/api/v1/agents/{id}/terminal",
    operation_id = "report_terminal",
    tag = "reports",
    summary = "What a launched agent has said to its terminal: status, title, progress",
    params(
        ("id" = AgentId, Path, description = "The agent"),
        ("X-Headsup-Id" = Option<String>, Header, description = "Which request this is, however often it is sent: 1 to 128 printable ASCII"),
    ),
    request_body(content = TerminalBody),
    responses(
        (status = 202, description = "Stored", body = Receipt),
        (status = 200, description = "It was told before", body = Receipt),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(super) async fn post(
    State(app): State<Arc<App>>,
    AgentPath(agent): AgentPath,
    request: Request,
) -> Result<Response, Refused> {
    may_tend(&app, request.headers(), request.extensions(), &agent)?;
    let peer = peer(request.extensions());
    let (said, key) = asked::read::<TerminalBody>(request).await?;
    let seat = app.board.seat(&agent).ok_or_else(Refused::no_such_agent)?;
    let mut process = said.process();
    app.namespaces.settle(&mut process, peer);
    // A word that comes after the end is no sign of new life. A status that it has told just before may come as late
    // as its end.
    let may_be_late = said.status.is_some() && !seat.process.state.is_over();
    let moment = app.inbox.evidence().now();
    let mut rows = Vec::new();
    let mut sights = Vec::new();
    if let Some(status) = &said.status {
        let (sight, row) = spoken::report(&agent, &seat.kind, status);
        sights.push(sight);
        rows.push(row);
    }
    let mut shown = None;
    let title = said.title.and_then(|title| {
        let fact = terminal::titled(&seat.kind, &title);
        shown = Some((format!("{fact:?}"), json!({"src": "osc", "osc": 0, "body": title})));
        fact
    });
    let title = match title {
        Some(Fact::Level(_)) if may_be_unready(&seat, &process).await => None,
        title => title,
    };
    let of_title = |name: &str, fact| sight(&agent, Source::Title, name, fact);
    sights.extend(title.map(|fact| of_title("title", fact)));
    let progress = said.progress.and_then(|body| {
        let level = terminal::progress(&seat.kind, &body);
        rows.extend(progress(&body).map(|body| json!({"src": "osc", "osc": 9, "body": body})));
        level
    });
    sights.extend(progress.map(|level| of_title("progress", Fact::Level(level))));
    if process.pid_here().is_some() && !process::is_alive(&process) && !may_be_late {
        return Err(Refused::new(409, "agent_ended", "the process has ended"));
    }
    let cursor = app.board.head();
    let (mut key, mut reply) = (key, Reply::Done { agent: Some(agent.clone()), cursor });
    for sight in sights {
        let work = Work::Witnessed(Witnessed::Seat(Box::new(sight)));
        reply = app.inbox.submit(work, key.take()).await?;
    }
    // What was told before is kept already.
    if let Reply::Done { .. } = reply {
        let evidence = app.inbox.evidence();
        for row in &rows {
            evidence.keep(&agent, moment, row);
        }
        if let Some((says, row)) = shown {
            evidence.keep_title(&agent, moment, &says, &row);
        }
    }
    Ok(receipt(StatusCode::ACCEPTED, &reply))
}

/// No list is longer.
const LONGEST_LIST: u64 = 1 << 20;
/// Ours answers at once.
const OWN_SERVER: &str = "headsup";

/// May it ask whether to trust its folder, or have a prompt already, or wait for tool servers of its person's with one,
/// while its title calls it ready? Also where nobody can look.
async fn may_be_unready(seat: &Seat, process: &ProcessId) -> bool {
    if gate::has_spoken(seat) || !terminal::titles_its_start(&seat.kind) {
        return false;
    }
    let Some(pid) = process.pid_here() else { return true };
    let (kind, cwd) = (seat.kind.clone(), seat.about.cwd.as_deref().map(str::to_owned));
    let look = move || {
        let Some(cwd) = cwd.or_else(|| process::folder(pid)) else { return true };
        let variables = process::variables(pid, terminal::READY_VARIABLES);
        let named = variables.each_ref().map(Option::as_deref);
        let Some(ready) = terminal::ready(&kind, named, &cwd) else { return true };
        let words = process::command_line(pid).unwrap_or_default();
        ready.servers.iter().any(|list| names_servers(list))
            || is_not_on(&ready.trusted, &cwd)
            || words.iter().any(|word| ready.prompts.contains(&word.as_str()))
    };
    tokio::task::spawn_blocking(look).await.unwrap_or(true)
}

/// Is this folder not on the list of those that are trusted, and none above it? Before there is a list nothing is
/// trusted yet.
fn is_not_on(list: &Path, folder: &str) -> bool {
    let Some(text) = read(list) else { return true };
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let list = serde_json::from_str::<Value>(&lines.collect::<String>()).unwrap_or_default();
    let known = ["trustedFolders", "trusted_folders"].map(|name| list[name].as_array());
    let mut known = known.into_iter().flatten().flatten().filter_map(Value::as_str);
    !known.any(|known| Path::new(folder).starts_with(known))
}

fn read(list: &Path) -> Option<String> {
    let mut text = String::new();
    File::open(list).ok()?.take(LONGEST_LIST).read_to_string(&mut text).ok()?;
    Some(text)
}

/// One that cannot be read may name some.
fn names_servers(list: &Path) -> bool {
    let Some(text) = read(list) else { return list.exists() };
    let Ok(list) = serde_json::from_str::<Value>(&text) else { return !text.trim().is_empty() };
    let Some(servers) = list["mcpServers"].as_object() else { return false };
    servers.keys().any(|name| name != OWN_SERVER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_tool_servers_names_some_unless_it_is_known_that_it_does_not() {
        let temp = tempfile::tempdir().unwrap();
        let list = temp.path().join("mcp.json");
        assert!(!names_servers(&list), "there is none");
        for (text, names) in [
            ("", false),
            ("{}", false),
            (r#"{"mcpServers":{}}"#, false),
            (r#"{"mcpServers":{"headsup":{"command":"headsup"}}}"#, false),
            (r#"{"mcpServers":{"headsup":{},"slow":{"command":"sleep"}}}"#, true),
            ("{ // mine\n}", true),
        ] {
            std::fs::write(&list, text).unwrap();
            assert_eq!(names_servers(&list), names, "{text}");
        }
    }

    #[test]
    fn a_folder_is_trusted_by_the_list_that_there_is() {
        let temp = tempfile::tempdir().unwrap();
        let list = temp.path().join("config.json");
        assert!(is_not_on(&list, "/home/ada/proj"), "there is none");
        for (text, is_missing) in [
            ("// Mine.\n{\"trustedFolders\":[\"/home/ada/proj\"]}", false),
            (r#"{"trusted_folders":["/home/ada"]}"#, false),
            (r#"{"trustedFolders":["/home/ada/proj2"]}"#, true),
            (r#"{"trustedFolders":[]}"#, true),
            ("{}", true),
            ("nonsense", true),
        ] {
            std::fs::write(&list, text).unwrap();
            assert_eq!(is_not_on(&list, "/home/ada/proj"), is_missing, "{text}");
        }
    }
}
