//! How long changes took, put together.

use super::judge::{Span, Verdict};
use super::truth::Class;
use serde::Serialize;

/// The latencies of one class, in milliseconds.
#[derive(Clone, Debug, Serialize)]
pub struct Figures {
    pub class: Class,
    pub n: usize,
    pub p50: f64,
    pub p99: f64,
    pub max: f64,
    /// What is promised of the 99th of 100.
    pub limit: f64,
}

impl Figures {
    /// How late the changes were told. `None` where nothing of this class was measured.
    pub fn of<'a>(class: Class, verdicts: impl IntoIterator<Item = &'a Verdict>) -> Option<Self> {
        Self::put_together(class, verdicts, Span::late_ms)
    }

    /// From the key or the model's last byte to the event, with the time that a program needs until it shows its dialog.
    pub fn since_cause<'a>(
        class: Class,
        verdicts: impl IntoIterator<Item = &'a Verdict>,
    ) -> Option<Self> {
        Self::put_together(class, verdicts, |span| span.latency_ms)
    }

    /// From its being on the screen to the event, of the changes of which that is known.
    pub fn since_shown<'a>(
        class: Class,
        verdicts: impl IntoIterator<Item = &'a Verdict>,
    ) -> Option<Self> {
        Self::put_together(class, verdicts, |span| span.since_shown_ms)
    }

    /// From the program's own signal to the event: what is headsup's part of it.
    pub fn own<'a>(class: Class, verdicts: impl IntoIterator<Item = &'a Verdict>) -> Option<Self> {
        Self::put_together(class, verdicts, |span| span.own_ms)
    }

    fn put_together<'a>(
        class: Class,
        verdicts: impl IntoIterator<Item = &'a Verdict>,
        time: impl Fn(&Span) -> Option<f64>,
    ) -> Option<Self> {
        let spans = verdicts.into_iter().flat_map(|verdict| &verdict.spans);
        let mut times: Vec<f64> =
            spans.filter(|span| span.class == class).filter_map(time).collect();
        times.sort_unstable_by(f64::total_cmp);
        let last = times.len().checked_sub(1)?;
        // The nearest one that is not below the share.
        let at = |share: usize| times[(last * share).div_ceil(100)];
        let limit = class.limit()?.as_secs_f64() * 1_000.0;
        Some(Self { class, n: times.len(), p50: at(50), p99: at(99), max: times[last], limit })
    }

    pub fn is_kept(&self) -> bool {
        self.p99 <= self.limit
    }
}
