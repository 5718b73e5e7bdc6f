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
}

/// A file beside the settings by which a program may switch off every hook of a person's: only read.
#[derive(Debug)]
pub struct Off {
    /// Below the configuration folder; or whole, the machine's own.
    pub file: &'static str,
    /// It is below the folder in which the program works instead, and of that alone.
    pub is_here: bool,
    pub(crate) says: fn(text: &str) -> Option<Switched>,
}

/// What such a file says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switched {
    /// They run, whatever others say that count less.
    On,
    /// They do not, in words.
    Off(&'static str),
}

impl Off {
    /// `None`: it says nothing of it.
    pub fn says(&self, text: &str) -> Option<Switched> {
        (self.says)(text)
    }
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
}
