//! A stand-in for tmux: every pane shows what was recorded.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// What a process finds in its environment there.
pub(super) const ENV: [(&str, &str); 2] =
    [("TMUX", "/run/nowhere/default,1,0"), ("TMUX_PANE", "%0")];

/// It answers what the hub asks of it: pane after pane, and after each a word of the hub's own and the pid that it has.
const PROGRAM: &str = r#"#!/bin/sh
for word; do
    case $word in
    capture-pane) cat 'HOME/screen' 2>/dev/null ;;
    headsup*) echo "${word%% *} 1" ;;
    esac
done
"#;

/// Puts it where the hub of this home finds it.
pub(super) fn install(home: &Path) -> io::Result<()> {
    let program = home.join("bin/tmux");
    fs::create_dir_all(home.join("bin"))?;
    fs::write(&program, PROGRAM.replace("HOME", &home.to_string_lossy()))?;
    fs::set_permissions(program, fs::Permissions::from_mode(0o755))
}

/// The hub of this home, which is not started yet, is to look at terminals for as long as agents live.
pub(super) fn watch(home: &Path) -> io::Result<()> {
    let file = home.join(".config/headsup/config.toml");
    fs::create_dir_all(home.join(".config/headsup"))?;
    fs::write(file, "screen_rules = true\n")
}

pub(super) fn show(home: &Path, text: &str) -> io::Result<()> {
    let new = home.join("screen.new");
    fs::write(&new, text)?;
    fs::rename(new, home.join("screen"))
}
