//! Which agents of the roster somebody wants.

use crate::api::Refused;
use crate::api::query::{Query, bad};
use headsup_core::seat::Seat;
use headsup_core::select::HeadlineSet;

#[derive(Clone, Debug)]
pub(super) struct Filter {
    status: Option<HeadlineSet>,
    /// Each with its value, `KEY=VALUE`.
    labels: Vec<String>,
}

impl Filter {
    pub(super) fn new(query: &Query) -> Result<Self, Refused> {
        let status = query.one("status")?.map(HeadlineSet::parse).transpose();
        let status = status.map_err(|error| Refused::new(400, "bad_status", error.to_string()))?;
        let mut labels = Vec::new();
        for label in query.all("label") {
            let has_key = label.find('=').is_some_and(|at| at > 0);
            if !has_key {
                return Err(bad("a label is KEY=VALUE"));
            }
            labels.push(label.to_owned());
        }
        Ok(Self { status, labels })
    }

    pub(super) fn lets_pass(&self, seat: &Seat) -> bool {
        let status = self.status.as_ref().is_none_or(|set| set.contains(seat.headline()));
        status && self.labels.iter().all(|wanted| has_label(seat, wanted))
    }
}

/// Either side of a label may hold the sign that stands between them.
fn has_label(seat: &Seat, wanted: &str) -> bool {
    seat.about.labels.iter().any(|(key, value)| {
        let rest = wanted.strip_prefix(key.as_str()).and_then(|rest| rest.strip_prefix('='));
        rest == Some(value.as_str())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use headsup_core::id::AgentId;
    use headsup_core::source::Source;
    use headsup_core::time::UnixMs;

    #[test]
    fn a_label_is_found_whatever_it_holds() {
        let mut seat = Seat::new(AgentId::slug("a"), "custom", Source::Report, UnixMs(0));
        for (key, value) in [("team", "a"), ("x=y", "z"), ("q", "1=2"), ("empty", "")] {
            seat.about.labels.insert(key.to_owned(), value.to_owned());
        }
        for (wanted, is_found) in [
            ("label=team%3Da", true),
            ("label=x%3Dy%3Dz", true),
            ("label=q%3D1%3D2", true),
            ("label=empty%3D", true),
            ("label=team%3Da&label=q%3D1%3D2", true),
            ("label=team%3Da&label=q%3D1", false),
            ("label=team%3D", false),
            ("label=x%3Dy", false),
            ("label=tea%3Dm", false),
        ] {
            let query = Query::parse(Some(wanted), &["label", "status"]).unwrap();
            assert_eq!(Filter::new(&query).unwrap().lets_pass(&seat), is_found, "{wanted}");
        }
        for bad in ["label=team", "label=%3Da", "label="] {
            let query = Query::parse(Some(bad), &["label"]).unwrap();
            assert_eq!(Filter::new(&query).unwrap_err().code(), "bad_parameter", "{bad}");
        }
    }
}
