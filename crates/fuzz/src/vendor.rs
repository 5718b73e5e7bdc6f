//! What agent programs write.

use headsup_adapters::{HookContext, inject, log_line, registry as status_file, text as words};
use std::ffi::OsString;

const KIND: &str = "claude-code";
const EVENTS: [&str; 5] = ["Stop", "PreToolUse", "PermissionRequest", "SessionStart", ""];

fn is_clean(text: &str) -> bool {
    !text.chars().any(|c| c.is_control() && c != '\n')
}

/// A hook's payload, under each of a few names.
pub(crate) fn hook(bytes: &[u8]) {
    for event in EVENTS {
        let context = HookContext::default();
        let Ok(seen) = headsup_adapters::hook(KIND, Some(event), bytes, &context) else {
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
    headsup_adapters::hook(KIND, Some("Stop"), b"{}", &context).ok();
}

pub(crate) fn transcript(bytes: &[u8]) {
    for line in bytes.split(|byte| *byte == b'\n') {
        if let Some(line) = log_line(KIND, line) {
            assert!(is_clean(&line.name));
            assert!(line.title.as_deref().is_none_or(is_clean));
        }
    }
}

pub(crate) fn registry(bytes: &[u8]) {
    status_file(KIND, "4242.json", bytes);
}

/// What we put in is found, put in once, and taken out to the byte.
pub(crate) fn settings(bytes: &[u8]) {
    const LAUNCHER: &str = "/home/dev/.local/state/headsup/bin/headsup";
    let Ok(text) = str::from_utf8(bytes) else { return };
    for recipe in inject::recipes() {
        recipe.inspect(text, LAUNCHER).ok();
        recipe.remove(text, LAUNCHER, None).ok();
        recipe.given_settings(&[OsString::from("--settings"), OsString::from(text)]);
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
