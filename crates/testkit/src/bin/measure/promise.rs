//! One line of the table: a promise, and what was measured of it.

use std::fmt::Write as _;

/// What a figure counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// A ratio to the floor of the same run.
    Times,
    Ms,
    MiB,
    Megabytes,
    /// Thousands of instructions.
    Kilo,
    Cores,
    Count,
}

impl Unit {
    fn write(self, figure: f64) -> String {
        match self {
            Self::Times => format!("{figure:.2} ×"),
            Self::Ms if figure < 10.0 => format!("{figure:.3} ms"),
            Self::Ms => format!("{figure:.1} ms"),
            Self::MiB => format!("{figure:.1} MiB"),
            Self::Megabytes => format!("{figure:.1} MB"),
            Self::Kilo => format!("{figure:.0} k"),
            Self::Cores => format!("{figure:.2} cores"),
            Self::Count => format!("{figure:.0}"),
        }
    }
}

/// A promise has one limit; where it has two, they are two lines.
#[derive(Clone, Debug)]
pub(crate) struct Promise {
    pub(crate) id: &'static str,
    pub(crate) what: &'static str,
    pub(crate) unit: Unit,
    pub(crate) limit: Limit,
    pub(crate) stretch: Option<f64>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Limit {
    AtMost(f64),
    AtLeast(f64),
    /// Measured and shown.
    None,
}

/// What came of it.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) promise: Promise,
    pub(crate) measured: f64,
    /// What stands behind the figure: its parts, or what it is compared with.
    pub(crate) beside: String,
}

impl Promise {
    pub(crate) const fn new(
        id: &'static str,
        what: &'static str,
        unit: Unit,
        limit: Limit,
    ) -> Self {
        Self { id, what, unit, limit, stretch: None }
    }

    pub(crate) const fn stretch(mut self, figure: f64) -> Self {
        self.stretch = Some(figure);
        self
    }

    pub(crate) fn is(self, measured: f64, beside: impl Into<String>) -> Line {
        Line { promise: self, measured, beside: beside.into() }
    }
}

impl Line {
    pub(crate) fn is_met(&self) -> Option<bool> {
        match self.promise.limit {
            Limit::AtMost(most) => Some(self.measured <= most),
            Limit::AtLeast(least) => Some(self.measured >= least),
            Limit::None => None,
        }
    }

    fn verdict(&self) -> &'static str {
        match self.is_met() {
            Some(true) => "met",
            Some(false) => "**not met**",
            None => "shown",
        }
    }

    fn target(&self) -> (String, String) {
        let unit = self.promise.unit;
        let (sign, limit) = match self.promise.limit {
            Limit::AtMost(most) => ("≤", Some(most)),
            Limit::AtLeast(least) => ("≥", Some(least)),
            Limit::None => ("", None),
        };
        let write = |figure: Option<f64>| match figure {
            Some(figure) => format!("{sign} {}", short(unit, figure)),
            None => String::new(),
        };
        (write(limit), write(self.promise.stretch))
    }

    /// The figure and its target.
    pub(crate) fn brief(&self) -> String {
        let (target, _) = self.target();
        let Promise { id, what, unit, .. } = &self.promise;
        format!("{id} {what}: {}, {target}", unit.write(self.measured))
    }

    /// For a person who waits.
    pub(crate) fn plain(&self) -> String {
        let (target, _) = self.target();
        let measured = self.promise.unit.write(self.measured);
        let verdict = self.verdict().replace('*', "");
        let Promise { id, what, .. } = &self.promise;
        format!("{id:<3} {what:<52} {measured:>12}  {target:<12} {verdict:<8} {}", self.beside)
    }

    pub(crate) fn row(&self) -> String {
        let Promise { id, what, unit, .. } = &self.promise;
        let (target, stretch) = self.target();
        let (measured, verdict) = (unit.write(self.measured), self.verdict());
        let mut row = String::new();
        let cells = [id, *what, &target, &stretch, &measured, &self.beside, verdict];
        for cell in cells {
            // Writing to a string cannot fail.
            write!(row, "| {} ", cell.replace('|', "\\|")).ok();
        }
        row.push('|');
        row
    }
}

/// Without zeros that say nothing.
fn short(unit: Unit, figure: f64) -> String {
    let long = unit.write(figure);
    let Some((number, name)) = long.split_once(' ') else { return long };
    match number.contains('.') {
        true => format!("{} {name}", number.trim_end_matches('0').trim_end_matches('.')),
        false => long,
    }
}
