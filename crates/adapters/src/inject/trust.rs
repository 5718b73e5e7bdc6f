//! What a program keeps beside its hooks: whether they run.

/// How a program shows which hooks a person has trusted, and which they have switched off.
#[derive(Debug)]
pub struct Trust {
    /// The file in which it keeps that, below the configuration folder: only read.
    pub file: &'static str,
    /// What a person has to do.
    pub advice: &'static str,
    pub(crate) missing: Count,
    pub(crate) disabled: Count,
    pub(crate) off: fn(kept: &str) -> Option<&'static str>,
}

/// How many entries of ours in `settings`, the text of the file at `path`, are so by what is `kept`.
type Count = fn(kept: &str, settings: &str, path: &str, launcher: &str) -> usize;

impl Trust {
    /// How many entries of ours in `settings`, the text of the file at `path`, are not trusted.
    pub fn missing(&self, kept: &str, settings: &str, path: &str, launcher: &str) -> usize {
        (self.missing)(kept, settings, path, launcher)
    }

    /// How many of them are switched off, each by itself.
    pub fn disabled(&self, kept: &str, settings: &str, path: &str, launcher: &str) -> usize {
        (self.disabled)(kept, settings, path, launcher)
    }

    /// What switches off every hook of a person's.
    pub fn off(&self, kept: &str) -> Option<&'static str> {
        (self.off)(kept)
    }
}
