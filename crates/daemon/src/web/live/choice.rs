//! Which page it is that changes.

use crate::api::{Query, Refused};
use headsup_core::id::AgentId;

#[derive(Debug)]
pub(super) enum Page {
    Roster,
    Inbox,
    Agent(AgentId),
}

pub(super) fn page(query: Option<&str>) -> Result<Page, Refused> {
    let query = Query::parse(query, &["agent", "view"])?;
    let id = query.one("agent")?.map(AgentId::new).transpose();
    match (id.map_err(|_| Refused::no_such_agent())?, query.one("view")?) {
        (Some(id), None) => Ok(Page::Agent(id)),
        (None, None) => Ok(Page::Roster),
        (None, Some("inbox")) => Ok(Page::Inbox),
        _ => Err(Refused::new(400, "bad_parameter", "a view is `inbox`, and of all agents")),
    }
}
