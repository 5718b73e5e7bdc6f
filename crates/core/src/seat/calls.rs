//! Tool calls that are under way.

use super::Seat;
use crate::prompt::{Actor, ToolRef};
use serde::{Deserialize, Serialize};

/// Nobody has so many: the first one has ended unheard.
const OPEN_TOOLS: usize = 64;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenTool {
    pub actor: Actor,
    pub tool: ToolRef,
    /// Somebody was asked about it, by this or by another request without an id.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub was_asked: bool,
}

impl Seat {
    pub(crate) fn open_tool(&mut self, actor: Actor, tool: ToolRef) {
        if self.open_tools.len() == OPEN_TOOLS {
            self.open_tools.remove(0);
        }
        self.open_tools.push(OpenTool { actor, tool, was_asked: false });
    }
}
