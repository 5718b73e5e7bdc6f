//! `headsup capture`

use crate::cli::Context;
use crate::cli::hooks::is_full;
use crate::client::resolve;
use crate::error::{CommandError, Kind};
use crate::output::Output;
use crate::output::line::Line;
use headsup_core::wire::SCHEMA;
use rustix::fs::{Mode, OFlags, fstat, open, stat};
use rustix::io::Errno;
use rustix::stdio::stdout;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// Write down what the hub was told and saw of an agent, redacted, for a bug report.
///
/// The bundle is one file of JSON lines: hooks and streams as they came, the agent's status file,
/// lines of its log, what it said to its terminal, what showed a dialog on its screen, its own reports
/// and those of other systems, what its server told of it, its process's start and end, and what the hub made of it, since
/// the hub's start and as far as it is kept. Paths, ids, numbers that may be somebody's and whatever anybody said are
/// placeholders, the same for the same text.
/// Look at it before you hand it on. `replay` of headsup's repository plays it.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Its id, its name, an unambiguous beginning, or `.` for the agent this runs in.
    agent: String,
    /// The file to write, readable by you alone. Without it, or with `-`, standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace a file that is there. A pipe or a device is written to.
    #[arg(long, requires = "output")]
    force: bool,
    /// Keep what agent and person said, but no credentials, home folder or user name.
    #[arg(long)]
    text: bool,
}

const EXAMPLES: &str = "\
Examples:
  headsup capture api -o api.capture
  headsup capture api --text -o api.capture    with what was said";

/// The hub's answer; what stands before the rows is the bundle's first line.
#[derive(Deserialize)]
struct Bundle {
    rows: Vec<Value>,
    #[serde(flatten)]
    head: Head,
}

#[derive(Deserialize, Serialize)]
struct Head {
    version: String,
    kind: String,
    captured_at: String,
    since: Option<String>,
    kept: BTreeMap<String, u64>,
    dropped: u64,
    replaced: u64,
    text: bool,
}

/// The form of the bundle, on its first line.
const FORM: u32 = 1;

#[derive(Serialize)]
struct FirstLine<'a> {
    headsup_capture: u32,
    #[serde(flatten)]
    head: &'a Head,
}

#[derive(Serialize)]
struct Doc<'a> {
    schema: u32,
    file: Cow<'a, str>,
    #[serde(flatten)]
    head: &'a Head,
}

pub(crate) async fn run(args: Args, context: &Context) -> Result<(), CommandError> {
    let client = context.client().await?;
    let id = resolve::agent(&client, &args.agent).await?.id;
    let path = format!("/api/v1/agents/{id}/evidence?text={}", args.text);
    let Bundle { rows, head } = client.get_doc(&path).await?;
    let bundle = written(&head, &rows)?;
    match args.output.as_deref().filter(|file| *file != Path::new("-") && !is_our_output(file)) {
        None => Output::json_lines(&bundle)?,
        Some(file) if file.file_name().is_none() || file.is_dir() => {
            let message = format!("{} is a folder, and the bundle is a file", file.display());
            return Err(CommandError::usage(message).hint("name the file, as `-o api.capture`"));
        }
        Some(file) if !is_in_a_folder(file) => {
            let message = format!("cannot write {}: its folder is not there", file.display());
            return Err(
                CommandError::usage(message).hint("make the folder, or name a file elsewhere")
            );
        }
        Some(file) => {
            let waits = || {
                let words = format!("headsup: nobody reads {} yet: this waits", file.display());
                context.output.say(&Line::plain(words));
            };
            save(file, bundle.as_bytes(), args.force, waits)
                .map_err(|error| not_saved(file, &error))?;
            if context.output.is_json() {
                let file = file.to_string_lossy();
                Output::json(&Doc { schema: SCHEMA, file, head: &head })?;
            }
        }
    }
    for line in told(&head) {
        context.output.say(&Line::plain(format!("headsup: {line}")));
    }
    Ok(())
}

fn written(head: &Head, rows: &[Value]) -> Result<String, CommandError> {
    let broken = |error| CommandError::internal(format!("cannot write JSON: {error}"));
    let first = FirstLine { headsup_capture: FORM, head };
    let mut bundle = serde_json::to_string(&first).map_err(broken)?;
    bundle.push('\n');
    for row in rows {
        bundle.push_str(&row.to_string());
        bundle.push('\n');
    }
    Ok(bundle)
}

/// What was kept, and what was cut.
fn told(head: &Head) -> Vec<String> {
    let words = [
        ("hook", "hook", "hooks"),
        ("registry", "state of its status file", "states of its status file"),
        ("transcript", "line of its log", "lines of its log"),
        ("stream", "line of its stream", "lines of its stream"),
        ("osc", "word to its terminal", "words to its terminal"),
        ("screen", "sight of its screen", "sights of its screen"),
        ("report", "report", "reports"),
        ("server", "message of its server", "messages of its server"),
        ("process", "word on its process", "words on its process"),
        ("told", "change that the hub told", "changes that the hub told"),
    ];
    let Some(since) = &head.since else {
        let empty = "this bundle is empty: nobody has told of the agent since the hub's start, and what \
            came before is not kept";
        return vec![empty.to_owned()];
    };
    let count = |(source, one, many): (&str, &str, &str)| match head.kept.get(source)? {
        1 => Some(format!("1 {one}")),
        count => Some(format!("{count} {many}")),
    };
    let kept: Vec<String> = words.into_iter().filter_map(count).collect();
    let mut lines = vec![format!("kept: {} (since {since})", kept.join(", "))];
    let text = match (head.text, head.replaced) {
        (true, _) => "what was said is in it, without credentials and the home folder".to_owned(),
        (false, 1) => "1 text or path is a placeholder".to_owned(),
        (false, count) => format!("{count} different texts and paths are placeholders"),
    };
    lines.push(format!("cut: {text}; outputs of tools are never in it"));
    if head.dropped > 0 {
        lines.push(format!("cut: {} older pieces, for want of room", head.dropped));
    }
    lines
}

/// Is it another name of our standard output, as `/dev/stdout` is?
fn is_our_output(file: &Path) -> bool {
    let (Ok(there), Ok(own)) = (stat(file), fstat(stdout())) else { return false };
    file.is_symlink() && (there.st_dev, there.st_ino) == (own.st_dev, own.st_ino)
}

/// Does it name what a process has open, as `/dev/stderr` does? Everybody has that link.
fn names_what_is_open(file: &Path) -> bool {
    fs::read_link(file).is_ok_and(|to| to.starts_with("/proc/self/fd"))
}

fn is_in_a_folder(file: &Path) -> bool {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.is_none_or(Path::is_dir)
}

/// Whole or not at all, and never over a file that nobody meant. A pipe or a device is written to: replaced by a
/// file it would be gone for everybody. `waits` is called where a pipe has nobody yet who reads it.
fn save(file: &Path, bytes: &[u8], force: bool, waits: impl FnOnce()) -> io::Result<()> {
    let (there, is_open) = (fs::metadata(file), names_what_is_open(file));
    if is_open || there.as_ref().is_ok_and(|there| !there.is_file()) {
        let is_pipe = there.is_ok_and(|there| there.file_type().is_fifo());
        let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        // Kept until it is open once more: whoever reads it would take a close for the end.
        let first = is_pipe.then(|| open(file, flags, Mode::empty()));
        if matches!(first, Some(Err(Errno::NXIO))) {
            waits();
        }
        return OpenOptions::new().write(true).append(is_open).open(file)?.write_all(bytes);
    }
    let name = file.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_string_lossy();
    let new = file.with_file_name(format!(".{name}.{}", uuid::Uuid::now_v7().simple()));
    let write = || {
        let mut options = OpenOptions::new();
        let mut out = options.write(true).create_new(true).mode(0o600).open(&new)?;
        out.write_all(bytes)?;
        out.sync_all()?;
        match force {
            true => fs::rename(&new, file),
            // A link is not made where something is.
            false => fs::hard_link(&new, file).and_then(|()| fs::remove_file(&new)),
        }
    };
    let written = write();
    if written.is_err() {
        fs::remove_file(&new).ok();
    }
    written
}

fn not_saved(file: &Path, error: &io::Error) -> CommandError {
    let at = file.display();
    if error.kind() == io::ErrorKind::AlreadyExists {
        return CommandError::new(Kind::Refused, format!("{at} is there already"))
            .code("file_exists")
            .hint("take another name, or --force");
    }
    let refused = CommandError::internal(format!("cannot write {at}: {error}"));
    if is_full(error) { refused.hint("make room there, or take another folder") } else { refused }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{CWD, mkfifoat};
    use std::os::unix::fs::symlink;
    use std::sync::mpsc;
    use std::time::Duration;

    #[test]
    fn whoever_waits_for_a_reader_says_so_first() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        mkfifoat(CWD, &pipe, Mode::RWXU).unwrap();
        let (tell, told) = mpsc::channel();
        let path = pipe.clone();
        let reader = std::thread::spawn(move || {
            let is_told = told.recv_timeout(Duration::from_secs(30)).is_ok();
            (is_told, fs::read_to_string(path).unwrap())
        });
        save(&pipe, b"bundle", false, || tell.send(()).unwrap()).unwrap();
        assert_eq!(reader.join().unwrap(), (true, "bundle".to_owned()));
    }

    #[test]
    fn one_placeholder_is_told_as_one() {
        for (replaced, cut) in [
            (0, "cut: 0 different texts and paths are placeholders"),
            (1, "cut: 1 text or path is a placeholder"),
            (2, "cut: 2 different texts and paths are placeholders"),
        ] {
            let head = serde_json::json!({
                "version": "1", "kind": "custom", "captured_at": "", "since": "",
                "kept": {"osc": 1}, "dropped": 0, "replaced": replaced, "text": false,
            });
            let lines = told(&serde_json::from_value(head).unwrap());
            assert_eq!(lines[1], format!("{cut}; outputs of tools are never in it"));
        }
    }

    #[test]
    fn a_name_of_what_is_open_is_never_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let [kept, link] = ["kept", "link"].map(|name| folder.path().join(name));
        let open = fs::File::create(&kept).unwrap();
        let number = std::os::fd::AsRawFd::as_raw_fd(&open);
        symlink(format!("/proc/self/fd/{number}"), &link).unwrap();
        save(&link, b"bundle", true, || {}).unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&kept).unwrap(), "bundle");
    }
}
