//! What agent programs write.

use crate::walk;
use headsup_adapters::evidence::{Shroud, taken};
use headsup_adapters::inject::Launch;
use headsup_adapters::{HookContext, inject, log_line, registry as status_file, text as words};
use headsup_adapters::{
    log_of, registry_of_log, registry_pid, server_message, server_strange, strange_line, terminal,
};
use headsup_core::observation::{Fact, Level};
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;
use std::ffi::OsString;
use std::fmt;
use std::path::Path;

/// Those with status files.
const KIND: &str = "claude-code";
const EVENTS: [&str; 5] = ["Stop", "PreToolUse", "PermissionRequest", "SessionStart", ""];

/// Those with adapters.
fn kinds() -> impl Iterator<Item = &'static str> {
    inject::recipes().iter().map(|recipe| recipe.kind)
}

fn is_clean(text: &str) -> bool {
    !text.chars().any(|c| c.is_control() && c != '\n')
}

/// A hook's payload, under each of a few names.
pub(crate) fn hook(bytes: &[u8]) {
    for (kind, event) in kinds().flat_map(|kind| EVENTS.map(|event| (kind, event))) {
        let context = HookContext::default();
        let Ok(seen) = headsup_adapters::hook(kind, Some(event), bytes, &context) else {
            unreachable!("the kind is known");
        };
        assert!(!seen.event.is_empty());
        let texts = [&seen.session, &seen.cwd, &seen.log_path, &seen.model, &seen.title];
        for text in texts.into_iter().flatten() {
            assert!(is_clean(text), "{text:?}");
        }
    }
}

pub(crate) fn context(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let context = HookContext::parse(&text);
    for kind in kinds() {
        headsup_adapters::hook(kind, Some("Stop"), b"{}", &context).ok();
    }
}

pub(crate) fn transcript(bytes: &[u8]) {
    for line in bytes.split(|byte| *byte == b'\n') {
        for kind in kinds() {
            strange_line(kind, line);
        }
        for line in kinds().filter_map(|kind| log_line(kind, line)) {
            assert!(is_clean(&line.name));
            let texts = [&line.title, &line.model];
            assert!(texts.into_iter().flatten().all(|text| is_clean(text)));
        }
    }
}

pub(crate) fn registry(bytes: &[u8]) {
    if let Some(record) = status_file(KIND, "4242.json", bytes) {
        assert_eq!(record.process.pid, 4_242);
        log_of(KIND, Path::new("/home/ada/.claude/sessions"), &record);
    }
    let text = String::from_utf8_lossy(bytes);
    registry_of_log(KIND, &text);
    if let Some(pid) = registry_pid(KIND, &text) {
        assert!(text.starts_with(&pid.to_string()), "{text:?}");
    }
}

/// A status report (OSC 7501), a title, progress: what is shown of them is text.
pub(crate) fn status(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for kind in kinds().chain(["custom"]) {
        let status = terminal::program_status(kind, &text);
        assert!(is_clean(&status.name));
        let level = match status.fact {
            Fact::Level(level) => Some(level),
            Fact::PartStatus { id, level } => {
                assert!(is_clean(&id), "{id:?}");
                level
            }
            Fact::NotUnderstood { why } => {
                assert!(is_clean(&why), "{why:?}");
                None
            }
            _ => None,
        };
        let others = [terminal::title(kind, &text), terminal::progress(kind, &text)];
        for level in others.into_iter().chain([level]).flatten() {
            if let Level::Blocked { detail: Some(it), .. } | Level::Failed { code: it } = level {
                assert!(is_clean(&it), "{it:?}");
            }
        }
    }
}

/// Messages of a program's own server, one a line.
pub(crate) fn server(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for line in text.lines() {
        for message in kinds().flat_map(|kind| server_message(kind, line)) {
            assert!(is_clean(&message.name) && !message.thread.is_empty());
        }
        assert!(kinds().filter_map(|kind| server_strange(kind, line)).all(|news| is_clean(&news)));
    }
}

/// What a terminal shows: blanks behind its lines and empty ones do not count.
pub(crate) fn screen(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let spread: String = text.lines().flat_map(|line| [line, " \n\n"]).collect();
    for kind in kinds() {
        for version in [None, Some("2.1.330"), Some("1.0"), Some("x")] {
            let shown = headsup_adapters::screen(kind, version, &text);
            assert_eq!(headsup_adapters::screen(kind, version, &spread), shown);
        }
    }
    headsup_adapters::screen_version(Path::new(&*text));
}

/// What leaves in a bug report: whose machine it was is not in it; once all names are known, the
/// same text is the same placeholder.
pub(crate) fn evidence(bytes: &[u8]) {
    let Some(kept) = taken(bytes) else { return };
    let cover = |shroud: &mut Shroud| {
        let mut value = kept.clone();
        shroud.cover(&mut value);
        value.to_string()
    };
    let mut shroud = Shroud::new(Some("/home/zebediah"), false);
    let mut covered = kept.clone();
    shroud.cover(&mut covered);
    // Members have the program's names; what they say is the person's.
    assert!(!says(&covered, "zebediah"), "{covered}");
    assert_eq!(cover(&mut shroud), cover(&mut shroud));
    let mut speaking = Shroud::new(Some("/home/zebediah"), true);
    let mut spoken = kept.clone();
    speaking.cover(&mut spoken);
    assert!(!says(&spoken, "/home/zebediah"), "{spoken}");
}

fn says(value: &Value, word: &str) -> bool {
    match value {
        Value::String(text) => text.contains(word),
        Value::Array(items) => items.iter().any(|item| says(item, word)),
        Value::Object(members) => members.values().any(|member| says(member, word)),
        _ => false,
    }
}

/// What we put in is found, put in once, and taken out to the byte.
pub(crate) fn settings(bytes: &[u8]) {
    const LAUNCHER: &str = "/home/dev/.local/state/headsup/bin/headsup";
    let Ok(text) = str::from_utf8(bytes) else { return };
    for recipe in inject::recipes() {
        recipe.inspect(text, LAUNCHER).ok();
        recipe.remove(text, LAUNCHER, None).ok();
        let words = [OsString::from("--settings"), OsString::from(text)];
        match recipe.launch {
            Launch::WithSettings { given, .. } => drop(given(&words)),
            Launch::WithArguments { arguments, .. } => assert!(arguments(&words).ends_with(&words)),
            Launch::WithFile { arguments, .. } | Launch::WithFolder { arguments, .. } => {
                assert!(arguments(&words, &OsString::from("/home/dev/x")).ends_with(&words));
            }
            Launch::WithDefaults { path, .. } => drop(path(&|_| Some(OsString::from(text)))),
            Launch::WithVariable { value, .. } => drop(value(text, "/home/dev/headsup.js")),
            Launch::WithText(with) => assert!(with(&words, LAUNCHER).ends_with(&words)),
            Launch::InVariable(_) | Launch::AsTyped => {}
        }
        if let Some(trust) = recipe.trust {
            trust.missing(text, text, "/home/dev/hooks.json", LAUNCHER);
        }
        let Ok(installed) = recipe.append(text, LAUNCHER) else { continue };
        let Ok(found) = recipe.inspect(&installed, LAUNCHER) else {
            panic!("what was written cannot be read: {installed}");
        };
        assert!(found.is_complete(), "{installed}");
        assert_eq!(recipe.append(&installed, LAUNCHER).ok().as_ref(), Some(&installed));
        let removed = recipe.remove(&installed, LAUNCHER, Some(text));
        let Ok(removed) = removed else { panic!("what was put in cannot be taken out") };
        assert!(recipe.inspect(&removed, LAUNCHER).is_ok_and(|found| found.is_empty()));
    }
}

/// What reaches a screen holds nothing but text, and not more of it than was asked for.
pub(crate) fn text(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for most in [1, 80, 4_000] {
        let (line, block) = (words::line(&text, most), words::block(&text, most));
        assert!(line.chars().count() <= most && block.chars().count() <= most);
        assert!(is_clean(&line) && is_clean(&block) && !line.contains('\n'));
    }
}

/// Of every text that is JSON the walker finds what a real parser finds. It says nothing of others,
/// but comes to an end, within the text.
pub(crate) fn members(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let mut found = Vec::new();
    let walked = walk::members(bytes, |key, value| {
        found.push((&text[key], &text[value]));
        Some(())
    });
    let values: usize = found.iter().map(|(key, value)| key.len() + value.len()).sum();
    assert!(values <= text.len());
    let Ok(Object(members)) = serde_json::from_str(text) else { return };
    assert!(walked.is_some(), "{text:?}");
    assert_eq!(found.len(), members.len(), "{text:?}");
    for ((key, value), (real, raw)) in found.into_iter().zip(members) {
        assert_eq!(serde_json::from_str(&format!("\"{key}\"")).ok(), Some(real), "{text:?}");
        assert_eq!(value, raw.get(), "{text:?}");
    }
}

/// The same of lists; of a long one, as many as were asked for.
pub(crate) fn items(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let all = walk::items(text, usize::MAX);
    for most in [0, 1, 7] {
        let some = walk::items(text, most);
        assert!(some.len() <= most);
        assert!(all.is_empty() || some == all[..most.min(all.len())], "{text:?}");
    }
    if let Ok(real) = serde_json::from_str::<Vec<&RawValue>>(text) {
        let real: Vec<&str> = real.into_iter().map(RawValue::get).collect();
        assert_eq!(all, real, "{text:?}");
    }
}

/// The members of an object in their order, also those that stand twice.
struct Object<'a>(Vec<(String, &'a RawValue)>);

impl<'de> serde::Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Read;
        impl<'de> Visitor<'de> for Read {
            type Value = Object<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Object(members))
            }
        }
        from.deserialize_map(Read)
    }
}
