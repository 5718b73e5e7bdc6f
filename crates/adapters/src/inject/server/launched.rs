//! The server for one launch alone, beside the servers that the program's configuration has.

use super::super::Launch;
use super::{NAME, Style, lines, wished};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;

/// In one word: a second word of `--mcp-config` may be any word that follows (2.1.330, read).
pub(super) const CLAUDE_CODE: Launch =
    Launch::WithFile { ending: "mcp.json", arguments: claude_code };

/// Where the machine keeps servers for all of Claude Code's users, it starts with no others and refuses to
/// be given any (2.1.330, read).
pub(super) const RULED: &[&str] = &["/etc/claude-code/managed-mcp.json"];

/// Whoever says this wants the servers that they name, and no others.
const STRICT: &str = "--strict-mcp-config";

fn claude_code(given: &[OsString], file: &OsString) -> Vec<OsString> {
    if options(given).any(|word| word == STRICT) {
        return given.to_vec();
    }
    let mut named = OsString::from("--mcp-config=");
    named.push(file);
    before(given, [named])
}

/// As a setting of this launch, which is laid over those of the files.
pub(super) const CODEX: Launch = Launch::WithText(codex);

fn codex(given: &[OsString], launcher: &str) -> Vec<OsString> {
    // A server elsewhere has settings of its own.
    let is_remote = |word: &OsStr| word == "--remote" || word.as_bytes().starts_with(b"--remote=");
    if options(given).any(is_remote) {
        return given.to_vec();
    }
    let server = lines::inline(&wished(Style::Table, launcher));
    let setting = format!("mcp_servers.{NAME}={server}");
    before(given, [OsString::from("-c"), OsString::from(setting)])
}

pub(super) const COPILOT_CLI: Launch =
    Launch::WithFile { ending: "mcp.json", arguments: copilot_cli };

fn copilot_cli(given: &[OsString], file: &OsString) -> Vec<OsString> {
    let mut named = OsString::from("@");
    named.push(file);
    before(given, [OsString::from("--additional-mcp-config"), named])
}

/// It reads defaults and settings of the machine from files alone that nobody but the machine's owner can
/// write (0.61.0, measured), and takes no servers on its command line.
pub(super) const GEMINI_CLI: Launch = Launch::AsTyped;

/// The variable's configuration is added to all others (measured).
pub(super) const OPENCODE: Launch = Launch::InVariable("OPENCODE_CONFIG_CONTENT");

/// As OpenCode (documented).
pub(super) const KILO: Launch = Launch::InVariable("KILO_CONFIG_CONTENT");

/// The words that can be options.
fn options(given: &[OsString]) -> impl Iterator<Item = &OsStr> {
    given.iter().map(OsString::as_os_str).take_while(|word| *word != "--")
}

/// Before whatever the person gave, which may end in text for the agent.
fn before<const N: usize>(given: &[OsString], ours: [OsString; N]) -> Vec<OsString> {
    ours.into_iter().chain(given.iter().cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAUNCHER: &str = "/h \"x\"/bin/headsup";

    fn words(words: &[&str]) -> Vec<OsString> {
        words.iter().map(OsString::from).collect()
    }

    #[test]
    fn claude_code_is_given_ours_unless_it_is_to_have_no_others() {
        let with = |given: &[&str]| claude_code(&words(given), &"/l/api.mcp.json".into());
        let ours = "--mcp-config=/l/api.mcp.json";
        assert_eq!(with(&["-p", "go"]), words(&[ours, "-p", "go"]));
        let theirs = ["--mcp-config", "a.json", "b.json"];
        assert_eq!(with(&theirs), words(&[ours, "--mcp-config", "a.json", "b.json"]));
        let strict = ["--strict-mcp-config", "--mcp-config", "a.json"];
        assert_eq!(with(&strict), words(&strict), "only theirs");
        let said = ["--", "--strict-mcp-config"];
        assert_eq!(with(&said), words(&[ours, "--", "--strict-mcp-config"]), "text, no option");
    }

    #[test]
    fn codex_is_given_one_setting_which_is_the_table_that_is_installed() {
        let with = codex(&words(&["exec", "go"]), LAUNCHER);
        assert_eq!((&with[0], &with[2..]), (&OsString::from("-c"), &words(&["exec", "go"])[..]));
        let (path, value) = with[1].to_str().unwrap().split_once('=').unwrap();
        assert_eq!(path, "mcp_servers.headsup");
        let read: toml::Table = toml::from_str(&format!("server = {value}")).unwrap();
        let read = serde_json::to_value(&read["server"]).unwrap();
        assert_eq!(read, wished(Style::Table, LAUNCHER));
        for remote in [&["--remote", "unix://"][..], &["--remote=unix://"]] {
            assert_eq!(codex(&words(remote), LAUNCHER), words(remote));
        }
    }

    #[test]
    fn copilot_cli_is_given_a_file_beside_its_own() {
        let with = copilot_cli(&words(&["-p", "go"]), &"/l/api.mcp.json".into());
        assert_eq!(with, words(&["--additional-mcp-config", "@/l/api.mcp.json", "-p", "go"]));
    }
}
