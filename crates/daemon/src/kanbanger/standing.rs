//! A comment as it stands at the server: what a web hook tells of it may be old, or somebody else's word.

use super::{Kanbanger, documents};
use crate::outgoing::RemoteError;
use headsup_core::time::UnixMs;
use serde_json::Value;
use std::time::Duration;

/// Whoever told us of it waits no longer for our answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// One comment.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Standing {
    pub(crate) body: String,
    pub(crate) created_at: Option<UnixMs>,
    /// What its author is called, the id first; nothing, where the server does not say.
    pub(crate) author: Vec<String>,
    pub(crate) is_bot: bool,
}

impl Kanbanger {
    /// The comment of this id. `None`: the card has none.
    pub(crate) async fn standing(
        &self,
        task: &str,
        id: &str,
    ) -> Result<Option<Standing>, RemoteError> {
        let silent =
            |_| RemoteError::Silent { host: self.client().host(), seconds: PATIENCE.as_secs() };
        let comments = tokio::time::timeout(PATIENCE, self.comments(task)).await.map_err(silent)?;
        let found = match comments {
            Ok(comments) => comments.into_iter().find(|said| said.id == id),
            Err(RemoteError::NotFound { .. }) => None,
            Err(error) => return Err(error),
        };
        Ok(found.map(standing))
    }
}

fn standing(said: documents::Said) -> Standing {
    let created_at = Some(said.created_at).filter(|at| *at != UnixMs::default());
    let author = said.account.unwrap_or_default();
    let is_bot = author.get("is_bot") == Some(&Value::Bool(true))
        || author
            .get("type")
            .and_then(Value::as_str)
            .is_some_and(|kind| kind.eq_ignore_ascii_case("bot"));
    Standing { body: said.raw, created_at, author: names(&author), is_bot }
}

fn names(author: &Value) -> Vec<String> {
    let plain = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    match author {
        Value::Object(account) => {
            let known = ["id", "login", "username", "name"];
            known.into_iter().filter_map(|at| plain(account.get(at)?)).collect()
        }
        of => plain(of).into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_author_is_called_by_the_id_first() {
        assert_eq!(names(&json!("ada")), ["ada"]);
        assert_eq!(names(&json!({"name": "ada", "id": 17})), ["17", "ada"]);
        assert_eq!(names(&json!(null)), [""; 0]);
    }
}
