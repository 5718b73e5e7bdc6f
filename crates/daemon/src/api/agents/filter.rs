//! Which agents of the roster somebody wants.

use crate::api::Refused;
use crate::api::query::{Query, bad};
use headsup_core::seat::Seat;
use headsup_core::select::HeadlineSet;

#[derive(Clone, Debug)]
pub(super) struct Filter {
    status: Option<HeadlineSet>,
    labels: Vec<(String, String)>,
}

impl Filter {
    pub(super) fn new(query: &Query) -> Result<Self, Refused> {
        let status = query.one("status")?.map(HeadlineSet::parse).transpose();
        let status = status.map_err(|error| Refused::new(400, "bad_status", error.to_string()))?;
        let mut labels = Vec::new();
        for label in query.all("label") {
            let pair = label.split_once('=').filter(|(key, _)| !key.is_empty());
            let (key, value) = pair.ok_or_else(|| bad("a label is KEY=VALUE"))?;
            labels.push((key.to_owned(), value.to_owned()));
        }
        Ok(Self { status, labels })
    }

    pub(super) fn lets_pass(&self, seat: &Seat) -> bool {
        let status = self.status.as_ref().is_none_or(|set| set.contains(seat.headline()));
        let has = |(key, value): &(String, String)| seat.about.labels.get(key) == Some(value);
        status && self.labels.iter().all(has)
    }
}
