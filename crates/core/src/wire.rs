//! The only types that are serialized to clients. A change here is a change of the contract.

pub mod agent;
pub mod effect;
pub mod explain;
pub mod history;
pub mod lifecycle;
pub mod problem;
pub mod prompt;
pub mod pull;
pub mod report;
pub mod row;
pub mod task;
pub mod webhook;

pub use agent::{
    AgentDoc, BackgroundDoc, CountersDoc, EvidenceDoc, LocationDoc, ProcessDoc, RosterDoc,
    StageDoc, TurnDoc, VerdictDoc,
};
pub use effect::{EffectDoc, EffectsDoc, OneEffectDoc};
pub use explain::{DimensionDoc, ExplainDoc, LoserDoc, RejectedDoc, WinnerDoc};
pub use history::{HistoryDoc, IntervalDoc, SampleDoc};
pub use lifecycle::{LaunchDoc, RelaunchDoc, ResumeBody};
pub use problem::Problem;
pub use prompt::{OnePromptDoc, PromptDoc, PromptState, PromptsDoc};
pub use pull::{
    FileDoc, MergeBody, MergedDoc, NewPullBody, OnePullDoc, PendingMergeDoc, PullChangeBody,
    PullDoc, PullReviewBody, PullsDoc,
};
pub use report::{ReportBody, VerdictBody};
pub use row::{RosterRowsDoc, RowDoc};
pub use task::{
    AgentTaskDoc, CommentBody, CommentDoc, CompleteBody, LinkBody, NewTaskBody, OneCommentDoc,
    OneTaskDoc, ReviewBody, TaskChangeBody, TaskDoc, TaskStatusBody, TasksDoc,
};
pub use webhook::{ExpiryDoc, HeardDoc, OneHeardDoc, WebhookResult, WebhooksDoc};

/// The version every JSON document carries.
pub const SCHEMA: u32 = 1;
