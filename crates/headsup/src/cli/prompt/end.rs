//! How a question is put and its end waited for, also where the hub is restarted meanwhile: it keeps its
//! questions.

use crate::client::address::{Address, NoConnection};
use crate::client::{CallError, Client, KEY, answer};
use crate::error::{CommandError, Kind};
use crate::output::Output;
use crate::output::line::Line;
use crate::output::outage::Outage;
use bytes::Bytes;
use headsup_core::prompt::ResolvedBy;
use headsup_core::wire::{OnePromptDoc, PromptDoc, PromptState};
use headsup_core::words;
use hyper::Method;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

/// Seconds of one wait: shorter than any call may take.
const SEGMENT_S: u64 = 8;
/// No call takes longer.
const ANSWER_WITHIN: Duration = Duration::from_secs(10);
/// How long a hub may be away at least; a question that stands longer is waited for longer.
const AWAY: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(100);

/// Asks. A hub that goes away in the middle is asked again under the same key: it asks once.
pub(super) async fn ask(
    client: &Client,
    path: &str,
    body: Bytes,
    output: Output,
) -> Result<Bytes, CommandError> {
    let key = uuid::Uuid::now_v7().to_string();
    let give_up = Instant::now() + AWAY;
    let mut outage = Outage::new(output);
    loop {
        let asked_at = Instant::now();
        let headers = [(KEY, key.as_str())];
        let asked = client.exchange(Method::POST, path, Some(body.clone()), &headers);
        let lost = match timeout(ANSWER_WITHIN, asked).await {
            Ok(Ok((status, reply))) => match answer::check(status, path, reply) {
                Err(error) if error.code == "stopping" => error,
                outcome => {
                    outage.is_over();
                    return outcome;
                }
            },
            Ok(Err(error)) if may_come_back(&error) => error.at(client.address()),
            Ok(Err(error)) => return Err(error.at(client.address())),
            Err(_) => {
                let message = format!("the hub at {} gave no answer", client.address());
                CommandError::new(Kind::HubUnreachable, message)
            }
        };
        outage.is_away(asked_at, || {
            let seconds = AWAY.as_secs();
            format!("headsup: the hub is away; it is asked again for {seconds} s")
        });
        if Instant::now() >= give_up {
            let hints = vec!["see whether it was asked: `headsup inbox`".to_owned()];
            return Err(CommandError { hints, ..lost });
        }
        sleep(PAUSE).await;
    }
}

fn may_come_back(error: &CallError) -> bool {
    matches!(error, CallError::Broken(_) | CallError::NoConnection(NoConnection::Absent))
}

/// The question once it is over.
///
/// # Errors
/// The hub stays away until its deadline has passed for sure, or has it no more.
pub(super) async fn wait(
    client: &Client,
    prompt: &PromptDoc,
    output: Output,
) -> Result<OnePromptDoc, CommandError> {
    let id = &prompt.id;
    let path = format!("/api/v1/prompts/{id}?wait_seconds={SEGMENT_S}");
    let mut over_at = over_at(prompt);
    let mut outage = Outage::new(output);
    loop {
        let asked_at = Instant::now();
        match client.get_doc::<OnePromptDoc>(&path).await {
            Ok(found) => {
                outage.is_over();
                if found.prompt.state == PromptState::Resolved {
                    return Ok(found);
                }
                over_at = self::over_at(&found.prompt);
            }
            Err(error) if !error.retryable => return Err(error),
            Err(error) => {
                let away = outage.is_away(asked_at, || {
                    format!("headsup: the hub is away; {id} is waited for until it is back")
                });
                if away >= AWAY && Instant::now() >= over_at {
                    return Err(given_up(id, &error, client.address()));
                }
            }
        }
        // A hub that is stopping answers at once.
        if asked_at.elapsed() < PAUSE {
            sleep(PAUSE).await;
        }
    }
}

/// When its deadline has surely passed.
fn over_at(prompt: &PromptDoc) -> Instant {
    Instant::now() + Duration::from_secs(prompt.remaining_seconds.unwrap_or_default()) + AWAY
}

fn given_up(id: &str, error: &CommandError, hub: &Address) -> CommandError {
    let message = format!("the hub did not come back, and {id} should be over by now");
    CommandError::new(Kind::HubUnreachable, message)
        .hint(format!("the last try: {error}"))
        .hint(hub.how_to_start())
        .hint(format!("then see how it ended: `headsup prompt wait {id}`"))
}

/// Prints the answer; an end without one is an error, in JSON too.
pub(super) fn tell(ended: &OnePromptDoc, output: Output) -> Result<(), CommandError> {
    if output.is_json() {
        Output::json(ended)?;
    }
    let resolution = ended.prompt.resolution.as_ref();
    match resolution.map(|resolution| (resolution.by, resolution.value.as_deref())) {
        Some((_, Some(_))) if output.is_json() => Ok(()),
        Some((_, Some(value))) => output.line(&Line::plain(value)),
        Some((ResolvedBy::Timeout, None)) => {
            Err(CommandError::new(Kind::TimedOut, words::resolution(&ended.prompt)))
        }
        _ => Err(CommandError::new(Kind::Refused, words::resolution(&ended.prompt))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_gives_up_names_the_question_and_never_asks_again() {
        let lost = CommandError::new(Kind::HubUnreachable, "lost the hub");
        let hub = Address::Unix("/run/headsup.sock".into());
        let error = given_up("api-p3", &lost, &hub);
        assert_eq!(error.kind.exit_code(), 5);
        let hints = error.hints.join("; ");
        assert!(hints.contains("`headsup prompt wait api-p3`"), "{hints}");
        assert!(!hints.contains("again"), "{hints}");
    }
}
