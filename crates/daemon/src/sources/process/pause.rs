//! Processes that a person stops and lets go on.

use headsup_core::observation::ProcessFact;

/// What has been seen of a process that a person stops (Ctrl-Z) and lets go on.
#[derive(Debug)]
pub(super) struct Pause {
    was_stopped: bool,
    is_told: bool,
}

impl Pause {
    /// `is_told`: that it stands still is known.
    pub(super) fn new(is_told: bool) -> Self {
        Self { was_stopped: false, is_told }
    }

    /// What is to be told at a look. One that is stopped for a moment alone does not stand still. `works`: so it is
    /// shown, also where it was told at rest, and others have given it work since.
    pub(super) fn look(
        &mut self,
        is_stopped: bool,
        works: bool,
    ) -> Option<(&'static str, ProcessFact)> {
        let was_stopped = std::mem::replace(&mut self.was_stopped, is_stopped);
        let (name, fact) = match (is_stopped, self.is_told) {
            (true, is_told) if was_stopped && (works || !is_told) => {
                ("stopped", ProcessFact::Unprobeable)
            }
            (false, true) => ("continued", ProcessFact::Alive),
            _ => return None,
        };
        self.is_told = is_stopped;
        Some((name, fact))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_stands_still_at_two_looks_is_told_and_so_is_that_it_goes_on() {
        let mut pause = Pause::new(false);
        let looks = [true, false, true, true, true, false, false];
        let told = looks.map(|is_stopped| pause.look(is_stopped, false));
        let stopped = Some(("stopped", ProcessFact::Unprobeable));
        let continued = Some(("continued", ProcessFact::Alive));
        assert_eq!(told, [None, None, None, stopped, None, continued, None]);
    }

    /// Its client gives it a prompt that it does not see.
    #[test]
    fn one_that_stands_still_and_is_shown_at_work_all_the_same_is_told_again() {
        let mut pause = Pause::new(false);
        let looks = [(true, false), (true, false), (true, false), (true, true), (true, false)];
        let told = looks.map(|(is_stopped, works)| pause.look(is_stopped, works));
        let stopped = Some(("stopped", ProcessFact::Unprobeable));
        assert_eq!(told, [None, stopped, None, stopped, None]);
        assert_eq!(pause.look(false, true), Some(("continued", ProcessFact::Alive)));
        assert_eq!(pause.look(true, true), None, "it may be for a moment");
    }
}
