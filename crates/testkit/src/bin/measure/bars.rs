//! What a run must come to: each bar is said when it is looked at, met or missed.

use crate::{Outcome, say};

/// The bars of one run.
#[derive(Debug, Default)]
pub(crate) struct Bars {
    met: usize,
    missed: Vec<String>,
}

impl Bars {
    pub(crate) fn at_most(&mut self, what: &str, found: f64, most: f64, unit: &str) -> Outcome<()> {
        let said = format!("{what}: {found:.2}{unit}, at most {most}{unit}");
        self.holds(&said, found <= most)
    }

    pub(crate) fn at_least(
        &mut self,
        what: &str,
        found: f64,
        least: f64,
        unit: &str,
    ) -> Outcome<()> {
        let said = format!("{what}: {found:.2}{unit}, at least {least}{unit}");
        self.holds(&said, found >= least)
    }

    /// Something of which there may be none.
    pub(crate) fn none(&mut self, what: &str, found: usize) -> Outcome<()> {
        self.holds(&format!("{what}: {found}, none at all"), found == 0)
    }

    /// Anything else, said in full.
    pub(crate) fn holds(&mut self, said: &str, is_met: bool) -> Outcome<()> {
        if is_met {
            self.met += 1;
            return say(&format!("bar met     {said}"));
        }
        self.missed.push(said.to_owned());
        say(&format!("bar MISSED  {said}"))
    }

    /// An error that names what was missed. All figures have been said by then.
    pub(crate) fn judge(self) -> Outcome<()> {
        let Self { met, missed } = self;
        match missed.len() {
            0 => Ok(()),
            count => {
                let all = met + count;
                Err(format!("{count} of {all} bars missed: {}", missed.join("; ")).into())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_fails_with_the_bars_that_it_missed() {
        let mut bars = Bars::default();
        bars.at_most("restart", 68.0, 500.0, " ms").unwrap();
        bars.at_least("rate", 2_000.0, 2_000.0, "/s").unwrap();
        bars.none("lost", 0).unwrap();
        assert!(Bars::default().judge().is_ok());
        bars.at_most("ratio", 1.101, 1.1, "").unwrap();
        bars.none("doubled", 2).unwrap();
        bars.at_least("share", f64::NAN, 0.5, "").unwrap();
        let said = bars.judge().unwrap_err().to_string();
        assert!(
            said.starts_with("3 of 6 bars missed: ratio: 1.10, at most 1.1; doubled: 2"),
            "{said}"
        );
    }
}
