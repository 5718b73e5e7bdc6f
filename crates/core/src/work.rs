//! What agents work on and hand in: tasks and pull requests, whoever keeps them. Pure rules.

pub mod comment;
pub mod effect;
pub mod posted;
pub mod pull;
pub mod remote;
pub mod review;
pub mod task;
