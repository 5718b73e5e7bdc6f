//! What whoever waits for a hub hears while it is away.

use super::Output;
use super::line::Line;
use std::time::Duration;
use tokio::time::Instant;

/// A restart takes less. Whoever waits for longer is told.
const SILENT_FOR: Duration = Duration::from_secs(1);

/// Tells whoever waits that the hub is away, and that it is back, each once for each time.
#[derive(Debug)]
pub(crate) struct Outage {
    output: Output,
    since: Option<Instant>,
    is_told: bool,
}

impl Outage {
    pub(crate) fn new(output: Output) -> Self {
        Self { output, since: None, is_told: false }
    }

    /// It did not answer what it was asked then. How long it has been away.
    pub(crate) fn is_away(&mut self, asked_at: Instant, said: impl FnOnce() -> String) -> Duration {
        let away = self.since.get_or_insert(asked_at).elapsed();
        if away >= SILENT_FOR && !std::mem::replace(&mut self.is_told, true) {
            self.output.say(&Line::plain(said()));
        }
        away
    }

    pub(crate) fn is_over(&mut self) {
        if std::mem::take(&mut self.is_told) {
            self.output.say(&Line::plain("headsup: the hub is back"));
        }
        self.since = None;
    }
}
