//! The tools, as data: names, parameters and limits as they stand in the contract, and which of the
//! hub's routes each one is.

use super::hub::Method;
use super::tools::{inputs, prs, session, task, workflow};
use serde_json::{Map, Value};

/// One tool.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    /// For the model: what it does, and when to call it.
    pub(crate) about: &'static str,
    pub(crate) parameters: &'static [Parameter],
    pub(crate) output: &'static [Field],
    pub(crate) hints: Hints,
    pub(crate) act: Act,
}

pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) is_required: bool,
    pub(crate) kind: Kind,
}

/// What a parameter may be.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// A text with something in it, of at most so many characters.
    Text(usize),
    /// The same, or nothing: that takes away what is there.
    MaybeEmpty(usize),
    Uuid,
    OneOf(&'static [&'static str]),
    /// The first of them where nothing is said.
    FirstOf(&'static [&'static str]),
    Whole {
        least: i64,
        most: i64,
        default: Option<i64>,
    },
    Number {
        least: f64,
        most: f64,
    },
    Flag {
        default: bool,
    },
    /// A list of texts.
    Texts {
        most: usize,
        length: usize,
    },
    /// What a person may choose: texts, or `{label, value?, description?}`.
    Options,
}

/// A member of an answer.
pub(crate) struct Field(pub(crate) &'static str, pub(crate) Shape);

#[derive(Clone, Copy)]
pub(crate) enum Shape {
    Text,
    /// A text, or null where it is not known.
    MaybeText,
    Number,
    MaybeNumber,
    Flag,
    Object,
    MaybeObject,
    Texts,
    Objects,
}

/// What a client may know of a tool before it calls it.
#[derive(Clone, Copy)]
pub(crate) struct Hints {
    pub(crate) reads: bool,
    pub(crate) destroys: bool,
    /// A second call with the same arguments changes nothing more.
    pub(crate) repeats: bool,
    /// It may reach systems beyond this machine.
    pub(crate) open: bool,
}

pub(crate) const READS: Hints = Hints { reads: true, destroys: false, repeats: true, open: false };
pub(crate) const SAYS: Hints = Hints { reads: false, destroys: false, repeats: true, open: false };
pub(crate) const ACTS: Hints = Hints { reads: false, destroys: false, repeats: false, open: true };

/// How a call is carried out.
#[derive(Clone, Copy)]
pub(crate) enum Act {
    /// By one call of the hub's API.
    Route(Route),
    /// A prompt is opened, and waited for a while.
    Ask,
    /// A prompt is waited for.
    Wait,
    /// Whatever the official scenarios want of a tool.
    #[cfg(test)]
    Fixture(super::fixture::Act),
}

impl Act {
    /// Whether a call may end with a form, and come again with what was said there.
    pub(crate) fn asks(&self) -> bool {
        match self {
            Self::Route(_) => false,
            Self::Ask | Self::Wait => true,
            #[cfg(test)]
            Self::Fixture(act) => act.asks(),
        }
    }
}

/// A route of the hub, and words for its answer.
#[derive(Clone, Copy)]
pub(crate) struct Route {
    pub(crate) method: Method,
    /// `{agent}` is the agent of the scope, `{name}` an argument.
    pub(crate) path: &'static str,
    /// Members that the body always has.
    pub(crate) fixed: &'static [(&'static str, &'static str)],
    /// Arguments that the hub calls otherwise.
    pub(crate) renamed: &'static [(&'static str, &'static str)],
    /// What is read after it, where its own answer is only that it was done.
    pub(crate) then: Option<&'static str>,
    /// What the model is shown of the answer: members of it, or something made of them.
    pub(crate) shape: fn(Value) -> Map<String, Value>,
    /// The answer in one paragraph.
    pub(crate) say: fn(&Map<String, Value>) -> String,
}

/// A route that takes the arguments as they are and answers with what is shown.
const PLAIN: Route = Route {
    method: Method::Get,
    path: "",
    fixed: &[],
    renamed: &[],
    then: None,
    shape: |_| Map::new(),
    say: |_| String::new(),
};
pub(crate) const GET: Route = PLAIN;
pub(crate) const POST: Route = Route { method: Method::Post, ..PLAIN };
pub(crate) const PUT: Route = Route { method: Method::Put, ..PLAIN };
pub(crate) const PATCH: Route = Route { method: Method::Patch, ..PLAIN };

/// Every tool, in the order in which they are listed. Clients keep the list in what they send with
/// each turn of a model, so it never changes by itself.
pub(crate) static ALL: [&Tool; 20] = [
    &workflow::UPDATE_STATUS,
    &inputs::REQUEST_INPUT,
    &inputs::WAIT_FOR_INPUT,
    &inputs::CANCEL_INPUT,
    &inputs::LIST_INPUTS,
    &workflow::MARK_BLOCKED,
    &workflow::SUBMIT_FOR_REVIEW,
    &session::GET_SESSION,
    &workflow::GET_WORKFLOW_STATE,
    &task::GET_TASK_CONTEXT,
    &task::LINK_TASK,
    &task::POST_TASK_COMMENT,
    &task::UPDATE_TASK_STATUS,
    &task::COMPLETE_TASK,
    &prs::CREATE_PR,
    &prs::LIST_SESSION_PRS,
    &prs::GET_PR_STATUS,
    &prs::UPDATE_PR,
    &prs::REFRESH_PR,
    &prs::MERGE_PR,
];

/// The tool of this name.
pub(crate) fn find(name: &str) -> Option<&'static Tool> {
    ALL.iter().copied().find(|tool| tool.name == name)
}

/// A parameter that may be left out.
pub(crate) const fn optional(name: &'static str, kind: Kind, about: &'static str) -> Parameter {
    Parameter { name, about, is_required: false, kind }
}

/// A parameter that every call has.
pub(crate) const fn required(name: &'static str, kind: Kind, about: &'static str) -> Parameter {
    Parameter { name, about, is_required: true, kind }
}
