//! The truth, told by a reducer that knows nothing of evidence.

use headsup_core::status::{Headline, OutcomeKind};

/// What really happens to an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Real {
    Start,
    Prompt,
    /// The agent starts by itself or by a shell escape: no hook tells.
    Unannounced,
    ToolStart,
    ToolEnd,
    Ask,
    HelperAsks,
    Grant,
    Deny,
    Escape,
    Finish,
    Fail,
    Kill,
    Exit,
}

impl Real {
    pub(crate) fn starts_turn(self) -> bool {
        matches!(self, Self::Prompt | Self::Unannounced)
    }

    /// It can come at once after what the program did before; people take longer.
    pub(crate) fn is_the_programs(self) -> bool {
        matches!(self, Self::ToolEnd | Self::Ask | Self::HelperAsks | Self::Finish | Self::Fail)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    Absent,
    Running,
    Ended,
    Crashed,
}

#[derive(Clone, Debug)]
pub(crate) struct Truth {
    life: Life,
    pub(crate) turn_open: bool,
    pub(crate) turn: u32,
    pub(crate) session: u32,
    pub(crate) blocked: bool,
    pub(crate) by_helper: bool,
    pub(crate) tool: Option<u32>,
    pub(crate) tools: u32,
    pub(crate) outcome: Option<OutcomeKind>,
}

impl Default for Truth {
    fn default() -> Self {
        Self {
            life: Life::Absent,
            turn_open: false,
            turn: 0,
            session: 0,
            blocked: false,
            by_helper: false,
            tool: None,
            tools: 0,
            outcome: None,
        }
    }
}

impl Truth {
    pub(crate) fn running(&self) -> bool {
        self.life == Life::Running
    }

    /// What can happen next; `own_status`: some source tells what hooks do not.
    pub(crate) fn possible(&self, own_status: bool) -> Vec<Real> {
        if !self.running() {
            return vec![Real::Start];
        }
        let mut possible = vec![Real::Kill];
        if !self.turn_open {
            possible.extend([Real::Prompt, Real::Prompt, Real::Exit]);
            if own_status {
                possible.push(Real::Unannounced);
            }
        } else if self.blocked {
            if own_status {
                possible.extend([Real::Grant, Real::Deny]);
            } else {
                // Without a witness of grants, the call's end tells.
                possible.push(Real::ToolEnd);
            }
        } else {
            possible.extend([Real::Finish, Real::Fail, Real::Escape]);
            match self.tool {
                Some(_) => possible.extend([Real::ToolEnd, Real::Ask, Real::HelperAsks]),
                None => possible.push(Real::ToolStart),
            }
        }
        possible
    }

    pub(crate) fn apply(&mut self, real: Real) {
        match real {
            Real::Start => {
                *self = Self {
                    life: Life::Running,
                    session: self.session + 1,
                    turn: self.turn,
                    tools: self.tools,
                    ..Self::default()
                };
            }
            Real::Prompt | Real::Unannounced => {
                self.turn_open = true;
                self.turn += 1;
                self.outcome = None;
            }
            Real::ToolStart => {
                self.tools += 1;
                self.tool = Some(self.tools);
            }
            Real::ToolEnd => {
                self.tool = None;
                self.blocked = false;
                self.by_helper = false;
            }
            Real::Ask | Real::HelperAsks => {
                self.blocked = true;
                self.by_helper = real == Real::HelperAsks;
            }
            Real::Grant => self.blocked = false,
            Real::Deny | Real::Escape => self.end_turn(OutcomeKind::Interrupted),
            Real::Finish => self.end_turn(OutcomeKind::Completed),
            Real::Fail => self.end_turn(OutcomeKind::Failed),
            Real::Kill => {
                if self.turn_open {
                    self.end_turn(OutcomeKind::Aborted);
                }
                self.life = Life::Crashed;
            }
            Real::Exit => self.life = Life::Ended,
        }
    }

    fn end_turn(&mut self, outcome: OutcomeKind) {
        self.turn_open = false;
        self.blocked = false;
        self.by_helper = false;
        self.tool = None;
        self.outcome = Some(outcome);
    }

    pub(crate) fn headline(&self) -> Headline {
        match self.life {
            Life::Absent => Headline::Absent,
            Life::Ended => Headline::Ended,
            Life::Crashed => Headline::Crashed,
            Life::Running if self.blocked => Headline::Blocked,
            Life::Running if self.turn_open => Headline::Working,
            Life::Running => match self.outcome {
                Some(OutcomeKind::Completed) => Headline::Done,
                Some(OutcomeKind::Failed) => Headline::Failed,
                _ => Headline::Idle,
            },
        }
    }
}
