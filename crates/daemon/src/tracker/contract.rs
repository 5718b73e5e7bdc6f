//! What every tracker keeps.

use super::{NewComment, NewTask, TaskChange, Tracker, TrackerError};
use crate::job::Key;
use headsup_core::id::AgentId;
use headsup_core::wire::TaskDoc;
use headsup_core::work::task::TaskStatus;

fn key(id: &str, body: &str) -> Key {
    Key::new(id, "/contract", body.as_bytes()).unwrap()
}

fn new(title: &str) -> NewTask {
    let body = Some("**more**\nof it".to_owned());
    NewTask { prefix: "APP".to_owned(), title: title.to_owned(), body, status: TaskStatus::Todo }
}

fn said(body: &str) -> NewComment {
    NewComment { body: body.to_owned(), author: AgentId::new("api").ok() }
}

/// All of it. The tracker is empty.
pub(crate) async fn keeps(tracker: &dyn Tracker) {
    what_is_made_is_found(tracker).await;
    every_status_comes_back(tracker).await;
    one_request_has_one_effect(tracker).await;
    what_is_not_there_is_said(tracker).await;
}

async fn what_is_made_is_found(tracker: &dyn Tracker) {
    let made = tracker.create(new("first"), None).await.unwrap();
    let found = tracker.get(&made.identifier).await.unwrap();
    assert_eq!((&found.title, found.status), (&"first".to_owned(), TaskStatus::Todo));
    assert_eq!(found.body.as_deref(), Some("**more**\nof it"));
    assert_eq!(found.comments.as_deref(), Some(&[][..]));
    let second = tracker.create(new("second"), None).await.unwrap();
    assert_ne!(second.identifier, made.identifier);
    let listed = tracker.list(None, 10).await.unwrap();
    let titles: Vec<&str> = listed.iter().map(|task| task.title.as_str()).collect();
    assert_eq!(titles, ["second", "first"]);
    assert_eq!(tracker.list(None, 1).await.unwrap().len(), 1);
    let change = TaskChange { title: Some("other".to_owned()), ..TaskChange::default() };
    let changed = tracker.change(&made.identifier, change, None).await.unwrap();
    assert_eq!((changed.title.as_str(), changed.body), ("other", found.body));
    let change = TaskChange { body: Some(String::new()), ..TaskChange::default() };
    let changed = tracker.change(&made.identifier, change, None).await.unwrap();
    assert_eq!((changed.title.as_str(), changed.body), ("other", None));
}

async fn every_status_comes_back(tracker: &dyn Tracker) {
    let made = tracker.create(new("statuses"), None).await.unwrap();
    for status in [TaskStatus::InProgress, TaskStatus::InReview, TaskStatus::Done, TaskStatus::Todo]
    {
        let change = TaskChange { status: Some(status), ..TaskChange::default() };
        let changed = tracker.change(&made.identifier, change, None).await.unwrap();
        assert_eq!(changed.status, status);
        assert_eq!(tracker.get(&made.identifier).await.unwrap().status, status);
        let listed = tracker.list(Some(status), 100).await.unwrap();
        assert!(listed.iter().any(|task| task.identifier == made.identifier), "{status:?}");
        assert!(listed.iter().all(|task| task.status == status), "{status:?}");
    }
}

async fn one_request_has_one_effect(tracker: &dyn Tracker) {
    let made = tracker.create(new("once"), Some(key("make", "a"))).await.unwrap();
    let again = tracker.create(new("once"), Some(key("make", "a"))).await.unwrap();
    assert_eq!(again.identifier, made.identifier);
    let other = tracker.create(new("twice"), Some(key("make", "b"))).await;
    assert_eq!(other.unwrap_err(), TrackerError::AnotherRequest);
    let comment = |words: &'static str| {
        tracker.comment(&made.identifier, said(words), Some(key(&format!("say-{words}"), words)))
    };
    let first = comment("one").await.unwrap().comment;
    let second = comment("two").await.unwrap().comment;
    assert_eq!(comment("one").await.unwrap().comment, first);
    assert_ne!(first.id, second.id);
    let TaskDoc { comments, .. } = tracker.get(&made.identifier).await.unwrap();
    assert_eq!(comments.unwrap(), [first, second]);
}

async fn what_is_not_there_is_said(tracker: &dyn Tracker) {
    for nothing in ["APP-999", "nothing", "", "../x", "APP-1/comments"] {
        let unknown = |error: TrackerError| {
            let known = TrackerError::NoSuchTask(nothing.to_owned());
            let refused = TrackerError::Refused(crate::job::Refusal::NoSuchTask);
            assert!(error == known || error == refused, "{nothing}: {error:?}");
        };
        unknown(tracker.get(nothing).await.unwrap_err());
        unknown(tracker.comment(nothing, said("x"), None).await.unwrap_err());
        let change = TaskChange { status: Some(TaskStatus::Done), ..TaskChange::default() };
        unknown(tracker.change(nothing, change, None).await.unwrap_err());
    }
}
