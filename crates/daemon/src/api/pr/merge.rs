//! `POST /api/v1/prs/{pr}/merge`: what was looked at comes into the base.

use super::super::named::PullPath;
use super::super::prompt_path::PromptPath;
use super::super::prompts::look;
use super::super::{App, Refused, asked};
use crate::caller::Caller;
use crate::forge::{Approval, ForgeError, NO, YES, is_given, settle};
use crate::job::{Asked, Refusal, Reply, Work};
use axum::Json;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use headsup_adapters::text;
use headsup_core::id::AgentId;
use headsup_core::prompt::{
    Answerable, Choice, NewPrompt, OnTimeout, PromptKind, ResolvedBy, Risk,
};
use headsup_core::status::BlockedReason;
use headsup_core::wire::{
    MergeBody, MergedDoc, PendingMergeDoc, Problem, PromptDoc, PromptState, PullDoc, SCHEMA,
};
use headsup_core::work::pull::{MergeMethod, MergePolicy, PullState, is_commit};
use headsup_core::work::review::{Review, Verdict, verdict};
use headsup_core::workflow::By;
use std::fmt::Write as _;
use std::sync::Arc;

/// A merge is asked about for so long.
const ASKED_FOR_MS: i64 = 120 * 60_000;
/// Files named in the question.
const SHOWN: usize = 20;

#[utoipa::path(
    post,
    path = "/api/v1/prs/{pr}/merge",
    operation_id = "merge_pr",
    tag = "prs",
    summary = "What was looked at comes into the base",
    description = "The commit `head_sha` of the pull request, and no other, whatever its branch holds by now. A second merge answers what the first one did. A person merges at once. For an agent `merge_policy` in the settings decides: with `ask` a person is asked first, in a prompt, and the hub merges once that says yes.",
    params(
        ("pr" = String, Path, description = "Its id, a UUID"),
        ("X-Headsup-Id" = Option<String>, Header, description = "A merge happens once, with any id or none"),
    ),
    request_body(content = MergeBody),
    responses(
        (status = 200, description = "Merged, now or before", body = MergedDoc),
        (status = 202, description = "A person is asked", body = PendingMergeDoc),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(in super::super) async fn post(
    State(app): State<Arc<App>>,
    PullPath(pr): PullPath,
    request: Request,
) -> Result<Response, Refused> {
    let caller = Caller::of_an_act(&app, request.headers(), request.extensions())?;
    let (said, _) = asked::read::<MergeBody>(request).await?;
    let method = said.merge_method.as_deref().map_or(Ok(MergeMethod::Merge), method)?;
    let expected = said.expected_head_sha;
    if expected.as_deref().is_some_and(|sha| !is_commit(sha)) {
        let detail = "expected_head_sha is the full name of a commit";
        return Err(Refused::new(400, "bad_pr", detail));
    }
    let pull = app.pulls.get(&pr).await?;
    let policy = app.forge_settings.policy(pull.repo.as_ref());
    let by = caller.agent_or_person("merges without being asked")?;
    if let (PullState::Open, Some(agent)) = (pull.state, by) {
        if policy == MergePolicy::Ask {
            return ask(&app, agent, pull, method, expected).await;
        }
        if let Verdict::Refused(by) = verdict(&app.pulls.reviews(&pr).await?, &pull.head_sha) {
            return Err(unwanted(by));
        }
    }
    merge(&app, &pr, method, expected).await
}

async fn merge(
    app: &App,
    pr: &str,
    method: MergeMethod,
    expected: Option<String>,
) -> Result<Response, Refused> {
    let (pr, already_merged) = app.pulls.merge(pr, method, expected).await?;
    Ok(Json(MergedDoc { schema: SCHEMA, already_merged, pr }).into_response())
}

/// What a person is asked is the commit as it is now; one that was asked about before is not asked
/// about twice.
async fn ask(
    app: &Arc<App>,
    agent: AgentId,
    pull: PullDoc,
    method: MergeMethod,
    expected: Option<String>,
) -> Result<Response, Refused> {
    let pull = app.pulls.refresh(&pull.id).await?;
    if pull.state != PullState::Open {
        return merge(app, &pull.id, method, expected).await;
    }
    if let Some(expected) = expected.filter(|expected| *expected != pull.head_sha) {
        let (branch, is) = (pull.head_branch, pull.head_sha);
        return Err(ForgeError::HeadMoved { branch, expected, is }.into());
    }
    match verdict(&app.pulls.reviews(&pull.id).await?, &pull.head_sha) {
        Verdict::Refused(by) => return Err(unwanted(by)),
        // The very commit: nobody needs to be asked.
        Verdict::Approved(by) => return merge(app, &pull.id, method, Some(by.sha.clone())).await,
        Verdict::Nothing => {}
    }
    let before = app.pulls.approvals(&pull.id).await?;
    let same = |asked: &Approval| asked.is_of(&pull.head_sha, method);
    if let Some(asked) = before.into_iter().find(same) {
        let path = PromptPath { id: asked.prompt, agent: asked.agent };
        let prompt = look(app, &path).await?;
        if prompt.state == PromptState::Open {
            return Ok(pending(prompt, pull));
        }
        if is_given(&prompt) {
            return merge(app, &pull.id, method, Some(asked.sha)).await;
        }
        if let Some(refused) = refused(&prompt) {
            return Err(refused);
        }
        // Nobody has said anything: it may be asked again.
    }
    if app.pulls.check(&pull, method).await? != PullState::Open {
        return merge(app, &pull.id, method, Some(pull.head_sha)).await;
    }
    let prompt = open(app, agent.clone(), &pull, method).await?;
    let (sha, id) = (pull.head_sha.clone(), prompt.id.clone());
    app.pulls.ask(&pull.id, Approval { agent, prompt: id, sha, method }).await?;
    // Whoever was quick has answered before it was known what for.
    if settle(app, Some(&prompt.id)).await {
        app.pulls.try_again();
    }
    Ok(pending(prompt, pull))
}

async fn open(
    app: &App,
    agent: AgentId,
    pull: &PullDoc,
    method: MergeMethod,
) -> Result<PromptDoc, Refused> {
    let asked = Asked {
        agent,
        by: By::Agent,
        registers: true,
        ask: question(pull, method),
        default_action: NO.to_owned(),
        timeout_ms: ASKED_FOR_MS,
        // Nothing is merged that nobody has agreed to.
        on_timeout: OnTimeout::Default,
        risk: Risk::High,
        dedupe_key: None,
        once: false,
        request: None,
        // It may wait for its review, which is no stage to be asked in.
        moves_stage: false,
    };
    match app.inbox.submit(Work::Ask(Box::new(asked)), None).await? {
        Reply::Prompt { prompt, .. } => Ok(*prompt),
        _ => Err(Refusal::Defect.into()),
    }
}

fn question(pull: &PullDoc, method: MergeMethod) -> NewPrompt {
    let PullDoc { title, head_branch, base_branch, head_sha, repo, files, url, .. } = pull;
    // Where people would look at it.
    let place = match (&pull.remote, pull.number) {
        (Some(remote), Some(number)) => format!("{remote}#{number}, {url}"),
        _ => repo.clone(),
    };
    let (plus, minus, changed) = (pull.additions, pull.deletions, pull.changed_files);
    let what = if changed == 1 { "file" } else { "files" };
    let mut body = format!(
        "{title}\n\n{head_branch} at {head_sha} into {base_branch} of {place} ({}): {changed} {what}, +{plus} -{minus}",
        method.word()
    );
    for file in files.iter().take(SHOWN) {
        // Writing to a string cannot fail.
        write!(body, "\n  {} +{} -{}", file.path, file.additions, file.deletions).ok();
    }
    let choice = |label: &str, value: &str| Choice {
        label: label.to_owned(),
        value: value.to_owned(),
        description: None,
    };
    NewPrompt {
        kind: PromptKind::Input,
        reason: BlockedReason::Question,
        key: None,
        tool: None,
        title: text::line(&format!("Merge {head_branch} into {base_branch}? {title}"), text::TITLE),
        body: Some(text::block(&body, text::BODY)),
        options: vec![choice("Merge it", YES), choice("Do not merge it", NO)],
        multi_select: false,
        answerable: vec![Answerable::Api],
    }
}

fn pending(prompt: PromptDoc, pr: PullDoc) -> Response {
    let doc =
        PendingMergeDoc { schema: SCHEMA, state: "pending".to_owned(), prompt_id: prompt.id, pr };
    (StatusCode::ACCEPTED, Json(doc)).into_response()
}

/// A person has reviewed this very commit, and wants another one.
fn unwanted(by: &Review) -> Refused {
    let says = by.says.as_ref().map(|says| format!(": {says}")).unwrap_or_default();
    let detail = text::line(&format!("{} wants changes{says}", by.who), text::BODY);
    let refused = Refused::new(403, "changes_requested", detail);
    refused.hint("change it, commit that, then call for the merge of it")
}

/// A person has said no to this very commit.
fn refused(prompt: &PromptDoc) -> Option<Refused> {
    let resolution = prompt.resolution.as_ref().filter(|end| end.by == ResolvedBy::Human)?;
    let who = resolution.actor.as_deref().unwrap_or("a person");
    let detail = format!("{who} has said no to this merge");
    let refused = Refused::new(403, "merge_refused", detail);
    Some(refused.hint("commit what is missing, then call for the merge of that"))
}

fn method(word: &str) -> Result<MergeMethod, Refused> {
    MergeMethod::parse(word).ok_or_else(|| {
        let words = || MergeMethod::ALL.iter().map(|known| known.word());
        let detail = format!("merge_method is one of {}", words().collect::<Vec<_>>().join(", "));
        Refused::new(400, "bad_pr", detail).allowed(words())
    })
}
