//! The only types that are serialized to clients. A change here is a change of the contract.

pub mod agent;
pub mod explain;
pub mod history;
pub mod problem;
pub mod report;
pub mod row;

pub use agent::{
    AgentDoc, BackgroundDoc, CountersDoc, EvidenceDoc, LocationDoc, ProcessDoc, PromptDoc,
    PromptState, RosterDoc, StageDoc, TurnDoc, VerdictDoc,
};
pub use explain::{DimensionDoc, ExplainDoc, LoserDoc, RejectedDoc, WinnerDoc};
pub use history::{HistoryDoc, IntervalDoc, SampleDoc};
pub use problem::Problem;
pub use report::{ReportBody, VerdictBody};
pub use row::{RosterRowsDoc, RowDoc};

/// The version every JSON document carries.
pub const SCHEMA: u32 = 1;
