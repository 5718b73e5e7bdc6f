//! What other systems answer, and how they are called.

#[path = "../../daemon/src/kanbanger/documents.rs"]
mod documents;
#[expect(dead_code, reason = "it is included for its parser alone")]
#[path = "../../daemon/src/github/documents.rs"]
mod issues;
#[path = "../../daemon/src/github/says.rs"]
mod refusals;
#[path = "../../daemon/src/kanbanger/says.rs"]
mod says;
#[expect(dead_code, unreachable_pub, reason = "it is included for its parser alone")]
#[path = "../../daemon/src/kanbanger/settings.rs"]
mod settings;
#[path = "../../daemon/src/kanbanger/template.rs"]
mod template;

use crate::outgoing::encode;
use crate::query::Query;
use headsup_adapters::text;
use headsup_core::work::comment::MARKER;
use serde_json::Value;
use settings::{KanbangerSettings, Written};
use template::Call;

fn is_clean(text: &str, most: usize) -> bool {
    text.chars().count() <= most && !text.chars().any(|c| c.is_control() && c != '\n')
}

/// What is told of a refusal is one short line, whatever it says.
pub(crate) fn refusal(bytes: &[u8]) {
    for said in [refusals::says(bytes), says::says(bytes)] {
        assert!(is_clean(&said, text::DETAIL) && !said.contains('\n'), "{said:?}");
        refusals::speaks_of_a_limit(&said);
    }
}

/// A host's documents: a label is the same in both of its forms.
pub(crate) fn hosted(bytes: &[u8]) {
    serde_json::from_slice::<Vec<issues::Issue>>(bytes).ok();
    serde_json::from_slice::<Vec<issues::Comment>>(bytes).ok();
    serde_json::from_slice::<issues::Branch>(bytes).ok();
    serde_json::from_slice::<issues::Repo>(bytes).ok();
    serde_json::from_slice::<issues::File>(bytes).ok();
    serde_json::from_slice::<issues::CheckRuns>(bytes).ok();
    serde_json::from_slice::<issues::Statuses>(bytes).ok();
    serde_json::from_slice::<issues::Review>(bytes).ok();
    serde_json::from_slice::<issues::Merged>(bytes).ok();
    if let Ok(pull) = serde_json::from_slice::<issues::Pull>(bytes) {
        assert!(pull.is_merged() == (pull.merged || pull.merged_at.is_some()));
    }
    if let Ok(issue) = serde_json::from_slice::<issues::Issue>(bytes) {
        for label in issue.labels {
            let named = serde_json::json!({"name": label.0, "color": "red"});
            for form in [Value::from(label.0.clone()), named] {
                let read = serde_json::from_value::<issues::Label>(form).map(|read| read.0);
                assert_eq!(read.ok().as_ref(), Some(&label.0));
            }
        }
    }
}

/// Cards and comments: what is shown of them is text, and no longer than it may be.
pub(crate) fn cards(bytes: &[u8]) {
    let Ok(answer) = serde_json::from_slice::<Value>(bytes) else { return };
    let lists = [("tasks", "/items"), ("comments", "/items")];
    let fields = lists.map(|(name, at)| (name.to_owned(), at.to_owned())).into();
    for written in [Written::default(), Written { fields, ..Written::default() }] {
        let Ok(settings) = KanbangerSettings::new(written, None) else {
            unreachable!("they are as they should be")
        };
        let cards = documents::cards(&settings, &answer).unwrap_or_default();
        for card in documents::card(&settings, &answer).into_iter().chain(cards) {
            assert!(!card.identifier.is_empty() && is_clean(&card.title, text::TITLE));
            assert!(card.unmapped.is_none_or(|word| is_clean(&word, text::NAME)));
            assert!(card.url.is_none_or(|url| is_clean(&url, text::BODY)));
        }
        let comments = documents::comments(&settings, &answer).unwrap_or_default();
        assert!(comments.is_sorted_by_key(|said| said.created_at));
        for said in documents::said(&settings, &answer).into_iter().chain(comments) {
            let doc = said.doc();
            assert!(
                is_clean(&doc.body, 20_000)
                    && doc.author.is_none_or(|of| is_clean(&of, text::NAME))
            );
        }
    }
}

/// A call as a person writes it, with any value in its places: no value makes it another path.
pub(crate) fn call(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let query = format!("value={}", encode(&text));
    let read = Query::parse(Some(&query), &["value"]);
    let is_same = read.is_ok_and(|read| read.one("value").is_ok_and(|value| value == Some(&*text)));
    assert!(is_same, "{query}");
    let places = ["task", "body"];
    for path in [&*text, "/issues/{task}/comments?of={body}"] {
        let Ok(call) = Call::new("POST", path, Some(Value::from(&*text)), &places) else {
            continue;
        };
        let values = [("task", Some(&*text)), ("body", Some(MARKER))];
        let filled = call.path(&values);
        assert!(filled.starts_with('/') && !filled.starts_with("//"), "{filled}");
        assert!(filled.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#'), "{filled}");
        for mark in ['/', '?', '&'] {
            assert_eq!(filled.matches(mark).count(), path.matches(mark).count(), "{filled}");
        }
        assert_eq!(call.method(), "POST");
        assert!(call.body(&values).is_none_or(|body| body.is_string()));
    }
}
