//! `POST /api/v1/agents/{id}/terminal`: what an agent has said to the terminal that its launcher has
//! put it on. What it means is its adapter's to say.

use super::agent_path::AgentPath;
use super::{App, Receipt, Refused, asked, peer, receipt};
use crate::beside::regular;
use crate::caller::may_tend;
use crate::job::{Reply, Witnessed, Work};
use crate::process;
use crate::spoken::{self, TerminalBody, sight};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use headsup_adapters::evidence::progress;
use headsup_adapters::terminal::{self, Contents, Started, UNSEEN};
use headsup_core::gate;
use headsup_core::id::{AgentId, ProcessId};
use headsup_core::observation::{Delivery, Fact, Level, PROMPTED};
use headsup_core::seat::Seat;
use headsup_core::source::Source;
use headsup_core::status::Process;
use headsup_core::wire::Problem;
use serde_json::json;
use std::io::{ErrorKind, Read as _};
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
    // Who reads a pane's pipe comes from tmux.
    if !app.pipes.is_reader(&agent, request.headers()) {
        may_tend(&app, request.headers(), request.extensions(), &agent)?;
    }
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
        let (mut sight, row) = spoken::report(&agent, &seat.kind, status);
        sight.fact = asked_for(&seat, &process, sight.fact, said.again).await;
        if said.again {
            sight.delivery = Delivery::Standing;
        }
        // Played back, it would be news.
        if !(said.again && spoken::is_overtaken(&seat, &sight)) {
            rows.push(row);
        }
        sights.push(sight);
    }
    let mut shown = None;
    let title = said.title.and_then(|title| {
        let fact = terminal::titled(&seat.kind, &title);
        shown = Some((format!("{fact:?}"), json!({"src": "osc", "osc": 0, "body": title})));
        fact
    });
    let title = match title {
        Some(Fact::Level(level)) => Some(Fact::Level(doubted(&seat, &process, level).await)),
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

/// Work of a program that may only come up is a prompt's, if it was started with one; and it is not ready before that.
/// `again`: it was told before, perhaps to nobody.
async fn asked_for(seat: &Seat, process: &ProcessId, fact: Fact, again: bool) -> Fact {
    let works = fact == Fact::Level(Level::Working { reason: None });
    let comes_up = matches!(seat.process.state, Process::Starting { .. }) && !again;
    let rests = comes_up && is_rest(&fact);
    let may_be = terminal::starts_at_work_ms(&seat.kind).is_some() && !seat.turn.open;
    if !may_be || !(works || rests) {
        return fact;
    }
    let (kind, pid) = (seat.kind.clone(), process.pid_here());
    let look = move || {
        let words = pid.and_then(process::command_line);
        words.is_some_and(|words| terminal::is_prompted(&kind, &words))
    };
    let is_prompted = tokio::task::spawn_blocking(look).await.unwrap_or_default();
    if is_prompted { of_prompted(&fact) } else { fact }
}

/// What such a fact says of a program that was started with a prompt.
fn of_prompted(fact: &Fact) -> Fact {
    Fact::Level(match is_rest(fact) {
        true => Level::MayBeUnready { why: PROMPT_COMES.to_owned() },
        false => PROMPTED,
    })
}

fn is_rest(fact: &Fact) -> bool {
    matches!(fact, Fact::Level(Level::Idle { .. }))
}

const PROMPT_COMES: &str = "it was started with a prompt, which it takes at once";

/// No file that a program reads at its start is longer.
const LONGEST: u64 = 1 << 20;

/// What a title says, or why that may not be so: of a program whose title is the same whatever its start waits for.
/// What comes of that the gate decides, as of one that has told more than its start.
async fn doubted(seat: &Seat, process: &ProcessId, level: Level) -> Level {
    if gate::has_spoken(seat) || !terminal::titles_its_start(&seat.kind) {
        return level;
    }
    let (kind, cwd) = (seat.kind.clone(), seat.about.cwd.as_deref().map(str::to_owned));
    let pid = process.pid_here();
    let look = move || pid.map_or(Some(UNSEEN), |pid| doubt(&kind, pid, cwd));
    let why = tokio::task::spawn_blocking(look).await.unwrap_or(Some(UNSEEN));
    why.map_or(level, |why| Level::MayBeUnready { why: why.to_owned() })
}

/// Why a process of this kind need not be ready. Also where nobody can look.
fn doubt(kind: &str, pid: u32, cwd: Option<String>) -> Option<&'static str> {
    let Some(cwd) = cwd.or_else(|| process::folder(pid)) else { return Some(UNSEEN) };
    let Some(words) = process::command_line(pid) else { return Some(UNSEEN) };
    let variables = process::variables(pid, terminal::READY_VARIABLES);
    let variables = variables.each_ref().map(Option::as_deref);
    let start = Started { variables, cwd: &cwd, words: &words };
    let Some(ready) = terminal::ready(kind, &start) else { return Some(UNSEEN) };
    ready.doubt(&ready.files().map(contents).collect::<Vec<_>>())
}

fn contents(path: &Path) -> Contents {
    let mut text = String::new();
    let file = match regular(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Contents::Missing,
        Err(_) => return Contents::Unreadable,
    };
    match file.take(LONGEST).read_to_string(&mut text) {
        Ok(_) => Contents::Text(text),
        Err(_) => Contents::Unreadable,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{CWD, Mode, mkfifoat};

    #[test]
    fn rest_before_the_prompt_that_a_program_was_started_with_is_not_believed() {
        let said = |level| of_prompted(&Fact::Level(level));
        let rest = said(Level::Idle { shells: 0 });
        assert!(matches!(rest, Fact::Level(Level::MayBeUnready { .. })), "{rest:?}");
        assert_eq!(said(Level::Working { reason: None }), Fact::Level(PROMPTED));
    }

    #[test]
    fn what_is_no_file_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let list = folder.path().join(".mcp.json");
        assert_eq!(contents(&list), Contents::Missing);
        std::fs::write(&list, "{}").unwrap();
        assert_eq!(contents(&list), Contents::Text("{}".to_owned()));
        std::fs::remove_file(&list).unwrap();
        mkfifoat(CWD, &list, Mode::RUSR | Mode::WUSR).unwrap();
        assert_eq!(contents(&list), Contents::Unreadable, "nobody writes into it");
    }
}
