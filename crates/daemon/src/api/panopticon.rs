//! What Panopticon's hooks and pages say and ask: one file for each of its routes.

pub(super) mod activity;
pub(super) mod heartbeat;
pub(super) mod report_status;
pub(super) mod resume;
pub(super) mod suspend;
