//! The roster as a list shows it. Its texts are borrowed: from the seats where they are written,
//! from the answer where they are read.

use crate::compat::VocabularyDoc;
use crate::status::Headline;
use crate::time::UnixMs;
use serde::{Deserialize, Deserializer, Serialize};
use std::borrow::Cow;

/// The roster as a list shows it: one short row an agent, in attention order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct RosterRowsDoc<'a> {
    pub schema: u32,
    pub cursor: String,
    #[serde(borrow)]
    pub rows: Vec<RowDoc<'a>>,
}

/// One agent in a list, in the words that people are shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct RowDoc<'a> {
    #[serde(borrow)]
    #[cfg_attr(feature = "schema", schema(value_type = crate::id::AgentId))]
    pub id: Cow<'a, str>,
    /// Absent where nobody gave it one.
    #[serde(borrow, default, deserialize_with = "text", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false, value_type = Option<String>))]
    pub name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub kind: Cow<'a, str>,
    pub headline: Headline,
    /// When the headline's state began.
    pub since: UnixMs,
    /// Its pane, its container, its process, or its folder.
    #[serde(borrow)]
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub place: Cow<'a, str>,
    /// What is true beside the headline: `stale`, `+2 agents`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<String>,
    /// What it is about.
    #[serde(borrow, default, deserialize_with = "text", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false, value_type = Option<String>))]
    pub brief: Option<Cow<'a, str>>,
    /// The status in another system's words, where they were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(nullable = false))]
    pub vocabulary: Option<Box<VocabularyDoc>>,
}

/// Of its own accord serde borrows a text, but not one that may be missing.
fn text<'de: 'a, 'a, D: Deserializer<'de>>(from: D) -> Result<Option<Cow<'a, str>>, D::Error> {
    #[derive(Deserialize)]
    struct Text<'a>(#[serde(borrow)] Cow<'a, str>);
    Option::<Text<'a>>::deserialize(from).map(|text| text.map(|text| text.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_read_where_it_lies() {
        let json = r#"{"id":"a","kind":"custom","headline":"idle","since":"2026-11-21T21:29:57.200Z",
            "place":"~\u002f","brief":"b"}"#;
        let row: RowDoc<'_> = serde_json::from_str(json).unwrap();
        assert!(matches!((&row.id, &row.brief), (Cow::Borrowed("a"), Some(Cow::Borrowed("b")))));
        assert_eq!((&*row.place, row.name.as_deref()), ("~/", None));
        let again = serde_json::to_string(&row).unwrap();
        assert_eq!(serde_json::from_str::<RowDoc<'_>>(&again).unwrap(), row);
    }
}
