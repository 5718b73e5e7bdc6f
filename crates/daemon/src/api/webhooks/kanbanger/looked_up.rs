//! A comment that would answer is looked up where it stands, if the hub has a key: what stands there decides.

use super::super::super::{App, Refused};
use crate::job::TaskThere;
use crate::kanbanger::Standing;
use crate::webhooks::kanbanger::Comment;
use headsup_core::work::comment;

/// What has happened to it, and the comment as it is to be judged. Without a key, or where nothing would come
/// of it, that is what was told.
///
/// # Errors
/// Nobody knows how it stands: it is to be told again.
pub(super) async fn looked_up(
    app: &App,
    task: &TaskThere,
    action: String,
    told: Comment,
) -> Result<(String, Comment), Refused> {
    let Some(there) = app.tracker.kanbanger().filter(|there| there.has_key()) else {
        return Ok((action, told));
    };
    if action != "created" || !may_answer(app, &told) || is_judged(app, &told).await? {
        return Ok((action, told));
    }
    match there.standing(&task.identifier, &told.id).await {
        Ok(Some(standing)) => Ok(as_it_stands(action, told, standing)),
        Ok(None) => {
            let detail = format!("{} has no comment {}", task.identifier, told.id);
            Err(unverified(&detail).hint(
                "does the call `comments` of [tracker.kanbanger] list every comment of a card?",
            ))
        }
        Err(error) => Err(unverified(&error.to_string()).hint("tell it again later")),
    }
}

fn unverified(why: &str) -> Refused {
    let detail = format!("the comment could not be looked up, and answers nothing: {why}");
    Refused::new(503, "unverified", detail).with(|problem| problem.retryable = true)
}

/// Whether the writer might take it for an answer. Everything else it refuses in any case.
fn may_answer(app: &App, told: &Comment) -> bool {
    !told.is_bot
        && app.webhooks.authors.contains(&told.author)
        && !told.body.contains(comment::MARKER)
        && comment::read(&told.body).is_ok()
}

async fn is_judged(app: &App, told: &Comment) -> Result<bool, Refused> {
    let key = comment::judged_as(&told.id);
    Ok(app.reader.run(move |reader| reader.is_judged(&key)).await?)
}

/// What stands there takes the place of what was told.
fn as_it_stands(action: String, told: Comment, there: Standing) -> (String, Comment) {
    let Standing { body, created_at, author, is_bot } = there;
    // Another answer than the one that was told is none that was just written.
    let same = comment::read(&body) == comment::read(&told.body);
    let action = if same { action } else { "edited".to_owned() };
    let is_told = author.contains(&told.author);
    // Called as it was told, or else by what cannot be changed.
    let author = author.into_iter().next().filter(|_| !is_told).unwrap_or(told.author);
    let created_at = created_at.unwrap_or(told.created_at);
    (action, Comment { body, author, is_bot, created_at, ..told })
}
