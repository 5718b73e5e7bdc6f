//! Percentiles, and an order that favours nobody.

use std::hash::{BuildHasher as _, RandomState};
use std::time::Duration;

/// Times in milliseconds, sorted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Times(Vec<f64>);

impl Times {
    pub(crate) fn new(times: impl IntoIterator<Item = Duration>) -> Self {
        let mut times: Vec<f64> = times.into_iter().map(millis).collect();
        times.sort_unstable_by(f64::total_cmp);
        Self(times)
    }

    /// At most so many of a thousand are longer than the rest; 0 where nothing was measured.
    pub(crate) fn at(&self, per_mille: usize) -> f64 {
        let last = self.0.len().saturating_sub(1);
        self.0.get((last * per_mille).div_ceil(1_000)).copied().unwrap_or_default()
    }

    pub(crate) fn p50(&self) -> f64 {
        self.at(500)
    }

    pub(crate) fn p99(&self) -> f64 {
        self.at(990)
    }

    pub(crate) fn max(&self) -> f64 {
        self.at(1_000)
    }
}

pub(crate) fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

/// The middle of a few figures.
pub(crate) fn median(figures: impl IntoIterator<Item = f64>) -> f64 {
    let mut figures: Vec<f64> = figures.into_iter().collect();
    figures.sort_unstable_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or_default()
}

/// A count as a figure; those of here are far below what a float holds exactly.
pub(crate) fn figure(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::INFINITY, f64::from)
}

/// Which of `count` goes first this time, and whether the others follow upwards.
pub(crate) fn shuffled(count: usize) -> Vec<usize> {
    let chance = RandomState::new();
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_cached_key(|index| chance.hash_one(index));
    order
}
