//! What of our entries some versions of a program do not know. One that meets an event that it does not know may leave
//! out the whole file, and with it whatever else a person has in there.

use super::entries::{self, Form};
use super::{Found, Part, Recipe, tables};

/// Major and minor version, and patch.
pub type Version = (u64, u64, u64);

#[derive(Debug)]
pub(crate) struct Versions {
    /// The package that says which version it is. Its parts for one system each are named after it.
    pub(crate) package: &'static str,
    /// Events, each with the first version that knows it. Every version knows all others.
    pub(crate) since: &'static [(&'static str, Version)],
    /// The first version that looks for the plugin's folder, where there is one.
    pub(crate) plugin: Option<Version>,
}

impl Form {
    /// Does the program not know this event, of which newer ones tell?
    pub(super) fn is_beyond(&self, event: &str) -> bool {
        let comes_later =
            |versions: &Versions| versions.since.iter().any(|(name, _)| *name == event);
        !self.takes(event) && self.versions.is_some_and(comes_later)
    }

    /// May an entry for this event be there?
    pub(super) fn takes(&self, event: &str) -> bool {
        self.events.contains(&event) || self.optional.contains(&event)
    }
}

impl Found {
    /// Notes the events of entries that the program which is here does not know.
    pub(super) fn note_beyond(&mut self, events: &[String]) {
        if events.is_empty() {
            return;
        }
        self.is_ignored = true;
        self.problems.push(format!(
            "the program that is here is older than {}, and refuses this whole file for it, with all that is in \
             there (rules of permissions, too): install again",
            events.join(", ")
        ));
    }
}

impl Recipe {
    /// The package that says which version a program is, where versions differ in what they know.
    pub fn package(&self) -> Option<&'static str> {
        self.versions().map(|versions| versions.package)
    }

    /// Whether a program of this version looks for the plugin's folder. One that is not known is believed to.
    pub fn finds_plugin(&self, version: Option<Version>) -> bool {
        let since = self.versions().and_then(|versions| versions.plugin);
        since.zip(version).is_none_or(|(since, version)| version >= since)
    }

    /// The same with those events alone that a program of this version knows. A version that is not known gets
    /// what all know, and keeps what is there.
    pub fn of_version(&'static self, version: Option<Version>) -> &'static Self {
        let Some(versions) = self.versions() else { return self };
        // A process looks at a few versions in its life.
        let of_it = |form: &Form| -> &'static Form {
            Box::leak(Box::new(narrowed(form, versions, version)))
        };
        let part = match self.part {
            Part::Entries(form) => Part::Entries(of_it(form)),
            Part::Tables(form) => Part::Tables(of_it(form)),
            Part::Script(_) | Part::Server(_) | Part::Skill => return self,
        };
        Box::leak(Box::new(Self { part, ..self.clone() }))
    }

    /// Is this the text of a file that was made for our entries, for whichever version?
    pub(super) fn is_of_some_version(&self, text: &str, launcher: &str) -> bool {
        let Some(versions) = self.versions() else { return false };
        let since = versions.since.iter().map(|(_, since)| Some(*since));
        since.chain([None]).any(|version| {
            let made = match self.part {
                Part::Entries(form) => {
                    entries::append(&narrowed(form, versions, version), "", launcher)
                }
                Part::Tables(form) => {
                    tables::append(&narrowed(form, versions, version), "", launcher)
                }
                Part::Script(_) | Part::Server(_) | Part::Skill => return false,
            };
            made.is_ok_and(|made| made == text)
        })
    }

    fn versions(&self) -> Option<&'static Versions> {
        match self.part {
            Part::Entries(form) | Part::Tables(form) => form.versions,
            Part::Script(_) | Part::Server(_) | Part::Skill => None,
        }
    }
}

fn narrowed(form: &Form, versions: &Versions, version: Option<Version>) -> Form {
    let is_known = |event: &&'static str| {
        let since = versions.since.iter().find(|(name, _)| name == event).map(|(_, since)| *since);
        since.is_none_or(|since| version.is_some_and(|version| version >= since))
    };
    let (known, later): (Vec<_>, Vec<_>) = form.events.iter().copied().partition(is_known);
    let optional = if version.is_none() { later } else { Vec::new() };
    Form { events: known.leak(), optional: optional.leak(), ..form.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inject::{recipe, recipes};

    const LAUNCHER: &str = "/home/ada/.local/state/headsup/bin/headsup";
    const OLD: Option<Version> = Some((2, 1, 100));
    const NEW: Option<Version> = Some((2, 1, 330));

    fn claude(version: Option<Version>) -> &'static Recipe {
        recipe("claude-code").unwrap().of_version(version)
    }

    fn events(text: &str) -> Vec<String> {
        let json: serde_json::Value = serde_json::from_str(text).unwrap();
        json["hooks"].as_object().unwrap().keys().cloned().collect()
    }

    #[test]
    fn a_program_is_given_those_events_that_its_version_knows() {
        let given = |version| events(&claude(version).append("", LAUNCHER).unwrap());
        let all = events(&recipe("claude-code").unwrap().append("", LAUNCHER).unwrap());
        assert_eq!(given(NEW), all);
        let without = |names: &[&str]| -> Vec<String> {
            all.iter().filter(|event| !names.contains(&event.as_str())).cloned().collect()
        };
        assert_eq!(given(OLD), without(&["PostToolBatch"]));
        let later = [
            "PermissionDenied",
            "PostToolBatch",
            "StopFailure",
            "PostCompact",
            "Elicitation",
            "ElicitationResult",
        ];
        assert_eq!(given(Some((2, 1, 0))), without(&later));
        let oldest = [
            "SessionStart",
            "SessionEnd",
            "UserPromptSubmit",
            "PreToolUse",
            "PostToolUse",
            "SubagentStop",
            "PreCompact",
            "Stop",
            "Notification",
        ];
        for version in [Some((2, 0, 14)), None] {
            let mut given = given(version);
            given.sort();
            let mut expected = oldest;
            expected.sort_unstable();
            assert_eq!(given, expected, "{version:?}");
        }
    }

    #[test]
    fn an_installation_is_complete_for_its_version_and_outdated_for_a_newer_one() {
        for version in [OLD, NEW, Some((2, 0, 14))] {
            let text = claude(version).append("{}\n", LAUNCHER).unwrap();
            let found = claude(version).inspect(&text, LAUNCHER).unwrap();
            assert!(found.is_complete() && found.problems.is_empty(), "{version:?}: {found:?}");
            assert!(claude(None).inspect(&text, LAUNCHER).unwrap().is_complete(), "{version:?}");
            assert_eq!(claude(None).append(&text, LAUNCHER).unwrap(), text, "{version:?}");
        }
        let text = claude(OLD).append("{}\n", LAUNCHER).unwrap();
        let found = claude(NEW).inspect(&text, LAUNCHER).unwrap();
        assert_eq!((found.missing.as_slice(), found.outdated), (&["PostToolBatch"][..], 0));
        assert!(found.fires() && found.problems.is_empty());
    }

    #[test]
    fn what_an_older_program_does_not_know_is_told_and_taken_out_at_the_next_installation() {
        let theirs = "{\n  \"permissions\": { \"deny\": [\"Bash(rm:*)\"] }\n}\n";
        let text = claude(NEW).append(theirs, LAUNCHER).unwrap();
        let found = claude(OLD).inspect(&text, LAUNCHER).unwrap();
        assert!(!found.is_complete() && !found.fires() && !found.is_off, "{found:?}");
        assert!(found.problems[0].contains("PostToolBatch"), "{found:?}");
        let again = claude(OLD).append(&text, LAUNCHER).unwrap();
        assert!(!again.contains("PostToolBatch"), "{again}");
        let found = claude(OLD).inspect(&again, LAUNCHER).unwrap();
        assert!(found.is_complete() && found.problems.is_empty(), "{found:?}");
        assert_eq!(claude(NEW).remove(&again, LAUNCHER, Some(theirs)).unwrap(), theirs);
    }

    #[test]
    fn what_was_made_for_any_version_is_known_for_ours_alone() {
        for version in [OLD, NEW, Some((2, 0, 14)), None] {
            let text = claude(version).append("", LAUNCHER).unwrap();
            assert!(recipe("claude-code").unwrap().has_made(&text, LAUNCHER), "{version:?}");
        }
    }

    #[test]
    fn a_plugin_is_believed_to_be_found_unless_the_program_is_known_to_be_older() {
        let recipe = recipe("claude-code").unwrap();
        for version in [NEW, None] {
            assert!(recipe.finds_plugin(version), "{version:?}");
        }
        assert!(!recipe.finds_plugin(OLD));
        // Whoever looks for it knows all that is in it.
        let versions = recipe.versions().unwrap();
        assert!(versions.since.iter().all(|(_, since)| Some(*since) <= versions.plugin));
    }

    #[test]
    fn what_is_said_of_versions_is_said_of_events_that_are_installed() {
        for recipe in recipes() {
            let Some(versions) = recipe.versions() else { continue };
            let text = recipe.append("", LAUNCHER).unwrap();
            for (event, _) in versions.since {
                assert!(text.contains(&format!("\"{event}\"")), "{}: {event}", recipe.kind);
            }
        }
    }

    /// As many of the events that not every version knows as this text has.
    fn later(text: &str) -> Vec<&'static str> {
        let versions = recipe("kimi").unwrap().versions().unwrap();
        let names = versions.since.iter().map(|(event, _)| *event);
        names.filter(|event| text.contains(&format!("event = \"{event}\""))).collect()
    }

    #[test]
    fn tables_are_for_those_events_that_the_version_knows() {
        let kimi = |version| recipe("kimi").unwrap().of_version(version);
        let theirs = "model = \"x\"\n";
        let given = |version| kimi(version).append(theirs, LAUNCHER).unwrap();
        let all = recipe("kimi").unwrap().append(theirs, LAUNCHER).unwrap();
        assert_eq!(given(Some((2, 1, 0))), all);
        let cases: [(Option<Version>, &[&str]); 4] = [
            (Some((0, 14, 0)), &["PermissionRequest", "PermissionResult", "Interrupt"]),
            (Some((0, 13, 1)), &["PermissionRequest", "PermissionResult"]),
            (Some((0, 7, 0)), &[]),
            (None, &[]),
        ];
        for (version, known) in cases {
            let text = given(version);
            assert_eq!(later(&text), known, "{version:?}");
            let found = kimi(version).inspect(&text, LAUNCHER).unwrap();
            assert!(found.is_complete() && found.fires(), "{version:?}: {found:?}");
            assert_eq!(kimi(version).append(&text, LAUNCHER).unwrap(), text, "{version:?}");
            assert_eq!(kimi(None).remove(&text, LAUNCHER, None).unwrap(), theirs, "{version:?}");
            let made = kimi(version).append("", LAUNCHER).unwrap();
            assert!(recipe("kimi").unwrap().has_made(&made, LAUNCHER), "{version:?}");
        }
    }

    #[test]
    fn tables_that_an_older_program_does_not_know_are_told_and_go() {
        let kimi = |version| recipe("kimi").unwrap().of_version(version);
        let all = kimi(Some((2, 1, 0))).append("", LAUNCHER).unwrap();
        let found = kimi(Some((0, 13, 1))).inspect(&all, LAUNCHER).unwrap();
        assert!(!found.is_complete() && !found.fires(), "{found:?}");
        assert!(found.problems[0].contains("older than Interrupt,"), "{found:?}");
        let again = kimi(Some((0, 13, 1))).append(&all, LAUNCHER).unwrap();
        assert_eq!(later(&again), ["PermissionRequest", "PermissionResult"]);
        // Of a version that nobody knows what is there stays, also where something else is put right.
        let found = kimi(None).inspect(&all, LAUNCHER).unwrap();
        assert!(found.is_complete() && found.problems.is_empty(), "{found:?}");
        let changed = all.replace("timeout = 5", "timeout = 50");
        assert_eq!(later(&kimi(None).append(&changed, LAUNCHER).unwrap()), later(&all));
    }
}
