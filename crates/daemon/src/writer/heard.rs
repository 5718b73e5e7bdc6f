//! What web hooks tell. Each delivery is kept with what came of it, and judged once.

use super::posted;
use super::prompts;
use super::staging::Staging;
use super::task;
use crate::job::{Answer, CommentThere, Given, Heard, Refusal, Reply, TaskThere, Told};
use crate::store::StoreError;
use crate::store::webhooks::{Delivery, HeardTask, heard_task, is_judged};
use headsup_adapters::text;
use headsup_core::id::AgentId;
use headsup_core::prompt::answer::{BadAnswer, Said};
use headsup_core::prompt::{OpenPrompt, Via};
use headsup_core::time::UnixMs;
use headsup_core::wire::{HeardDoc, TaskDoc, WebhookResult};
use headsup_core::work::comment::{self, Comment, NoAnswer, Open, Rules};
use headsup_core::work::posted::Post;
use headsup_core::work::task::{TaskId, TaskStatus};
use std::collections::BTreeSet;

/// A comment's clock may run ahead of ours by so much. Milliseconds.
const AHEAD_MS: i64 = 5 * 60_000;

/// What came of a delivery: result, reason and sentence, and the prompt that it answered.
struct Outcome {
    result: WebhookResult,
    reason: Option<(&'static str, String)>,
    prompt: Option<String>,
}

impl Outcome {
    fn new(result: WebhookResult) -> Self {
        Self { result, reason: None, prompt: None }
    }

    fn because(result: WebhookResult, word: &'static str, why: impl Into<String>) -> Self {
        Self { reason: Some((word, why.into())), ..Self::new(result) }
    }

    fn replayed(what: &str) -> Self {
        let why = format!("this {what} was told before; it has no second effect");
        Self::because(WebhookResult::Replayed, "replayed", why)
    }

    fn of_nobody() -> Self {
        let why = "no agent works on this task";
        Self::because(WebhookResult::Ignored, "no_agent", why)
    }
}

pub(super) fn hear(staging: &mut Staging<'_>, heard: &Heard) -> Answer {
    let before: BTreeSet<String> = staging.webhooks.judged.keys().cloned().collect();
    let outcome = match &heard.told {
        Told::Nothing => None,
        Told::Comment(said) => Some(on_comment(staging, said)),
        Told::Task(there) => Some(on_task(staging, there)),
    };
    let outcome = outcome.transpose().inspect_err(|_| {
        // What could not be judged is judged when it is told again.
        staging.webhooks.judged.retain(|key, _| before.contains(key));
    })?;
    let mut doc = HeardDoc { at: staging.now, ..heard.doc.clone() };
    if let Some(Outcome { result, reason, prompt }) = outcome {
        let (word, why) = reason.unzip();
        doc.result = result;
        (doc.reason, doc.detail) = (word.map(str::to_owned), why);
        doc.prompt_id = prompt;
    }
    if heard.signed || staging.unsigned.is_kept(staging.now) {
        staging.webhooks.deliveries.push(Delivery { signed: heard.signed, doc: doc.clone() });
    } else {
        staging.webhooks.count(doc.clone());
    }
    staging.writes += 1;
    Ok(Reply::Heard(Box::new(doc)))
}

fn on_comment(staging: &mut Staging<'_>, said: &CommentThere) -> Result<Outcome, Refusal> {
    let key = comment::judged_as(&said.id);
    let is_new = said.action == "created";
    if is_new && !first_time(staging, &key)? {
        return Ok(Outcome::replayed("comment"));
    }
    let linked = linked(staging, &said.task);
    if linked.is_empty() {
        return Ok(Outcome::of_nobody());
    }
    let open = open(staging, &linked);
    let why = match judge(said, &open, staging.wall) {
        Err(why) => why,
        Ok((agent, prompt, value)) => match answer(staging, said, agent, &prompt, &value)? {
            None => {
                let answered = Outcome::new(WebhookResult::Answered);
                return Ok(Outcome { prompt: Some(prompt), ..answered });
            }
            Some(why) => why,
        },
    };
    let why = of_the_past(staging, said, why)?;
    if said.replies && is_new && wants_a_word(&said.body, why) {
        reply(staging, said, &linked, why)?;
    }
    Ok(Outcome::because(WebhookResult::Refused, why.word(), why.to_string()))
}

/// Marks it as judged. False: it was before.
fn first_time(staging: &mut Staging<'_>, key: &str) -> Result<bool, Refusal> {
    let judged = &staging.webhooks.judged;
    if judged.contains_key(key) || is_judged(staging.store.connection(), key).map_err(unreadable)? {
        return Ok(false);
    }
    let now = staging.now;
    staging.webhooks.judged.insert(key.to_owned(), now);
    Ok(true)
}

/// The agents that work on the task, as the jobs before have left them.
fn linked(staging: &Staging<'_>, task: &TaskThere) -> Vec<AgentId> {
    let mut agents = staging.board.linked(&task.links());
    agents.extend(staging.seats.keys().cloned());
    agents.sort_unstable();
    agents.dedup();
    agents.retain(|agent| {
        let seat = staging.seat(agent);
        let links = seat.as_ref().and_then(|seat| seat.links.as_ref());
        links.and_then(|links| links.task.as_deref()).is_some_and(|link| task.is(link))
    });
    agents
}

/// Their open questions.
fn open(staging: &Staging<'_>, agents: &[AgentId]) -> Vec<(AgentId, OpenPrompt)> {
    let of = |agent: &AgentId| {
        let seat = staging.seat(agent);
        let open: Vec<_> = seat.iter().flat_map(|seat| seat.inputs().cloned()).collect();
        open.into_iter().map(|open| (agent.clone(), open)).collect::<Vec<_>>()
    };
    agents.iter().flat_map(of).collect()
}

/// The question that it answers, and with what.
fn judge(
    said: &CommentThere,
    open: &[(AgentId, OpenPrompt)],
    wall: UnixMs,
) -> Result<(AgentId, String, String), NoAnswer> {
    let values = |open: &OpenPrompt| -> Vec<String> {
        open.ask.options.iter().map(|option| option.value.clone()).collect()
    };
    let options: Vec<Vec<String>> = open.iter().map(|(_, open)| values(open)).collect();
    let prompts: Vec<Open<'_>> = open
        .iter()
        .zip(&options)
        .map(|((_, open), options)| Open { id: &open.id, opened_at: open.opened_at, options })
        .collect();
    let comment = Comment {
        action: &said.action,
        body: &said.body,
        author: &said.author,
        is_bot: said.is_bot,
        created_at: said.created_at,
    };
    let (id, value) = comment::answers(comment, &prompts, Rules { authors: &said.authors })?;
    if said.created_at > wall.plus(AHEAD_MS) {
        return Err(NoAnswer::FromFuture);
    }
    let agent = open.iter().find(|(_, open)| open.id == id).map(|(agent, _)| agent.clone());
    Ok((agent.ok_or(NoAnswer::UnknownPrompt)?, id.to_owned(), value))
}

/// Answers like everybody else does: the first one wins. Returns why it was none.
fn answer(
    staging: &mut Staging<'_>,
    said: &CommentThere,
    agent: AgentId,
    prompt: &str,
    value: &str,
) -> Result<Option<NoAnswer>, Refusal> {
    let given = Given {
        agent,
        prompt: prompt.to_owned(),
        said: Said::Text(text::block(value, text::BODY)),
        via: Via::Comment,
        actor: Some(said.author.clone()),
        received: said.received,
        is_verified: true,
    };
    match prompts::answer(staging, &given) {
        Ok(_) => Ok(None),
        Err(Refusal::AlreadyResolved) => Ok(Some(NoAnswer::AlreadyResolved)),
        Err(Refusal::BadAnswer(BadAnswer::Empty)) => Ok(Some(NoAnswer::BadValue)),
        Err(Refusal::BadAnswer(_)) => Ok(Some(NoAnswer::NoSuchOption)),
        Err(refusal) => Err(refusal),
    }
}

/// A prompt that is not open any more is not unknown.
fn of_the_past(
    staging: &Staging<'_>,
    said: &CommentThere,
    why: NoAnswer,
) -> Result<NoAnswer, Refusal> {
    let named = comment::read(&said.body).ok().and_then(|said| said.prompt);
    match (why, named) {
        (NoAnswer::UnknownPrompt, Some(id)) if staging.is_resolved(&id)? => {
            Ok(NoAnswer::AlreadyResolved)
        }
        _ => Ok(why),
    }
}

/// Whoever addressed us, as a person, and was not understood or not listened to.
fn wants_a_word(body: &str, why: NoAnswer) -> bool {
    let is_ours_to_say = !matches!(why, NoAnswer::Ours | NoAnswer::Bot | NoAnswer::NotNew);
    is_ours_to_say && comment::read(body) != Err(NoAnswer::NotAddressed)
}

/// One polite word in a thread, and no more.
fn reply(
    staging: &mut Staging<'_>,
    said: &CommentThere,
    linked: &[AgentId],
    why: NoAnswer,
) -> Result<(), Refusal> {
    let Some(agent) = linked.first() else { return Ok(()) };
    if !first_time(staging, &format!("thread {}", said.thread))? {
        return Ok(());
    }
    let body = format!(
        "Thank you. This comment has answered nothing: {why}. The question is still in the inbox of \
         whoever runs {agent}."
    );
    let seat = staging.seat(agent);
    let link = seat.as_ref().and_then(|seat| seat.links.as_ref()?.task.clone());
    // Whatever a tracker's ids are made of: the marker is to stay one.
    let plain = |c: &char| c.is_ascii_alphanumeric() || *c == '-';
    let id: String = said.id.chars().filter(plain).take(64).collect();
    let post = Post { key: format!("reply-{id}"), body };
    match link {
        Some(link) => posted::post(staging, agent, &link, vec![post]),
        None => Ok(()),
    }
}

/// Takes over what a task is called and where it stands.
fn on_task(staging: &mut Staging<'_>, there: &TaskThere) -> Result<Outcome, Refusal> {
    if linked(staging, there).is_empty() {
        return Ok(Outcome::of_nobody());
    }
    let before = match staging.webhooks.tasks.get(&there.identifier) {
        Some(task) => Some(task.clone()),
        None => heard_task(staging.store.connection(), &there.identifier).map_err(unreadable)?,
    };
    // What an earlier hub took from the future hides nothing that comes now.
    let latest = staging.wall.plus(AHEAD_MS);
    let known = before.as_ref().map(|before| before.version).filter(|known| *known <= latest);
    match (there.version, known) {
        (Some(version), _) if version > latest => {
            let why = format!("its time, {version}, is still to come");
            return Ok(Outcome::because(WebhookResult::Refused, NoAnswer::FromFuture.word(), why));
        }
        (Some(version), Some(known)) if version == known => {
            return Ok(Outcome::replayed("version of the task"));
        }
        (Some(version), Some(known)) if version < known => {
            let why = format!("it is older than what is known, of {known}");
            return Ok(Outcome::because(WebhookResult::Ignored, "older", why));
        }
        (Some(_), _) => {}
        (None, _) => {
            if !first_time(staging, &format!("task {}", there.digest))? {
                return Ok(Outcome::replayed("word on the task"));
            }
        }
    }
    let was = before.as_ref().map(|before| before.doc.status);
    let doc = TaskDoc {
        identifier: there.identifier.clone(),
        title: there.title.clone(),
        status: there.status.or(was).unwrap_or(TaskStatus::Todo),
        unmapped_status: None,
        url: None,
        body: None,
        comments: None,
        effects: Vec::new(),
        note: None,
        provider: there.provider.to_owned(),
        created_at: before.as_ref().map_or(staging.now, |before| before.doc.created_at),
        updated_at: staging.now,
    };
    let version = there.version.or(before.map(|before| before.version)).unwrap_or_default();
    staging.webhooks.tasks.insert(there.identifier.clone(), HeardTask { version, doc });
    // The hub's own task of this name is the same one.
    if let Some(id) = TaskId::parse(&there.identifier) {
        task::refresh(staging, &id, &there.title, there.status)?;
    }
    if there.status.is_some() {
        return Ok(Outcome::new(WebhookResult::Refreshed));
    }
    let why = "the title was taken over; its status is a word that means nothing here";
    Ok(Outcome::because(WebhookResult::Refreshed, "unmapped_status", why))
}

fn unreadable(error: StoreError) -> Refusal {
    tracing::error!(%error, "what web hooks have told cannot be read");
    Refusal::from(&error)
}
