//! Where an issue stands, in our words: open or closed, with a label for what lies between.

use super::GitHubSettings;
use super::documents::Issue;
use headsup_core::work::task::TaskStatus;

/// The status, and the host's own word where it says something else.
pub(super) fn of(issue: &Issue, settings: &GitHubSettings) -> (TaskStatus, Option<String>) {
    if issue.state == "closed" {
        let reason = issue.state_reason.as_deref().filter(|reason| *reason != "completed");
        return (TaskStatus::Done, reason.map(|reason| format!("closed as {reason}")));
    }
    let has = |label: &str| issue.labels.iter().any(|of| of.0.eq_ignore_ascii_case(label));
    let status = if has(&settings.in_review) {
        TaskStatus::InReview
    } else if has(&settings.in_progress) {
        TaskStatus::InProgress
    } else {
        TaskStatus::Todo
    };
    let known = ["open", "closed"].contains(&issue.state.as_str());
    (status, (!known).then(|| issue.state.clone()))
}

/// The label that an open issue of this status has.
pub(super) fn label(status: TaskStatus, settings: &GitHubSettings) -> Option<&str> {
    match status {
        TaskStatus::InProgress => Some(&settings.in_progress),
        TaskStatus::InReview => Some(&settings.in_review),
        TaskStatus::Todo | TaskStatus::Done => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_issue_has_a_status_and_what_has_no_word_of_ours_is_said() {
        let settings = GitHubSettings::public(None);
        let cases = [
            (json!(["bug"]), "open", None, TaskStatus::Todo, None),
            (json!([{"name": "In Progress"}]), "open", None, TaskStatus::InProgress, None),
            (json!(["in progress", "in review"]), "open", None, TaskStatus::InReview, None),
            (json!(["in progress"]), "closed", Some("completed"), TaskStatus::Done, None),
            (json!([]), "closed", None, TaskStatus::Done, None),
            (
                json!([]),
                "closed",
                Some("not_planned"),
                TaskStatus::Done,
                Some("closed as not_planned"),
            ),
        ];
        for (labels, state, reason, status, word) in cases {
            let issue = json!({
                "number": 1, "title": "t", "state": state, "state_reason": reason, "labels": labels,
                "created_at": "2026-01-02T03:04:05Z", "updated_at": "2026-01-02T03:04:05Z",
            });
            let issue: Issue = serde_json::from_value(issue).unwrap();
            assert_eq!(of(&issue, &settings), (status, word.map(str::to_owned)));
        }
    }
}
