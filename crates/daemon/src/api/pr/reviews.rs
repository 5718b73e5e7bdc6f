//! `POST /api/v1/prs/{pr}/reviews`: a reviewer approves, wants changes or remarks something.

use super::super::named::PullPath;
use super::super::task::body_of;
use super::super::{App, Refused, asked};
use crate::caller::Caller;
use crate::forge::NewReview;
use axum::Json;
use axum::extract::{Request, State};
use headsup_core::id::AgentId;
use headsup_core::wire::{OnePullDoc, Problem, PullDoc, PullReviewBody};
use headsup_core::work::pull::is_commit;
use headsup_core::work::review::Opinion;
use std::sync::Arc;

#[utoipa::path(
    post,
    path = "/api/v1/prs/{pr}/reviews",
    operation_id = "review_pr",
    tag = "prs",
    summary = "A reviewer approves, wants changes or remarks something",
    description = "Of the commit `head_sha`, and of no other. What a person says counts: an approved commit is merged for an agent without a question, one that is to be changed is not; \
                   work that waits for its review is `working` again where changes are wanted. An agent may remark something or want changes, of others' work alone; only people approve.",
    params(
        ("pr" = String, Path, description = "Its id, a UUID"),
        ("X-Headsup-Id" = Option<String>, Header, description = "Which request this is, however often it is sent: 1 to 128 printable ASCII"),
    ),
    request_body(content = PullReviewBody),
    responses(
        (status = 200, description = "The pull request as it is now", body = OnePullDoc),
        (status = "default", description = "Refused", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(in super::super) async fn post(
    State(app): State<Arc<App>>,
    PullPath(pr): PullPath,
    request: Request,
) -> Result<Json<OnePullDoc>, Refused> {
    let caller = Caller::of_an_act(&app, request.headers(), request.extensions())?;
    let (said, key) = asked::read::<PullReviewBody>(request).await?;
    let received = app.clock.wall();
    let opinion = opinion(&said.state)?;
    let says = said.body.as_deref().map(body_of).transpose()?;
    let says = says.filter(|says| !says.trim().is_empty());
    if says.is_none() && opinion != Opinion::Approved {
        let detail = "body says what is to be changed, or what there is to remark";
        return Err(Refused::new(400, "bad_pr", detail));
    }
    let expected = said.expected_head_sha;
    if expected.as_deref().is_some_and(|sha| !is_commit(sha)) {
        let detail = "expected_head_sha is the full name of a commit";
        return Err(Refused::new(400, "bad_pr", detail));
    }
    let agent = caller.clone().agent_or_person("reviews without a name")?;
    if let Some(agent) = &agent {
        let pull = app.pulls.get(&pr).await?;
        is_agents(&app, &caller, agent, &pull, opinion)?;
    }
    let is_agent = agent.is_some();
    let who = agent.map_or_else(|| app.name.clone(), |agent| agent.to_string());
    let new = NewReview { who, is_agent, opinion, says, expected, received };
    Ok(Json(app.pulls.review(&pr, new, key).await?.into()))
}

/// What an agent may say: nothing that a person would be taken to have said, and nothing of its own work.
fn is_agents(
    app: &App,
    caller: &Caller,
    agent: &AgentId,
    pull: &PullDoc,
    opinion: Opinion,
) -> Result<(), Refused> {
    if let Some(owner) = &pull.agent_id
        && caller.about(app, owner).is_ok()
    {
        let detail = format!("the pull request is {agent}'s own; somebody else reviews it");
        return Err(Refused::new(403, "self_review", detail)
            .hint("hand it in: submit_for_review, and wait for a person"));
    }
    let refused = |detail: String| Refused::new(403, "human_only", detail);
    match opinion {
        Opinion::Commented => Ok(()),
        Opinion::ChangesRequested if pull.remote.is_none() => Ok(()),
        Opinion::ChangesRequested => {
            // It would be told there in the name of the person whose token it is.
            let detail = format!("{agent} is an agent, and {} would not know", pull.provider);
            Err(refused(detail).hint("remark it: state commented"))
        }
        Opinion::Approved | Opinion::Dismissed => {
            let detail = format!("{agent} is an agent; only a person approves");
            Err(refused(detail).hint("remark what you have found: state commented"))
        }
    }
}

fn opinion(word: &str) -> Result<Opinion, Refused> {
    let given = Opinion::GIVEN.into_iter().find(|opinion| opinion.word() == word);
    given.ok_or_else(|| {
        let words = || Opinion::GIVEN.iter().map(|known| known.word());
        let detail = format!("state is one of {}", words().collect::<Vec<_>>().join(", "));
        Refused::new(400, "bad_pr", detail).allowed(words())
    })
}
