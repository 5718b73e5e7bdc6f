//! Is what agents call their logs something that the hub can follow?

use super::Check;
use crate::client::Client;
use headsup_core::status::Headline;
use headsup_core::wire::{AgentDoc, RosterDoc};
use std::fs;
use std::path::Path;

/// A row where one cannot be followed. A log that is not there may still come.
pub(super) async fn check(client: &Client) -> Option<Check> {
    // The files of a hub elsewhere are not here.
    client.address().socket()?;
    let roster = client.get_doc::<RosterDoc>("/api/v1/agents").await.ok()?;
    of(&roster.agents)
}

fn of(agents: &[AgentDoc<'_>]) -> Option<Check> {
    let lost: Vec<String> = agents.iter().filter_map(lost).collect();
    let hint = "the hub reads regular files alone, and hears of these agents by their hooks; \
        put the file back, and it is followed again";
    let detail = || format!("not followed: {}", lost.join(", "));
    (!lost.is_empty()).then(|| Check::bad("logs", detail(), hint))
}

fn lost(agent: &AgentDoc<'_>) -> Option<String> {
    let is_over = matches!(
        agent.headline,
        Headline::Crashed | Headline::Ended | Headline::Absent | Headline::Suspended
    );
    let path = agent.log_path.as_deref().filter(|_| !is_over)?;
    let what = what(Path::new(path))?;
    Some(format!("{path} of {} is {what}", agent.id))
}

/// What is there, if it is no regular file.
fn what(path: &Path) -> Option<&'static str> {
    let kind = fs::symlink_metadata(path).ok()?.file_type();
    match (kind.is_file(), kind.is_dir(), kind.is_symlink()) {
        (true, ..) => None,
        (_, true, _) => Some("a folder"),
        (.., true) => Some("a link"),
        _ => Some("no regular file"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::fixture::agent_with;
    use serde_json::json;

    #[test]
    fn a_log_that_is_no_file_is_named_while_its_agent_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "").unwrap();
        std::os::unix::fs::symlink("file", at("link")).unwrap();
        fs::create_dir(at("folder")).unwrap();
        for (name, headline, why) in [
            ("file", "working", None),
            ("absent", "working", None),
            ("link", "working", Some("of api is a link")),
            ("folder", "idle", Some("of api is a folder")),
            ("link", "ended", None),
        ] {
            let agent = agent_with("api", headline, json!({ "log_path": at(name) }));
            let check = of(&[agent]);
            assert_eq!(check.is_some(), why.is_some(), "{name} {headline}");
            let said = check.map(|check| check.detail).unwrap_or_default();
            assert!(said.ends_with(why.unwrap_or_default()), "{said}");
        }
    }
}
