//! One state folder may go by several names, where there is a link in its path. Entries that name it by another
//! one are ours all the same: they stay as they are, for a program may know them by their text.

use super::{Site, guard};
use headsup_adapters::inject::{self, Found, Plugin, Trust, Unchanged};
use std::iter;
use std::path::Path;

#[cfg(test)]
mod tests;

#[cfg(test)]
thread_local! {
    /// How many bytes this thread has looked through.
    static LOOKED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

impl Site {
    /// What is found by one name. Of large settings that takes long: whoever has it passes it on.
    fn look(&self, text: &str, launcher: &str) -> Result<Found, Unchanged> {
        #[cfg(test)]
        LOOKED.set(LOOKED.get() + text.len());
        self.recipe.inspect(text, launcher)
    }

    /// The launchers by which entries in this text name our state folder, but for our own.
    fn aliases(&self, text: &str) -> Vec<String> {
        self.aliases_of(&self.look(text, &self.launcher).unwrap_or_default())
    }

    /// The same of a text in which that was found by our own name.
    fn aliases_of(&self, found: &Found) -> Vec<String> {
        let homes = found.elsewhere.iter().filter(|home| self.is_own(Path::new(home)));
        homes.map(|home| format!("{home}/bin/headsup")).collect()
    }

    /// Do entries in this text name our state folder by another name?
    pub(super) fn has_aliases(&self, text: &str) -> bool {
        !self.aliases(text).is_empty()
    }

    /// Is this our state folder by another name?
    fn is_own(&self, home: &Path) -> bool {
        let own = guard::real(&self.state);
        own.is_some() && guard::real(home) == own
    }

    /// The launcher as the entries in this text name it, or as it is named now.
    fn launcher_in(&self, text: &str) -> String {
        let found = self.look(text, &self.launcher).unwrap_or_default();
        match self.aliases_of(&found).into_iter().next() {
            Some(other) if found.is_empty() => other,
            _ => self.launcher.clone(),
        }
    }

    /// The same of the entries in a plugin's folder.
    pub(super) fn launcher_of(&self, plugin: &Plugin) -> String {
        let text = guard::read(&self.plugin(plugin).join(plugin.entries)).unwrap_or_default();
        self.launcher_in(&String::from_utf8_lossy(&text))
    }

    /// Appends our entries: what stands there by several names stands there by one of them then.
    pub(super) fn append(&self, text: &str) -> Result<String, Unchanged> {
        let aliases = self.aliases(text);
        if aliases.is_empty() {
            return self.recipe.append(text, &self.launcher);
        }
        let launcher = self.launcher_in(text);
        let mut rest = text.to_owned();
        for other in aliases.iter().filter(|other| **other != launcher) {
            rest = self.recipe.remove(&rest, other, None)?;
        }
        self.recipe.append(&rest, &launcher)
    }

    /// Takes our entries out, by whatever name.
    pub(super) fn remove(&self, text: &str, original: Option<&str>) -> Result<String, Unchanged> {
        let others = self.aliases(text);
        let mut rest = text.to_owned();
        for launcher in iter::once(&self.launcher).chain(&others) {
            rest = self.recipe.remove(&rest, launcher, original)?;
        }
        Ok(rest)
    }

    /// Looks for our entries, by whatever name. What an event has by two of them is told twice.
    pub(super) fn inspect(&self, text: &str) -> Result<Found, Unchanged> {
        let mut found = self.look(text, &self.launcher)?;
        for other in self.aliases_of(&found) {
            let more = self.look(text, &other)?;
            found.elsewhere.retain(|home| !self.is_own(Path::new(home)));
            found.others = found.others.saturating_sub(more.entries.len() + more.outdated);
            found.missing.retain(|event| more.missing.contains(event));
            found.outdated += more.outdated;
            for (event, command) in more.entries {
                match found.entries.iter().any(|(of, _)| *of == event) {
                    true => found.outdated += 1,
                    false => found.entries.push((event, command)),
                }
            }
        }
        Ok(found)
    }

    /// Whether the text names our launcher, by its own name or by the real one of its folder.
    pub(super) fn is_named_in(&self, text: &str) -> bool {
        let real = guard::real(&self.state).map(|state| state.join("bin/headsup"));
        let real = real.as_deref().and_then(Path::to_str);
        iter::once(self.launcher.as_str()).chain(real).any(|name| inject::names(text, name))
    }

    /// Whether the text was made for our entries alone, as far as it shows.
    pub(super) fn has_made(&self, text: &str) -> bool {
        self.recipe.has_made(text, &self.launcher_in(text))
    }

    /// How many entries that are ours a person has not told the program to trust.
    pub(super) fn untrusted_in(&self, kept: &str, settings: &str, path: &Path) -> usize {
        let path = path.to_string_lossy();
        self.sum(settings, |trust, launcher| trust.missing(kept, settings, &path, launcher))
    }

    /// How many of them a person has switched off.
    pub(super) fn disabled_in(&self, kept: &str, settings: &str, path: &Path) -> usize {
        let path = path.to_string_lossy();
        self.sum(settings, |trust, launcher| trust.disabled(kept, settings, &path, launcher))
    }

    fn sum(&self, settings: &str, count: impl Fn(&Trust, &str) -> usize) -> usize {
        let Some(trust) = self.recipe.trust else { return 0 };
        let others = self.aliases(settings);
        iter::once(&self.launcher).chain(&others).map(|launcher| count(trust, launcher)).sum()
    }
}
