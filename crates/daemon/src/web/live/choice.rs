//! Which page it is that changes.

use crate::api::{Query, Refused};
use headsup_core::id::AgentId;

/// The agent whose page it is; `None`: that of all.
pub(super) fn agent(query: Option<&str>) -> Result<Option<AgentId>, Refused> {
    let query = Query::parse(query, &["agent"])?;
    let id = query.one("agent")?.map(AgentId::new).transpose();
    id.map_err(|_| Refused::no_such_agent())
}
