//! What Kanbanger's answers say, wherever the settings say that it stands.

use super::settings::KanbangerSettings;
use headsup_adapters::text;
use headsup_core::time::UnixMs;
use headsup_core::wire::CommentDoc;
use headsup_core::work::comment::without_mark;
use headsup_core::work::task::TaskStatus;
use serde_json::Value;

/// Characters of a text.
const LONGEST: usize = 20_000;

/// A card.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Card {
    /// What people call it; where it has no such name, its id.
    pub(super) identifier: String,
    pub(super) title: String,
    pub(super) status: Option<TaskStatus>,
    /// Its own word, where none of ours says the same.
    pub(super) unmapped: Option<String>,
    /// The text as it stands there, with a mark of ours.
    pub(super) body: Option<String>,
    pub(super) url: Option<String>,
    pub(super) created_at: UnixMs,
    pub(super) updated_at: UnixMs,
}

/// A comment, with its text as it stands there.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Said {
    pub(super) id: String,
    pub(super) raw: String,
    author: Option<String>,
    /// The same as the answer has it: a name, or a document.
    pub(super) account: Option<Value>,
    pub(super) created_at: UnixMs,
}

impl Said {
    pub(super) fn doc(self) -> CommentDoc {
        let body = text::block(without_mark(&self.raw), LONGEST);
        CommentDoc { id: self.id, body, author: self.author, created_at: self.created_at }
    }
}

/// `None`: it has no name, or no title.
pub(super) fn card(settings: &KanbangerSettings, answer: &Value) -> Option<Card> {
    let of = settings.field("task", answer)?;
    let word = |name| settings.field(name, of).and_then(plain);
    let at = |name| word(name).and_then(|text| UnixMs::parse(&text));
    let identifier = word("identifier").or_else(|| word("id")).filter(|of| !of.is_empty())?;
    let column = word("status");
    let status = column.as_deref().and_then(|word| settings.status(word));
    let created_at = at("created_at").unwrap_or_default();
    Some(Card {
        identifier,
        title: text::line(&word("title")?, text::TITLE),
        status,
        unmapped: column.filter(|_| status.is_none()).map(|word| text::line(&word, text::NAME)),
        body: word("body").filter(|body| !body.is_empty()),
        url: word("url").map(|url| text::line(&url, text::BODY)),
        created_at,
        updated_at: at("updated_at").unwrap_or(created_at),
    })
}

/// The cards of a list; those that are none are left out.
pub(super) fn cards(settings: &KanbangerSettings, answer: &Value) -> Option<Vec<Card>> {
    let list = settings.field("tasks", answer)?.as_array()?;
    Some(list.iter().filter_map(|one| card(settings, one)).collect())
}

/// A comment, as the answer to a new one has it.
pub(super) fn said(settings: &KanbangerSettings, answer: &Value) -> Option<Said> {
    one(settings, settings.field("comment", answer)?)
}

/// The comments of a card, oldest first; those that are none are left out.
pub(super) fn comments(settings: &KanbangerSettings, answer: &Value) -> Option<Vec<Said>> {
    let list = settings.field("comments", answer)?.as_array()?;
    let mut comments: Vec<Said> = list.iter().filter_map(|of| one(settings, of)).collect();
    comments.sort_by_key(|said| said.created_at);
    Some(comments)
}

fn one(settings: &KanbangerSettings, of: &Value) -> Option<Said> {
    let word = |name| settings.field(name, of).and_then(plain);
    Some(Said {
        id: word("comment_id")?,
        raw: word("comment_body")?,
        account: settings.field("comment_author", of).cloned(),
        author: word("comment_author").map(|author| text::line(&author, text::NAME)),
        created_at: word("created_at").and_then(|at| UnixMs::parse(&at)).unwrap_or_default(),
    })
}

/// A text or a number; the name of an account that is a document.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Object(account) => {
            ["name", "login", "username", "id"].iter().find_map(|at| plain(account.get(*at)?))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::settings::Written;
    use super::*;
    use serde_json::json;

    fn settings(fields: &[(&str, &str)]) -> KanbangerSettings {
        let fields =
            fields.iter().map(|(name, at)| ((*name).to_owned(), (*at).to_owned())).collect();
        KanbangerSettings::new(Written { fields, ..Written::default() }, None).unwrap()
    }

    #[test]
    fn a_card_is_read_from_where_the_settings_say() {
        let usual = json!({"id": 7, "identifier": "KAN-7", "title": "t\u{202e}", "status": "Doing",
            "description": "d", "updated_at": "2026-11-21T21:29:57Z"});
        let read = card(&settings(&[]), &usual).unwrap();
        assert_eq!((read.identifier.as_str(), read.title.as_str()), ("KAN-7", "t"));
        assert_eq!((read.status, read.body.as_deref()), (Some(TaskStatus::InProgress), Some("d")));
        assert_eq!(read.updated_at, UnixMs(1_795_296_597_000));
        let own = settings(&[("task", "/data/0"), ("identifier", "/key"), ("title", "/f/name")]);
        let other = json!({"data": [{"key": "X-1", "f": {"name": "n"}, "status": {"name": "QA"}}]});
        let read = card(&own, &other).unwrap();
        assert_eq!(
            (read.identifier.as_str(), read.title.as_str(), read.status),
            ("X-1", "n", None)
        );
        for nothing in [json!(null), json!([]), json!({"title": "t"}), json!({"id": 1})] {
            assert_eq!(card(&settings(&[]), &nothing), None, "{nothing}");
        }
    }

    #[test]
    fn lists_are_lists_and_comments_are_in_order() {
        let own = settings(&[("tasks", "/items"), ("comments", "/items")]);
        let list = json!({"items": [{"id": 1, "title": "a"}, 5, {"id": 2, "title": "b"}]});
        assert_eq!(cards(&own, &list).unwrap().len(), 2);
        assert_eq!(cards(&own, &json!({"items": {}})), None);
        let list = json!({"items": [
            {"id": 2, "body": "later", "created_at": "2026-11-21T22:00:00Z", "author": {"name": "ada"}},
            {"id": 1, "body": "first\n\n<!-- headsup:k -->", "created_at": "2026-11-21T21:00:00Z"},
        ]});
        let said = comments(&own, &list).unwrap();
        assert!(said[0].raw.contains("headsup:k"));
        let docs: Vec<CommentDoc> = said.into_iter().map(Said::doc).collect();
        assert_eq!((docs[0].body.as_str(), docs[1].author.as_deref()), ("first", Some("ada")));
    }
}
