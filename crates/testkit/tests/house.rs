//! The house rules that a machine can check.

#![expect(clippy::expect_used, reason = "a test may fail")]

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn files(folder: &Path, ending: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, ending, found);
        } else if path.extension().is_some_and(|e| e == ending) {
            found.push(path);
        }
    }
}

fn sources() -> Vec<(String, String)> {
    let mut found = Vec::new();
    files(&root().join("crates"), "rs", &mut found);
    assert!(found.len() > 50, "the sources are where they should be");
    let base = root();
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("text");
        let name = path.strip_prefix(&base).expect("below the root");
        (name.to_string_lossy().into_owned(), text)
    };
    found.into_iter().map(read).collect()
}

#[test]
fn no_file_is_longer_than_500_lines() {
    for (name, text) in sources() {
        let lines = text.lines().count();
        assert!(lines <= 500, "{name} has {lines} lines");
    }
}

/// Only adapters, fixtures, tests and docs may name an agent program.
#[test]
fn an_agent_programs_name_appears_only_in_adapters() {
    let programs = ["claude", "codex", "opencode", "gemini", "copilot", "qwen"];
    for (name, text) in sources() {
        let may = name.starts_with("crates/adapters/")
            || name.starts_with("crates/fuzz/")
            || name.contains("/tests/")
            || name.ends_with("/tests.rs");
        if may || name.contains("/testkit/") {
            continue;
        }
        // Inline tests may speak of agents by name.
        let code = text.split("#[cfg(test)]").next().unwrap_or_default().to_lowercase();
        for program in programs {
            assert!(!code.contains(program), "{name} names {program}");
        }
    }
}

/// `core <- adapters <- daemon <- headsup`, and nothing upwards.
#[test]
fn crates_depend_only_downwards() {
    let allowed: [(&str, &[&str]); 6] = [
        ("core", &[]),
        ("kernel", &[]),
        ("adapters", &["core"]),
        ("daemon", &["adapters", "core", "kernel", "testkit"]),
        ("headsup", &["adapters", "core", "daemon", "testkit"]),
        ("testkit", &["adapters", "core"]),
    ];
    for (name, may) in allowed {
        let path = root().join("crates").join(name).join("Cargo.toml");
        let manifest = fs::read_to_string(path).expect("a manifest");
        for (other, _) in allowed {
            let dependency = format!("headsup-{other}.workspace");
            if manifest.contains(&dependency) {
                assert!(may.contains(&other), "{name} depends on {other}");
            }
        }
        // What is for tests alone is not in what is shipped.
        let shipped = manifest.split("[dev-dependencies]").next().unwrap_or_default();
        assert!(!shipped.contains("headsup-testkit.workspace"), "{name} ships the testkit");
    }
}

/// But for what speaks to the kernel before there is a library, and the one question to it that no library has.
#[test]
fn only_what_speaks_to_the_kernel_may_be_unsafe() {
    let mut manifests = Vec::new();
    files(&root().join("crates"), "toml", &mut manifests);
    for path in manifests.iter().filter(|path| path.ends_with("Cargo.toml")) {
        let manifest = fs::read_to_string(path).expect("a manifest");
        let may = ["front", "kernel"]
            .iter()
            .any(|name| manifest.contains(&format!("name = \"headsup-{name}\"")));
        assert_ne!(manifest.contains("[lints]\nworkspace = true"), may, "{}", path.display());
    }
    for (name, text) in sources() {
        // Spelt in two parts, so that this file passes itself.
        let is_unsafe =
            ["{", "fn", "impl"].iter().any(|what| text.contains(&["unsafe", " ", what].concat()));
        let may = ["front/src/entry.rs", "front/src/system.rs", "kernel/src/lib.rs"]
            .iter()
            .any(|file| name == format!("crates/{file}"));
        assert!(may || !is_unsafe, "{name}");
    }
}

#[test]
fn core_and_adapters_have_no_runtime_and_no_clock() {
    let forbidden = ["tokio", "axum", "rusqlite", "rustix"];
    for name in ["core", "adapters"] {
        let path = root().join("crates").join(name).join("Cargo.toml");
        let manifest = fs::read_to_string(path).expect("a manifest");
        for crate_name in forbidden {
            assert!(!manifest.contains(crate_name), "{name} depends on {crate_name}");
        }
    }
    for (name, text) in sources() {
        let pure = name.starts_with("crates/core/src") || name.starts_with("crates/adapters/src");
        // Tests compare golden files.
        if !pure || name.contains("/tests/") || name.ends_with("/tests.rs") {
            continue;
        }
        for clock in ["SystemTime", "Instant", "Timestamp::now", "std::fs", "std::net"] {
            assert!(!text.contains(clock), "{name} uses {clock}");
        }
    }
}

/// The project speaks of itself alone.
#[test]
fn no_file_names_a_machine_or_a_registry_host() {
    let mut found = Vec::new();
    for ending in ["rs", "md", "toml", "lock"] {
        files(&root().join("crates"), ending, &mut found);
    }
    for name in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"] {
        found.push(root().join(name));
    }
    // Spelt in two parts, so that this file passes itself.
    let forbidden = [["/work/", "main"], ["../sha", "red"], ["arti", "factory"]];
    for path in found {
        let text = fs::read_to_string(&path).expect("text");
        for [a, b] in forbidden {
            let word = format!("{a}{b}");
            assert!(!text.contains(&word), "{} names {word}", path.display());
        }
    }
}

/// Text becomes elements in one place of the page, and HTML leaves the hub through one.
#[test]
fn the_page_has_one_door_for_markup() {
    let web = root().join("crates/daemon/src/web");
    let read = |name: &str| fs::read_to_string(web.join(name)).expect("text");
    let script = read("assets/board.js");
    let answers = read("assets/answer.js");
    for sink in ["innerHTML", "createHTML", "createElement", "outerHTML", "insertAdjacentHTML"] {
        assert!(!answers.contains(sink), "{sink}");
    }
    for (sink, times) in [("innerHTML", 1), ("createHTML", 2)] {
        assert_eq!(script.matches(sink).count(), times, "{sink}");
    }
    for sink in
        ["outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "srcdoc"]
    {
        assert!(!script.contains(sink), "{sink}");
    }
    assert!(script.lines().count() <= 220, "the page's script stays small");
    for (name, text) in sources() {
        let web = name.starts_with("crates/daemon/src/web");
        let sink = name.ends_with("web/sink.rs");
        assert!(!web || sink || !text.contains("into_string()"), "{name} lets markup out");
    }
}
