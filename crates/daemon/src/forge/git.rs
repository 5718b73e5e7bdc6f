//! The one door for starting git.
//!
//! A repository is not trusted: whoever works in it writes its configuration, its hooks and its
//! attributes. So it is worked on through a *desk*, a bare repository of ours that borrows the other's
//! objects and has a configuration of its own, in which no filter, driver, hook or alias is known. In
//! the repository itself git only reads and writes names of branches, with hooks off. Arguments are
//! handed over one by one, never to a shell, and what comes from elsewhere stands behind
//! `--end-of-options` or is the full name of a commit.

use super::ForgeError;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::Command;

/// Longer than a merge of a large repository takes.
const PATIENCE: Duration = Duration::from_secs(120);
/// Bytes of an answer at most.
const MOST_OUTPUT: u64 = 16 << 20;

/// Settings that outrank those of the repository, of its person and of the machine.
const SETTINGS: [&str; 16] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.attributesFile=/dev/null",
    "core.sshCommand=false",
    "core.askPass=false",
    "core.pager=cat",
    "core.editor=false",
    "credential.helper=",
    "diff.external=",
    "gc.auto=0",
    "maintenance.auto=false",
    "commit.gpgSign=false",
    "protocol.allow=never",
    "submodule.recurse=false",
    "rebase.autoStash=false",
    "advice.detachedHead=false",
];

/// Where git works.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    variables: Vec<(&'static str, OsString)>,
    folder: Option<PathBuf>,
    /// It works in what a person has before their eyes: nothing of it is left half done.
    finishes: bool,
}

impl Place {
    /// With this folder as the repository.
    pub(super) fn new(git: &Path) -> Self {
        Self::default().with("GIT_DIR", git)
    }

    #[must_use]
    pub(super) fn with(mut self, name: &'static str, value: impl Into<OsString>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    /// With this folder as the checkout.
    #[must_use]
    pub(super) fn on(self, tree: &Path) -> Self {
        Self { folder: Some(tree.to_owned()), finishes: true, ..self.with("GIT_WORK_TREE", tree) }
    }
}

/// How git ended, where that is no error of ours.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) code: i32,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: String,
}

impl Ended {
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).trim().to_owned()
    }

    /// It has done what it was to do.
    pub(super) fn ok(self, doing: &'static str) -> Result<Self, ForgeError> {
        match self.code {
            0 => Ok(self),
            _ => Err(ForgeError::Git { doing, why: self.why() }),
        }
    }

    /// Its last words, in one line.
    pub(super) fn why(&self) -> String {
        let said = self.stderr.lines().filter(|line| !line.starts_with("hint:"));
        let said = said.collect::<Vec<_>>().join("; ");
        headsup_adapters::text::line(&said, headsup_adapters::text::DETAIL)
    }
}

/// Runs git and waits for it. Any exit code is an answer.
pub(super) async fn run(place: &Place, args: &[&str]) -> Result<Ended, ForgeError> {
    let mut command = Command::new("git");
    command.env_clear();
    for name in ["PATH", "TMPDIR"] {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    let fixed = [
        ("HOME", "/nonexistent"),
        ("LC_ALL", "C"),
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_ATTR_NOSYSTEM", "1"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("GIT_ASKPASS", "false"),
        ("GIT_ALLOW_PROTOCOL", "none"),
        ("GIT_NO_LAZY_FETCH", "1"),
        ("GIT_NO_REPLACE_OBJECTS", "1"),
        ("GIT_MERGE_AUTOEDIT", "no"),
        ("GIT_EDITOR", "false"),
        ("GIT_AUTHOR_NAME", "headsup"),
        ("GIT_AUTHOR_EMAIL", "headsup@localhost"),
        ("GIT_COMMITTER_NAME", "headsup"),
        ("GIT_COMMITTER_EMAIL", "headsup@localhost"),
    ];
    command.envs(fixed).envs(place.variables.iter().map(|(name, value)| (name, value)));
    command.current_dir(place.folder.as_deref().unwrap_or(Path::new("/")));
    command.arg("--no-pager").arg("--literal-pathspecs");
    for setting in SETTINGS {
        command.args(["-c", setting]);
    }
    command.args(args);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.kill_on_drop(!place.finishes);
    let mut child = command.spawn().map_err(ForgeError::NoGit)?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let end = async { tokio::join!(read(stdout), read(stderr), child.wait()) };
    let ended = tokio::time::timeout(PATIENCE, end).await;
    let (stdout, stderr, status) = ended.map_err(|_| ForgeError::TooLong(PATIENCE.as_secs()))?;
    let stderr = String::from_utf8_lossy(&stderr?).into_owned();
    let code = status.map_err(ForgeError::NoGit)?.code().unwrap_or(-1);
    Ok(Ended { code, stdout: stdout?, stderr })
}

/// All that is said; more than anybody reads is an error.
async fn read(from: Option<impl AsyncRead + Unpin>) -> Result<Vec<u8>, ForgeError> {
    let mut bytes = Vec::new();
    if let Some(from) = from {
        let read = from.take(MOST_OUTPUT + 1).read_to_end(&mut bytes).await;
        read.map_err(ForgeError::NoGit)?;
    }
    if bytes.len() as u64 > MOST_OUTPUT {
        return Err(ForgeError::TooMuch(MOST_OUTPUT >> 20));
    }
    Ok(bytes)
}

/// Who a person is in their own commits, by their own settings.
#[derive(Clone, Debug, Default)]
pub(super) struct Identity {
    pub(super) name: Option<String>,
    pub(super) email: Option<String>,
}

impl Identity {
    /// Read from the settings of the hub's own user, never from a repository.
    pub(super) async fn load(home: Option<&Path>) -> Self {
        let Some(home) = home else { return Self::default() };
        let place = Place::new(Path::new("/dev/null"));
        let files = [home.join(".gitconfig"), home.join(".config/git/config")];
        let mut identity = Self::default();
        for file in files.iter().filter(|file| file.is_file()) {
            let file = file.to_string_lossy();
            for (key, slot) in
                [("user.name", &mut identity.name), ("user.email", &mut identity.email)]
            {
                let args = ["config", "--file", &file, "--no-includes", "--get", key];
                let said = run(&place, &args).await.ok().filter(|ended| ended.code == 0);
                let said = said.map(|ended| ended.text()).filter(|said| !said.is_empty());
                *slot = slot.take().or(said);
            }
        }
        identity
    }

    pub(super) fn sign(&self, mut place: Place) -> Place {
        let names = [
            ("GIT_AUTHOR_NAME", &self.name),
            ("GIT_COMMITTER_NAME", &self.name),
            ("GIT_AUTHOR_EMAIL", &self.email),
            ("GIT_COMMITTER_EMAIL", &self.email),
        ];
        for (name, value) in names {
            if let Some(value) = value {
                place = place.with(name, value);
            }
        }
        place
    }
}

/// A bare repository of ours with the objects of another, and room for a checkout. It is removed when
/// this goes out of scope.
#[derive(Debug)]
pub(super) struct Desk {
    folder: PathBuf,
    pub(super) place: Place,
}

impl Desk {
    /// `folder` is not there yet; `common` is the git folder whose objects are borrowed. New objects
    /// are thrown away with the desk unless they are `kept`.
    pub(super) async fn new(
        folder: PathBuf,
        common: &Path,
        kept: bool,
    ) -> Result<Self, ForgeError> {
        let format = run(&Place::new(common), &["rev-parse", "--show-object-format"]).await?;
        let format = format.ok("ask the repository for its format")?.text();
        let git = folder.join("git");
        let mut desk = Self { folder, place: Place::new(&git) };
        std::fs::create_dir_all(desk.tree()).map_err(ForgeError::Desk)?;
        let format = format!("--object-format={format}");
        let (at, branch) = (git.to_string_lossy(), "--initial-branch=desk");
        let init =
            ["init", "-q", "--bare", "--template=", &format, branch, "--end-of-options", &at];
        run(&Place::default(), &init).await?.ok("set a desk up")?;
        let mut place = Place::new(&git).on(&desk.tree());
        let objects = common.join("objects");
        if kept {
            place = place.with("GIT_OBJECT_DIRECTORY", objects);
        } else {
            place = place
                .with("GIT_OBJECT_DIRECTORY", git.join("objects"))
                .with("GIT_ALTERNATE_OBJECT_DIRECTORIES", quoted(&objects));
        }
        let shallow = common.join("shallow");
        if shallow.is_file() {
            place = place.with("GIT_SHALLOW_FILE", shallow);
        }
        desk.place = place;
        Ok(desk)
    }

    pub(super) fn tree(&self) -> PathBuf {
        self.folder.join("tree")
    }

    pub(super) async fn run(&self, args: &[&str]) -> Result<Ended, ForgeError> {
        run(&self.place, args).await
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        // What is left is removed at the hub's next start.
        std::fs::remove_dir_all(&self.folder).ok();
    }
}

/// A path in a list that is separated by colons.
fn quoted(path: &Path) -> OsString {
    let text = path.to_string_lossy();
    match text.contains(':') || text.starts_with('"') {
        true => format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")).into(),
        false => path.into(),
    }
}
