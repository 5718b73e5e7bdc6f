//! Settings as people have them, laid into a home: most are files in
//! `crates/headsup/tests/setup/fixtures`, named by what they show.

#![expect(clippy::expect_used, reason = "a test without its fixtures cannot go on")]

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

/// Stands for the path that entries name.
const LAUNCHER: &str = "@LAUNCHER@";
/// The configuration folder, and in it the settings and our plugin.
const FOLDER: &str = ".claude";
const SETTINGS: &str = ".claude/settings.json";
const PLUGIN: &str = ".claude/skills/headsup";

/// Files and links of one home.
#[derive(Clone, Debug)]
pub struct Fixture {
    pub name: String,
    lay: Lay,
    /// The settings that stay, where entries of ours were there before.
    left: Option<Vec<u8>>,
}

#[derive(Clone, Debug)]
enum Lay {
    Bytes(Vec<u8>),
    Built(fn(&Path)),
}

/// A layout that no single file shows.
type Named = (&'static str, fn(&Path));

/// What is at a path: mode, and content or target.
pub type Snapshot = BTreeMap<PathBuf, (u32, Vec<u8>)>;

impl Fixture {
    /// Puts it into an empty home.
    pub fn lay(&self, home: &Path, launcher: &str) {
        match &self.lay {
            Lay::Bytes(bytes) => write(home, SETTINGS, &named(bytes, launcher), 0o600),
            Lay::Built(build) => build(home),
        }
    }

    /// What must be there when everything of ours is gone again.
    pub fn after(&self, mut before: Snapshot, home: &Path, launcher: &str) -> Snapshot {
        let entry = before.get_mut(&home.join(SETTINGS));
        if let (Some((_, bytes)), Some(left)) = (entry, &self.left) {
            *bytes = named(left, launcher);
        }
        before
    }
}

fn named(bytes: &[u8], launcher: &str) -> Vec<u8> {
    match str::from_utf8(bytes) {
        Ok(text) => text.replace(LAUNCHER, launcher).into_bytes(),
        Err(_) => bytes.to_vec(),
    }
}

/// Settings that edits of ours would leave whole, but that the agent does not read at all.
pub fn ignored() -> Vec<Fixture> {
    files("ignored")
}

/// Those that hooks can be installed into, either way.
pub fn kept() -> Vec<Fixture> {
    let built: [Named; 15] = [
        ("no_folder", |_| ()),
        ("no_file", |home| folder(home, FOLDER)),
        ("mode_0644", |home| write(home, SETTINGS, b"{}\n", 0o644)),
        ("mode_0640", |home| write(home, SETTINGS, b"{}\n", 0o640)),
        ("mode_0755", |home| write(home, SETTINGS, b"{}\n", 0o755)),
        ("mode_0666", |home| write(home, SETTINGS, b"{}\n", 0o666)),
        ("a_linked_file", |home| {
            write(home, "dotfiles/agent.json", b"{\n  \"model\": \"opus\"\n}\n", 0o640);
            link(home, SETTINGS, "../dotfiles/agent.json");
        }),
        ("a_chain_of_links", |home| {
            write(home, "dotfiles/agent.json", b"{}", 0o600);
            link(home, "dotfiles/second", "agent.json");
            link(home, SETTINGS, "../dotfiles/second");
        }),
        ("a_linked_folder", |home| {
            write(home, "dotfiles/agent/settings.json", b"{}\n", 0o600);
            link(home, FOLDER, "dotfiles/agent");
        }),
        ("a_linked_skills_folder", |home| {
            write(home, "dotfiles/skills/mine/SKILL.md", b"mine", 0o600);
            link(home, ".claude/skills", "../dotfiles/skills");
        }),
        ("local_settings_beside", |home| {
            write(home, SETTINGS, b"{}\n", 0o600);
            write(home, ".claude/settings.local.json", b"{ \"hooks\": {} }\n", 0o600);
        }),
        ("other_skills_beside", |home| {
            write(home, ".claude/skills/mine/SKILL.md", b"mine", 0o644);
        }),
        ("what_a_crash_left_beside", |home| {
            write(home, SETTINGS, b"{}\n", 0o600);
            write(home, ".claude/.settings.json.headsup-new", b"{ \"ha", 0o600);
        }),
        ("one_megabyte", |home| {
            let rules = (0..40_000).map(|n| format!("    \"Bash(tool-{n}:*)\""));
            let rules = rules.collect::<Vec<_>>().join(",\n");
            let text = format!("{{\n  \"permissions\": {{ \"allow\": [\n{rules}\n  ] }}\n}}\n");
            write(home, SETTINGS, text.as_bytes(), 0o600);
        }),
        ("deep_nesting", |home| {
            let text = format!("{{ \"a\": {}{} }}\n", "[".repeat(100), "]".repeat(100));
            write(home, SETTINGS, text.as_bytes(), 0o600);
        }),
    ];
    let mut all = files("kept");
    all.extend(built.map(built_of));
    all
}

/// Those whose settings are left alone. The plugin's folder can be added.
pub fn unclear() -> Vec<Fixture> {
    let built: [Named; 9] = [
        ("mode_0444", |home| write(home, SETTINGS, b"{}\n", 0o444)),
        ("mode_0400", |home| write(home, SETTINGS, b"{}\n", 0o400)),
        ("a_hard_link", |home| {
            write(home, SETTINGS, b"{}\n", 0o600);
            fs::hard_link(home.join(SETTINGS), home.join("second")).expect("a second name");
        }),
        ("a_dangling_link", |home| link(home, SETTINGS, "nowhere.json")),
        ("a_link_to_itself", |home| link(home, SETTINGS, "settings.json")),
        ("a_link_out_of_the_home", |home| link(home, SETTINGS, "/proc/version")),
        ("a_folder_in_its_place", |home| folder(home, SETTINGS)),
        ("larger_than_any_settings", |home| {
            write(home, SETTINGS, &vec![b' '; (16 << 20) + 1], 0o600);
        }),
        ("a_link_to_a_folder", |home| {
            folder(home, "elsewhere");
            link(home, SETTINGS, "../elsewhere");
        }),
    ];
    let mut all = files("refused");
    all.extend(built.map(built_of));
    all
}

/// Those whose plugin folder is somebody else's. The settings can be edited.
pub fn taken() -> Vec<Fixture> {
    let built: [Named; 5] = [
        ("a_plugin_folder_of_others", |home| {
            write(home, &format!("{PLUGIN}/SKILL.md"), b"theirs", 0o644);
        }),
        ("a_plugin_of_others_of_our_name", |home| {
            let manifest = format!("{PLUGIN}/.claude-plugin/plugin.json");
            write(home, &manifest, b"{ \"name\": \"headsup\" }", 0o644);
        }),
        ("an_empty_plugin_folder", |home| folder(home, PLUGIN)),
        ("a_file_in_the_plugins_place", |home| write(home, PLUGIN, b"theirs", 0o644)),
        ("a_link_in_the_plugins_place", |home| {
            folder(home, "elsewhere");
            link(home, PLUGIN, "../../elsewhere");
        }),
    ];
    built.map(built_of).to_vec()
}

/// Those where nothing can be put at all.
pub fn closed() -> Vec<Fixture> {
    let built: [Named; 4] = [
        ("a_file_in_the_folders_place", |home| write(home, FOLDER, b"?", 0o600)),
        ("a_dangling_folder", |home| link(home, FOLDER, "nowhere")),
        ("a_folder_out_of_the_home", |home| link(home, FOLDER, "/proc/sys")),
        ("a_read_only_folder", |home| {
            folder(home, ".claude/skills");
            for path in [".claude/skills", FOLDER] {
                mode(&home.join(path), 0o555);
            }
        }),
    ];
    built.map(built_of).to_vec()
}

fn built_of((name, build): Named) -> Fixture {
    Fixture { name: name.to_owned(), lay: Lay::Built(build), left: None }
}

fn files(which: &str) -> Vec<Fixture> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../headsup/tests/setup/fixtures");
    let folder = folder.join(which);
    let entries = fs::read_dir(&folder).expect("the fixtures");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
    paths.retain(|path| !path.to_string_lossy().ends_with(".left.json"));
    paths.sort();
    let fixture = |path: PathBuf| Fixture {
        name: path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        lay: Lay::Bytes(fs::read(&path).expect("bytes")),
        left: fs::read(path.with_extension("left.json")).ok(),
    };
    paths.into_iter().map(fixture).collect()
}

fn folder(home: &Path, path: &str) {
    fs::create_dir_all(home.join(path)).expect("a folder");
}

fn parent(home: &Path, path: &str) -> PathBuf {
    let path = home.join(path);
    fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
    path
}

fn write(home: &Path, path: &str, bytes: &[u8], bits: u32) {
    let path = parent(home, path);
    fs::write(&path, bytes).expect("a file");
    mode(&path, bits);
}

fn link(home: &Path, path: &str, to: &str) {
    symlink(to, parent(home, path)).expect("a link");
}

fn mode(path: &Path, bits: u32) {
    fs::set_permissions(path, Permissions::from_mode(bits)).expect("a mode");
}

/// Everything below `home` but the folder `ours` and what an edit that was cut off left beside
/// its file.
pub fn snapshot(home: &Path, ours: &Path) -> Snapshot {
    let mut found = Snapshot::new();
    let mut folders = vec![home.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let is_left_over = path.extension() == Some(OsStr::new("headsup-new"));
            if path == ours || is_left_over {
                continue;
            }
            let meta = fs::symlink_metadata(&path).expect("what is there");
            let bytes = if meta.is_symlink() {
                fs::read_link(&path).expect("a target").into_os_string().into_encoded_bytes()
            } else if meta.is_dir() {
                folders.push(path.clone());
                Vec::new()
            } else {
                fs::read(&path).expect("bytes")
            };
            found.insert(path, (meta.mode(), bytes));
        }
    }
    found
}
