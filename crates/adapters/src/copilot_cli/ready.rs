//! Whether Copilot CLI need not be ready below a title that calls it so.
//!
//! | what | where | why |
//! |---|---|---|
//! | a prompt that it was started with | `-i`, `--interactive`, `-p`, `--prompt` (read) | it works below the same title |
//! | tool servers (MCP) | `mcp-config.json` in its own folder, `.mcp.json` and `.github/mcp.json` where it works, `--additional-mcp-config`, as often as it is given: JSON, or `@` and a file (read) | its first prompt waits for those that are still to answer, up to a minute (measured) |
//! | folders that its person trusts | `config.json` in its own folder, with comments above (measured) | in any other it asks for that first |
//!
//! Of version 1.0.102. Neither its title nor a hook tells of any of them.

use crate::inject::server::NAME;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Where tool servers are listed: below its own folder, and below that in which it works.
const OWN_LIST: &str = "mcp-config.json";
const LISTS: [&str; 2] = [".mcp.json", ".github/mcp.json"];
/// An option whose value is one more list.
const GIVEN: &str = "--additional-mcp-config";
/// The member of a list that has the servers.
const SERVERS: &str = "mcpServers";
const TRUSTED: &str = "config.json";
/// Where that has its folders, by either spelling.
const FOLDERS: [&str; 2] = ["trustedFolders", "trusted_folders"];

/// It begins with a prompt that follows one of these.
const PROMPTS: [&str; 2] = ["--interactive", "--prompt"];
/// The same, which may be one word with it.
const SHORT: [&str; 2] = ["-i", "-p"];

const ASKED: &str = "it was started with a prompt, at which it may work below the same title";
const WAITS: &str = "tool servers are listed for it, for which its first prompt waits";
const ASKS: &str = "its folder is not on its list of trusted ones: it may ask for that first";

/// How a program was started whose title calls it ready.
#[derive(Clone, Copy, Debug)]
pub struct Started<'a> {
    /// The values of [`READY_VARIABLES`](crate::terminal::READY_VARIABLES): its home folder, and that of its
    /// configuration.
    pub variables: [Option<&'a str>; 2],
    /// Where it works.
    pub cwd: &'a str,
    /// Its command line.
    pub words: &'a [String],
}

/// What a file says that a program reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contents {
    /// There is no such file.
    Missing,
    /// It is there, and nobody can read it.
    Unreadable,
    Text(String),
}

/// What may stand between a program whose title calls it ready and a prompt.
#[derive(Clone, Debug)]
pub struct Ready {
    cwd: PathBuf,
    is_asked: bool,
    /// Lists of tool servers in files, and those that stand on its command line.
    lists: Vec<PathBuf>,
    given: Vec<String>,
    /// The file with the folders that a person trusts.
    pub trusted: PathBuf,
}

impl Ready {
    /// `None`: nobody knows where it looks.
    pub(crate) fn of(start: &Started<'_>) -> Option<Self> {
        let [home, moved] = start.variables;
        let own = moved.filter(|moved| !moved.is_empty()).map(PathBuf::from);
        let own = own.or_else(|| Some(PathBuf::from(format!("{}{}", home?, super::CONFIG))))?;
        let cwd = PathBuf::from(start.cwd);
        let mut lists = vec![own.join(OWN_LIST)];
        lists.extend(LISTS.map(|list| cwd.join(list)));
        let mut given = Vec::new();
        for value in values(start.words) {
            match value.strip_prefix('@') {
                Some(file) => lists.push(cwd.join(file)),
                None => given.push(value.to_owned()),
            }
        }
        let is_asked = start.words.iter().skip(1).any(|word| asks(word));
        Some(Self { cwd, is_asked, lists, given, trusted: own.join(TRUSTED) })
    }

    /// The files to be read, in the order in which [`doubt`](Self::doubt) wants them.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        [&self.trusted].into_iter().chain(&self.lists).map(PathBuf::as_path)
    }

    /// Why it need not be ready; `None`: nothing stands in the way of a prompt. `read`: what each of
    /// [`files`](Self::files) says.
    pub fn doubt(&self, read: &[Contents]) -> Option<&'static str> {
        let (trusted, lists) = read.split_first()?;
        let waits = || {
            let written = lists.iter().any(names_servers);
            written || self.given.iter().any(|list| may_name_servers(list))
        };
        if self.is_asked {
            Some(ASKED)
        } else if waits() {
            Some(WAITS)
        } else {
            (!is_trusted(trusted, &self.cwd)).then_some(ASKS)
        }
    }
}

/// The values of the option that gives tool servers.
fn values(words: &[String]) -> impl Iterator<Item = &str> {
    let pairs = words.iter().zip(words.iter().skip(1).map(Some).chain([None]));
    pairs.filter_map(|(word, next)| match word.strip_prefix(GIVEN)? {
        "" => next.map(String::as_str),
        rest => rest.strip_prefix('='),
    })
}

/// Whether it answers the prompt that stands among these words, and leaves: nobody can type to it (`-p`, measured; joined
/// to its prompt, read).
pub(crate) fn is_one_run(words: &[&str]) -> bool {
    let is_it = |word: &&str| {
        let name = word.split_once('=').map_or(*word, |(name, _)| name);
        word.starts_with("-p") || name == "--prompt"
    };
    words.iter().any(is_it)
}

fn asks(word: &str) -> bool {
    let name = word.split_once('=').map_or(word, |(name, _)| name);
    PROMPTS.contains(&name) || SHORT.iter().any(|short| word.starts_with(short))
}

/// One that cannot be read may name some.
fn names_servers(list: &Contents) -> bool {
    match list {
        Contents::Missing => false,
        Contents::Unreadable => true,
        Contents::Text(text) => may_name_servers(text),
    }
}

/// Other ones than headsup's own, which answers at once.
fn may_name_servers(text: &str) -> bool {
    let Ok(list) = serde_json::from_str::<Value>(text) else { return !text.trim().is_empty() };
    let Some(servers) = list[SERVERS].as_object() else { return false };
    servers.keys().any(|name| name != NAME)
}

/// Is this folder on the list of those that are trusted, or one above it? Before there is a list nothing is trusted yet.
fn is_trusted(list: &Contents, folder: &Path) -> bool {
    let Contents::Text(text) = list else { return false };
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let list = serde_json::from_str::<Value>(&lines.collect::<String>()).unwrap_or_default();
    let known = FOLDERS.map(|name| list[name].as_array());
    let mut known = known.into_iter().flatten().flatten().filter_map(Value::as_str);
    known.any(|known| folder.starts_with(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CWD: &str = "/home/ada/proj";

    fn words(line: &[&str]) -> Vec<String> {
        line.iter().map(|&word| word.to_owned()).collect()
    }

    fn started(line: &[&str]) -> Ready {
        let variables = [Some("/home/ada"), None];
        Ready::of(&Started { variables, cwd: CWD, words: &words(line) }).unwrap()
    }

    fn text(text: &str) -> Contents {
        Contents::Text(text.to_owned())
    }

    /// With one text in the place of each of its lists.
    fn doubt(ready: &Ready, trusted: &Contents, list: &Contents) -> Option<&'static str> {
        let lists = vec![list.clone(); ready.files().count() - 1];
        ready.doubt(&[vec![trusted.clone()], lists].concat())
    }

    fn trusting() -> Contents {
        text(r#"{"trustedFolders":["/home/ada"]}"#)
    }

    #[test]
    fn a_list_of_tool_servers_names_some_unless_it_is_known_that_it_does_not() {
        let ready = started(&["copilot"]);
        for (list, names) in [
            (Contents::Missing, false),
            (Contents::Unreadable, true),
            (text(""), false),
            (text("{}"), false),
            (text(r#"{"mcpServers":{}}"#), false),
            (text(r#"{"mcpServers":{"headsup":{"command":"headsup"}}}"#), false),
            (text(r#"{"mcpServers":{"headsup":{},"slow":{"command":"sleep"}}}"#), true),
            (text("{ // mine\n}"), true),
        ] {
            let why = names.then_some(WAITS);
            assert_eq!(doubt(&ready, &trusting(), &list), why, "{list:?}");
        }
    }

    #[test]
    fn tool_servers_may_stand_on_the_command_line() {
        let slow = r#"{"mcpServers":{"slow":{"command":"sleep"}}}"#;
        let own = r#"{"mcpServers":{"headsup":{"command":"headsup"}}}"#;
        let joined = format!("{GIVEN}={slow}");
        for (line, names) in [
            (&["copilot", GIVEN, slow][..], true),
            (&["copilot", &joined], true),
            (&["copilot", GIVEN, own, GIVEN, slow], true),
            (&["copilot", GIVEN, "nonsense"], true),
            (&["copilot", GIVEN, own], false),
            (&["copilot", GIVEN], false),
            (&["copilot", "--additional-mcp-configs", slow], false),
        ] {
            let why = names.then_some(WAITS);
            assert_eq!(doubt(&started(line), &trusting(), &Contents::Missing), why, "{line:?}");
        }
        let of_files = started(&["copilot", GIVEN, "@/tmp/a.json", GIVEN, "@b.json"]);
        let files: Vec<_> = of_files.files().skip(4).collect();
        assert_eq!(files, [Path::new("/tmp/a.json"), Path::new("/home/ada/proj/b.json")]);
        let mut read = vec![trusting()];
        read.extend([const { Contents::Missing }; 4]);
        assert_eq!(of_files.doubt(&[&read[..], &[text(own)]].concat()), None);
        assert_eq!(of_files.doubt(&[&read[..], &[text(slow)]].concat()), Some(WAITS));
    }

    #[test]
    fn a_folder_is_trusted_by_the_list_that_there_is() {
        let ready = started(&["copilot"]);
        for (list, is_missing) in [
            (Contents::Missing, true),
            (Contents::Unreadable, true),
            (text("// Mine.\n{\"trustedFolders\":[\"/home/ada/proj\"]}"), false),
            (text(r#"{"trusted_folders":["/home/ada"]}"#), false),
            (text(r#"{"trustedFolders":["/home/ada/proj2"]}"#), true),
            (text(r#"{"trustedFolders":[]}"#), true),
            (text("{}"), true),
            (text("nonsense"), true),
        ] {
            let why = is_missing.then_some(ASKS);
            assert_eq!(doubt(&ready, &list, &Contents::Missing), why, "{list:?}");
        }
    }

    #[test]
    fn one_that_was_started_with_a_prompt_may_be_at_work() {
        for (line, is_asked) in [
            (&["copilot", "-i", "go"][..], true),
            (&["copilot", "-pgo"], true),
            (&["copilot", "--interactive=go"], true),
            (&["node", "/bin/copilot", "--prompt", "go"], true),
            (&["copilot", "--prompts", "--plain-diff"], false),
            (&["copilot"], false),
        ] {
            let why = is_asked.then_some(ASKED);
            assert_eq!(doubt(&started(line), &trusting(), &Contents::Missing), why, "{line:?}");
        }
    }

    #[test]
    fn it_looks_into_its_own_folder_wherever_that_is() {
        let of = |variables| Ready::of(&Started { variables, cwd: CWD, words: &[] });
        let own = |variables| of(variables).map(|ready| ready.trusted);
        let moved = Some(PathBuf::from("/etc/copilot/config.json"));
        assert_eq!(own([Some("/home/ada"), Some("/etc/copilot")]), moved);
        assert_eq!(own([None, Some("/etc/copilot")]), moved);
        assert_eq!(own([Some("/home/ada"), None]), Some("/home/ada/.copilot/config.json".into()));
        assert!(of([None, None]).is_none());
    }
}
