//! What people and agents write of tasks and pull requests.

use headsup_core::id::AgentId;
use headsup_core::time::UnixMs;
use headsup_core::work::comment::{self, Comment, MARKER, NoAnswer, Open, Rules};
use headsup_core::work::posted::quiet;
use headsup_core::work::pull::is_branch;
use headsup_core::work::remote::{Numbered, RepoName, Typed};
use headsup_core::work::task::{Keeper, TaskId, is_prefix, prefix_of};

/// A comment answers by a line of its own, whatever stands around it, and never by a quote, by code or by what we have
/// written ourselves; an answer is one that the prompt takes.
pub(crate) fn answers(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let said = comment::read(&text);
    assert_eq!(comment::read(&format!("thanks\n\n{text}")), said);
    assert_eq!(comment::read(&format!("{text}\n\nthanks")), said);
    for before in ["> ", "    ", "\t"] {
        let other: Vec<String> = text.lines().map(|line| format!("{before}{line}")).collect();
        assert_eq!(comment::read(&other.join("\n")), Err(NoAnswer::NotAddressed), "{text:?}");
    }
    let marked = comment::marked(&text, "k");
    assert_eq!(marked.matches(MARKER).count(), 1, "{marked:?}");
    let bare = comment::without_mark(&marked);
    assert!(!bare.contains(MARKER) && (text.contains(MARKER) || bare == text.trim_end()));
    let authors = ["ada".to_owned()];
    let options = ["yes".to_owned(), "no".to_owned()];
    let answer = |body: &str, options: &[String]| {
        let comment = Comment {
            action: "created",
            body,
            author: "ada",
            is_bot: false,
            created_at: UnixMs(2),
        };
        let open = [Open { id: "api-p1", opened_at: UnixMs(1), options }];
        let answer = comment::answers(comment, &open, Rules { authors: &authors });
        answer.map(|(id, value)| (id.to_owned(), value))
    };
    assert_eq!(answer(&marked, &[]), Err(NoAnswer::Ours));
    if let Ok((id, value)) = answer(&text, &[]) {
        assert!(id == "api-p1" && !value.is_empty() && value.chars().count() <= 4_000);
        assert!(!value.chars().any(char::is_control), "{value:?}");
    }
    assert!(answer(&text, &options).map_or(true, |(_, value)| options.contains(&value)));
}

/// Names of tasks, repositories and branches are written as they are read; who is named is not called.
pub(crate) fn names(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Some(id) = TaskId::parse(&text) {
        assert_eq!(TaskId::parse(&id.to_string()), Some(id));
    }
    if let Some(of) = Numbered::parse(&text) {
        assert_eq!(of.to_string(), text);
    }
    if let Some(repo) = RepoName::parse(&text) {
        assert!(repo.to_string() == text && repo.is(&repo));
    }
    match Typed::parse(&text) {
        Some(Typed::Whole(of) | Typed::Url { of, .. }) => {
            assert_eq!(Numbered::parse(&of.to_string()), Some(of));
        }
        Some(Typed::Number(number)) => assert!(number > 0),
        None => {}
    }
    if let Some(Keeper::There { provider, target }) = Keeper::of(&text) {
        assert!(!provider.is_empty() && target.bytes().all(|byte| byte.is_ascii_graphic()));
    }
    assert!(is_prefix(&prefix_of(&text)), "{text:?}");
    if is_branch(&text) {
        let is_strange = |c: char| c.is_control() || " ~^:?*[\\".contains(c);
        assert!(!text.starts_with('-') && !text.contains("..") && !text.contains(is_strange));
    }
    if let Some(agent) = headsup_core::prompt::agent_of(&text) {
        assert!(AgentId::new(agent.as_str()).is_ok() && text.starts_with(agent.as_str()));
    }
    let silent = quiet(&text);
    assert_eq!(quiet(&silent), silent);
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    assert!(silent.split('@').skip(1).all(|behind| !behind.starts_with(is_name)), "{silent:?}");
}
