//! Which routes wait for other systems, or for git: they take as long as those do.

use std::time::Duration;

/// An answer that needs nobody else comes within milliseconds; a hub that needs this long is stuck.
const ALONE: Duration = Duration::from_secs(10);

/// How long a caller may have to wait for the answer to `path`. `others`: for one that waits for others, which the
/// hub itself gives up after a while.
pub fn patience(path: &str, others: Duration) -> Duration {
    if is_asked(path) { others } else { ALONE }
}

fn is_asked(path: &str) -> bool {
    let path = path.split_once('?').map_or(path, |(path, _)| path);
    let Some(rest) = path.strip_prefix("/api/v1/") else { return false };
    let parts: Vec<&str> = rest.split('/').collect();
    matches!(parts.as_slice(), ["tasks" | "prs", ..] | ["agents", _, "task" | "prs" | "review", ..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_and_pull_requests_may_take_long_and_nothing_else() {
        for path in [
            "/api/v1/tasks",
            "/api/v1/tasks/ada%2Fapp%231/comments",
            "/api/v1/prs?limit=1000",
            "/api/v1/prs/1/merge",
            "/api/v1/agents/task/prs",
            "/api/v1/agents/api/task/complete",
            "/api/v1/agents/api/review",
        ] {
            assert!(is_asked(path), "{path}");
        }
        for path in ["/api/v1/agents", "/api/v1/agents/prs", "/api/v1/prompts/tasks", "/healthz"] {
            assert!(!is_asked(path), "{path}");
        }
    }
}
